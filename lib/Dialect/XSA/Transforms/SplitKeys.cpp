//===- SplitKeys.cpp - Attention to ranges of keys ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A range keeps its place by `key_start`, as any tile of keys does, so masks
// and score regions need nothing new.
//
//===----------------------------------------------------------------------===//

#include "SplitKeys.h"

#include "xsa/Dialect/XSA/IR/AttentionParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace xsa;

/// The maps of the operands that every range reads, over the larger domain.
static SmallVector<AffineMap> buildInputMaps(AttentionOp op) {
  SmallVector<AffineMap> maps{op.getQueryMap(), op.getKeyMap(),
                              op.getValueMap()};
  for (AffineMap map :
       {op.getMaskMap(), op.getBiasMap(), op.getKeyLengthsMap(),
        op.getKeyBeginMap(), op.getKeyEndMap(), op.getQueryOffsetMap()})
    if (map)
      maps.push_back(map);
  llvm::append_range(maps, op.getScoreInputMaps());
  for (AffineMap &map : maps)
    map = map.shiftDims(1);
  return maps;
}

AttentionOp xsa::buildPartialAttention(OpBuilder &builder, AttentionOp op,
                                       OpFoldResult splits) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = AttentionParts::of(op, builder).sizes;
  sizes.insert(sizes.begin(), splits);
  SmallVector<AffineExpr> rowDims;
  for (unsigned dim = 0; dim <= op.getQueryDim() + 1; ++dim)
    rowDims.push_back(builder.getAffineDimExpr(dim));
  SmallVector<AffineExpr> outputDims = rowDims;
  outputDims.push_back(builder.getAffineDimExpr(op.getValueDepthDim() + 1));
  auto mapTo = [&](ArrayRef<AffineExpr> dims) {
    return AffineMap::get(op.getNumLoops() + 1, 0, dims, op.getContext());
  };
  SmallVector<AffineMap> maps = buildInputMaps(op);
  maps.push_back(mapTo(outputDims));
  maps.append(2, mapTo(rowDims));
  FloatType type = op.getAccumulatorType();
  Value output = buildEmpty(builder, loc, sizes, mapTo(outputDims), type);
  Value max = buildEmpty(builder, loc, sizes, mapTo(rowDims), type);
  Value sum = buildEmpty(builder, loc, sizes, mapTo(rowDims), type);

  auto partial = AttentionOp::create(
      builder, loc, TypeRange{output.getType(), max.getType(), sum.getType()},
      op.getQuery(), op.getKey(), op.getValue(), /*self_value=*/Value(),
      op.getMask(), op.getBias(), /*sinks=*/Value(), /*strength=*/Value(),
      op.getKeyLengths(), op.getKeyBegin(), op.getKeyEnd(), op.getQueryOffset(),
      op.getScoreInputs(), op.getQueryStart(), op.getKeyStart(), output,
      /*lse_output=*/Value(), max, sum, /*coefficient_output=*/Value(),
      builder.getAffineMapArrayAttr(maps), op.getScaleAttr(),
      op.getSoftcapAttr(), op.getCausalAttr(), op.getAlignmentAttr(),
      op.getWindowLeftAttr(), op.getWindowRightAttr(), ExclusionAttr());
  IRMapping mapping;
  op.getScoreRegion().cloneInto(&partial.getScoreRegion(), mapping);
  return partial;
}

namespace {
/// Affine arithmetic where a tile stands.
class RangeBuilder {
public:
  RangeBuilder(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, loc, expr, operands);
  }
  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs) {
    return apply(d0() + d1(), {lhs, rhs});
  }
  OpFoldResult subtract(OpFoldResult lhs, OpFoldResult rhs) {
    return apply(d0() - d1(), {lhs, rhs});
  }
  OpFoldResult min(OpFoldResult lhs, OpFoldResult rhs) {
    return affine::makeComposedFoldedAffineMin(
        b, loc, b.getMultiDimIdentityMap(2), {lhs, rhs});
  }
  Value toValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, loc, value);
  }
  Value toPosition(Value start) {
    ImplicitLocOpBuilder withLoc(loc, b);
    return castPosition(withLoc, start);
  }
  AffineExpr d0() { return b.getAffineDimExpr(0); }
  AffineExpr d1() { return b.getAffineDimExpr(1); }

private:
  OpBuilder &b;
  Location loc;
};
} // namespace

/// Where the first row stands no longer follows from the number of keys.
static void fixPositions(RangeBuilder &b, AttentionOp op, OpFoldResult rows,
                         OpFoldResult keys) {
  if (op.getAlignment() == Alignment::TopLeft || op.getQueryOffset() ||
      op.getKeyLengths())
    return;
  OpFoldResult start = b.subtract(keys, rows);
  if (op.getQueryStart())
    start = b.add(start, b.toPosition(op.getQueryStart()));
  op.getQueryStartMutable().assign(b.toValue(start));
  op.setAlignment(Alignment::TopLeft);
}

KeyRanges KeyRanges::of(OpBuilder &builder, AttentionOp op, OpFoldResult splits,
                        int64_t keyTile) {
  RangeBuilder b(builder, op.getLoc());
  OpFoldResult keys = AttentionParts::of(op, builder).sizes[op.getKeyDim()];
  OpFoldResult length;
  if (std::optional<int64_t> constant = getConstantIntValue(splits)) {
    length = b.apply(b.d0().ceilDiv(*constant), {keys});
  } else {
    // A quotient of two numbers that are not known is not affine.
    Value count = b.toValue(splits);
    Value rest = b.toValue(b.apply(b.d0() + b.d1() - 1, {keys, count}));
    length =
        arith::DivUIOp::create(builder, op.getLoc(), rest, count).getResult();
  }
  return {splits, b.apply(b.d0().ceilDiv(keyTile), {length}), keyTile};
}

void xsa::restrictToKeyRange(RewriterBase &rewriter, AttentionOp tile,
                             Value range, const KeyRanges &ranges) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(tile);
  Location loc = tile.getLoc();
  RangeBuilder b(rewriter, loc);
  SmallVector<OpFoldResult> sizes = AttentionParts::of(tile, rewriter).sizes;
  OpFoldResult keys = sizes[tile.getKeyDim()];
  OpFoldResult length = b.apply(b.d0() * ranges.keyTile, {ranges.tiles});
  // A product of two numbers that are not known is not affine.
  OpFoldResult firstTile;
  if (std::optional<int64_t> constant = getConstantIntValue(ranges.tiles))
    firstTile = b.apply(b.d0() * *constant, {range});
  else
    firstTile =
        arith::MulIOp::create(rewriter, loc, range, b.toValue(ranges.tiles))
            .getResult();
  OpFoldResult begin = b.apply(b.d0() * ranges.keyTile, {firstTile});
  OpFoldResult size = length;
  std::optional<int64_t> total = getConstantIntValue(keys),
                         splits = getConstantIntValue(ranges.splits);
  if (!total || !splits || *total != *splits * *getConstantIntValue(length)) {
    begin = b.min(begin, keys);
    size = b.min(length, b.subtract(keys, begin));
  }

  rewriter.startOpModification(tile);
  fixPositions(b, tile, sizes[tile.getQueryDim()], keys);
  SmallVector<AffineMap> maps = tile.getMaps();
  AffineExpr keyDim = rewriter.getAffineDimExpr(tile.getKeyDim());
  for (auto [operand, map] : llvm::zip_equal(tile.getShapedOperands(), maps)) {
    std::optional<unsigned> position = map.getResultPosition(keyDim);
    if (!position)
      continue;
    SmallVector<OpFoldResult> extents =
        tensor::getMixedSizes(rewriter, loc, operand->get());
    SmallVector<OpFoldResult> offsets(extents.size(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(extents.size(), rewriter.getIndexAttr(1));
    offsets[*position] = begin;
    extents[*position] = size;
    operand->set(tensor::ExtractSliceOp::create(rewriter, loc, operand->get(),
                                                offsets, extents, strides));
  }
  OpFoldResult start = begin;
  if (tile.getKeyStart())
    start = b.add(start, b.toPosition(tile.getKeyStart()));
  tile.getKeyStartMutable().assign(b.toValue(start));
  rewriter.finalizeOpModification(tile);
}
