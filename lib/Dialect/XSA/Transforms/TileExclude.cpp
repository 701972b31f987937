//===- TileExclude.cpp - Exclusion on tiles of rows -----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parallel loops come from the operation's TilingInterface and leave out
// the dimensions that the own values do not have. Those become loops inside a
// tile, out of which everything that depends on the own values alone is moved.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/Transforms/TileExclude.h"
#include "JoinDims.h"
#include "TileOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

#include <limits>

using namespace mlir;
using namespace xsa;

static int64_t extentOf(ExcludeOp op, unsigned dim) {
  unsigned position = *op.getInputMap().getResultPosition(
      getAffineDimExpr(dim, op.getContext()));
  return cast<ShapedType>(op.getInput().getType()).getDimSize(position);
}

std::optional<unsigned> xsa::findRowDim(ExcludeOp op) {
  // A dynamic extent counts as long.
  auto lengthOf = [&](unsigned dim) {
    int64_t extent = extentOf(op, dim);
    return ShapedType::isDynamic(extent) ? std::numeric_limits<int64_t>::max()
                                         : extent;
  };
  std::optional<unsigned> best;
  for (bool shared : {false, true}) {
    for (unsigned dim = 0; dim < op.getValueDepthDim(); ++dim)
      if (op.getValueMap().isFunctionOfDim(dim) != shared &&
          (!best || lengthOf(dim) >= lengthOf(*best)))
        best = dim;
    if (best)
      break;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Rows side by side
//===----------------------------------------------------------------------===//

/// Whether a tensor is all of a buffer, as far as can be seen: a view of a
/// slice might have to be copied.
static bool isWhole(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::ExtractSliceOp>(op))
      return false;
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            op))
      return true;
    value = op->getOperand(0);
  }
  return isa<FunctionOpInterface>(
      cast<BlockArgument>(value).getOwner()->getParentOp());
}

/// Two dimensions of the own values that every operand has side by side, or not
/// at all.
static std::optional<std::pair<unsigned, unsigned>>
findNeighbours(ExcludeOp op) {
  unsigned depth = op.getValueDepthDim();
  for (unsigned outer = 0; outer < depth; ++outer)
    for (unsigned inner = 0; inner < depth; ++inner)
      if (findJoint(op.getValueMap(), outer, inner) &&
          llvm::all_of(op.getMaps(), [&](AffineMap map) {
            return findJoint(map, outer, inner) ||
                   !(map.isFunctionOfDim(outer) || map.isFunctionOfDim(inner));
          }))
        return std::make_pair(outer, inner);
  return std::nullopt;
}

void xsa::joinRows(RewriterBase &rewriter, ExcludeOp op) {
  if (!llvm::all_of(op->getOperands(), isWhole))
    return;
  while (auto neighbours = findNeighbours(op))
    joinDims(rewriter, op, neighbours->first, neighbours->second);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
class ExcludeTile {
public:
  ExcludeTile(OpBuilder &builder, ExcludeOp op, unsigned rowDim, int64_t rows);

  /// The operation's results.
  SmallVector<Value> expand();

private:
  AffineMap mapOf(ArrayRef<unsigned> dims);
  Value makeScratch(AffineMap map, Type type) {
    return buildEmpty(builder, loc, tileSizes, map, type);
  }
  MappedValue takeRows(MappedValue operand);
  MappedValue loadRows(MappedValue operand, AffineMap map, Type type);
  Value store(MappedValue tile, MappedValue destination);
  SmallVector<Value> expandRows(ValueRange destinations);
  SmallVector<Value> loopOver(ArrayRef<unsigned> dims, ValueRange destinations);

  OpBuilder &builder;
  Location loc;
  ExcludeOp op;
  FloatType type;
  unsigned rowDim, depthDim;
  AffineMap rowMap, tileMap;
  SmallVector<OpFoldResult> tileSizes, validSizes;
  /// Where the current rows stand along the other dimensions.
  SmallVector<OpFoldResult> place;
  MappedValue value;
};
} // namespace

ExcludeTile::ExcludeTile(OpBuilder &builder, ExcludeOp op, unsigned rowDim,
                         int64_t rows)
    : builder(builder), loc(op.getLoc()), op(op), type(op.getAccumulatorType()),
      rowDim(rowDim), depthDim(op.getValueDepthDim()), rowMap(mapOf({rowDim})),
      tileMap(mapOf({rowDim, depthDim})) {
  for (Range range : op.getIterationDomain(builder))
    validSizes.push_back(range.size);
  tileSizes = validSizes;
  tileSizes[rowDim] = builder.getIndexAttr(rows);
  place.assign(validSizes.size(), builder.getIndexAttr(0));
}

AffineMap ExcludeTile::mapOf(ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : dims)
    results.push_back(builder.getAffineDimExpr(dim));
  return AffineMap::get(op.getNumLoops(), 0, results, op.getContext());
}

/// An operand's rows at the current place; a scalar where it has one for all.
MappedValue ExcludeTile::takeRows(MappedValue operand) {
  auto from = cast<RankedTensorType>(operand.value.getType());
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<unsigned> dims;
  SmallVector<int64_t> shape;
  for (auto [position, expr] : llvm::enumerate(operand.map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    bool isKept = dim == rowDim || dim == depthDim;
    offsets.push_back(place[dim]);
    strides.push_back(builder.getIndexAttr(1));
    sizes.push_back(isKept ? validSizes[dim] : builder.getIndexAttr(1));
    if (!isKept)
      continue;
    dims.push_back(dim);
    shape.push_back(
        getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
  }
  if (dims.empty())
    return {tensor::ExtractOp::create(
                builder, loc, operand.value,
                getValueOrCreateConstantIndexOp(builder, loc, offsets)),
            mapOf({})};
  return {tensor::ExtractSliceOp::create(
              builder, loc, RankedTensorType::get(shape, from.getElementType()),
              operand.value, offsets, sizes, strides),
          mapOf(dims)};
}

/// The same in a tile, in the accumulator type.
MappedValue ExcludeTile::loadRows(MappedValue operand, AffineMap map,
                                  Type type) {
  return {buildTileCopy(builder, loc, takeRows(operand),
                        {makeScratch(map, type), map}, tileSizes, validSizes),
          map};
}

/// Writes the rows of a tile that exist to the current place.
Value ExcludeTile::store(MappedValue tile, MappedValue destination) {
  tile = buildSlice(builder, loc, tile, rowDim, builder.getIndexAttr(0),
                    validSizes[rowDim]);
  MappedValue part = takeRows(destination);
  Value written = buildConverted(builder, loc, tile, part);
  auto slice = part.value.getDefiningOp<tensor::ExtractSliceOp>();
  return tensor::InsertSliceOp::create(
      builder, loc, written, destination.value, slice.getMixedOffsets(),
      slice.getMixedSizes(), slice.getMixedStrides());
}

/// The rows at the current place.
SmallVector<Value> ExcludeTile::expandRows(ValueRange destinations) {
  MappedValue y = loadRows({op.getInput(), op.getInputMap()}, tileMap, type);
  MappedValue coefficient = {
      buildExclusionCoefficient(builder, loc, op.getExclusion(), y, value,
                                rowMap, type, tileSizes),
      rowMap};
  MappedValue strength = {op.getStrength(), op.getStrengthMap()};
  if (strength && strength.map.isFunctionOfDim(rowDim))
    strength = loadRows(strength, rowMap, type);
  else if (strength)
    strength = takeRows(strength);
  MappedValue z = {buildExcluded(builder, loc, op.getExclusion(), y, value,
                                 coefficient, strength,
                                 {makeScratch(tileMap, type), tileMap}),
                   tileMap};
  SmallVector<Value> results{store(z, {destinations[0], op.getOutputMap()})};
  if (op.getCoefficientOutput())
    results.push_back(
        store(coefficient, {destinations[1], op.getCoefficientMap()}));
  return results;
}

/// A loop for each of `dims`, the first outermost.
SmallVector<Value> ExcludeTile::loopOver(ArrayRef<unsigned> dims,
                                         ValueRange destinations) {
  if (dims.empty())
    return expandRows(destinations);
  OpBuilder::InsertionGuard guard(builder);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value end =
      getValueOrCreateConstantIndexOp(builder, loc, validSizes[dims.front()]);
  auto loop = scf::ForOp::create(builder, loc, constant(0), end, constant(1),
                                 destinations);
  builder.setInsertionPointToStart(loop.getBody());
  place[dims.front()] = loop.getInductionVar();
  scf::YieldOp::create(builder, loc,
                       loopOver(dims.drop_front(), loop.getRegionIterArgs()));
  moveLoopInvariantCode(loop);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> ExcludeTile::expand() {
  value = loadRows({op.getValue(), op.getValueMap()}, tileMap, type);
  SmallVector<unsigned> shared;
  for (unsigned dim = 0; dim < depthDim; ++dim)
    if (dim != rowDim && !op.getValueMap().isFunctionOfDim(dim))
      shared.push_back(dim);
  return loopOver(shared, op.getDpsInits());
}

FailureOr<scf::ForallOp> xsa::tileExclude(RewriterBase &rewriter, ExcludeOp op,
                                          int64_t rows) {
  std::optional<unsigned> rowDim = findRowDim(op);
  if (!op.hasPureTensorSemantics() || !rowDim)
    return rewriter.notifyMatchFailure(op, "not rows of tensors");
  // A slice of nothing does not verify; the definition does no work there.
  if (llvm::is_contained(cast<ShapedType>(op.getInput().getType()).getShape(),
                         0)) {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return failure();
    rewriter.replaceOp(op, *results);
    return scf::ForallOp();
  }
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
  for (unsigned dim = 0; dim < op.getValueDepthDim(); ++dim)
    if (op.getValueMap().isFunctionOfDim(dim))
      sizes[dim] = rewriter.getIndexAttr(1);
  int64_t extent = extentOf(op, *rowDim);
  sizes[*rowDim] = rewriter.getIndexAttr(
      ShapedType::isDynamic(extent) ? rows : std::min(rows, extent));

  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  rewriter.replaceOp(op, tiled->replacements);
  auto tile = cast<ExcludeOp>(tiled->tiledOps.front());
  auto loop = tile->getParentOfType<scf::ForallOp>();
  TileMarker marker(rewriter.getListener());
  OpBuilder builder(tile.getContext(), &marker);
  builder.setInsertionPoint(tile);
  rewriter.replaceOp(tile, ExcludeTile(builder, tile, *rowDim, rows).expand());
  return loop;
}
