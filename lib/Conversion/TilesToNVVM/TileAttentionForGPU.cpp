//===- TileAttentionForGPU.cpp - Which attention becomes a kernel ---------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that a fused kernel does not cover is refused here, before
// anything changes, so that the steps after this one may rely on it.
//
//===----------------------------------------------------------------------===//

#include "KeySplits.h"
#include "ThreadBuilder.h"
#include "TileForGPU.h"

#include "xsa/Dialect/XSA/IR/AttentionParts.h"
#include "xsa/Dialect/XSA/Transforms/HeadsAsRows.h"
#include "xsa/Dialect/XSA/Transforms/TileAttention.h"
#include "xsa/Support/PassOptions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace xsa {
#define GEN_PASS_DEF_TILEATTENTIONFORGPU
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// The static extent of a dimension of the domain, or a dynamic one.
static int64_t extentOf(AttentionOp op, AffineMap map, Value shaped,
                        unsigned dim) {
  auto position = map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
  return cast<ShapedType>(shaped.getType()).getDimSize(*position);
}

static int64_t keyDepth(AttentionOp op) {
  return extentOf(op, op.getQueryMap(), op.getQuery(), op.getKeyDepthDim());
}

static int64_t valueDepth(AttentionOp op) {
  return extentOf(op, op.getValueMap(), op.getValue(), op.getValueDepthDim());
}

static std::optional<int64_t> ifStatic(int64_t extent) {
  return ShapedType::isDynamic(extent) ? std::nullopt
                                       : std::optional<int64_t>(extent);
}

/// Operations that threads can do element by element.
static bool isSupportedInRegion(Operation *op) {
  if (isa<YieldOp>(op))
    return true;
  if (op->getNumRegions() || op->getNumResults() != 1)
    return false;
  if (isa<arith::ConstantOp>(op))
    return true;
  if (isa<math::ExpOp, math::Exp2Op, math::TanhOp, math::LogOp, math::SqrtOp,
          math::RsqrtOp, math::AbsFOp, math::FmaOp>(op))
    return op->getResult(0).getType().isF32();
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
         OpTrait::hasElementwiseMappableTraits(op);
}

/// What of an attention the fused kernels do not cover; empty if they do.
static std::string unsupportedPart(AttentionOp op) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  if (!op.hasPureTensorSemantics())
    return "operands that are not tensors";
  Type type = getElementTypeOrSelf(op.getQuery());
  for (Value operand : {op.getKey(), op.getValue()})
    if (getElementTypeOrSelf(operand) != type) {
      os << "query, key and value of different types: " << type << " and "
         << getElementTypeOrSelf(operand);
      return reason;
    }
  if (type.isF64())
    return "f64";
  for (auto [name, depth] :
       {std::pair("key", keyDepth(op)), std::pair("value", valueDepth(op))}) {
    if (ShapedType::isDynamic(depth)) {
      os << "a dynamic " << name << " depth";
      return reason;
    }
    if (depth > 256 || depth < 1) {
      os << "a " << name << " depth of " << depth
         << ": expected one from 1 to 256";
      return reason;
    }
  }
  // A start that is only known at run time is taken to be in range.
  for (auto [name, start] : {std::pair("query", op.getQueryStart()),
                             std::pair("key", op.getKeyStart())}) {
    std::optional<int64_t> position;
    if (start)
      position = getConstantIntValue(start);
    if (position && (*position < -kMaxPosition || *position > kMaxPosition)) {
      os << "a " << name << " start of " << *position
         << ": expected at most 2^30, positions in a thread are of 32 bits";
      return reason;
    }
  }
  for (Value input : op.getScoreInputs())
    if (!getElementTypeOrSelf(input).isIntOrIndexOrFloat() ||
        getElementTypeOrSelf(input).isF64()) {
      os << "a score input of " << getElementTypeOrSelf(input);
      return reason;
    }
  for (Value operand : op->getOperands())
    if (getElementTypeOrSelf(operand).isF64())
      return "an operand of f64";
  if (op.hasScoreRegion())
    for (Operation &nested : op.getScoreRegion().front())
      if (!isSupportedInRegion(&nested)) {
        os << "'" << nested.getName() << "' in the score region";
        return reason;
      }
  return reason;
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

static AttentionShape shapeOf(AttentionOp op) {
  AttentionShape shape;
  Type type = getElementTypeOrSelf(op.getQuery());
  shape.unit = type.isF32() ? MatrixKind::Fma : MatrixKind::MmaSync;
  shape.elementBytes = type.getIntOrFloatBitWidth() / 8;
  shape.keyDepth = llvm::alignTo(keyDepth(op), 16);
  shape.valueDepth = llvm::alignTo(valueDepth(op), 16);
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
  return shape;
}

/// The shape of the merge of ranges, where there may be few rows.
static RowShape mergeShapeOf(AttentionOp op, int64_t fewRows) {
  AttentionShape shape = shapeOf(op);
  RowShape rows;
  rows.depth = valueDepth(op);
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

namespace {
/// The tiles of a kernel on ranges of keys.
struct RangePlan {
  AttentionShape shape;
  KernelPlan plan;
  /// The heads whose rows are those of a tile, if they are several.
  std::optional<unsigned> heads;
  int64_t headsPerTile = 1;
  /// If those have several rows: how many.
  int64_t rowsPerHead = 0;
};

/// Sizes of the two kernels that an attention with its keys in ranges is.
struct SplitPlan {
  RangePlan ranges;
  RowPlan merge;
  /// How many ranges: by the rule where the number is not known.
  KeySplits rule;
  std::optional<int64_t> splits;
};

struct TileAttentionForGPU
    : public TileForGPU<xsa::impl::TileAttentionForGPUBase<TileAttentionForGPU>,
                        AttentionOp> {
  using TileForGPU::TileForGPU;

  LogicalResult initialize(MLIRContext *context) override {
    return success(
        succeeded(checkOption(context, "query-tile", queryTile, 0, 1024)) &&
        succeeded(checkOption(context, "key-tile", keyTile, 0, 1024)) &&
        succeeded(checkOption(context, "warps", warps, 0, 32)) &&
        succeeded(checkOption(context, "stages", stages, 0, 16)) &&
        succeeded(checkOption(context, "key-splits", keySplits, 0, 1024)));
  }

private:
  LogicalResult tile(RewriterBase &rewriter, AttentionOp op,
                     const ChipLimits &limits) override {
    if (std::string reason = unsupportedPart(op); !reason.empty())
      return leave(op, reason);
    AttentionShape shape = shapeOf(op);
    std::optional<KernelPlan> plan = choosePlan(shape, limits, overrides());
    if (!plan)
      return leave(op, "tiles of this size on " + chip);
    ++numTiled;
    std::string name = nextName("attention");
    std::optional<SplitPlan> splitPlan = planSplit(op, *plan, limits);
    if (!splitPlan)
      return fuse(rewriter, op, shape, *plan, name, limits);
    if (splitPlan->splits)
      return split(rewriter, op, *splitPlan,
                   rewriter.getIndexAttr(*splitPlan->splits), name,
                   name + "_merge", limits);
    return splitAtRunTime(rewriter, op, *splitPlan, shape, *plan, name, limits);
  }

  PlanOverrides overrides() const {
    return {queryTile, keyTile, warps, stages};
  }

  /// Sizes of tiles where keys are in ranges. Heads that share keys are rows of
  /// a tile where that costs less, as it does if one head leaves rows of the
  /// tile empty. Any number of ranges fills the chip, so heads do not matter.
  std::optional<RangePlan> planRanges(AttentionOp op,
                                      const ChipLimits &limits) {
    RangePlan alone;
    alone.shape = shapeOf(op);
    alone.shape.heads = std::nullopt;
    alone.shape.ownValueBytes = 0;
    alone.shape.ownOnDiagonal = false;
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
      return choose(joint, overrides()) ? std::optional(joint) : std::nullopt;
    }
    if (!choose(alone, overrides()))
      return std::nullopt;
    std::optional<unsigned> heads = findHeadsToPack(op);
    if (!heads)
      return alone;
    RangePlan joint = join(*heads);
    joint.rowsPerHead = *alone.shape.rows;
    PlanOverrides sizes = overrides();
    // All rows are in one tile.
    if (!sizes.queryTile)
      sizes.queryTile =
          std::max<int64_t>(llvm::PowerOf2Ceil(*joint.shape.rows), 16);
    bool isBetter = *joint.shape.rows <= sizes.queryTile &&
                    choose(joint, sizes) && joint.plan.cost < alone.plan.cost;
    return isBetter ? joint : alone;
  }

  /// None where the keys are not split.
  std::optional<SplitPlan> planSplit(AttentionOp op, const KernelPlan &whole,
                                     const ChipLimits &limits) {
    std::optional<int64_t> rows = numRows(op);
    if (!keySplits && (rows ? *rows > kMaxSplitRows : hasRowPerKey(op)))
      return std::nullopt;
    std::optional<RangePlan> ranges = planRanges(op, limits);
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
    else if (shape.keys && *shape.keys <= ranges->plan.keyTile &&
             !ranges->heads)
      splits = 0;
    if (splits && *splits == 0)
      return std::nullopt;
    return SplitPlan{*ranges, *merge, rule, splits};
  }

  /// One kernel.
  LogicalResult fuse(RewriterBase &rewriter, AttentionOp op,
                     const AttentionShape &shape, const KernelPlan &plan,
                     StringRef name, const ChipLimits &limits) {
    if (printPlan)
      report(op, shape, plan, limits);
    rewriter.setInsertionPoint(op);
    TilePolicy policy = policyOf(plan);
    policy.heavyTilesFirst = true;
    policy.sumNarrowWeights = !op.getLseOutput();
    policy.ownAmongValues = plan.ownInStages(shape);
    FailureOr<scf::ForallOp> loop = tileAttention(rewriter, op, policy);
    if (failed(loop))
      return op.emitOpError("could not be tiled");
    // Without elements there is nothing to launch.
    if (!*loop)
      return success();
    mark(*loop, attributeOf(name, shape, plan));
    if (policy.ownAmongValues)
      (*loop)->setDiscardableAttr(kOwnInStagesAttrName,
                                  UnitAttr::get(&getContext()));
    return success();
  }

  static TilePolicy policyOf(const KernelPlan &plan) {
    TilePolicy policy;
    policy.queryTile = plan.queryTile;
    policy.keyTile = plan.keyTile;
    policy.rowsInnermost = false;
    policy.widenInputs = false;
    return policy;
  }

  KernelAttr attributeOf(StringRef name, const AttentionShape &shape,
                         const KernelPlan &plan) {
    return KernelAttr::get(&getContext(), name, shape.unit, plan.warps,
                           plan.stages, plan.queryInRegisters);
  }

  /// Two kernels: attention to ranges of keys, and the merge.
  LogicalResult split(RewriterBase &rewriter, AttentionOp op,
                      const SplitPlan &plan, OpFoldResult splits,
                      StringRef name, const Twine &mergeName,
                      const ChipLimits &limits) {
    const RangePlan &ranges = plan.ranges;
    if (printPlan) {
      report(op, ranges.shape, ranges.plan, limits);
      InFlightDiagnostic remark = op.emitRemark("keys in ");
      if (plan.splits)
        remark << *plan.splits << (*plan.splits == 1 ? " range" : " ranges");
      else
        remark << "a number of ranges that the host chooses";
      remark << ", merged in tiles of " << plan.merge.rows() << " rows";
      if (ranges.heads)
        remark << "; the rows of " << ranges.headsPerTile
               << " heads are in a tile";
    }
    TilePolicy policy = policyOf(ranges.plan);
    policy.rowsPerHead = ranges.rowsPerHead;
    FailureOr<SplitAttention> loops =
        splitAttention(rewriter, op, policy, splits, plan.merge.rows());
    if (failed(loops))
      return op.emitOpError("could not be tiled");
    if (!loops->ranges)
      return success();
    mark(loops->ranges, attributeOf(name, ranges.shape, ranges.plan));
    mark(loops->merge,
         KernelAttr::get(&getContext(), mergeName.str(), MatrixKind::None,
                         plan.merge.warps, /*stages=*/1,
                         /*query_in_registers=*/false, plan.merge.rowThreads,
                         plan.merge.chunk));
    return success();
  }

  /// The host chooses between one kernel and two, by sizes that are not known
  /// before.
  LogicalResult splitAtRunTime(RewriterBase &rewriter, AttentionOp op,
                               const SplitPlan &splitPlan,
                               const AttentionShape &shape,
                               const KernelPlan &plan, StringRef name,
                               const ChipLimits &limits) {
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    ImplicitLocOpBuilder b(loc, rewriter);
    SmallVector<OpFoldResult> sizes = AttentionParts::of(op, b).sizes;
    Value groups = arith::ConstantIndexOp::create(b, 1);
    for (unsigned dim = 0; dim < op.getNumLeadingDims(); ++dim)
      if (dim != splitPlan.ranges.heads)
        groups = arith::MulIOp::create(
            b, groups, getValueOrCreateConstantIndexOp(b, loc, sizes[dim]));
    Value splits = splitPlan.rule.build(
        b, {sizes[op.getQueryDim()], splitPlan.ranges.headsPerTile,
            OpFoldResult(groups), sizes[op.getKeyDim()]});
    Value isSplit = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, splits,
                                          arith::ConstantIndexOp::create(b, 0));
    AttentionOp copies[2];
    unsigned number = 0;
    auto copy = [&](OpBuilder &builder, Location) {
      Operation *clone = builder.clone(*op);
      copies[number++] = cast<AttentionOp>(clone);
      scf::YieldOp::create(builder, loc, clone->getResults());
    };
    auto choice = scf::IfOp::create(b, isSplit, copy, copy);
    rewriter.replaceOp(op, choice);
    if (failed(split(rewriter, copies[0], splitPlan, OpFoldResult(splits),
                     (name + "_ranges").str(), name + "_merge", limits)))
      return failure();
    return fuse(rewriter, copies[1], shape, plan, name, limits);
  }

  void report(AttentionOp op, const AttentionShape &shape,
              const KernelPlan &plan, const ChipLimits &limits) {
    op.emitRemark("tile ")
        << plan.queryTile << " x " << plan.keyTile << ", " << plan.warps
        << " warps, " << plan.stages << " stages, query in "
        << (plan.queryInRegisters ? "registers" : "shared memory")
        << (plan.ownInStages(shape) ? ", own values in the stages" : "")
        << "; about " << plan.registers(shape) << " registers, "
        << plan.sharedBytes(shape) << " bytes of shared memory, "
        << plan.occupancy(shape, limits) << " blocks on an SM, "
        << llvm::formatv("{0:F2}", plan.slotsPerScore(shape)).str()
        << " issue slots per 32 scores";
  }
};
} // namespace
