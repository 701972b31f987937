//===- CheckBuffers.cpp - Sizes that must agree, at run time --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types with dynamic sizes leave open whether operands fit together, and models
// are given arrays that do not. What they would otherwise do is read past a
// buffer.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace xsa {
#define GEN_PASS_DEF_CHECKBUFFERSPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

static Value getSize(OpBuilder &builder, Location loc, Value buffer,
                     int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
  return builder.createOrFold<memref::DimOp>(loc, buffer, dim);
}

static void assertEqual(OpBuilder &builder, Location loc, Value a, Value b,
                        const Twine &message) {
  if (a == b)
    return;
  Value equal =
      builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, a, b);
  cf::AssertOp::create(builder, loc, equal, message.str());
}

/// All operands have the same size along each loop of the operation.
static void checkOperands(linalg::LinalgOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  /// What defines the size of each loop, and whether that is static.
  SmallVector<Value> sizes(op.getNumLoops());
  SmallVector<bool> isStatic(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [index, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      Value &size = sizes[dim.getPosition()];
      bool thisStatic = !type.isDynamicDim(index);
      // Two static sizes were compared by the verifier.
      if (size && isStatic[dim.getPosition()] && thisStatic)
        continue;
      Value here = getSize(builder, loc, operand.get(), index);
      if (size)
        assertEqual(builder, loc, size, here,
                    "operands disagree on the size of dimension " +
                        Twine(dim.getPosition()) + " of '" +
                        op->getName().getStringRef() + "'");
      else {
        size = here;
        isStatic[dim.getPosition()] = thisStatic;
      }
    }
  }
}

/// The sizes of a group multiply to the size that is split.
static void checkExpansion(memref::ExpandShapeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    bool isDynamic = llvm::any_of(
        group, [&](int64_t d) { return op.getResultType().isDynamicDim(d); });
    if (!isDynamic || group.size() == 1)
      continue;
    Value product = arith::ConstantIndexOp::create(builder, loc, 1);
    SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
    for (int64_t d : group) {
      Value size = isa<Value>(sizes[d])
                       ? cast<Value>(sizes[d])
                       : arith::ConstantIndexOp::create(
                             builder, loc, op.getResultType().getDimSize(d));
      product = builder.createOrFold<arith::MulIOp>(loc, product, size);
    }
    assertEqual(builder, loc, getSize(builder, loc, op.getSrc(), dim), product,
                "dimension " + Twine(dim) +
                    " cannot be split into these sizes");
  }
}

/// The bytes of a new buffer, which are counted modulo 2^64 later.
static void checkAllocation(memref::AllocOp op) {
  if (op.getDynamicSizes().empty())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  Value zero = constant(0);
  Value fits =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  auto require = [&](arith::CmpIPredicate predicate, Value number) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, number, zero);
    fits = arith::AndIOp::create(builder, loc, fits, holds);
  };
  Type element = op.getType().getElementType();
  constexpr unsigned kIndexBits = 64;
  Value bytes = constant(llvm::divideCeil(
      element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : kIndexBits,
      8));
  for (OpFoldResult mixed : op.getMixedSizes()) {
    Value size = arith::IndexCastOp::create(
        builder, loc, i64,
        getValueOrCreateConstantIndexOp(builder, loc, mixed));
    require(arith::CmpIPredicate::sge, size);
    auto product = arith::MulUIExtendedOp::create(builder, loc, bytes, size);
    bytes = product.getLow();
    require(arith::CmpIPredicate::eq, product.getHigh());
  }
  require(arith::CmpIPredicate::sge, bytes);
  cf::AssertOp::create(builder, loc, fits,
                       "a size is negative, or makes more bytes than 64 bits "
                       "hold");
}

namespace {
struct CheckBuffers : public xsa::impl::CheckBuffersPassBase<CheckBuffers> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::AllocOp, memref::ExpandShapeOp>(op) &&
          isa_and_nonnull<FunctionOpInterface>(op->getParentOp()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        checkOperands(linalgOp);
      else if (auto allocOp = dyn_cast<memref::AllocOp>(op))
        checkAllocation(allocOp);
      else
        checkExpansion(cast<memref::ExpandShapeOp>(op));
    }
  }
};
} // namespace
