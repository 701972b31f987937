//===- LoopNest.cpp - Loops that may be parallel --------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LoopNest.h.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"

#include "xsa/Conversion/SCFToXSARuntime/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace xsa;

std::optional<int64_t> xsa::getStaticTripCount(const LoopDim &dim) {
  std::optional<int64_t> lower = getConstantIntValue(dim.lower);
  std::optional<int64_t> upper = getConstantIntValue(dim.upper);
  if (!lower || !upper)
    return std::nullopt;
  return *upper > *lower ? llvm::divideCeil(*upper - *lower, dim.step) : 0;
}

SmallVector<RangePart> xsa::splitRange(OpBuilder &builder, Location loc,
                                       const LoopDim &range,
                                       ArrayRef<int64_t> steps,
                                       int64_t restStep) {
  MLIRContext *context = builder.getContext();
  AffineExpr size = getAffineSymbolExpr(0, context);
  SmallVector<RangePart> parts;
  OpFoldResult lower = range.lower;
  for (int64_t step : steps) {
    OpFoldResult whole =
        step == 1
            ? range.upper
            : affine::makeComposedFoldedAffineApply(
                  builder, loc,
                  AffineMap::get(0, 1, size.floorDiv(step) * step, context),
                  {range.upper});
    parts.push_back({{lower, whole, step}, /*isRest=*/false});
    lower = whole;
  }
  if (steps.back() != 1)
    parts.push_back({{lower, range.upper, restStep}, /*isRest=*/true});
  llvm::erase_if(parts, [](const RangePart &part) {
    return getStaticTripCount(part.range) == 0;
  });
  return parts;
}

static bool isInParallelLoop(Operation *op) {
  return op->getParentOfType<scf::ForallOp>() ||
         op->getParentOfType<scf::ParallelOp>();
}

/// Whether the work of all iterations is, or may be, worth a second thread.
static bool isWorthThreads(ArrayRef<LoopDim> dims, int64_t workPerIteration,
                           const CPULoopOptions &options) {
  double work = workPerIteration;
  for (const LoopDim &dim : dims) {
    std::optional<int64_t> count = getStaticTripCount(dim);
    if (!count)
      return true;
    work *= *count;
  }
  return work >= 2.0 * options.parallelWork;
}

void xsa::buildLoopNest(OpBuilder &builder, Operation *op,
                        ArrayRef<LoopDim> dims, int64_t workPerIteration,
                        const CPULoopOptions &options,
                        function_ref<void(OpBuilder &, ValueRange)> body) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = op->getLoc();
  SmallVector<Value> lower, upper, step;
  for (const LoopDim &dim : dims) {
    lower.push_back(getValueOrCreateConstantIndexOp(builder, loc, dim.lower));
    upper.push_back(getValueOrCreateConstantIndexOp(builder, loc, dim.upper));
    step.push_back(arith::ConstantIndexOp::create(builder, loc, dim.step));
  }
  if (!dims.empty() && !isInParallelLoop(op) &&
      isWorthThreads(dims, workPerIteration, options)) {
    auto parallel = scf::ParallelOp::create(builder, loc, lower, upper, step);
    int64_t grain = std::max<int64_t>(
        1, options.parallelWork / std::max<int64_t>(workPerIteration, 1));
    parallel->setAttr(kGrainAttrName, builder.getI64IntegerAttr(grain));
    builder.setInsertionPointToStart(parallel.getBody());
    body(builder, parallel.getInductionVars());
    return;
  }
  SmallVector<Value> ivs;
  for (auto [l, u, s] : llvm::zip_equal(lower, upper, step)) {
    auto loop = scf::ForOp::create(builder, loc, l, u, s);
    ivs.push_back(loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  body(builder, ivs);
}
