//===- VerifyDynamicSizes.cpp - Assert that dynamic sizes agree -----------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles are read at sizes that one operand tells. Where another operand is
// smaller that would be a read past its end, so compiled models check first.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/Transforms/Passes.h"

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace xsa {
#define GEN_PASS_DEF_VERIFYDYNAMICSIZES
#include "xsa/Dialect/XSA/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

namespace {
struct VerifyDynamicSizes
    : public xsa::impl::VerifyDynamicSizesBase<VerifyDynamicSizes> {
  using Base::Base;

  void runOnOperation() override {
    auto message = [](Operation *op, StringRef text) {
      return ("'" + op->getName().getStringRef() + "': " + text).str();
    };
    getOperation()->walk([&](Operation *op) {
      if (!isa<xsa::AttentionOp, xsa::ExcludeOp>(op))
        return;
      OpBuilder builder(op);
      cast<RuntimeVerifiableOpInterface>(op).generateRuntimeVerification(
          builder, op->getLoc(), message);
    });
  }
};
} // namespace
