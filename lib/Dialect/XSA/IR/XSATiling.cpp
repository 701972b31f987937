//===- XSATiling.cpp - TilingInterface of the XSA operations --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both operations tile along every parallel dimension by slicing each operand
// through its map. Attention must also remember where its query rows stood, or
// causal masks would restart in each tile. The value depth is a reduction in
// the exclusive form, since the projection sums over it.
//
//===----------------------------------------------------------------------===//

#include "StructuredOps.h"

#include "xsa/Dialect/XSA/IR/AttentionParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace xsa;
using namespace xsa::detail;

//===----------------------------------------------------------------------===//
// Iteration domain
//===----------------------------------------------------------------------===//

/// The first shaped operand that has dimension `dim`, and where.
static std::pair<Value, int64_t> findDimension(StructuredOpInterface op,
                                               unsigned dim) {
  AffineExpr expr = getAffineDimExpr(dim, op.getContext());
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps()))
    if (std::optional<unsigned> position = map.getResultPosition(expr))
      return {operand->get(), *position};
  llvm_unreachable("the verifier requires every dimension in some operand");
}

static OpFoldResult getExtent(OpBuilder &builder, Location loc, Value shaped,
                              int64_t position) {
  if (isa<MemRefType>(shaped.getType()))
    return memref::getMixedSize(builder, loc, shaped, position);
  return tensor::getMixedSize(builder, loc, shaped, position);
}

static OpFoldResult getDomainExtent(StructuredOpInterface op,
                                    OpBuilder &builder, unsigned dim) {
  auto [shaped, position] = findDimension(op, dim);
  return getExtent(builder, op.getLoc(), shaped, position);
}

SmallVector<Range> xsa::detail::getIterationDomain(StructuredOpInterface op,
                                                   OpBuilder &builder) {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<Range> domain;
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    domain.push_back({zero, getDomainExtent(op, builder, dim), one});
  return domain;
}

/// A reduction dimension is computed as a whole: a tile of it that is
/// recognisably not the whole is refused.
static bool keepsReductionsWhole(StructuredOpInterface op,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  auto tilingOp = cast<TilingInterface>(*op);
  for (auto [dim, type] : llvm::enumerate(tilingOp.getLoopIteratorTypes())) {
    if (type == utils::IteratorType::parallel)
      continue;
    if (!isZeroInteger(offsets[dim]))
      return false;
    auto [shaped, position] = findDimension(op, dim);
    int64_t extent = cast<ShapedType>(shaped.getType()).getDimSize(position);
    std::optional<int64_t> size = getConstantIntValue(sizes[dim]);
    if (size && !ShapedType::isDynamic(extent) && *size != extent)
      return false;
  }
  return true;
}

/// A slice of a dimension that is known to have no elements does not verify.
static bool canSlice(StructuredOpInterface op, ArrayRef<OpFoldResult> offsets) {
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps())) {
    auto type = cast<ShapedType>(operand->get().getType());
    for (auto [size, expr] : llvm::zip_equal(type.getShape(), map.getResults()))
      if (size == 0 &&
          getConstantIntValue(offsets[cast<AffineDimExpr>(expr).getPosition()]))
        return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Tiles of operands
//===----------------------------------------------------------------------===//

static FoldResults select(ArrayRef<OpFoldResult> perDim, AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return perDim[cast<AffineDimExpr>(expr).getPosition()];
  });
}

static Operation *buildSlice(OpBuilder &builder, Location loc, Value shaped,
                             AffineMap map, ArrayRef<OpFoldResult> offsets,
                             ArrayRef<OpFoldResult> sizes) {
  FoldResults strides(map.getNumResults(), builder.getIndexAttr(1));
  FoldResults sliceOffsets = select(offsets, map);
  FoldResults sliceSizes = select(sizes, map);
  if (isa<MemRefType>(shaped.getType()))
    return memref::SubViewOp::create(builder, loc, shaped, sliceOffsets,
                                     sliceSizes, strides);
  return tensor::ExtractSliceOp::create(builder, loc, shaped, sliceOffsets,
                                        sliceSizes, strides);
}

/// Replaces each shaped operand by its tile. Returns the operands of the tiled
/// operation and the slices made.
static std::pair<SmallVector<Value>, SmallVector<Operation *>>
sliceOperands(StructuredOpInterface op, OpBuilder &builder,
              ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> operands(op->getOperands());
  SmallVector<Operation *> slices;
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps())) {
    // A rank-0 operand is its own tile.
    if (map.getNumResults() == 0)
      continue;
    Operation *slice =
        buildSlice(builder, op.getLoc(), operand->get(), map, offsets, sizes);
    operands[operand->getOperandNumber()] = slice->getResult(0);
    slices.push_back(slice);
  }
  return {operands, slices};
}

/// Clones `op` on the tiles of its operands.
static TilingResult cloneOnTiles(StructuredOpInterface op, OpBuilder &builder,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  auto [operands, slices] = sliceOperands(op, builder, offsets, sizes);
  SmallVector<Type> resultTypes;
  if (op->getNumResults() != 0)
    for (OpOperand &init :
         cast<DestinationStyleOpInterface>(*op).getDpsInitsMutable())
      resultTypes.push_back(operands[init.getOperandNumber()].getType());
  Operation *tiled = cloneOnto(builder, op, resultTypes, operands);
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

//===----------------------------------------------------------------------===//
// Tiles by result or operand
//===----------------------------------------------------------------------===//

/// The tile of the domain that touches the given tile of one operand or
/// result: whole in the dimensions that its map does not mention.
static LogicalResult domainTileOf(StructuredOpInterface op, OpBuilder &builder,
                                  ArrayRef<AffineMap> maps,
                                  ArrayRef<FoldResults> allOffsets,
                                  ArrayRef<FoldResults> allSizes,
                                  SmallVectorImpl<OpFoldResult> &offsets,
                                  SmallVectorImpl<OpFoldResult> &sizes) {
  offsets.assign(op.getNumLoops(), OpFoldResult());
  sizes.assign(op.getNumLoops(), OpFoldResult());
  for (auto [map, tileOffsets, tileSizes] :
       llvm::zip_equal(maps, allOffsets, allSizes))
    for (auto [expr, offset, size] :
         llvm::zip_equal(map.getResults(), tileOffsets, tileSizes)) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      if (offsets[dim] && (offsets[dim] != offset || sizes[dim] != size))
        return failure();
      offsets[dim] = offset;
      sizes[dim] = size;
    }
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    if (!offsets[dim]) {
      offsets[dim] = builder.getIndexAttr(0);
      sizes[dim] = getDomainExtent(op, builder, dim);
    }
  return success(keepsReductionsWhole(op, offsets, sizes));
}

static AffineMap mapOfResult(StructuredOpInterface op, unsigned number) {
  auto dpsOp = cast<DestinationStyleOpInterface>(*op);
  return op.getMapOf(*dpsOp.getDpsInitOperand(number));
}

LogicalResult xsa::detail::getResultTilePosition(StructuredOpInterface op,
                                                 unsigned resultNumber,
                                                 ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes,
                                                 FoldResults &resultOffsets,
                                                 FoldResults &resultSizes) {
  AffineMap map = mapOfResult(op, resultNumber);
  resultOffsets = select(offsets, map);
  resultSizes = select(sizes, map);
  return success();
}

LogicalResult xsa::detail::getIterationDomainTileFromResultTile(
    StructuredOpInterface op, OpBuilder &builder, unsigned resultNumber,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
    SmallVectorImpl<OpFoldResult> &domainOffsets,
    SmallVectorImpl<OpFoldResult> &domainSizes) {
  return domainTileOf(op, builder, {mapOfResult(op, resultNumber)},
                      {FoldResults(offsets)}, {FoldResults(sizes)},
                      domainOffsets, domainSizes);
}

FailureOr<TilingResult> xsa::detail::generateResultTileValue(
    StructuredOpInterface op, OpBuilder &builder, unsigned resultNumber,
    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes) {
  FoldResults domainOffsets, domainSizes;
  if (failed(getIterationDomainTileFromResultTile(op, builder, resultNumber,
                                                  offsets, sizes, domainOffsets,
                                                  domainSizes)))
    return failure();
  FailureOr<TilingResult> tiled =
      cast<TilingInterface>(*op).getTiledImplementation(builder, domainOffsets,
                                                        domainSizes);
  if (failed(tiled))
    return failure();
  return TilingResult{tiled->tiledOps,
                      {tiled->tiledValues[resultNumber]},
                      tiled->generatedSlices};
}

LogicalResult xsa::detail::getIterationDomainTileFromOperandTiles(
    StructuredOpInterface op, OpBuilder &builder,
    ArrayRef<unsigned> operandNumbers, ArrayRef<FoldResults> allOffsets,
    ArrayRef<FoldResults> allSizes,
    SmallVectorImpl<OpFoldResult> &domainOffsets,
    SmallVectorImpl<OpFoldResult> &domainSizes) {
  SmallVector<AffineMap> maps;
  for (unsigned number : operandNumbers) {
    AffineMap map = op.getMapOf(op->getOpOperand(number));
    if (!map)
      return failure();
    maps.push_back(map);
  }
  return domainTileOf(op, builder, maps, allOffsets, allSizes, domainOffsets,
                      domainSizes);
}

FailureOr<TilingResult> xsa::detail::getTiledImplementationFromOperandTiles(
    StructuredOpInterface op, OpBuilder &builder,
    ArrayRef<unsigned> operandNumbers, ArrayRef<FoldResults> allOffsets,
    ArrayRef<FoldResults> allSizes) {
  FoldResults offsets, sizes;
  if (failed(getIterationDomainTileFromOperandTiles(
          op, builder, operandNumbers, allOffsets, allSizes, offsets, sizes)))
    return failure();
  return cast<TilingInterface>(*op).getTiledImplementation(builder, offsets,
                                                           sizes);
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> AttentionOp::getLoopIteratorTypes() {
  SmallVector<utils::IteratorType> types(getNumLoops(),
                                         utils::IteratorType::parallel);
  types[getKeyDepthDim()] = utils::IteratorType::reduction;
  types[getKeyDim()] = utils::IteratorType::reduction;
  // Results per row have no value depth: tiles along it would write them twice.
  if (isExclusive() || showsSums())
    types[getValueDepthDim()] = utils::IteratorType::reduction;
  return types;
}

/// `key_lengths - M` for the batches of `tiled`: where the first query row of
/// `op` stands. A tile no longer knows M.
static Value buildOffsetFromLengths(AttentionOp op, AttentionOp tiled,
                                    OpBuilder &builder) {
  Location loc = op.getLoc();
  Value lengths = tiled.getKeyLengths();
  auto type = cast<RankedTensorType>(lengths.getType());
  Value rows = getValueOrCreateConstantIndexOp(
      builder, loc, getDomainExtent(op, builder, op.getQueryDim()));
  rows = getValueOrCreateCastToIndexLike(builder, loc, type.getElementType(),
                                         rows);
  Value init = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, lengths),
      type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, type, lengths, init,
      ArrayRef<AffineMap>{identity, identity}, iterators,
      [&](OpBuilder &body, Location bodyLoc, ValueRange args) {
        Value offset = arith::SubIOp::create(body, bodyLoc, args[0], rows);
        linalg::YieldOp::create(body, bodyLoc, offset);
      });
  return generic.getResult(0);
}

/// Rewrites `tiled`, a tile of `op` whose rows begin at `offset`, so that its
/// rows keep their positions among the keys.
static LogicalResult keepPositions(AttentionOp op, AttentionOp tiled,
                                   OpBuilder &builder, OpFoldResult offset) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(tiled);
  Location loc = op.getLoc();
  AffineExpr sum = builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1);
  auto add = [&](OpFoldResult lhs, OpFoldResult rhs) {
    return affine::makeComposedFoldedAffineApply(builder, loc, sum, {lhs, rhs});
  };
  OpFoldResult start = offset;
  if (op.getQueryStart()) {
    ImplicitLocOpBuilder b(loc, builder);
    start = add(start, castPosition(b, op.getQueryStart()));
  }

  bool knowsBase =
      op.getQueryOffset() || op.getAlignment() == Alignment::TopLeft;
  if (!knowsBase && op.getKeyLengths()) {
    if (!isa<TensorType>(op.getKeyLengths().getType()))
      return failure();
    tiled.assignOperand(AttentionOp::odsIndex_query_offset,
                        buildOffsetFromLengths(op, tiled, builder),
                        op.getKeyLengthsMap());
  } else if (!knowsBase) {
    OpFoldResult rows = getDomainExtent(op, builder, op.getQueryDim());
    OpFoldResult keys = getDomainExtent(op, builder, op.getKeyDim());
    AffineExpr difference =
        builder.getAffineDimExpr(0) - builder.getAffineDimExpr(1);
    start = add(start, affine::makeComposedFoldedAffineApply(
                           builder, loc, difference, {keys, rows}));
    tiled.setAlignment(Alignment::TopLeft);
  }
  tiled.getQueryStartMutable().assign(
      getValueOrCreateConstantIndexOp(builder, loc, start));
  return success();
}

FailureOr<TilingResult>
AttentionOp::getTiledImplementation(OpBuilder &builder,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  if (!keepsReductionsWhole(*this, offsets, sizes) || !canSlice(*this, offsets))
    return failure();
  // On memrefs there is nowhere to put an offset per batch.
  if (usesPositions() && !getQueryOffset() && getKeyLengths() &&
      getAlignment() != Alignment::TopLeft &&
      isa<MemRefType>(getKeyLengths().getType()))
    return failure();

  TilingResult result = cloneOnTiles(*this, builder, offsets, sizes);
  auto tiled = cast<AttentionOp>(result.tiledOps.front());
  unsigned m = getQueryDim();
  auto [shaped, position] = findDimension(*this, m);
  int64_t extent = cast<ShapedType>(shaped.getType()).getDimSize(position);
  bool whole = isZeroInteger(offsets[m]) && !ShapedType::isDynamic(extent) &&
               getConstantIntValue(sizes[m]) == extent;
  if (usesPositions() && !whole &&
      failed(keepPositions(*this, tiled, builder, offsets[m])))
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// ExcludeOp
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> ExcludeOp::getLoopIteratorTypes() {
  SmallVector<utils::IteratorType> types(getNumLoops(),
                                         utils::IteratorType::parallel);
  types[getValueDepthDim()] = utils::IteratorType::reduction;
  return types;
}

FailureOr<TilingResult>
ExcludeOp::getTiledImplementation(OpBuilder &builder,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  if (!keepsReductionsWhole(*this, offsets, sizes) || !canSlice(*this, offsets))
    return failure();
  return cloneOnTiles(*this, builder, offsets, sizes);
}
