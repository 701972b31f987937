//===- KeepMatrixTiles.cpp - No calls among matrix tiles ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call leaves no AMX tile and no configuration of tiles in place. LLVM
// configures them again after each, and it makes calls of loops that fill or
// copy memory.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace xsa {
#define GEN_PASS_DEF_KEEPMATRIXTILESPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

namespace {
struct KeepMatrixTilesPass
    : public xsa::impl::KeepMatrixTilesPassBase<KeepMatrixTilesPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    WalkResult found = function.walk([](Operation *op) {
      return isa_and_nonnull<amx::AMXDialect>(op->getDialect())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return;
    // What LLVM calls the attributes of a function that keep loops as they are.
    Builder b(&getContext());
    SmallVector<Attribute> attributes;
    if (auto given = function->getAttrOfType<ArrayAttr>("passthrough"))
      llvm::append_range(attributes, given);
    attributes.push_back(b.getStringAttr("no-builtin-memset"));
    attributes.push_back(b.getStringAttr("no-builtin-memcpy"));
    function->setAttr("passthrough", b.getArrayAttr(attributes));
  }
};
} // namespace
