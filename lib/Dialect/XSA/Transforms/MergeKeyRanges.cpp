//===- MergeKeyRanges.cpp - Partial results become one --------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ranges of keys gave by themselves is merged by the recurrence of their
// tiles: each range is one key, with its maximum as score, its output as value,
// and a weight that counts as often as its sum says. (Its log-sum-exp as score
// would do only as long as an f32 holds the logarithm beside the maximum.)
//
//===----------------------------------------------------------------------===//

#include "TileExpander.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

/// A tile of partial results.
MappedValue TileExpander::loadPartial(Value partial,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<unsigned> dims) {
  SmallVector<OpFoldResult> sizes(offsets.size(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> strides = sizes;
  SmallVector<int64_t> shape;
  // The dimensions of the tile come last.
  for (auto [position, dim] : llvm::enumerate(dims)) {
    OpFoldResult size = validSizes[dim];
    sizes[offsets.size() - dims.size() + position] = size;
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  }
  Value slice = tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get(shape, type), partial, offsets, sizes,
      strides);
  AffineMap map = mapOf(dims);
  return copyToTile({slice, map}, map, type, makeScratch(map, type));
}

SmallVector<Value> TileExpander::loopOverRanges(const PartialAttention &partial,
                                                ValueRange running) {
  // The rows of the tile among all rows are those of its output.
  SmallVector<OpFoldResult> offsets(m + 2, builder.getIndexAttr(0));
  if (auto slice = op.getOutput().getDefiningOp<tensor::ExtractSliceOp>())
    for (auto [expr, offset] : llvm::zip_equal(op.getOutputMap().getResults(),
                                               slice.getMixedOffsets()))
      if (unsigned dim = cast<AffineDimExpr>(expr).getPosition(); dim <= m)
        offsets[dim + 1] = offset;

  OpBuilder::InsertionGuard guard(builder);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value ranges = getValueOrCreateConstantIndexOp(
      builder, loc, tensor::getMixedSize(builder, loc, partial.max, 0));
  auto loop = scf::ForOp::create(builder, loc, constant(0), ranges, constant(1),
                                 running);
  builder.setInsertionPointToStart(loop.getBody());
  offsets.front() = loop.getInductionVar();
  MappedValue max = loadPartial(partial.max, offsets, {m});
  MappedValue sum = loadPartial(partial.sum, offsets, {m});
  offsets.push_back(builder.getIndexAttr(0));
  MappedValue output = loadPartial(partial.output, offsets, {m, n});
  Running next = advance(
      takeAll(loop.getRegionIterArgs()), max, max, softmax,
      [&](MappedValue weights, MappedValue outputs) {
        return buildContraction(builder, loc, weights, output, outputs);
      },
      sum);
  scf::YieldOp::create(builder, loc, putAll(next, loop.getRegionIterArgs()));
  rangeLoop = loop;
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> TileExpander::expandMerge(const PartialAttention &partial) {
  prepare();
  // Maxima are natural logarithms, with the scale in them.
  softmax.powersOfTwo = policy.powersOfTwo;
  softmax.factor = policy.powersOfTwo ? 1.0 / std::log(2.0) : 1.0;
  SmallVector<Value> results = finish(loopOverRanges(partial, start()));
  // The loads of some ranges are on their way while another is merged.
  (void)loopUnrollByFactor(rangeLoop, 4);
  return results;
}

LogicalResult xsa::expandMergeTile(RewriterBase &rewriter, AttentionOp op,
                                   const PartialAttention &partial,
                                   const TilePolicy &policy) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "not on tensors");
  TileMarker marker(rewriter.getListener());
  OpBuilder builder(op.getContext(), &marker);
  builder.setInsertionPoint(op);
  rewriter.replaceOp(op,
                     TileExpander(builder, op, policy).expandMerge(partial));
  return success();
}
