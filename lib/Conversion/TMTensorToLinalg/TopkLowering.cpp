//===- TopkLowering.cpp - tm_tensor.topk to insertions --------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definition of the operation, written down: each element is inserted into
// the sorted list of K that the destinations hold. K is small in practice.
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "xsa/Conversion/TMTensorToLinalg/TMTensorToLinalg.h"
#include "xsa/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace xsa::tm_tensor;

/// One step of an insertion: compares the carried element with the list's entry
/// at `ivs`, leaves there what goes first and carries the other on. `state` is
/// the element, its position, the list's values and its positions.
static SmallVector<Value> insertIntoList(OpBuilder &builder, Location loc,
                                         TopkOp op, ValueRange ivs,
                                         ValueRange state) {
  Value element = state[0], position = state[1];
  Value entry = tensor::ExtractOp::create(builder, loc, state[2], ivs);
  Value place = tensor::ExtractOp::create(builder, loc, state[3], ivs);
  Value before =
      inlineRegion(builder, op.getRegion(), {element, entry}).front();
  Value after = inlineRegion(builder, op.getRegion(), {entry, element}).front();
  // Equal elements are told apart by their positions alone.
  Value equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      before, after);
  Value earlier = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        position, place);
  Value positionFirst =
      arith::OrIOp::create(builder, loc, before,
                           arith::AndIOp::create(builder, loc, equal, earlier));
  auto select = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  };
  Value values = tensor::InsertOp::create(
      builder, loc, select(before, element, entry), state[2], ivs);
  Value positions = tensor::InsertOp::create(
      builder, loc, select(positionFirst, position, place), state[3], ivs);
  return {select(before, entry, element),
          select(positionFirst, place, position), values, positions};
}

namespace {
/// Replaces a top-k by a loop nest that inserts each element into the list.
struct LowerTopk : public OpRewritePattern<TopkOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TopkOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOnTensors(op))
      return rewriter.notifyMatchFailure(op, "expected operands on tensors");
    Location loc = op.getLoc();
    Value listLength =
        getExtents(rewriter, loc, op.getOutputs()[0])[op.getDimension()];
    auto insertElement = [&](OpBuilder &builder, Location loc, ValueRange ivs,
                             ValueRange lists) -> SmallVector<Value> {
      SmallVector<Value> state = loadElement(builder, loc, op, ivs);
      llvm::append_range(state, lists);
      SmallVector<Value> done =
          buildLoopNest(builder, loc, listLength, state,
                        [&](OpBuilder &builder, Location loc, ValueRange inner,
                            ValueRange state) {
                          SmallVector<Value> entry(ivs);
                          entry[op.getDimension()] = inner.front();
                          return insertIntoList(builder, loc, op, entry, state);
                        });
      return {done[2], done[3]};
    };
    rewriter.replaceOp(op,
                       buildLoopNest(rewriter, loc,
                                     getExtents(rewriter, loc, op.getValues()),
                                     op.getOutputs(), insertElement));
    return success();
  }

private:
  /// The element at `ivs` and its position.
  static SmallVector<Value> loadElement(OpBuilder &builder, Location loc,
                                        TopkOp op, ValueRange ivs) {
    Value element =
        tensor::ExtractOp::create(builder, loc, op.getValues(), ivs);
    if (op.getPositions())
      return {element,
              tensor::ExtractOp::create(builder, loc, op.getPositions(), ivs)};
    Type type = cast<ShapedType>(op.getOutputs()[1].getType()).getElementType();
    return {element, arith::IndexCastOp::create(builder, loc, type,
                                                ivs[op.getDimension()])};
  }
};
} // namespace

void xsa::populateTMTensorTopkPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerTopk>(patterns.getContext());
}
