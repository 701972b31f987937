//===- XSARuntimeVerification.cpp - Checks of dynamic shapes --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the verifier cannot know about dynamic shapes, asserted where the
// operation runs (upstream's `generate-runtime-verification`).
//
//===----------------------------------------------------------------------===//

#include "OperandRules.h"

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;
using namespace xsa::detail;

using MessageFn = function_ref<std::string(Operation *, StringRef)>;

static Value buildSize(OpBuilder &builder, Location loc, Value shaped,
                       int64_t position) {
  if (isa<MemRefType>(shaped.getType()))
    return memref::DimOp::create(builder, loc, shaped, position);
  return tensor::DimOp::create(builder, loc, shaped, position);
}

namespace {
/// The first operand seen with a dimension; all others are compared with it.
struct Extent {
  StringRef owner;
  Value shaped;
  int64_t position = 0;
};
} // namespace

template <typename OpTy>
static void assertEqualExtents(OpTy op, OpBuilder &builder, Location loc,
                               MessageFn message) {
  SmallVector<Extent> extents(op.getNumLoops());
  for (const OperandRule &rule : getOperandRules(op)) {
    Value shaped = rule.operand->get();
    auto type = cast<ShapedType>(shaped.getType());
    for (auto [position, expr] : llvm::enumerate(rule.map.getResults())) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      Extent &extent = extents[dim];
      if (!extent.shaped) {
        extent = {rule.name, shaped, static_cast<int64_t>(position)};
        continue;
      }
      auto first = cast<ShapedType>(extent.shaped.getType());
      if (!type.isDynamicDim(position) && !first.isDynamicDim(extent.position))
        continue;
      Value expected = buildSize(builder, loc, extent.shaped, extent.position);
      Value actual = buildSize(builder, loc, shaped, position);
      Value equal = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, expected, actual);
      std::string text = ("size of '" + rule.name + "' in dimension " +
                          getDimensionName(op, dim) +
                          " differs from that of '" + extent.owner + "'")
                             .str();
      cf::AssertOp::create(builder, loc, equal, message(op, text));
    }
  }
}

void AttentionOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                              MessageFn message) {
  assertEqualExtents(*this, builder, loc, message);
}

void ExcludeOp::generateRuntimeVerification(OpBuilder &builder, Location loc,
                                            MessageFn message) {
  assertEqualExtents(*this, builder, loc, message);
}
