//===- RowBlocks.cpp - Rows of a tile in blocks ---------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of keys is brought in once for all rows of a tile, which go through it
// block by block. What a block carries from one tile of keys to the next has a
// dimension in front, the number of the block.
//
//===----------------------------------------------------------------------===//

#include "TermPairs.h"
#include "TileExpander.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;

/// Runs `body` for each block of rows that exists, with `carried` through all
/// of them; without blocks, once.
SmallVector<Value> TileExpander::forEachBlock(ValueRange carried,
                                              BlockBody body) {
  if (!hasBlocks)
    return body(carried);
  // No loop around a single block. Folded, its counter would make the offsets
  // of slices constant, and the canonicalization of slices that drop extents of
  // 1 goes wrong where an extent of 1 stays, too.
  std::optional<int64_t> rows = getConstantIntValue(allRows.sizes[m]);
  if (rows && *rows <= policy.rowBlock) {
    enterBlock(builder.getIndexAttr(0));
    return body(carried);
  }
  OpBuilder::InsertionGuard guard(builder);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, zero, numBlocks, one, carried);
  builder.setInsertionPointToStart(loop.getBody());
  enterBlock(loop.getInductionVar());
  scf::YieldOp::create(builder, loc, body(loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

/// Makes the rows of a block the current ones.
void TileExpander::enterBlock(OpFoldResult index) {
  blockIndex = index;
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
  blockBegin = affine::makeComposedFoldedAffineApply(
      builder, loc, d0 * policy.rowBlock, {index});
  OpFoldResult rest = affine::makeComposedFoldedAffineApply(
      builder, loc, d0 - d1, {allRows.sizes[m], blockBegin});
  OpFoldResult size = affine::makeComposedFoldedAffineMin(
      builder, loc, builder.getMultiDimIdentityMap(2), {rest, tileSizes[m]});
  // A number of rows that blocks divide leaves no rest.
  std::optional<int64_t> rows = getConstantIntValue(allRows.sizes[m]);
  if (rows && *rows % policy.rowBlock == 0)
    size = tileSizes[m];
  validSizes[m] = size;
  parts = allRows;
  parts.sizes[m] = size;
  for (MappedValue *operand :
       {&parts.query, &parts.selfValue, &parts.mask, &parts.bias,
        &parts.strength, &parts.keyBegin, &parts.keyEnd})
    *operand = slice(*operand, m, blockBegin, size);
  for (MappedValue &input : parts.scoreInputs)
    input = slice(input, m, blockBegin, size);
  if (allRowsBase)
    base = getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(builder, loc, d0 + d1,
                                              {allRowsBase, blockBegin}));
}

/// An uninitialized tensor with a tile of `map` for each block.
Value TileExpander::makeCarried(AffineMap map, Type elementType) {
  if (!hasBlocks)
    return makeScratch(map, elementType);
  SmallVector<OpFoldResult> shape{builder.getIndexAttr(maxBlocks)};
  for (AffineExpr expr : map.getResults())
    shape.push_back(tileSizes[cast<AffineDimExpr>(expr).getPosition()]);
  return tensor::EmptyOp::create(builder, loc, shape, elementType);
}

/// An uninitialized tensor with the query rows of each block.
Value TileExpander::makeCarriedQuery(Type elementType) {
  if (!policy.termsInPairs)
    return makeCarried(queryMap, elementType);
  return buildEmptyPairs(builder, loc, tileSizes[k1], tileSizes[m], elementType,
                         hasBlocks ? std::optional(maxBlocks) : std::nullopt);
}

static SmallVector<OpFoldResult> withFront(OpFoldResult front,
                                           ArrayRef<OpFoldResult> rest) {
  SmallVector<OpFoldResult> all{front};
  llvm::append_range(all, rest);
  return all;
}

/// The tile of the current block.
MappedValue TileExpander::take(Value carried, AffineMap map) {
  if (!hasBlocks)
    return {carried, map};
  auto carriedType = cast<RankedTensorType>(carried.getType());
  auto tileType = RankedTensorType::get(carriedType.getShape().drop_front(),
                                        carriedType.getElementType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, carried);
  sizes.front() = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> zeros(sizes.size() - 1, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return {tensor::ExtractSliceOp::create(builder, loc, tileType, carried,
                                         withFront(blockIndex, zeros), sizes,
                                         ones),
          map};
}

Value TileExpander::put(Value tile, Value carried) {
  if (!hasBlocks)
    return tile;
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, carried);
  sizes.front() = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> zeros(sizes.size() - 1, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1));
  return tensor::InsertSliceOp::create(
      builder, loc, tile, carried, withFront(blockIndex, zeros), sizes, ones);
}

Running TileExpander::takeAll(ValueRange carried) {
  Running tiles = {take(carried[0], rowMap).value,
                   take(carried[1], rowMap).value,
                   take(carried[2], outputMap).value, Value()};
  if (hasExactSum())
    tiles.exactSum = take(carried[3], rowMap).value;
  return tiles;
}

SmallVector<Value> TileExpander::putAll(Running tiles, ValueRange carried) {
  SmallVector<Value> next{put(tiles.max, carried[0]),
                          put(tiles.sum, carried[1]),
                          put(tiles.output, carried[2])};
  if (hasExactSum())
    next.push_back(put(tiles.exactSum, carried[3]));
  return next;
}
