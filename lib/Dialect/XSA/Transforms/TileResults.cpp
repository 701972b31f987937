//===- TileResults.cpp - What follows the last key ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows are normalized, the component along the own value is taken out, and what
// exists of them is written to the results, converted.
//
//===----------------------------------------------------------------------===//

#include "TileExpander.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;

/// Writes the rows of the current block that exist to `destination`, converted.
Value TileExpander::store(MappedValue rows, MappedValue destination) {
  rows = slice(rows, m, builder.getIndexAttr(0), validSizes[m]);
  auto shaped = cast<RankedTensorType>(destination.value.getType());
  SmallVector<OpFoldResult> offsets, strides, sizes;
  SmallVector<int64_t> shape;
  SmallVector<unsigned> dims;
  for (auto [position, expr] : llvm::enumerate(destination.map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    bool isRow = dim == m && hasBlocks;
    offsets.push_back(isRow ? blockBegin : builder.getIndexAttr(0));
    strides.push_back(builder.getIndexAttr(1));
    sizes.push_back(isRow ? validSizes[m]
                          : tensor::getMixedSize(builder, loc,
                                                 destination.value, position));
    if (dim < m)
      continue;
    dims.push_back(dim);
    shape.push_back(
        getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
  }
  auto partType = RankedTensorType::get(shape, shaped.getElementType());
  if (partType == shaped && !hasBlocks)
    return buildConverted(builder, loc, rows, destination);
  Value part = tensor::ExtractSliceOp::create(
      builder, loc, partType, destination.value, offsets, sizes, strides);
  Value written = buildConverted(builder, loc, rows, {part, mapOf(dims)});
  return tensor::InsertSliceOp::create(builder, loc, written, destination.value,
                                       offsets, sizes, strides);
}

/// The own values of the current rows, where the policy wants them from.
MappedValue TileExpander::ownValues() {
  if (!policy.ownAmongValues)
    return parts.selfValue;
  MappedValue rows = slice(parts.value, k2, base, validSizes[m]);
  rows.map =
      rows.map.replace(builder.getAffineDimExpr(k2),
                       builder.getAffineDimExpr(m), rows.map.getNumDims(), 0);
  return rows;
}

/// Normalizes and excludes the rows of the current block and stores them.
SmallVector<Value> TileExpander::finishBlock(Running &running,
                                             ValueRange destinations) {
  MappedValue max = {running.max, rowMap}, sum = {running.sum, rowMap};
  MappedValue y = {running.output, outputMap};
  // One division per row, instead of one per element.
  MappedValue inverse = {makeScratch(rowMap, type), rowMap};
  inverse.value = buildReciprocal(builder, loc, sum, inverse);
  y.value =
      buildGeneric(builder, loc, {y, inverse}, {normalizedScratch, outputMap},
                   [](ImplicitLocOpBuilder &b, ValueRange args, auto) -> Value {
                     return arith::MulFOp::create(b, args[0], args[1]);
                   });
  MappedValue coefficient;
  if (op.isExclusive()) {
    MappedValue v = copyToTile(ownValues(), outputMap, type, ownScratch);
    coefficient = {buildExclusionCoefficient(builder, loc, *op.getExclusion(),
                                             y, v, rowMap, type, tileSizes),
                   rowMap};
    y.value =
        buildExcluded(builder, loc, *op.getExclusion(), y, v, coefficient,
                      loadRows(parts.strength), {excludedScratch, outputMap});
  }
  SmallVector<Value> results{store(y, {destinations[0], op.getOutputMap()})};
  auto storeRow = [&](Value row, AffineMap map) {
    Value destination = destinations[results.size()];
    results.push_back(store({row, rowMap}, {destination, map}));
  };
  MappedValue shownSum =
      running.exactSum ? MappedValue{running.exactSum, rowMap} : sum;
  auto scratch = [&]() -> MappedValue {
    return {makeScratch(rowMap, type), rowMap};
  };
  if (op.getLseOutput())
    storeRow(buildLogSumExp(builder, loc, max, shownSum, parts.sinks, scratch(),
                            softmax),
             op.getLseMap());
  if (op.getMaxOutput()) {
    storeRow(
        buildNaturalMax(builder, loc, max, parts.sinks, scratch(), softmax),
        op.getMaxMap());
    storeRow(buildNaturalSum(builder, loc, max, shownSum, scratch(), softmax),
             op.getSumMap());
  }
  if (op.getCoefficientOutput())
    storeRow(coefficient.value, op.getCoefficientMap());
  return results;
}

SmallVector<Value> TileExpander::finish(ValueRange running) {
  SmallVector<Value> carried(running);
  llvm::append_range(carried, op.getDpsInits());
  // Not once per block.
  normalizedScratch = makeScratch(outputMap, type);
  if (op.isExclusive()) {
    ownScratch = makeScratch(outputMap, type);
    excludedScratch = makeScratch(outputMap, type);
  }
  // The running values are carried along.
  SmallVector<Value> results = forEachBlock(carried, [&](ValueRange values) {
    Running tiles = takeAll(values);
    SmallVector<Value> stored =
        finishBlock(tiles, values.drop_front(running.size()));
    SmallVector<Value> next = putAll(tiles, values);
    llvm::append_range(next, stored);
    return next;
  });
  results.erase(results.begin(), results.begin() + running.size());
  return results;
}
