//===- LowerBoolVectors.cpp - Vectors of bools as bytes -------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers have a byte for each bool, LLVM's vectors a bit: a vector of bools
// that is loaded or stored as such is another value. As bytes it is right, and
// one instruction where elements one by one would be many.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace xsa {
#define GEN_PASS_DEF_LOWERBOOLVECTORSPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

static bool isBools(Type type) {
  return isa<VectorType>(type) && getElementTypeOrSelf(type).isInteger(1);
}

/// `type` with bytes in place of bools.
static Type getByteType(Type type) {
  auto shaped = cast<ShapedType>(type);
  return shaped.clone(IntegerType::get(type.getContext(), 8));
}

/// `op` on the bytes of its buffer, with `operand`, a bool or a vector of them,
/// extended.
static Operation *cloneOnBytes(PatternRewriter &rewriter, Operation *op,
                               Value base, Value operand) {
  Location loc = op->getLoc();
  IRMapping mapping;
  mapping.map(base, UnrealizedConversionCastOp::create(
                        rewriter, loc, getByteType(base.getType()), base)
                        .getResult(0));
  if (operand) {
    Type type = operand.getType();
    type = isa<VectorType>(type) ? getByteType(type) : rewriter.getI8Type();
    mapping.map(operand, arith::ExtUIOp::create(rewriter, loc, type, operand));
  }
  Operation *copy = op->clone(mapping);
  for (OpResult result : copy->getResults())
    result.setType(getByteType(result.getType()));
  return rewriter.insert(copy);
}

namespace {
template <typename OpTy> struct ReadBytes : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType();
    if (!isBools(type) || !isa<MemRefType>(op.getBase().getType()))
      return rewriter.notifyMatchFailure(op, "no vector of bools in a buffer");
    Value padding;
    if constexpr (std::is_same_v<OpTy, vector::TransferReadOp>)
      padding = op.getPadding();
    Value bytes =
        cloneOnBytes(rewriter, op, op.getBase(), padding)->getResult(0);
    Value zero = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getZeroAttr(bytes.getType()));
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::ne,
                                               bytes, zero);
    return success();
  }
};

template <typename OpTy> struct WriteBytes : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getValueToStore();
    if (!isBools(value.getType()) || !isa<MemRefType>(op.getBase().getType()))
      return rewriter.notifyMatchFailure(op, "no vector of bools to a buffer");
    cloneOnBytes(rewriter, op, op.getBase(), value);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerBoolVectors
    : public xsa::impl::LowerBoolVectorsPassBase<LowerBoolVectors> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<ReadBytes<vector::TransferReadOp>, ReadBytes<vector::LoadOp>,
             WriteBytes<vector::TransferWriteOp>, WriteBytes<vector::StoreOp>>(
            &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
