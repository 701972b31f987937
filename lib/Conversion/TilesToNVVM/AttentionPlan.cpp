//===- AttentionPlan.cpp - Kernels of an attention ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few rows that meet many keys would leave most of a chip idle. Then a block
// has a range of keys, with the rows of as many heads as share them.
//
//===----------------------------------------------------------------------===//

#include "AttentionPlan.h"

#include "xsa/Dialect/XSA/Transforms/HeadsAsRows.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace xsa;

/// The static extent of a dimension of the domain, or a dynamic one.
static int64_t extentOf(AttentionOp op, AffineMap map, Value shaped,
                        unsigned dim) {
  auto position = map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
  return cast<ShapedType>(shaped.getType()).getDimSize(*position);
}

int64_t xsa::getKeyDepth(AttentionOp op) {
  return extentOf(op, op.getQueryMap(), op.getQuery(), op.getKeyDepthDim());
}

int64_t xsa::getValueDepth(AttentionOp op) {
  return extentOf(op, op.getValueMap(), op.getValue(), op.getValueDepthDim());
}

static std::optional<int64_t> ifStatic(int64_t extent) {
  return ShapedType::isDynamic(extent) ? std::nullopt
                                       : std::optional<int64_t>(extent);
}

/// Whether the own values are the rows of the values on the diagonal of a
/// causal mask. Rows that follow on each other in memory are those of the tiles
/// too.
static bool isOwnOnDiagonal(AttentionOp op) {
  if (!op.getSelfValue() || op.getSelfValue() != op.getValue() ||
      op.getKeyLengths() || op.getKeyBegin() || op.getKeyEnd() ||
      op.getKeyStart() || op.getQueryStart() || op.getQueryOffset())
    return false;
  AffineExpr key = getAffineDimExpr(op.getKeyDim(), op.getContext());
  AffineExpr row = getAffineDimExpr(op.getQueryDim(), op.getContext());
  AffineExpr depth = getAffineDimExpr(op.getValueDepthDim(), op.getContext());
  AffineMap map = op.getValueMap();
  if (op.getSelfValueMap() !=
          map.replace(key, row, map.getNumDims(), map.getNumSymbols()) ||
      *map.getResultPosition(key) > *map.getResultPosition(depth))
    return false;
  int64_t rows =
      extentOf(op, op.getQueryMap(), op.getQuery(), op.getQueryDim());
  int64_t keys = extentOf(op, op.getKeyMap(), op.getKey(), op.getKeyDim());
  if (op.getAlignment() == Alignment::BottomRight &&
      (ShapedType::isDynamic(rows) || rows != keys))
    return false;
  int64_t reach = op.getWindowRight().value_or(op.getCausal() ? 0 : 1);
  return op.getCausal() ? reach >= 0 : reach == 0;
}

static std::optional<int64_t> numRows(AttentionOp op) {
  return ifStatic(
      extentOf(op, op.getQueryMap(), op.getQuery(), op.getQueryDim()));
}

/// Counts what the scores of `op` take beside query and keys.
static void countScoreParts(AttentionOp op, AttentionShape &shape) {
  auto isDynamic = [&](AffineMap map, Value shaped, unsigned dim) {
    return ShapedType::isDynamic(extentOf(op, map, shaped, dim));
  };
  shape.runtimeNumbers =
      isDynamic(op.getQueryMap(), op.getQuery(), op.getQueryDim()) +
      isDynamic(op.getKeyMap(), op.getKey(), op.getKeyDim());
  for (unsigned dim = 0; dim < op.getNumLeadingDims(); ++dim)
    shape.runtimeNumbers += isDynamic(op.getOutputMap(), op.getOutput(), dim);
  for (Value number :
       std::initializer_list<Value>{op.getKeyLengths(), op.getQueryOffset(),
                                    op.getQueryStart(), op.getKeyStart()})
    shape.runtimeNumbers += number != nullptr;

  SmallVector<AffineMap> maps{op.getMaskMap(), op.getBiasMap(),
                              op.getKeyBeginMap(), op.getKeyEndMap()};
  llvm::append_range(maps, op.getScoreInputMaps());
  for (AffineMap map : maps)
    if (map && map.isFunctionOfDim(op.getKeyDim()))
      ++shape.scoreOperands;
    else if (map)
      ++shape.rowNumbers;
  shape.rowNumbers += op.getWindowLeft().has_value() +
                      op.getWindowRight().has_value() + op.hasScoreRegion();
  // Beside the sum of rounded weights.
  shape.rowNumbers += op.showsSums() && shape.unit == MatrixKind::MmaSync;
}

AttentionShape xsa::shapeOf(AttentionOp op) {
  AttentionShape shape;
  Type type = getElementTypeOrSelf(op.getQuery());
  shape.unit = type.isF32() ? MatrixKind::Fma : MatrixKind::MmaSync;
  shape.elementBytes = type.getIntOrFloatBitWidth() / 8;
  shape.keyDepth = llvm::alignTo(getKeyDepth(op), 16);
  shape.valueDepth = llvm::alignTo(getValueDepth(op), 16);
  shape.rows = numRows(op);
  shape.keys =
      ifStatic(extentOf(op, op.getKeyMap(), op.getKey(), op.getKeyDim()));
  int64_t heads = 1;
  for (unsigned dim = 0; dim < op.getNumLeadingDims(); ++dim) {
    int64_t extent = extentOf(op, op.getOutputMap(), op.getOutput(), dim);
    heads = ShapedType::isDynamic(extent) ? 0 : heads * extent;
  }
  if (heads)
    shape.heads = heads;
  if (op.getSelfValue())
    shape.ownValueBytes =
        getElementTypeOrSelf(op.getSelfValue()).getIntOrFloatBitWidth() / 8;
  shape.ownOnDiagonal = isOwnOnDiagonal(op);
  countScoreParts(op, shape);
  return shape;
}

/// The shape of the merge of ranges, where there may be few rows.
static RowShape mergeShapeOf(AttentionOp op, int64_t fewRows) {
  AttentionShape shape = shapeOf(op);
  RowShape rows;
  rows.depth = getValueDepth(op);
  rows.elementBytes = op.getAccumulatorType().getWidth() / 8;
  rows.rows = shape.rows.value_or(fewRows);
  rows.batches = shape.heads;
  return rows;
}

/// Whether there are as many rows as keys, as in a self attention without a
/// cache: few rows then have few keys.
static bool hasRowPerKey(AttentionOp op) {
  using Variable = ValueBoundsConstraintSet::Variable;
  auto findExtents = [&](unsigned dim) {
    SmallVector<Variable> extents;
    for (auto [value, map] :
         {std::pair(op.getQuery(), op.getQueryMap()),
          std::pair(op.getSelfValue(), op.getSelfValueMap()),
          std::pair(op.getKey(), op.getKeyMap()),
          std::pair(op.getValue(), op.getValueMap())})
      if (value && map.isFunctionOfDim(dim))
        extents.emplace_back(value, *map.getResultPosition(getAffineDimExpr(
                                        dim, op.getContext())));
    return extents;
  };
  for (const Variable &rows : findExtents(op.getQueryDim()))
    for (const Variable &keys : findExtents(op.getKeyDim())) {
      FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(rows, keys);
      if (succeeded(equal) && *equal)
        return true;
    }
  return false;
}

/// Sizes of tiles where keys are in ranges. Heads that share keys are rows of
/// a tile where that costs less, as it does if one head leaves rows of the
/// tile empty. Any number of ranges fills the chip, so heads do not matter.
static std::optional<RangePlan> planRanges(AttentionOp op,
                                           const ChipLimits &limits,
                                           const PlanOverrides &given) {
  RangePlan alone;
  alone.shape = shapeOf(op);
  alone.shape.heads = std::nullopt;
  alone.shape.ownValueBytes = 0;
  alone.shape.ownOnDiagonal = false;
  // Where the range begins.
  ++alone.shape.runtimeNumbers;
  // Rows that are not known are planned for as few.
  alone.shape.rows = numRows(op).value_or(1);
  auto choose = [&](RangePlan &plan, const PlanOverrides &sizes) {
    std::optional<KernelPlan> chosen = choosePlan(plan.shape, limits, sizes);
    if (chosen)
      plan.plan = *chosen;
    return chosen.has_value();
  };
  auto join = [&](unsigned heads) {
    RangePlan joint = alone;
    joint.heads = heads;
    joint.headsPerTile = extentOf(op, op.getQueryMap(), op.getQuery(), heads);
    joint.shape.rows = *alone.shape.rows * joint.headsPerTile;
    return joint;
  };
  if (std::optional<unsigned> heads = findHeadsForRows(op, HeadUse::Ranges)) {
    RangePlan joint = join(*heads);
    return choose(joint, given) ? std::optional(joint) : std::nullopt;
  }
  if (!choose(alone, given))
    return std::nullopt;
  std::optional<unsigned> heads = findHeadsToPack(op);
  if (!heads)
    return alone;
  RangePlan joint = join(*heads);
  joint.rowsPerHead = *alone.shape.rows;
  // Which row of its head a row is.
  ++joint.shape.rowNumbers;
  PlanOverrides sizes = given;
  // All rows are in one tile.
  if (!sizes.queryTile)
    sizes.queryTile =
        std::max<int64_t>(llvm::PowerOf2Ceil(*joint.shape.rows), 16);
  bool isBetter = *joint.shape.rows <= sizes.queryTile &&
                  choose(joint, sizes) && joint.plan.cost < alone.plan.cost;
  return isBetter ? joint : alone;
}

std::optional<SplitPlan> SplitPlan::choose(AttentionOp op,
                                           const KernelPlan &whole,
                                           const ChipLimits &limits,
                                           const PlanOverrides &sizes,
                                           int64_t keySplits) {
  std::optional<int64_t> rows = numRows(op);
  if (!keySplits && (rows ? *rows > kMaxSplitRows : hasRowPerKey(op)))
    return std::nullopt;
  std::optional<RangePlan> ranges = planRanges(op, limits, sizes);
  std::optional<RowPlan> merge =
      chooseRowPlan(mergeShapeOf(op, rows.value_or(1)), limits);
  if (!ranges || !merge)
    return std::nullopt;
  KeySplits rule(ranges->plan, ranges->shape, whole, limits);
  AttentionShape shape = shapeOf(op);
  std::optional<int64_t> splits;
  if (keySplits)
    splits = keySplits > 1 ? keySplits : 0;
  else if (rows && shape.heads && shape.keys)
    splits = rule.choose({*rows, ranges->headsPerTile,
                          *shape.heads / ranges->headsPerTile, *shape.keys});
  else if (shape.keys && *shape.keys <= ranges->plan.keyTile && !ranges->heads)
    splits = 0;
  if (splits && *splits == 0)
    return std::nullopt;
  return SplitPlan{*ranges, *merge, rule, splits};
}
