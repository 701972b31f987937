//===- KeyRange.cpp - Which key tiles a query tile visits -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds are collected per mask as the least and the greatest of the rows'
// bounds, then combined: a key is visited if any row may see it, and needs no
// mask if every row does.
//
//===----------------------------------------------------------------------===//

#include "KeyRange.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace xsa;

namespace {
/// Bounds of one side over the rows of a tile.
class Bounds {
public:
  Bounds(OpBuilder &builder, Location loc) : b(loc, builder) {}

  OpFoldResult add(OpFoldResult lhs, int64_t distance) {
    return apply(d0() + distance, {lhs});
  }
  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs) {
    return apply(d0() + d1(), {lhs, rhs});
  }
  OpFoldResult subtract(OpFoldResult lhs, OpFoldResult rhs) {
    return apply(d0() - d1(), {lhs, rhs});
  }
  OpFoldResult roundDown(OpFoldResult value, int64_t multiple) {
    return apply(d0().floorDiv(multiple) * multiple, {value});
  }
  OpFoldResult roundUp(OpFoldResult value, int64_t multiple) {
    return apply(d0().ceilDiv(multiple) * multiple, {value});
  }
  OpFoldResult min(ArrayRef<OpFoldResult> values) {
    return affine::makeComposedFoldedAffineMin(
        b, b.getLoc(), b.getMultiDimIdentityMap(values.size()), values);
  }
  OpFoldResult max(ArrayRef<OpFoldResult> values) {
    return affine::makeComposedFoldedAffineMax(
        b, b.getLoc(), b.getMultiDimIdentityMap(values.size()), values);
  }

  /// The least or greatest element of an operand per row.
  OpFoldResult extremeOf(const MappedValue &perRow, bool greatest);

private:
  AffineExpr d0() { return b.getAffineDimExpr(0); }
  AffineExpr d1() { return b.getAffineDimExpr(1); }
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands);
  }

  ImplicitLocOpBuilder b;
};
} // namespace

OpFoldResult Bounds::extremeOf(const MappedValue &perRow, bool greatest) {
  if (perRow.map.getNumResults() == 0)
    return castPosition(b, perRow.value);
  Value start = arith::ConstantIndexOp::create(
      b, greatest ? std::numeric_limits<int64_t>::min()
                  : std::numeric_limits<int64_t>::max());
  AffineMap scalar = AffineMap::get(perRow.map.getNumDims(), 0, b.getContext());
  Value init = tensor::FromElementsOp::create(
      b, RankedTensorType::get({}, b.getIndexType()), start);
  Value reduced = buildGeneric(
      b, b.getLoc(), perRow, {init, scalar},
      [&](ImplicitLocOpBuilder &nested, ValueRange args, auto) -> Value {
        Value element = castIndex(nested, args[0]);
        if (greatest)
          return arith::MaxSIOp::create(nested, args[1], element);
        return arith::MinSIOp::create(nested, args[1], element);
      });
  Value extreme = tensor::ExtractOp::create(b, reduced, ValueRange());
  return castPosition(b, extreme);
}

KeyRange xsa::buildKeyRange(OpBuilder &builder, Location loc,
                            const AttentionParts &parts, Value base,
                            int64_t keyTile) {
  AttentionOp op = parts.op;
  Bounds bounds(builder, loc);
  // Bounds in key positions, for the row that sees least and the one that sees
  // most. Key positions start at key_start.
  SmallVector<OpFoldResult> lowAny, lowAll, highAny, highAll;
  if (base) {
    OpFoldResult first = base;
    OpFoldResult last =
        bounds.add(bounds.add(first, parts.sizes[op.getQueryDim()]), -1);
    if (auto left = op.getWindowLeft()) {
      lowAny.push_back(bounds.add(first, -*left));
      lowAll.push_back(bounds.add(last, -*left));
    }
    std::optional<int64_t> reach = op.getWindowRight();
    if (op.getCausal())
      reach = std::min<int64_t>(reach.value_or(0), 0);
    if (reach) {
      highAny.push_back(bounds.add(last, *reach + 1));
      highAll.push_back(bounds.add(first, *reach + 1));
    }
  }
  if (parts.keyLengths) {
    highAny.push_back(bounds.extremeOf(parts.keyLengths, true));
    highAll.push_back(bounds.extremeOf(parts.keyLengths, false));
  }
  if (parts.keyBegin) {
    lowAny.push_back(bounds.extremeOf(parts.keyBegin, false));
    lowAll.push_back(bounds.extremeOf(parts.keyBegin, true));
  }
  if (parts.keyEnd) {
    highAny.push_back(bounds.extremeOf(parts.keyEnd, true));
    highAll.push_back(bounds.extremeOf(parts.keyEnd, false));
  }
  if (parts.keyStart)
    for (auto *side : {&lowAny, &lowAll, &highAny, &highAll})
      for (OpFoldResult &bound : *side)
        bound = bounds.subtract(bound, parts.keyStart);

  KeyRange range;
  OpFoldResult numKeys = parts.sizes[op.getKeyDim()];
  std::optional<int64_t> staticKeys = getConstantIntValue(numKeys);
  range.hasLowerEdge = !lowAny.empty();
  range.hasUpperEdge = !highAny.empty();
  range.hasRest = !staticKeys || *staticKeys % keyTile != 0;

  OpFoldResult zero = builder.getIndexAttr(0);
  lowAny.push_back(zero);
  lowAll.push_back(zero);
  highAny.push_back(numKeys);
  highAll.push_back(numKeys);
  range.begin = bounds.roundDown(bounds.max(lowAny), keyTile);
  range.end =
      bounds.roundUp(bounds.max({bounds.min(highAny), range.begin}), keyTile);
  // Tiles before `wholeEnd` are filled with keys.
  OpFoldResult whole = bounds.roundDown(numKeys, keyTile);
  range.wholeEnd = bounds.min({bounds.max({whole, range.begin}), range.end});
  range.fullBegin =
      bounds.min({bounds.roundUp(bounds.max(lowAll), keyTile), range.wholeEnd});
  range.fullEnd = bounds.max(
      {bounds.roundDown(bounds.min(highAll), keyTile), range.fullBegin});
  return range;
}
