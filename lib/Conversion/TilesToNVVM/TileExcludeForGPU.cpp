//===- TileExcludeForGPU.cpp - Which exclusion becomes a kernel -----------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exclusion by itself, after somebody else's attention. As with attention,
// what the kernels do not cover is refused before anything changes.
//
//===----------------------------------------------------------------------===//

#include "TileForGPU.h"

#include "xsa/Dialect/XSA/Transforms/TileExclude.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace xsa {
#define GEN_PASS_DEF_TILEEXCLUDEFORGPU
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// The static extent of a dimension of the domain, or a dynamic one.
static int64_t extentOf(ExcludeOp op, unsigned dim) {
  AffineMap map = op.getInputMap();
  unsigned position =
      *map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
  return cast<ShapedType>(op.getInput().getType()).getDimSize(position);
}

/// What of an exclusion the kernels do not cover; empty if they do.
static std::string unsupportedPart(ExcludeOp op) {
  if (!op.hasPureTensorSemantics())
    return "operands that are not tensors";
  for (Value operand : op->getOperands())
    if (getElementTypeOrSelf(operand).isF64())
      return "f64";
  if (ShapedType::isDynamic(extentOf(op, op.getValueDepthDim())))
    return "a dynamic value depth";
  if (!findRowDim(op))
    return "a single row";
  return "";
}

static RowShape shapeOf(ExcludeOp op, unsigned rowDim) {
  RowShape shape;
  shape.depth = extentOf(op, op.getValueDepthDim());
  shape.elementBytes = 0;
  for (Value rows : {op.getInput(), op.getValue(), op.getOutput()})
    shape.elementBytes = std::max<int64_t>(
        shape.elementBytes,
        getElementTypeOrSelf(rows).getIntOrFloatBitWidth() / 8);
  AffineMap map = op.getInputMap();
  shape.contiguous =
      map.getDimPosition(map.getNumResults() - 1) == op.getValueDepthDim();
  int64_t batches = 1;
  for (unsigned dim = 0; dim < op.getValueDepthDim(); ++dim) {
    int64_t extent = extentOf(op, dim);
    if (dim == rowDim) {
      if (!ShapedType::isDynamic(extent))
        shape.rows = extent;
    } else if (op.getValueMap().isFunctionOfDim(dim)) {
      batches = ShapedType::isDynamic(extent) ? 0 : batches * extent;
    }
  }
  if (batches)
    shape.batches = batches;
  return shape;
}

/// Whether rows share sectors of memory with their neighbours, so that whole
/// sectors are only moved with those.
static bool sharesSectors(ExcludeOp op) {
  constexpr int64_t sectorBytes = 32;
  return llvm::any_of(
      ValueRange{op.getInput(), op.getValue(), op.getOutput()},
      [&](Value rows) {
        int64_t bytes = getElementTypeOrSelf(rows).getIntOrFloatBitWidth() / 8;
        return extentOf(op, op.getValueDepthDim()) * bytes % sectorBytes != 0;
      });
}

namespace {
struct TileExcludeForGPU
    : public TileForGPU<xsa::impl::TileExcludeForGPUBase<TileExcludeForGPU>,
                        ExcludeOp> {
  using TileForGPU::TileForGPU;

private:
  LogicalResult tile(RewriterBase &rewriter, ExcludeOp op,
                     const ChipLimits &limits) override {
    if (std::string reason = unsupportedPart(op); !reason.empty())
      return leave(op, reason);
    RowShape shape = shapeOf(op, *findRowDim(op));
    std::optional<RowPlan> plan;
    if (shape.depth > 0)
      plan = chooseRowPlan(shape, limits);
    if (!plan)
      return leave(op, "a value depth of " + Twine(shape.depth));
    if (shape.contiguous && sharesSectors(op)) {
      joinRows(rewriter, op);
      shape = shapeOf(op, *findRowDim(op));
      plan = chooseRowPlan(shape, limits);
    }
    if (printPlan)
      op.emitRemark("tile of ")
          << plan->rows() << " rows, " << plan->warps << " warps, "
          << plan->rowThreads << " threads on a row, chunks of " << plan->chunk
          << " elements; about " << plan->registers(shape) << " registers";

    std::string name = nextName("exclude");
    rewriter.setInsertionPoint(op);
    FailureOr<scf::ForallOp> loop = tileExclude(rewriter, op, plan->rows());
    if (failed(loop))
      return op.emitOpError("could not be tiled");
    // Without elements there is nothing to launch.
    if (!*loop)
      return success();
    mark(*loop,
         KernelAttr::get(&getContext(), name, MatrixKind::None, plan->warps,
                         /*stages=*/1, /*query_in_registers=*/false,
                         plan->rowThreads, plan->chunk));
    ++numTiled;
    return success();
  }
};
} // namespace
