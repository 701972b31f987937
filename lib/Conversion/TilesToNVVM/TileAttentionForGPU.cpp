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

#include "AttentionPlan.h"
#include "ThreadBuilder.h"
#include "TileForGPU.h"
#include "WideIndices.h"

#include "xsa/Dialect/XSA/IR/AttentionParts.h"
#include "xsa/Dialect/XSA/Transforms/TileAttention.h"
#include "xsa/Support/PassOptions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/FormatVariadic.h"

namespace xsa {
#define GEN_PASS_DEF_TILEATTENTIONFORGPU
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

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
  for (auto [name, depth] : {std::pair("key", getKeyDepth(op)),
                             std::pair("value", getValueDepth(op))}) {
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

namespace {
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
    PlanOverrides sizes{queryTile, keyTile, warps, stages};
    std::optional<KernelPlan> plan = choosePlan(shape, limits, sizes);
    if (!plan)
      return leave(op, "tiles of this size on " + chip);
    ++numTiled;
    widenIndices(rewriter, op);
    std::string name = nextName("attention");
    std::optional<SplitPlan> splitPlan =
        SplitPlan::choose(op, *plan, limits, sizes, keySplits);
    if (!splitPlan)
      return fuse(rewriter, op, shape, *plan, name, limits);
    if (splitPlan->splits)
      return split(rewriter, op, *splitPlan,
                   rewriter.getIndexAttr(*splitPlan->splits), name,
                   name + "_merge", limits);
    return splitAtRunTime(rewriter, op, *splitPlan, shape, *plan, name, limits);
  }

  /// One kernel.
  LogicalResult fuse(RewriterBase &rewriter, AttentionOp op,
                     const AttentionShape &shape, const KernelPlan &plan,
                     StringRef name, const ChipLimits &limits) {
    report(op, shape, plan, limits);
    rewriter.setInsertionPoint(op);
    TilePolicy policy = policyOf(op, plan);
    policy.heavyTilesFirst = true;
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

  static TilePolicy policyOf(AttentionOp op, const KernelPlan &plan) {
    TilePolicy policy;
    policy.queryTile = plan.queryTile;
    policy.keyTile = plan.keyTile;
    policy.rowsInnermost = false;
    policy.widenInputs = false;
    policy.sumNarrowWeights = true;
    policy.showExactSums = op.showsSums();
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
    report(op, ranges.shape, ranges.plan, limits);
    if (printPlan || printChoices) {
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
    TilePolicy policy = policyOf(op, ranges.plan);
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
    if (!printPlan && !printChoices)
      return;
    InFlightDiagnostic remark = op.emitRemark();
    remark << "tile " << plan.queryTile << " x " << plan.keyTile << ", "
           << plan.warps << " warps, " << plan.stages << " stages, query in "
           << (plan.queryInRegisters ? "registers" : "shared memory")
           << (plan.ownInStages(shape) ? ", own values in the stages" : "")
           << "; about " << plan.registers(shape) << " registers, "
           << plan.sharedBytes(shape) << " bytes of shared memory, "
           << plan.occupancy(shape, limits) << " blocks on an SM, "
           << llvm::formatv("{0:F2}", plan.slotsPerScore(shape)).str()
           << " issue slots per 32 scores";
    if (printChoices)
      remark.attachNote() << tableOfChoices(shape, limits);
  }

  /// What there was to choose from.
  std::string tableOfChoices(const AttentionShape &shape,
                             const ChipLimits &limits) {
    std::string table;
    llvm::raw_string_ostream os(table);
    os << "choices, the cheapest first, those that may lack registers last:\n"
          "  tile       warps  stages  query      registers  shared bytes  "
          "blocks  slots   cost";
    PlanOverrides sizes{queryTile, keyTile, warps, stages};
    for (const KernelPlan &plan : rankPlans(shape, limits, sizes))
      os << llvm::formatv(
          "\n  {0,-9}  {1,5}  {2,6}  {3,-9}  {4,9}  {5,12}  {6,6}  {7,5:F2}  "
          "{8,5:F2}",
          llvm::formatv("{0} x {1}", plan.queryTile, plan.keyTile).str(),
          plan.warps, plan.stages,
          plan.queryInRegisters ? "registers" : "shared", plan.registers(shape),
          plan.sharedBytes(shape), plan.occupancy(shape, limits),
          plan.slotsPerScore(shape), plan.cost);
    return table;
  }
};
} // namespace
