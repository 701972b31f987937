//===- ScatterLowering.cpp - tm_tensor.scatter to a loop ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Updates are applied one after the other, so that repeated indices accumulate
// in a defined order, and none may write outside the destination: indices come
// from the model's inputs.
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "xsa/Conversion/TMTensorToLinalg/TMTensorToLinalg.h"
#include "xsa/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace xsa::tm_tensor;

/// Where the element at `ivs` (update, then window) goes in the original.
static SmallVector<Value> computePosition(OpBuilder &builder, Location loc,
                                          ScatterOp op, ValueRange ivs) {
  SmallVector<Value> position(op.getOriginalType().getRank());
  ValueRange window = ivs.drop_front();
  llvm::copy(window, position.end() - window.size());
  for (auto [component, dimension] : llvm::enumerate(op.getDimensionMap())) {
    Value at = arith::ConstantIndexOp::create(builder, loc, component);
    Value index = tensor::ExtractOp::create(builder, loc, op.getIndices(),
                                            ValueRange{ivs.front(), at});
    if (!index.getType().isIndex())
      index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         index);
    if (position[dimension])
      index = arith::AddIOp::create(builder, loc, index, position[dimension]);
    position[dimension] = index;
  }
  for (Value &component : position)
    if (!component)
      component = arith::ConstantIndexOp::create(builder, loc, 0);
  return position;
}

/// Whether a position lies in the original. Compared without sign, a negative
/// index is larger than every extent.
static Value isInside(OpBuilder &builder, Location loc, ValueRange position,
                      ValueRange extents) {
  Value inside =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  for (auto [component, extent] : llvm::zip_equal(position, extents)) {
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       component, extent);
    inside = arith::AndIOp::create(builder, loc, inside, fits);
  }
  return inside;
}

namespace {
/// Replaces a scatter by a loop nest over its updates and their windows.
struct LowerScatter : public OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOnTensors(op))
      return rewriter.notifyMatchFailure(op, "expected operands on tensors");
    Location loc = op.getLoc();
    SmallVector<Value> extents = getExtents(rewriter, loc, op.getOriginal());
    auto body = [&](OpBuilder &builder, Location loc, ValueRange ivs,
                    ValueRange carried) -> SmallVector<Value> {
      Value current = carried.front();
      SmallVector<Value> position = computePosition(builder, loc, op, ivs);
      auto guarded = scf::IfOp::create(
          builder, loc, isInside(builder, loc, position, extents),
          [&](OpBuilder &b, Location loc) {
            Value update =
                tensor::ExtractOp::create(b, loc, op.getUpdates(), ivs);
            Value old = tensor::ExtractOp::create(b, loc, current, position);
            Value combined =
                inlineRegion(b, op.getRegion(), {update, old}).front();
            Value written =
                tensor::InsertOp::create(b, loc, combined, current, position);
            scf::YieldOp::create(b, loc, written);
          },
          [&](OpBuilder &b, Location loc) {
            scf::YieldOp::create(b, loc, current);
          });
      return {guarded.getResult(0)};
    };
    rewriter.replaceOp(op,
                       buildLoopNest(rewriter, loc,
                                     getExtents(rewriter, loc, op.getUpdates()),
                                     op.getOriginal(), body));
    return success();
  }
};
} // namespace

void xsa::populateTMTensorScatterPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerScatter>(patterns.getContext());
}
