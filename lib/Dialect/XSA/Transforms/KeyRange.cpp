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

  OpFoldResult constant(int64_t value) { return b.getIndexAttr(value); }
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

namespace {
/// Bounds of the keys that one of the rows may see, and of those that all see,
/// from each mask. Empty where no mask bounds that side.
struct MaskBounds {
  SmallVector<OpFoldResult> lowAny, lowAll, highAny, highAll;
};
} // namespace

static MaskBounds collectBounds(Bounds &bounds, const AttentionParts &parts,
                                Value base) {
  AttentionOp op = parts.op;
  MaskBounds masks;
  if (base) {
    OpFoldResult first = base, rows = parts.sizes[op.getQueryDim()];
    if (parts.rowsPerHead)
      rows = bounds.constant(parts.rowsPerHead);
    OpFoldResult last = bounds.add(bounds.add(first, rows), -1);
    if (auto left = op.getWindowLeft()) {
      masks.lowAny.push_back(bounds.add(first, -*left));
      masks.lowAll.push_back(bounds.add(last, -*left));
    }
    std::optional<int64_t> reach = op.getWindowRight();
    if (op.getCausal())
      reach = std::min<int64_t>(reach.value_or(0), 0);
    if (reach) {
      masks.highAny.push_back(bounds.add(last, *reach + 1));
      masks.highAll.push_back(bounds.add(first, *reach + 1));
    }
  }
  if (parts.keyBegin) {
    masks.lowAny.push_back(bounds.extremeOf(parts.keyBegin, false));
    masks.lowAll.push_back(bounds.extremeOf(parts.keyBegin, true));
  }
  if (parts.keyEnd) {
    masks.highAny.push_back(bounds.extremeOf(parts.keyEnd, true));
    masks.highAll.push_back(bounds.extremeOf(parts.keyEnd, false));
  }
  // Key positions start at key_start.
  if (parts.keyStart)
    for (auto *side :
         {&masks.lowAny, &masks.lowAll, &masks.highAny, &masks.highAll})
      for (OpFoldResult &bound : *side)
        bound = bounds.subtract(bound, parts.keyStart);
  return masks;
}

KeyRange xsa::buildKeyRange(OpBuilder &builder, Location loc,
                            const AttentionParts &parts, Value base,
                            int64_t keyTile) {
  Bounds bounds(builder, loc);
  MaskBounds masks = collectBounds(bounds, parts, base);
  KeyRange range;
  AttentionOp op = parts.op;
  OpFoldResult numKeys = parts.sizes[op.getKeyDim()];
  std::optional<int64_t> staticKeys = getConstantIntValue(numKeys);
  range.hasLowerEdge = !masks.lowAny.empty();
  range.hasUpperEdge = !masks.highAny.empty();
  range.hasRest = !staticKeys || *staticKeys % keyTile != 0;

  OpFoldResult zero = builder.getIndexAttr(0);
  masks.lowAny.push_back(zero);
  masks.lowAll.push_back(zero);
  masks.highAny.push_back(numKeys);
  masks.highAll.push_back(numKeys);
  range.begin = bounds.roundDown(bounds.max(masks.lowAny), keyTile);
  range.end = bounds.roundUp(
      bounds.max({bounds.min(masks.highAny), range.begin}), keyTile);
  // Tiles before `wholeEnd` are filled with keys.
  OpFoldResult whole = bounds.roundDown(numKeys, keyTile);
  range.wholeEnd = bounds.min({bounds.max({whole, range.begin}), range.end});
  range.fullBegin = bounds.min(
      {bounds.roundUp(bounds.max(masks.lowAll), keyTile), range.wholeEnd});
  // Without a mask on that side, the same end in other words.
  range.fullEnd =
      range.hasUpperEdge
          ? bounds.max({bounds.roundDown(bounds.min(masks.highAll), keyTile),
                        range.fullBegin})
          : range.wholeEnd;
  return range;
}

OpFoldResult xsa::buildExistingKeys(OpBuilder &builder, Location loc,
                                    const AttentionParts &parts) {
  AttentionOp op = parts.op;
  Bounds bounds(builder, loc);
  OpFoldResult length = bounds.extremeOf(parts.keyLengths, true);
  if (parts.keyStart)
    length = bounds.subtract(length, parts.keyStart);
  return bounds.min({length, parts.sizes[op.getKeyDim()]});
}

KeyInterval xsa::buildVisibleKeys(OpBuilder &builder, Location loc,
                                  const AttentionParts &parts, Value base,
                                  KeyInterval keys, int64_t grain,
                                  bool alignsBegin) {
  Bounds bounds(builder, loc);
  MaskBounds masks = collectBounds(bounds, parts, base);
  if (masks.lowAny.empty() && masks.highAny.empty())
    return keys;
  masks.lowAny.push_back(keys.begin);
  masks.highAny.push_back(keys.end);
  OpFoldResult begin = bounds.min({bounds.max(masks.lowAny), keys.end});
  if (alignsBegin)
    begin = bounds.roundDown(begin, grain);
  OpFoldResult size = bounds.subtract(bounds.min(masks.highAny), begin);
  size = bounds.roundUp(bounds.max({size, builder.getIndexAttr(0)}), grain);
  return {begin, bounds.min({bounds.add(begin, size), keys.end})};
}
