//===- ScanLowering.cpp - tm_tensor.scan to a loop over slices ------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only the scanned dimension is sequential. Each step therefore combines whole
// slices with one linalg operation, which can be vectorized and parallelized.
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "xsa/Conversion/TMTensorToLinalg/TMTensorToLinalg.h"
#include "xsa/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace xsa::tm_tensor;

namespace {

/// Builds the parts of one scan's lowering.
class ScanBuilder {
public:
  ScanBuilder(OpBuilder &builder, ScanOp op)
      : builder(builder), loc(op.getLoc()), op(op),
        dimension(op.getDimension()),
        extents(getExtents(builder, loc, op.getInput())),
        length(extents[dimension]),
        sliceType(cast<RankedTensorType>(op.getAccumulator().getType())),
        one(arith::ConstantIndexOp::create(builder, loc, 1)) {}

  /// Output and accumulator.
  SmallVector<Value> build() {
    SmallVector<Value> first = buildFirst();
    auto loop = scf::ForOp::create(builder, loc, one, length, one, first);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value position = loop.getInductionVar(), from = position;
      if (!op.getInclusive())
        from = arith::SubIOp::create(builder, loc, position, one);
      Value next = combine(loop.getRegionIterArg(1), extract(from));
      Value output = insert(next, loop.getRegionIterArg(0), position);
      scf::YieldOp::create(builder, loc, ValueRange{output, next});
    }
    return {loop.getResult(0), selectAccumulator(loop.getResult(1))};
  }

private:
  /// Writes position 0. Returns the output with it, and the value that the next
  /// step combines. An empty scan writes nothing.
  SmallVector<Value> buildFirst() {
    auto body = [&](OpBuilder &, Location, ValueRange,
                    ValueRange carried) -> SmallVector<Value> {
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      Value first = op.getInclusive() ? extract(zero) : op.getAccumulator();
      return {insert(first, carried[0], zero), first};
    };
    SmallVector<Value> initial = {op.getOutput(), op.getAccumulator()};
    if (getKnownLength().value_or(0) > 0)
      return body(builder, loc, {}, initial);
    Value trips = arith::MinUIOp::create(builder, loc, length, one);
    return buildLoopNest(builder, loc, trips, initial, body);
  }

  /// The last combined value; what was given where nothing was combined.
  Value selectAccumulator(Value last) {
    if (op->getResult(1).use_empty() || !op.getInclusive())
      return last;
    if (std::optional<int64_t> known = getKnownLength())
      return *known > 1 ? last : op.getAccumulator();
    Value combined = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ugt, length, one);
    return arith::SelectOp::create(builder, loc, combined, last,
                                   op.getAccumulator());
  }

  std::optional<int64_t> getKnownLength() {
    if (op.getInputType().isDynamicDim(dimension))
      return std::nullopt;
    return op.getInputType().getDimSize(dimension);
  }

  /// Where the slice at a position lies, and its type without the dimension.
  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;
    RankedTensorType type;
  };
  Slice getSlice(Value position) {
    Slice slice;
    slice.offsets.assign(extents.size(), builder.getIndexAttr(0));
    slice.strides.assign(extents.size(), builder.getIndexAttr(1));
    slice.sizes = getAsOpFoldResult(extents);
    slice.offsets[dimension] = position;
    slice.sizes[dimension] = builder.getIndexAttr(1);
    SmallVector<int64_t> shape(op.getInputType().getShape());
    shape.erase(shape.begin() + dimension);
    slice.type = RankedTensorType::get(shape, sliceType.getElementType());
    return slice;
  }

  Value extract(Value position) {
    Slice slice = getSlice(position);
    return castTo(sliceType, tensor::ExtractSliceOp::create(
                                 builder, loc, slice.type, op.getInput(),
                                 slice.offsets, slice.sizes, slice.strides));
  }

  Value insert(Value value, Value into, Value position) {
    Slice slice = getSlice(position);
    return tensor::InsertSliceOp::create(
        builder, loc, castTo(slice.type, value), into, slice.offsets,
        slice.sizes, slice.strides);
  }

  /// Extents may be static in one operand and dynamic in another.
  Value castTo(RankedTensorType type, Value value) {
    if (value.getType() == type)
      return value;
    return tensor::CastOp::create(builder, loc, type, value);
  }

  /// The region applied to slices: f(previous, next).
  Value combine(Value previous, Value next) {
    unsigned rank = sliceType.getRank();
    SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        builder, loc, sliceType, next, previous, maps, iterators,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          linalg::YieldOp::create(
              b, loc, inlineRegion(b, op.getRegion(), {args[1], args[0]}));
        });
    return generic.getResult(0);
  }

  OpBuilder &builder;
  Location loc;
  ScanOp op;
  int64_t dimension;
  SmallVector<Value> extents;
  Value length;
  RankedTensorType sliceType;
  Value one;
};

/// Replaces a scan by a loop over the scanned dimension.
struct LowerScan : public OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOnTensors(op))
      return rewriter.notifyMatchFailure(op, "expected operands on tensors");
    // No slice may be taken of a dimension that is known to be empty.
    if (llvm::is_contained(op.getInputType().getShape(), 0))
      rewriter.replaceOp(op, op.getOutputs());
    else
      rewriter.replaceOp(op, ScanBuilder(rewriter, op).build());
    return success();
  }
};
} // namespace

void xsa::populateTMTensorScanPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerScan>(patterns.getContext());
}
