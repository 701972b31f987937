//===- SortLowering.cpp - tm_tensor.sort to a merge sort ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bottom-up merge sort: stable, O(n log n), and one scratch row per operand.
// Rows of a vocabulary's size are sorted when sampling, so that a quadratic
// sort is not enough.
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "xsa/Conversion/TMTensorToLinalg/TMTensorToLinalg.h"
#include "xsa/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace xsa::tm_tensor;

namespace {

/// Builds the merge sort of one row of every operand of a sort. The loops carry
/// the tensors and then one scratch row for each ("state").
class RowSorter {
public:
  RowSorter(OpBuilder &builder, SortOp op, ValueRange rowIndices, Value length)
      : builder(builder), loc(op.getLoc()), op(op), row(rowIndices),
        length(length), zero(arith::ConstantIndexOp::create(builder, loc, 0)),
        one(arith::ConstantIndexOp::create(builder, loc, 1)),
        numOperands(op.getOutputs().size()) {}

  /// Runs double in each pass: after ceil(log2(length)) the row is one run.
  SmallVector<Value> build(ValueRange state) {
    auto pass = [&](Value number, ValueRange state) {
      Value width = arith::ShLIOp::create(builder, loc, one, number);
      return copyBack(mergeRuns(width, state));
    };
    return buildLoop(zero, countPasses(), one, state, pass);
  }

private:
  using Body = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;

  SmallVector<Value> buildLoop(Value from, Value to, Value step,
                               ValueRange initial, Body body) {
    auto loop = scf::ForOp::create(builder, loc, from, to, step, initial);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next =
        body(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(builder, loc, next);
    return SmallVector<Value>(loop.getResults());
  }

  /// ceil(log2(length)), which is 0 for rows of one element or none.
  Value countPasses() {
    Value atLeastOne = arith::MaxUIOp::create(builder, loc, length, one);
    Value last = arith::SubIOp::create(builder, loc, atLeastOne, one);
    last = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), last);
    Value zeros = math::CountLeadingZerosOp::create(builder, loc, last);
    Value bits = arith::ConstantIntOp::create(builder, loc, 64, 64);
    Value count = arith::SubIOp::create(builder, loc, bits, zeros);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      count);
  }

  /// Merges neighbouring runs of `width` elements into the scratch rows.
  SmallVector<Value> mergeRuns(Value width, ValueRange state) {
    Value both = arith::AddIOp::create(builder, loc, width, width);
    auto mergeTwo = [&](Value begin, ValueRange state) {
      Value middle = clamp(arith::AddIOp::create(builder, loc, begin, width));
      Value end = clamp(arith::AddIOp::create(builder, loc, begin, both));
      SmallVector<Value> carried = {begin, middle};
      llvm::append_range(carried, state);
      auto step = [&](Value to, ValueRange carried) {
        return mergeStep(to, middle, end, carried);
      };
      SmallVector<Value> merged = buildLoop(begin, end, one, carried, step);
      return SmallVector<Value>(llvm::drop_begin(merged, 2));
    };
    return buildLoop(zero, length, both, state, mergeTwo);
  }

  /// Moves the first of the heads of two runs to scratch position `to`.
  /// `carried` is both heads and the state.
  SmallVector<Value> mergeStep(Value to, Value middle, Value end,
                               ValueRange carried) {
    Value left = carried[0], right = carried[1];
    ValueRange tensors = carried.slice(2, numOperands);
    ValueRange scratch = carried.drop_front(2 + numOperands);
    // A head past its run is read inside the row, and not used.
    Value last = arith::SubIOp::create(builder, loc, length, one);
    SmallVector<Value> lefts =
        load(tensors, arith::MinUIOp::create(builder, loc, left, last));
    SmallVector<Value> rights =
        load(tensors, arith::MinUIOp::create(builder, loc, right, last));
    Value takeRight =
        chooseRight(left, right, middle, end, goesBefore(rights, lefts));
    auto select = [&](Value yes, Value no) -> Value {
      return arith::SelectOp::create(builder, loc, takeRight, yes, no);
    };
    SmallVector<Value> next = {
        select(left, arith::AddIOp::create(builder, loc, left, one)),
        select(arith::AddIOp::create(builder, loc, right, one), right)};
    llvm::append_range(next, tensors);
    for (auto [taken, other, into] : llvm::zip_equal(rights, lefts, scratch))
      next.push_back(tensor::InsertOp::create(builder, loc,
                                              select(taken, other), into, to));
    return next;
  }

  /// Whether `first` goes strictly before `second`, be the region strict or
  /// not: in order one way round and not in order the other.
  Value goesBefore(ValueRange first, ValueRange second) {
    SmallVector<Value> forward, backward;
    for (auto [a, b] : llvm::zip_equal(first, second)) {
      forward.append({a, b});
      backward.append({b, a});
    }
    Value inOrder = inlineRegion(builder, op.getRegion(), forward).front();
    Value reversed = inlineRegion(builder, op.getRegion(), backward).front();
    Value yes =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    return arith::AndIOp::create(
        builder, loc, inOrder,
        arith::XOrIOp::create(builder, loc, reversed, yes));
  }

  /// The right head is taken if it is there and the left one is not or comes
  /// after it. Equal heads come from the left: the sort is stable.
  Value chooseRight(Value left, Value right, Value middle, Value end,
                    Value rightFirst) {
    Value leftUsedUp = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::uge, left, middle);
    Value rightThere = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, right, end);
    Value preferred =
        arith::OrIOp::create(builder, loc, leftUsedUp, rightFirst);
    return arith::AndIOp::create(builder, loc, rightThere, preferred);
  }

  /// Copies the scratch rows back into the tensors.
  SmallVector<Value> copyBack(ValueRange state) {
    auto copy = [&](Value position, ValueRange state) {
      ValueRange tensors = state.take_front(numOperands);
      ValueRange scratch = state.drop_front(numOperands);
      SmallVector<Value> next;
      for (auto [tensor, from] : llvm::zip_equal(tensors, scratch)) {
        Value element = tensor::ExtractOp::create(builder, loc, from, position);
        next.push_back(tensor::InsertOp::create(builder, loc, element, tensor,
                                                at(position)));
      }
      llvm::append_range(next, scratch);
      return next;
    };
    return buildLoop(zero, length, one, state, copy);
  }

  /// min(position, length)
  Value clamp(Value position) {
    return arith::MinUIOp::create(builder, loc, position, length);
  }

  SmallVector<Value> load(ValueRange tensors, Value position) {
    return llvm::map_to_vector(tensors, [&](Value tensor) -> Value {
      return tensor::ExtractOp::create(builder, loc, tensor, at(position));
    });
  }

  /// The indices of an element of the row in the whole tensor.
  SmallVector<Value> at(Value position) {
    SmallVector<Value> indices(row);
    indices.insert(indices.begin() + op.getDimension(), position);
    return indices;
  }

  OpBuilder &builder;
  Location loc;
  SortOp op;
  SmallVector<Value> row;
  Value length, zero, one;
  unsigned numOperands;
};

/// Replaces a sort by a merge sort of each row.
struct LowerSort : public OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SortOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOnTensors(op))
      return rewriter.notifyMatchFailure(op, "expected operands on tensors");
    Location loc = op.getLoc();
    SmallVector<Value> extents =
        getExtents(rewriter, loc, op.getOutputs().front());
    Value length = extents[op.getDimension()];
    extents.erase(extents.begin() + op.getDimension());
    SmallVector<Value> state(op.getOutputs());
    for (unsigned i = 0, e = op.getOutputs().size(); i < e; ++i)
      state.push_back(tensor::EmptyOp::create(
          rewriter, loc, SmallVector<OpFoldResult>{getAsOpFoldResult(length)},
          op.getOutputType(i).getElementType()));
    auto sortRow = [&](OpBuilder &builder, Location, ValueRange ivs,
                       ValueRange state) {
      return RowSorter(builder, op, ivs, length).build(state);
    };
    SmallVector<Value> sorted =
        buildLoopNest(rewriter, loc, extents, state, sortRow);
    sorted.truncate(op.getOutputs().size());
    rewriter.replaceOp(op, sorted);
    return success();
  }
};
} // namespace

void xsa::populateTMTensorSortPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSort>(patterns.getContext());
}
