//===- XSADecomposition.cpp - The meaning of the operations in linalg -----===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference decomposition: the formulas of XSAOps.td term by term, on whole
// tensors, with the M x K2 scores as a tensor. It defines what any faster form
// must compute.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/IR/AttentionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;
using namespace xsa;

/// The domain's dimensions below `count`, then `last`.
static AffineMap mapOfDims(MLIRContext *context, unsigned numDims,
                           unsigned count, ArrayRef<unsigned> last) {
  SmallVector<AffineExpr> results;
  for (unsigned dim = 0; dim < count; ++dim)
    results.push_back(getAffineDimExpr(dim, context));
  for (unsigned dim : last)
    results.push_back(getAffineDimExpr(dim, context));
  return AffineMap::get(numDims, 0, results, context);
}

/// sum += exp(sink - max): the sink is one more score, without a value.
static Value buildSinkTerm(OpBuilder &builder, Location loc, MappedValue sinks,
                           MappedValue max, MappedValue sum,
                           ArrayRef<OpFoldResult> sizes, FloatType type) {
  MappedValue sink = {buildEmpty(builder, loc, sizes, max.map, type), max.map};
  sink.value = buildConverted(builder, loc, sinks, sink);
  sink.value = buildShiftedExp(builder, loc, sink, max, SoftmaxForm());
  return buildRowSum(builder, loc, sink, sum);
}

/// The values with 0 for keys beyond `key_lengths`, where anything may lie: it
/// must not meet a weight of 0, which a NaN would survive.
static MappedValue dropMissingKeys(OpBuilder &builder, Location loc,
                                   const AttentionParts &parts) {
  if (!parts.keyLengths)
    return parts.value;
  AttentionOp op = parts.op;
  SmallVector<AffineExpr> dims;
  for (AffineExpr expr : parts.keyLengths.map.getResults())
    if (!llvm::is_contained(parts.value.map.getResults(), expr))
      dims.push_back(expr);
  llvm::append_range(dims, parts.value.map.getResults());
  AffineMap map =
      AffineMap::get(op.getNumLoops(), 0, dims, builder.getContext());
  auto type = cast<FloatType>(getElementTypeOrSelf(parts.value.value));
  Value init = buildEmpty(builder, loc, parts.sizes, map, type);
  auto element = [&](ImplicitLocOpBuilder &b, ValueRange args,
                     function_ref<Value(unsigned)> index) -> Value {
    Value key = index(op.getKeyDim());
    if (parts.keyStart)
      key = arith::AddIOp::create(b, key, parts.keyStart);
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, key,
                                         castIndex(b, args[1]));
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    return arith::SelectOp::create(b, exists, args[0], zero);
  };
  return {buildGeneric(builder, loc, {parts.value, parts.keyLengths},
                       {init, map}, element),
          map};
}

FailureOr<SmallVector<Value>>
AttentionOp::decomposeOperation(OpBuilder &builder) {
  if (!hasPureTensorSemantics())
    return failure();
  Location loc = getLoc();
  FloatType type = getAccumulatorType();
  AttentionParts parts = AttentionParts::of(*this, builder);
  unsigned numLead = getNumLeadingDims();
  auto filled = [&](ArrayRef<unsigned> dims, double value) -> MappedValue {
    AffineMap map = mapOfDims(getContext(), getNumLoops(), numLead, dims);
    return {buildFilled(builder, loc, parts.sizes, map, type, value), map};
  };

  MappedValue scores = filled({getQueryDim(), getKeyDim()}, 0.0);
  scores.value = buildContraction(builder, loc, parts.query, parts.key, scores);
  scores.value = buildModifiedScores(builder, loc, parts, scores);

  MappedValue max =
      filled(getQueryDim(), -std::numeric_limits<double>::infinity());
  max.value = buildRowMax(builder, loc, scores, max);
  if (parts.sinks) {
    MappedValue sink = {
        buildEmpty(builder, loc, parts.sizes, parts.sinks.map, type),
        parts.sinks.map};
    sink.value = buildConverted(builder, loc, parts.sinks, sink);
    max.value = buildRowMax(builder, loc, sink, max);
  }

  MappedValue weights = scores;
  weights.value = buildShiftedExp(builder, loc, scores, max, SoftmaxForm());
  MappedValue sum = filled(getQueryDim(), 0.0);
  sum.value = buildRowSum(builder, loc, weights, sum);
  if (parts.sinks)
    sum.value =
        buildSinkTerm(builder, loc, parts.sinks, max, sum, parts.sizes, type);

  MappedValue y = filled({getQueryDim(), getValueDepthDim()}, 0.0);
  y.value = buildContraction(builder, loc, weights,
                             dropMissingKeys(builder, loc, parts), y);
  y.value = buildNormalized(builder, loc, y, sum);

  MappedValue output = {getOutput(), getOutputMap()};
  SmallVector<Value> results;
  MappedValue coefficient;
  if (isExclusive()) {
    coefficient = {buildExclusionCoefficient(builder, loc, *getExclusion(), y,
                                             parts.selfValue, max.map, type,
                                             parts.sizes),
                   max.map};
    results.push_back(buildExcluded(builder, loc, *getExclusion(), y,
                                    parts.selfValue, coefficient,
                                    parts.strength, output));
  } else {
    results.push_back(buildConverted(builder, loc, y, output));
  }
  if (getLseOutput())
    results.push_back(buildLogSumExp(builder, loc, max, sum, /*sink=*/{},
                                     {getLseOutput(), getLseMap()},
                                     SoftmaxForm()));
  if (getMaxOutput()) {
    results.push_back(
        buildConverted(builder, loc, max, {getMaxOutput(), getMaxMap()}));
    results.push_back(
        buildConverted(builder, loc, sum, {getSumOutput(), getSumMap()}));
  }
  if (getCoefficientOutput())
    results.push_back(
        buildConverted(builder, loc, coefficient,
                       {getCoefficientOutput(), getCoefficientMap()}));
  return results;
}

FailureOr<SmallVector<Value>>
ExcludeOp::decomposeOperation(OpBuilder &builder) {
  if (!hasPureTensorSemantics())
    return failure();
  Location loc = getLoc();
  SmallVector<OpFoldResult> sizes;
  for (Range range : getIterationDomain(builder))
    sizes.push_back(range.size);
  MappedValue y = {getInput(), getInputMap()};
  MappedValue v = {getValue(), getValueMap()};
  AffineMap rows =
      mapOfDims(getContext(), getNumLoops(), getValueDepthDim(), {});

  MappedValue coefficient = {
      buildExclusionCoefficient(builder, loc, getExclusion(), y, v, rows,
                                getAccumulatorType(), sizes),
      rows};
  SmallVector<Value> results{buildExcluded(
      builder, loc, getExclusion(), y, v, coefficient,
      {getStrength(), getStrengthMap()}, {getOutput(), getOutputMap()})};
  if (getCoefficientOutput())
    results.push_back(
        buildConverted(builder, loc, coefficient,
                       {getCoefficientOutput(), getCoefficientMap()}));
  return results;
}
