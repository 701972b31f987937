//===- ExpandAttentionTile.cpp - Online softmax over tiles of keys --------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FlashAttention's recurrence for one tile of query rows. With s the masked
// scores of a tile of keys, m, l and acc the running maximum, sum and output:
//
//   m' = max(m, max_j s)        p = exp(s - m')       alpha = exp(m - m')
//   l' = alpha l + sum_j p      acc' = alpha acc + p v
//
// and at the end y = acc / l, then the exclusion. Sinks are the start m = sink,
// l = 1. Nothing of size M x K2 exists, and no tile that is masked out as a
// whole is visited.
//
//===----------------------------------------------------------------------===//

#include "KeyRange.h"

#include "xsa/Dialect/XSA/IR/AttentionParts.h"
#include "xsa/Dialect/XSA/Transforms/TileAttention.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace xsa;

namespace {
/// Marks linalg operations as they are made.
struct TileMarker : public OpBuilder::Listener {
  explicit TileMarker(OpBuilder::Listener *next) : next(next) {}

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (isa<linalg::LinalgOp>(op))
      op->setDiscardableAttr(kTileAttrName, UnitAttr::get(op->getContext()));
    if (next)
      next->notifyOperationInserted(op, previous);
  }

  OpBuilder::Listener *next;
};

/// The values carried from one tile of keys to the next.
struct Running {
  Value max, sum, output;
};

/// What a tile of keys needs: no masks that follow from positions, those masks,
/// or also padding, because it is the last and not filled.
enum class TileKind { Full, Edge, Rest };

class TileExpander {
public:
  TileExpander(OpBuilder &builder, AttentionOp op, const TilePolicy &policy);

  /// The operation's results.
  SmallVector<Value> expand();

private:
  // Operands of the tile.
  MappedValue dropLeading(MappedValue operand);
  Value buildBase();
  AffineMap mapOf(ArrayRef<unsigned> dims);
  AffineMap tileLayoutOf(AffineMap map);
  OpFoldResult validExtent(unsigned dim);
  MappedValue slice(MappedValue operand);
  MappedValue copyToTile(MappedValue operand, AffineMap layout, Type type,
                         Value scratch, double factor = 1.0);
  MappedValue loadRows(MappedValue operand);
  MappedValue loadKeys(MappedValue operand, unsigned depth, Value scratch);
  MappedValue loadScoreOperand(MappedValue operand, Value scratch);
  Value makeScratch(AffineMap layout, Type type);

  // The recurrence.
  void prepare();
  Running start();
  Running loopOverKeys(const KeyRange &range, Running running);
  Running loopOver(OpFoldResult begin, OpFoldResult end, TileKind kind,
                   Running running);
  Running step(Value begin, TileKind kind, Running running);
  MappedValue buildScores(TileKind kind);
  MappedValue scale(MappedValue x, MappedValue factor);
  SmallVector<Value> finish(Running running);
  Value store(MappedValue rows, MappedValue destination);

  OpBuilder &builder;
  Location loc;
  AttentionOp op;
  TilePolicy policy;
  FloatType type;
  unsigned m, k1, k2, n;
  /// The operands without leading dimensions.
  AttentionParts parts;
  /// Extents of tiles: those of the domain, but for rows and keys.
  SmallVector<OpFoldResult> tileSizes;
  AffineMap rowMap, scoreMap, outputMap;
  Value base;
  MappedValue query;
  Value scoreScratch, keyScratch, valueScratch, maskScratch, biasScratch;
  SmallVector<Value> inputScratch;
  /// Of the current tile of keys: first key and number of keys.
  OpFoldResult tileBegin, validKeys;
};
} // namespace

TileExpander::TileExpander(OpBuilder &builder, AttentionOp op,
                           const TilePolicy &policy)
    : builder(builder), loc(op.getLoc()), op(op), policy(policy),
      type(op.getAccumulatorType()), m(op.getQueryDim()),
      k1(op.getKeyDepthDim()), k2(op.getKeyDim()), n(op.getValueDepthDim()),
      parts(AttentionParts::of(op, builder)) {}

//===----------------------------------------------------------------------===//
// Operands of the tile
//===----------------------------------------------------------------------===//

AffineMap TileExpander::mapOf(ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : dims)
    results.push_back(builder.getAffineDimExpr(dim));
  return AffineMap::get(op.getNumLoops(), 0, results, op.getContext());
}

/// The dimensions of `map` with query rows where the policy wants them.
AffineMap TileExpander::tileLayoutOf(AffineMap map) {
  SmallVector<unsigned> dims;
  bool hasRows = false;
  for (AffineExpr expr : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (dim == m)
      hasRows = true;
    else
      dims.push_back(dim);
  }
  if (hasRows)
    dims.insert(policy.rowsInnermost ? dims.end() : dims.begin(), m);
  return mapOf(dims);
}

/// Leading dimensions are 1 in a tile. An operand that has no others becomes a
/// scalar.
MappedValue TileExpander::dropLeading(MappedValue operand) {
  if (!operand || !isa<RankedTensorType>(operand.value.getType()))
    return operand;
  auto tensorType = cast<RankedTensorType>(operand.value.getType());
  SmallVector<unsigned> dims;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  for (auto [position, expr] : llvm::enumerate(operand.map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    sizes.push_back(parts.sizes[dim]);
    if (dim < m)
      continue;
    dims.push_back(dim);
    shape.push_back(tensorType.getDimSize(position));
  }
  if (dims.empty()) {
    SmallVector<Value> indices(tensorType.getRank());
    for (Value &index : indices)
      index = arith::ConstantIndexOp::create(builder, loc, 0);
    return {tensor::ExtractOp::create(builder, loc, operand.value, indices),
            mapOf({})};
  }
  if (dims.size() == sizes.size())
    return operand;
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  auto sliceType = RankedTensorType::get(shape, tensorType.getElementType());
  return {tensor::ExtractSliceOp::create(builder, loc, sliceType, operand.value,
                                         offsets, sizes, strides),
          mapOf(dims)};
}

/// The position of the first query row, by the table in XSAOps.td.
Value TileExpander::buildBase() {
  if (!op.usesPositions() && !op.hasScoreRegion())
    return Value();
  ImplicitLocOpBuilder b(loc, builder);
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  auto apply = [&](AffineExpr expr, OpFoldResult lhs, OpFoldResult rhs) {
    return affine::makeComposedFoldedAffineApply(b, loc, expr, {lhs, rhs});
  };
  OpFoldResult position = b.getIndexAttr(0);
  if (parts.queryOffset)
    position = castPosition(b, parts.queryOffset.value);
  else if (op.getAlignment() == Alignment::BottomRight)
    position = apply(d0 - d1,
                     parts.keyLengths
                         ? OpFoldResult(castPosition(b, parts.keyLengths.value))
                         : parts.sizes[k2],
                     parts.sizes[m]);
  if (parts.queryStart)
    position = apply(d0 + d1, position, parts.queryStart);
  return getValueOrCreateConstantIndexOp(b, loc, position);
}

/// How much of a dimension exists in the current tile.
OpFoldResult TileExpander::validExtent(unsigned dim) {
  return dim == k2 ? validKeys : parts.sizes[dim];
}

Value TileExpander::makeScratch(AffineMap layout, Type elementType) {
  return buildEmpty(builder, loc, tileSizes, layout, elementType);
}

/// The part of an operand that belongs to the current tile of keys.
MappedValue TileExpander::slice(MappedValue operand) {
  if (!operand.map.isFunctionOfDim(k2))
    return operand;
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (AffineExpr expr : operand.map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    offsets.push_back(dim == k2 ? tileBegin : builder.getIndexAttr(0));
    sizes.push_back(validExtent(dim));
    strides.push_back(builder.getIndexAttr(1));
  }
  return {tensor::ExtractSliceOp::create(builder, loc, operand.value, offsets,
                                         sizes, strides),
          operand.map};
}

static Value convertElement(ImplicitLocOpBuilder &b, Value element, Type type,
                            double factor) {
  if (isa<FloatType>(type))
    element = castFloat(b, element, type);
  else if (element.getType() != type)
    element = arith::ExtUIOp::create(b, type, element);
  if (factor == 1.0)
    return element;
  Value constant = arith::ConstantOp::create(b, b.getFloatAttr(type, factor));
  return arith::MulFOp::create(b, element, constant);
}

/// Copies what exists of `operand` into a tile of full extent, converted and
/// times `factor`; the rest is 0.
MappedValue TileExpander::copyToTile(MappedValue operand, AffineMap layout,
                                     Type elementType, Value scratch,
                                     double factor) {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  bool padded = false;
  for (AffineExpr expr : layout.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(validExtent(dim));
    strides.push_back(builder.getIndexAttr(1));
    padded |= !isEqualConstantIntOrValue(sizes.back(), tileSizes[dim]);
  }
  auto copy = [&](Value init) {
    return buildGeneric(builder, loc, operand, {init, layout},
                        [&](ImplicitLocOpBuilder &b, ValueRange args, auto) {
                          return convertElement(b, args[0], elementType,
                                                factor);
                        });
  };
  if (!padded)
    return {copy(scratch), layout};
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(elementType));
  Value filled =
      linalg::FillOp::create(builder, loc, zero, scratch).getResult(0);
  Value part = tensor::ExtractSliceOp::create(builder, loc, filled, offsets,
                                              sizes, strides);
  return {tensor::InsertSliceOp::create(builder, loc, copy(part), filled,
                                        offsets, sizes, strides),
          layout};
}

/// An operand per row, or a scalar, for the whole tile of rows.
MappedValue TileExpander::loadRows(MappedValue operand) {
  if (!operand || !operand.map.isFunctionOfDim(m) ||
      operand.map.isFunctionOfDim(k2))
    return operand;
  AffineMap layout = tileLayoutOf(operand.map);
  Type elementType = getElementTypeOrSelf(operand.value.getType());
  return copyToTile(operand, layout, elementType,
                    makeScratch(layout, elementType));
}

/// A tile of keys or values: in place where it has the type and the extent
/// that is wanted.
MappedValue TileExpander::loadKeys(MappedValue operand, unsigned depth,
                                   Value scratch) {
  MappedValue part = slice(operand);
  Type from = getElementTypeOrSelf(operand.value.getType());
  Type to = getElementTypeOrSelf(scratch.getType());
  if (from == to && isEqualConstantIntOrValue(validKeys, tileSizes[k2]))
    return part;
  return copyToTile(part, mapOf({k2, depth}), to, scratch);
}

/// A tile of mask, bias or score input, laid out as the scores.
MappedValue TileExpander::loadScoreOperand(MappedValue operand, Value scratch) {
  if (!operand || !scratch)
    return operand;
  MappedValue part = slice(operand);
  bool whole = llvm::all_of(part.map.getResults(), [&](AffineExpr expr) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    return isEqualConstantIntOrValue(validExtent(dim), tileSizes[dim]);
  });
  AffineMap layout = tileLayoutOf(operand.map);
  Type elementType = getElementTypeOrSelf(scratch.getType());
  if (whole && layout == part.map &&
      getElementTypeOrSelf(part.value.getType()) == elementType)
    return part;
  return copyToTile(part, layout, elementType, scratch);
}

//===----------------------------------------------------------------------===//
// The recurrence
//===----------------------------------------------------------------------===//

/// Brings the operands into the form of the tile, and makes the tensors that
/// every step overwrites.
void TileExpander::prepare() {
  base = Value();
  for (MappedValue *operand :
       {&parts.query, &parts.key, &parts.value, &parts.selfValue, &parts.mask,
        &parts.bias, &parts.sinks, &parts.strength, &parts.keyLengths,
        &parts.keyBegin, &parts.keyEnd, &parts.queryOffset})
    *operand = dropLeading(*operand);
  for (MappedValue &input : parts.scoreInputs)
    input = dropLeading(input);
  base = buildBase();

  tileSizes = parts.sizes;
  tileSizes[m] = builder.getIndexAttr(policy.queryTile);
  tileSizes[k2] = builder.getIndexAttr(policy.keyTile);
  rowMap = mapOf({m});
  scoreMap = tileLayoutOf(mapOf({m, k2}));
  outputMap = tileLayoutOf(mapOf({m, n}));

  auto keyType = [&](MappedValue operand) -> Type {
    return policy.widenInputs ? Type(type)
                              : getElementTypeOrSelf(operand.value.getType());
  };
  scoreScratch = makeScratch(scoreMap, type);
  keyScratch = makeScratch(mapOf({k2, k1}), keyType(parts.key));
  valueScratch = makeScratch(mapOf({k2, n}), keyType(parts.value));
  auto scoreOperandScratch = [&](MappedValue operand) {
    if (!operand || !operand.map.isFunctionOfDim(k2))
      return Value();
    // Vectors of i1 have no layout in memory; a tile of a mask has bytes.
    Type elementType = getElementTypeOrSelf(operand.value.getType());
    if (elementType.isInteger(1) && operand.map.isFunctionOfDim(m) &&
        operand.value == parts.mask.value)
      elementType = builder.getI8Type();
    return makeScratch(tileLayoutOf(operand.map), elementType);
  };
  maskScratch = scoreOperandScratch(parts.mask);
  biasScratch = scoreOperandScratch(parts.bias);
  for (MappedValue &input : parts.scoreInputs)
    inputScratch.push_back(scoreOperandScratch(input));
}

/// No key seen yet, or only the sink.
Running TileExpander::start() {
  auto filled = [&](AffineMap map, double value) {
    return buildFilled(builder, loc, tileSizes, map, type, value);
  };
  Value output = filled(outputMap, 0.0);
  if (!parts.sinks)
    return {filled(rowMap, -std::numeric_limits<double>::infinity()),
            filled(rowMap, 0.0), output};

  ImplicitLocOpBuilder b(loc, builder);
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  };
  Value sink = castFloat(b, parts.sinks.value, type);
  if (policy.powersOfTwo)
    sink = arith::MulFOp::create(b, sink, constant(1.0 / std::log(2.0)));
  // A sink of -inf is none.
  Value isNone =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sink,
                            constant(-std::numeric_limits<double>::infinity()));
  Value weight =
      arith::SelectOp::create(b, isNone, constant(0.0), constant(1.0));
  auto fill = [&](Value scalar) {
    return linalg::FillOp::create(b, scalar, makeScratch(rowMap, type))
        .getResult(0);
  };
  return {fill(sink), fill(weight), output};
}

/// x * factor, in place.
MappedValue TileExpander::scale(MappedValue x, MappedValue factor) {
  return {
      buildGeneric(builder, loc, factor, x,
                   [](ImplicitLocOpBuilder &b, ValueRange args, auto) -> Value {
                     return arith::MulFOp::create(b, args[1], args[0]);
                   }),
      x.map};
}

/// The masked scores of the current tile of keys.
MappedValue TileExpander::buildScores(TileKind kind) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  MappedValue scores = {
      linalg::FillOp::create(builder, loc, zero, scoreScratch).getResult(0),
      scoreMap};
  MappedValue key = loadKeys(parts.key, k1, keyScratch);
  scores.value = policy.rowsInnermost
                     ? buildContraction(builder, loc, key, query, scores)
                     : buildContraction(builder, loc, query, key, scores);

  AttentionParts tile = parts;
  tile.mask = loadScoreOperand(parts.mask, maskScratch);
  tile.bias = loadScoreOperand(parts.bias, biasScratch);
  for (auto [input, scratch] : llvm::zip_equal(tile.scoreInputs, inputScratch))
    input = loadScoreOperand(input, scratch);
  if (base)
    tile.queryOffset = {base, mapOf({})};
  tile.queryStart = Value();
  OpFoldResult keyStart = tileBegin;
  if (parts.keyStart) {
    AffineExpr sum = builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1);
    keyStart = affine::makeComposedFoldedAffineApply(
        builder, loc, sum, {keyStart, parts.keyStart});
  }
  tile.keyStart = getValueOrCreateConstantIndexOp(builder, loc, keyStart);
  if (!isEqualConstantIntOrValue(validKeys, tileSizes[k2]))
    tile.validKeys = getValueOrCreateConstantIndexOp(builder, loc, validKeys);

  ScoreOptions options;
  options.applyScale = false;
  options.applyPositionMasks = kind != TileKind::Full;
  if (policy.powersOfTwo &&
      (op.getSoftcap() || parts.bias || op.hasScoreRegion()))
    options.finalFactor = 1.0 / std::log(2.0);
  scores.value = buildModifiedScores(builder, loc, tile, scores, options);
  return scores;
}

Running TileExpander::step(Value begin, TileKind kind, Running running) {
  tileBegin = begin;
  validKeys = tileSizes[k2];
  if (kind == TileKind::Rest)
    validKeys = affine::makeComposedFoldedAffineApply(
        builder, loc, builder.getAffineDimExpr(0) - builder.getAffineDimExpr(1),
        {parts.sizes[k2], tileBegin});

  MappedValue scores = buildScores(kind);
  MappedValue max = {running.max, rowMap}, sum = {running.sum, rowMap};
  MappedValue output = {running.output, outputMap};
  // alpha comes before the new maximum overwrites the old one, so that both can
  // share a buffer.
  MappedValue tileMax = {buildFilled(builder, loc, tileSizes, rowMap, type,
                                     -std::numeric_limits<double>::infinity()),
                         rowMap};
  tileMax.value = buildRowMax(builder, loc, scores, tileMax);
  MappedValue alpha = {makeScratch(rowMap, type), rowMap};
  alpha.value =
      buildRescaleFactor(builder, loc, max, tileMax, alpha, policy.powersOfTwo);
  max.value = buildRowMax(builder, loc, tileMax, max);
  MappedValue weights = {
      buildShiftedExp(builder, loc, scores, max, policy.powersOfTwo), scoreMap};

  sum = scale(sum, alpha);
  sum.value = buildRowSum(builder, loc, weights, sum);
  output = scale(output, alpha);
  MappedValue value = loadKeys(parts.value, n, valueScratch);
  output.value = policy.rowsInnermost
                     ? buildContraction(builder, loc, value, weights, output)
                     : buildContraction(builder, loc, weights, value, output);
  return {max.value, sum.value, output.value};
}

/// The parts of the range in order, each a loop of its own.
Running TileExpander::loopOverKeys(const KeyRange &range, Running running) {
  bool split = policy.splitMaskedTiles;
  if (split && range.hasLowerEdge)
    running = loopOver(range.begin, range.fullBegin, TileKind::Edge, running);
  OpFoldResult begin = split ? range.fullBegin : range.begin;
  OpFoldResult end = split ? range.fullEnd : range.wholeEnd;
  bool masked = !split && (range.hasLowerEdge || range.hasUpperEdge);
  running =
      loopOver(begin, end, masked ? TileKind::Edge : TileKind::Full, running);
  if (split && range.hasUpperEdge)
    running = loopOver(range.fullEnd, range.wholeEnd, TileKind::Edge, running);
  if (range.hasRest)
    running = loopOver(range.wholeEnd, range.end, TileKind::Rest, running);
  return running;
}

Running TileExpander::loopOver(OpFoldResult begin, OpFoldResult end,
                               TileKind kind, Running running) {
  auto asValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  };
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(
      builder, loc, asValue(begin), asValue(end),
      arith::ConstantIndexOp::create(builder, loc, policy.keyTile),
      ValueRange{running.max, running.sum, running.output});
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange args = loop.getRegionIterArgs();
  Running next =
      step(loop.getInductionVar(), kind, {args[0], args[1], args[2]});
  scf::YieldOp::create(builder, loc,
                       ValueRange{next.max, next.sum, next.output});
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Writes the rows that exist to `destination`, converted.
Value TileExpander::store(MappedValue rows, MappedValue destination) {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (AffineExpr expr : rows.map.getResults()) {
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(validExtent(cast<AffineDimExpr>(expr).getPosition()));
    strides.push_back(builder.getIndexAttr(1));
  }
  MappedValue existing = {tensor::ExtractSliceOp::create(builder, loc,
                                                         rows.value, offsets,
                                                         sizes, strides),
                          rows.map};
  MappedValue inner = dropLeading(destination);
  Value written = buildConverted(builder, loc, existing, inner);
  if (written.getType() == destination.value.getType())
    return written;
  auto shaped = cast<RankedTensorType>(destination.value.getType());
  SmallVector<OpFoldResult> zeros(shaped.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(shaped.getRank(), builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(
      builder, loc, written, destination.value, zeros,
      tensor::getMixedSizes(builder, loc, destination.value), ones);
}

SmallVector<Value> TileExpander::finish(Running running) {
  MappedValue max = {running.max, rowMap}, sum = {running.sum, rowMap};
  MappedValue y = {running.output, outputMap};
  y.value = buildNormalized(builder, loc, y, sum);
  MappedValue coefficient;
  if (op.isExclusive()) {
    MappedValue v = copyToTile(parts.selfValue, outputMap, type,
                               makeScratch(outputMap, type));
    coefficient = {buildExclusionCoefficient(builder, loc, *op.getExclusion(),
                                             y, v, rowMap, type, tileSizes),
                   rowMap};
    y.value = buildExcluded(builder, loc, *op.getExclusion(), y, v, coefficient,
                            loadRows(parts.strength),
                            {makeScratch(outputMap, type), outputMap});
  }
  SmallVector<Value> results{store(y, {op.getOutput(), op.getOutputMap()})};
  if (op.getLseOutput()) {
    MappedValue lse = {buildLogSumExp(builder, loc, max, sum,
                                      {makeScratch(rowMap, type), rowMap},
                                      policy.powersOfTwo),
                       rowMap};
    results.push_back(store(lse, {op.getLseOutput(), op.getLseMap()}));
  }
  if (op.getCoefficientOutput())
    results.push_back(store(
        coefficient, {op.getCoefficientOutput(), op.getCoefficientMap()}));
  return results;
}

SmallVector<Value> TileExpander::expand() {
  prepare();
  KeyRange range = buildKeyRange(builder, loc, parts, base, policy.keyTile);

  // Scale the query once instead of every score; with powers of two also by
  // log2(e), unless something stands between the product and the exponential.
  double factor = op.getScale() ? op.getScale()->convertToDouble() : 1.0;
  if (policy.powersOfTwo && !op.getSoftcap() && !parts.bias &&
      !op.hasScoreRegion())
    factor /= std::log(2.0);
  AffineMap queryMap = tileLayoutOf(mapOf({m, k1}));
  query = copyToTile(parts.query, queryMap, type, makeScratch(queryMap, type),
                     factor);
  parts.keyBegin = loadRows(parts.keyBegin);
  parts.keyEnd = loadRows(parts.keyEnd);
  for (MappedValue &input : parts.scoreInputs)
    input = loadRows(input);
  parts.mask = loadRows(parts.mask);
  parts.bias = loadRows(parts.bias);

  return finish(loopOverKeys(range, start()));
}

LogicalResult xsa::expandAttentionTile(RewriterBase &rewriter, AttentionOp op,
                                       const TilePolicy &policy) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "not on tensors");
  TileMarker marker(rewriter.getListener());
  OpBuilder builder(op.getContext(), &marker);
  builder.setInsertionPoint(op);
  rewriter.replaceOp(op, TileExpander(builder, op, policy).expand());
  return success();
}
