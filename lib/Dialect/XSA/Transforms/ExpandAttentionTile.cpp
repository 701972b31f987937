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

#include "TermPairs.h"
#include "TileExpander.h"

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

/// Brings the operands into the form of the tile.
void TileExpander::prepare() {
  for (MappedValue *operand :
       {&parts.query, &parts.key, &parts.value, &parts.selfValue, &parts.mask,
        &parts.bias, &parts.sinks, &parts.strength, &parts.keyLengths,
        &parts.keyBegin, &parts.keyEnd, &parts.queryOffset})
    *operand = dropLeading(*operand);
  for (MappedValue &input : parts.scoreInputs)
    input = dropLeading(input);
  base = buildBase();
  // Keys that do not exist are not read, so no mask has to hide them.
  if (parts.keyLengths) {
    parts.sizes[k2] = buildExistingKeys(builder, loc, parts);
    parts.keyLengths = MappedValue();
  }
  allRows = parts;
  allRowsBase = base;

  validSizes = parts.sizes;
  tileSizes = parts.sizes;
  tileSizes[m] = builder.getIndexAttr(policy.queryTile);
  tileSizes[k2] = builder.getIndexAttr(policy.keyTile);
  hasBlocks = policy.rowBlock != 0 && policy.rowBlock < policy.queryTile;
  if (hasBlocks) {
    tileSizes[m] = builder.getIndexAttr(policy.rowBlock);
    maxBlocks = llvm::divideCeil(policy.queryTile, policy.rowBlock);
    AffineExpr blocks = builder.getAffineDimExpr(0).ceilDiv(policy.rowBlock);
    numBlocks = getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(builder, loc, blocks,
                                              {parts.sizes[m]}));
  }
  rowMap = mapOf({m});
  scoreMap = tileLayoutOf(mapOf({m, k2}));
  outputMap = tileLayoutOf(mapOf({m, n}));
  queryMap = tileLayoutOf(mapOf({m, k1}));
  keyMap = mapOf({k2, k1});
  // The terms of the second product are its keys.
  valueMap = policy.termsInPairs ? mapOf({n, k2}) : mapOf({k2, n});
}

/// Whether anything but the scale and masks changes a score.
bool TileExpander::modifiesScores() {
  return op.getSoftcap() || parts.bias || op.hasScoreRegion();
}

/// Whether weights are summed twice: as the output has them, so that rounding
/// them cancels in the quotient, and for results that show the sum.
bool TileExpander::hasExactSum() {
  return policy.sumNarrowWeights && policy.showExactSums && weightScratch &&
         op.showsSums();
}

/// Where scale and log2(e) are applied: to the query, once instead of to every
/// score, or in the exponential. Where a bias may have given scores any size,
/// as the lowest finite numbers that stand for masks, log2(e) waits until the
/// maximum is subtracted: before that it would make them infinite.
void TileExpander::chooseSoftmax() {
  softmax.powersOfTwo = policy.powersOfTwo;
  // As the accumulator has it, where the smallest numbers are 0.
  APFloat rounded = op.getScale() ? *op.getScale() : APFloat(1.0);
  bool losesInfo;
  rounded.convert(op.getAccumulatorType().getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
  double scale = rounded.convertToDouble();
  double toPowers = policy.powersOfTwo ? 1.0 / std::log(2.0) : 1.0;
  if (policy.widenInputs) {
    queryFactor = modifiesScores() ? scale : scale * toPowers;
    softmax.factor = modifiesScores() ? toPowers : 1.0;
    return;
  }
  softmax.factor = toPowers;
  // Only a positive factor keeps the order of scores.
  scaleScores = modifiesScores() || scale <= 0.0;
  if (!scaleScores)
    softmax.factor *= scale;
  // Products of finite operands, and scores below a cap, are far from overflow.
  // With terms in pairs this is decided for each tile (`advanceInPairs`).
  bool isBounded = !scaleScores || (!parts.bias && !op.hasScoreRegion());
  softmax.fused = isBounded && !policy.termsInPairs && type.isF32() &&
                  !getElementTypeOrSelf(op.getQuery()).isF32();
}

/// Makes the tensors that every step overwrites.
void TileExpander::makeScratches() {
  auto keyType = [&](MappedValue operand) -> Type {
    return policy.widenInputs && policy.widenKeys
               ? Type(type)
               : getElementTypeOrSelf(operand.value.getType());
  };
  scoreScratch = makeScratch(scoreMap, type);
  Type valueType = getElementTypeOrSelf(parts.value.value.getType());
  if (policy.termsInPairs) {
    queryScratch = makeScratch(queryMap, keyType(parts.query));
    weightScratch =
        buildEmptyPairs(builder, loc, tileSizes[k2], tileSizes[m], valueType);
  } else if (!policy.widenInputs && valueType != type) {
    weightScratch = makeScratch(scoreMap, valueType);
  }
  keyScratch = makeScratch(keyMap, keyType(parts.key));
  valueScratch = makeScratch(valueMap, keyType(parts.value));
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

/// `parts` with the operands of masks and scores that have a value per row, but
/// not per key, in the form of the tile.
AttentionParts TileExpander::loadRowOperands() {
  AttentionParts loaded = parts;
  for (MappedValue *operand :
       {&loaded.keyBegin, &loaded.keyEnd, &loaded.mask, &loaded.bias})
    *operand = loadRows(*operand);
  for (MappedValue &input : loaded.scoreInputs)
    input = loadRows(input);
  return loaded;
}

/// Loads the query and starts the recurrence in all blocks.
SmallVector<Value> TileExpander::start() {
  Type queryType = policy.widenInputs
                       ? Type(type)
                       : getElementTypeOrSelf(parts.query.value.getType());
  SmallVector<Value> carried{makeCarried(rowMap, type),
                             makeCarried(rowMap, type),
                             makeCarried(outputMap, type)};
  if (hasExactSum())
    carried.push_back(makeCarried(rowMap, type));
  carried.push_back(makeCarriedQuery(queryType));
  SmallVector<Value> started = forEachBlock(carried, [&](ValueRange inits) {
    SmallVector<Value> next = putAll(startBlock(takeAll(inits)), inits);
    Value rows = take(inits.back(), queryMap).value;
    next.push_back(put(loadQuery(rows, queryType), inits.back()));
    return next;
  });
  query = started.pop_back_val();
  return started;
}

/// The query rows of the current block, written to `tile`.
Value TileExpander::loadQuery(Value tile, Type queryType) {
  Value rows = policy.termsInPairs ? queryScratch : tile;
  Value loaded =
      copyToTile(parts.query, queryMap, queryType, rows, queryFactor).value;
  return policy.termsInPairs ? buildPairs(builder, loc, loaded, tile) : loaded;
}

/// No key seen yet, or only the sink.
Running TileExpander::startBlock(Running init) {
  ImplicitLocOpBuilder b(loc, builder);
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  };
  auto fill = [&](Value scalar, Value into) {
    return linalg::FillOp::create(b, scalar, into).getResult(0);
  };
  Value none = constant(-std::numeric_limits<double>::infinity());
  Value max = parts.sinks ? buildSinkMax(b, loc, parts.sinks,
                                         {init.max, rowMap}, softmax)
                          : fill(none, init.max);
  auto startSum = [&](Value into) {
    return parts.sinks
               ? buildSinkSum(b, loc, {max, rowMap}, {into, rowMap}, softmax)
               : fill(constant(0.0), into);
  };
  return {max, startSum(init.sum), fill(constant(0.0), init.output),
          init.exactSum ? startSum(init.exactSum) : Value()};
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

/// How many keys there are from `begin` on, at most `size`.
OpFoldResult TileExpander::countKeys(OpFoldResult begin, OpFoldResult size) {
  if (!padsEdges())
    return size;
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
  OpFoldResult rest = affine::makeComposedFoldedAffineMax(
      builder, loc,
      AffineMap::get(2, 0, {d0 - d1, builder.getAffineConstantExpr(0)},
                     builder.getContext()),
      {parts.sizes[k2], begin});
  return affine::makeComposedFoldedAffineMin(
      builder, loc, builder.getMultiDimIdentityMap(2), {rest, size});
}

/// Whether edges are filled up to whole pairs of keys, and the keys at hand may
/// need that.
bool TileExpander::padsEdges() {
  std::optional<int64_t> keys = getConstantIntValue(parts.sizes[k2]);
  return policy.termsInPairs && (!keys || *keys % policy.keyGrain != 0);
}

/// Of an edge, the keys that a row of the current block may see.
void TileExpander::selectKeys(KeyTile &tile) {
  if (!policy.exactKeys || tile.kind == TileKind::Full)
    return;
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
  auto apply = [&](AffineExpr expr, OpFoldResult lhs, OpFoldResult rhs) {
    return affine::makeComposedFoldedAffineApply(builder, loc, expr,
                                                 {lhs, rhs});
  };
  KeyInterval keys = {tile.begin, apply(d0 + d1, tile.begin, tile.size)};
  keys = buildVisibleKeys(builder, loc, parts, base, keys, policy.keyGrain,
                          /*alignsBegin=*/policy.termsInPairs);
  OpFoldResult offset = apply(d0 - d1, keys.begin, tile.begin);
  tile.begin = keys.begin;
  tile.size = apply(d0 - d1, keys.end, keys.begin);
  tileSizes[k2] = tile.size;
  validSizes[k2] = countKeys(tile.begin, tile.size);
  tile.key = slice(tile.key, k2, offset, tile.size);
  tile.value = slice(tile.value, k2, offset, tile.size);
}

/// The product of keys or values with what there is per row, added to `sum`.
Value TileExpander::multiply(MappedValue keys, MappedValue rows,
                             MappedValue sum) {
  if (policy.termsInPairs)
    return buildContractionOfPairs(builder, loc, keys.value, rows.value,
                                   sum.value);
  if (policy.rowsInnermost)
    return buildContraction(builder, loc, keys, rows, sum);
  return buildContraction(builder, loc, rows, keys, sum);
}

/// The masked scores of a tile of keys.
MappedValue TileExpander::buildScores(const KeyTile &tile, MappedValue rows) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  MappedValue scores = {
      linalg::FillOp::create(builder, loc, zero, fit(scoreScratch, scoreMap))
          .getResult(0),
      scoreMap};
  scores.value = multiply(tile.key, rows, scores);

  AttentionParts inTile = hasBlocks ? loadRowOperands() : rowOperands;
  auto load = [&](MappedValue operand, Value scratch) {
    return loadScoreOperand(slice(operand, k2, tile.begin, validSizes[k2]),
                            scratch);
  };
  inTile.mask = load(inTile.mask, maskScratch);
  inTile.bias = load(inTile.bias, biasScratch);
  for (auto [input, scratch] :
       llvm::zip_equal(inTile.scoreInputs, inputScratch))
    input = load(input, scratch);
  if (base)
    inTile.queryOffset = {base, mapOf({})};
  inTile.queryStart = Value();
  OpFoldResult keyStart = tile.begin;
  if (parts.keyStart) {
    AffineExpr sum = builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1);
    keyStart = affine::makeComposedFoldedAffineApply(
        builder, loc, sum, {keyStart, parts.keyStart});
  }
  inTile.keyStart = getValueOrCreateConstantIndexOp(builder, loc, keyStart);
  if (!isEqualConstantIntOrValue(validSizes[k2], tileSizes[k2]))
    inTile.validKeys =
        getValueOrCreateConstantIndexOp(builder, loc, validSizes[k2]);

  ScoreOptions options;
  options.applyScale = scaleScores;
  options.applyPositionMasks = tile.kind != TileKind::Full;
  options.narrowPositions = policy.narrowPositions;
  scores.value = buildModifiedScores(builder, loc, inTile, scores, options);
  return scores;
}

/// The current block of rows on one tile of keys.
Running TileExpander::step(KeyTile tile, MappedValue rows, Running running) {
  selectKeys(tile);
  MappedValue scores = buildScores(tile, rows);
  SoftmaxForm form = softmax;
  form.finiteMax = !policy.widenInputs && tile.kind == TileKind::Full &&
                   !parts.mask && !parts.bias && !op.hasScoreRegion();
  // Sums would show an error that is the same for many keys.
  form.rough = policy.termsInPairs && !op.showsSums();
  MappedValue tileMax = {buildFilled(builder, loc, tileSizes, rowMap, type,
                                     -std::numeric_limits<double>::infinity()),
                         rowMap};
  tileMax.value = buildRowMax(builder, loc, scores, tileMax);
  return advance(running, scores, tileMax, form,
                 [&](MappedValue weights, MappedValue output) {
                   return multiply(tile.value, weights, output);
                 });
}

/// The running values with a maximum that `tileMax` exceeds by little: as they
/// are, mostly. Else the new maximum is taken, which is a pass over the output.
Running TileExpander::catchUp(Running running, MappedValue tileMax,
                              const SoftmaxForm &form) {
  MappedValue max = {running.max, rowMap};
  ImplicitLocOpBuilder b(loc, builder);
  Value exceeds = buildExceedsMax(builder, loc, tileMax, max, form);
  SmallVector<Value> before{running.max, running.sum, running.output};
  if (running.exactSum)
    before.push_back(running.exactSum);
  auto choice = scf::IfOp::create(b, TypeRange(ValueRange(before)), exceeds,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(builder, loc, before);
  builder.setInsertionPointToEnd(choice.thenBlock());
  MappedValue alpha = {makeScratch(rowMap, type), rowMap};
  alpha.value = buildRescaleFactor(builder, loc, max, tileMax, alpha, form);
  max.value = buildRowMax(builder, loc, tileMax, max);
  SmallVector<Value> after{max.value, scale({running.sum, rowMap}, alpha).value,
                           scale({running.output, outputMap}, alpha).value};
  if (running.exactSum)
    after.push_back(scale({running.exactSum, rowMap}, alpha).value);
  scf::YieldOp::create(builder, loc, after);
  return {choice.getResult(0), choice.getResult(1), choice.getResult(2),
          running.exactSum ? choice.getResult(3) : Value()};
}

/// The scores with large maxima taken off, which is rare.
MappedValue TileExpander::takeOffLargeMaxima(MappedValue scores,
                                             MappedValue max,
                                             const SoftmaxForm &form) {
  Value isAnyLarge = buildHasLargeMax(builder, loc, max, form);
  auto choice = scf::IfOp::create(builder, loc,
                                  TypeRange{scores.value.getType()}, isAnyLarge,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(choice.elseBlock());
  scf::YieldOp::create(builder, loc, scores.value);
  builder.setInsertionPointToEnd(choice.thenBlock());
  scf::YieldOp::create(builder, loc,
                       buildLargeMaxTakenOff(builder, loc, scores, max, form));
  return {choice.getResult(0), scores.map};
}

/// The same with weights in pairs, where rows are rescaled only if need be.
Running TileExpander::advanceInPairs(Running running, MappedValue scores,
                                     MappedValue tileMax,
                                     const SoftmaxForm &formOfTile,
                                     ValuesFn addValues) {
  running = catchUp(running, tileMax, softmax);
  SoftmaxForm form = formOfTile;
  if (!op.showsSums() && form.factor != 1.0) {
    form.fused = form.takesOffSmallMax = true;
    scores = takeOffLargeMaxima(scores, {running.max, rowMap}, form);
  }
  Value pairs = slicePairs(builder, loc, weightScratch, tileSizes[k2]);
  WeightsInPairs built = buildWeightsInPairs(
      builder, loc, scores.value, running.max, pairs, running.sum,
      running.exactSum, form, policy.sumNarrowWeights);
  return {running.max, built.sum,
          addValues({built.weights, {}}, {running.output, outputMap}),
          built.exactSum};
}

/// Scores join the running values; `tileMax` is their maximum per row. With
/// `counts` weights count so many times.
Running TileExpander::advance(Running running, MappedValue scores,
                              MappedValue tileMax, const SoftmaxForm &form,
                              ValuesFn addValues, MappedValue counts) {
  if (policy.termsInPairs)
    return advanceInPairs(running, scores, tileMax, form, addValues);
  MappedValue max = {running.max, rowMap};
  MappedValue output = {running.output, outputMap};
  // alpha comes before the new maximum overwrites the old one, so that both can
  // share a buffer.
  MappedValue alpha = {makeScratch(rowMap, type), rowMap};
  alpha.value = buildRescaleFactor(builder, loc, max, tileMax, alpha, form);
  max.value = buildRowMax(builder, loc, tileMax, max);
  MappedValue weights = {buildShiftedExp(builder, loc, scores, max, form),
                         scores.map};
  if (counts)
    weights = scale(weights, counts);

  MappedValue narrow = weights;
  if (weightScratch)
    narrow.value =
        buildConverted(builder, loc, weights, {weightScratch, scoreMap});
  auto addTo = [&](Value before, MappedValue terms) {
    MappedValue rescaled = scale({before, rowMap}, alpha);
    return buildRowSum(builder, loc, terms, rescaled);
  };
  Value exactSum;
  if (running.exactSum)
    exactSum = addTo(running.exactSum, weights);
  Value sum = addTo(running.sum, policy.sumNarrowWeights ? narrow : weights);
  output = scale(output, alpha);
  return {max.value, sum, addValues(narrow, output), exactSum};
}

/// The parts of the range in order, each a loop of its own.
SmallVector<Value> TileExpander::loopOverKeys(const KeyRange &range,
                                              SmallVector<Value> running) {
  bool split = policy.splitMaskedTiles;
  if (split && range.hasLowerEdge)
    running = loopOver(range.begin, range.fullBegin, TileKind::Edge, running);
  OpFoldResult begin = split ? range.fullBegin : range.begin;
  OpFoldResult end = split ? range.fullEnd : range.wholeEnd;
  bool masked = !split && (range.hasLowerEdge || range.hasUpperEdge);
  running =
      loopOver(begin, end, masked ? TileKind::Edge : TileKind::Full, running);
  if (policy.exactKeys) {
    if ((split && range.hasUpperEdge) || range.hasRest)
      running = loopOver(end, range.end, TileKind::Edge, running);
    return running;
  }
  if (split && range.hasUpperEdge)
    running = loopOver(range.fullEnd, range.wholeEnd, TileKind::Edge, running);
  if (range.hasRest)
    running = loopOver(range.wholeEnd, range.end, TileKind::Rest, running);
  return running;
}

/// The keys and values of the tile that begins at `begin`.
KeyTile TileExpander::loadTile(Value begin, TileKind kind) {
  OpFoldResult whole = builder.getIndexAttr(policy.keyTile);
  tileSizes[k2] = validSizes[k2] = whole;
  bool isShort =
      kind == TileKind::Rest || (kind == TileKind::Edge && policy.exactKeys);
  if (isShort) {
    AffineExpr d0 = builder.getAffineDimExpr(0);
    OpFoldResult rest = affine::makeComposedFoldedAffineApply(
        builder, loc, d0 - builder.getAffineDimExpr(1),
        {parts.sizes[k2], begin});
    validSizes[k2] = kind == TileKind::Rest
                         ? rest
                         : affine::makeComposedFoldedAffineMin(
                               builder, loc, builder.getMultiDimIdentityMap(2),
                               {rest, whole});
  }
  if (policy.exactKeys)
    tileSizes[k2] = validSizes[k2];
  if (isShort && padsEdges()) {
    AffineExpr grains = builder.getAffineDimExpr(0).ceilDiv(policy.keyGrain);
    tileSizes[k2] = affine::makeComposedFoldedAffineApply(
        builder, loc, grains * policy.keyGrain, {validSizes[k2]});
  }
  auto load = [&](MappedValue operand, AffineMap layout, Value scratch,
                  bool packs) {
    return loadKeys(slice(operand, k2, begin, validSizes[k2]), layout, scratch,
                    packs);
  };
  return {kind, begin, tileSizes[k2],
          load(parts.key, keyMap, keyScratch, policy.packKeys),
          load(parts.value, valueMap, valueScratch, policy.packValues)};
}

SmallVector<Value> TileExpander::loopOver(OpFoldResult begin, OpFoldResult end,
                                          TileKind kind, ValueRange running) {
  auto asValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  };
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(
      builder, loc, asValue(begin), asValue(end),
      arith::ConstantIndexOp::create(builder, loc, policy.keyTile), running);
  builder.setInsertionPointToStart(loop.getBody());
  KeyTile tile = loadTile(loop.getInductionVar(), kind);
  SmallVector<Value> next =
      forEachBlock(loop.getRegionIterArgs(), [&](ValueRange carried) {
        return putAll(step(tile, take(query, queryMap), takeAll(carried)),
                      carried);
      });
  scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> TileExpander::expand() {
  prepare();
  chooseSoftmax();
  makeScratches();
  KeyRange range = buildKeyRange(builder, loc, parts, base, policy.keyTile);
  SmallVector<Value> running = start();
  // Blocks bring their rows of these in each step, a single tile once.
  if (!hasBlocks)
    rowOperands = loadRowOperands();
  return finish(loopOverKeys(range, running));
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
