//===- TileOperands.cpp - Operands of attention as tiles ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TileOperands.h.
//
//===----------------------------------------------------------------------===//

#include "TileOperands.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;

static unsigned getDim(AffineExpr expr) {
  return cast<AffineDimExpr>(expr).getPosition();
}

TileOperands::TileOperands(OpBuilder &builder, AttentionOp op,
                           const TilePolicy &policy)
    : builder(builder), loc(op.getLoc()), op(op), policy(policy),
      type(op.getAccumulatorType()), m(op.getQueryDim()),
      k1(op.getKeyDepthDim()), k2(op.getKeyDim()), n(op.getValueDepthDim()),
      parts(AttentionParts::of(op, builder)) {
  parts.rowsPerHead = policy.rowsPerHead;
}

AffineMap TileOperands::mapOf(ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : dims)
    results.push_back(builder.getAffineDimExpr(dim));
  return AffineMap::get(op.getNumLoops(), 0, results, op.getContext());
}

AffineMap TileOperands::tileLayoutOf(AffineMap map) {
  SmallVector<unsigned> dims;
  bool hasRows = false;
  for (AffineExpr expr : map.getResults()) {
    unsigned dim = getDim(expr);
    if (dim == m)
      hasRows = true;
    else
      dims.push_back(dim);
  }
  if (hasRows)
    dims.insert(policy.rowsInnermost ? dims.end() : dims.begin(), m);
  return mapOf(dims);
}

MappedValue TileOperands::dropLeading(MappedValue operand) {
  if (!operand || !isa<RankedTensorType>(operand.value.getType()))
    return operand;
  auto tensorType = cast<RankedTensorType>(operand.value.getType());
  SmallVector<unsigned> dims;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  for (auto [position, expr] : llvm::enumerate(operand.map.getResults())) {
    unsigned dim = getDim(expr);
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

Value TileOperands::buildBase() {
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

Value TileOperands::makeScratch(AffineMap layout, Type elementType) {
  return buildEmpty(builder, loc, tileSizes, layout, elementType);
}

void TileMarker::notifyOperationInserted(Operation *op,
                                         OpBuilder::InsertPoint previous) {
  if (isa<linalg::LinalgOp>(op))
    op->setDiscardableAttr(kTileAttrName, UnitAttr::get(op->getContext()));
  if (next)
    next->notifyOperationInserted(op, previous);
}

MappedValue xsa::buildSlice(OpBuilder &builder, Location loc,
                            MappedValue operand, unsigned dim,
                            OpFoldResult begin, OpFoldResult size) {
  if (!operand || !operand.map.isFunctionOfDim(dim))
    return operand;
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(builder, loc, operand.value);
  SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  unsigned position =
      *operand.map.getResultPosition(builder.getAffineDimExpr(dim));
  if (isEqualConstantIntOrValue(sizes[position], size) && isZeroInteger(begin))
    return operand;
  offsets[position] = begin;
  sizes[position] = size;
  return {tensor::ExtractSliceOp::create(builder, loc, operand.value, offsets,
                                         sizes, strides),
          operand.map};
}

MappedValue TileOperands::slice(MappedValue operand, unsigned dim,
                                OpFoldResult begin, OpFoldResult size) {
  return buildSlice(builder, loc, operand, dim, begin, size);
}

Value TileOperands::fit(Value scratch, AffineMap layout) {
  return slice({scratch, layout}, k2, builder.getIndexAttr(0), tileSizes[k2])
      .value;
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

Value xsa::buildTileCopy(OpBuilder &builder, Location loc, MappedValue operand,
                         MappedValue scratch, ArrayRef<OpFoldResult> tileSizes,
                         ArrayRef<OpFoldResult> validSizes, double factor) {
  Type elementType = scratch.getElementType();
  SmallVector<OpFoldResult> offsets, sizes, strides;
  bool padded = false;
  for (AffineExpr expr : scratch.map.getResults()) {
    unsigned dim = getDim(expr);
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(validSizes[dim]);
    strides.push_back(builder.getIndexAttr(1));
    padded |= !isEqualConstantIntOrValue(sizes.back(), tileSizes[dim]);
  }
  auto copy = [&](Value init) {
    return buildGeneric(builder, loc, operand, {init, scratch.map},
                        [&](ImplicitLocOpBuilder &b, ValueRange args, auto) {
                          return convertElement(b, args[0], elementType,
                                                factor);
                        });
  };
  if (!padded)
    return copy(scratch.value);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(elementType));
  Value filled =
      linalg::FillOp::create(builder, loc, zero, scratch.value).getResult(0);
  Value part = tensor::ExtractSliceOp::create(builder, loc, filled, offsets,
                                              sizes, strides);
  return tensor::InsertSliceOp::create(builder, loc, copy(part), filled,
                                       offsets, sizes, strides);
}

MappedValue TileOperands::copyToTile(MappedValue operand, AffineMap layout,
                                     Type elementType, Value scratch,
                                     double factor) {
  return {buildTileCopy(builder, loc, operand, {fit(scratch, layout), layout},
                        tileSizes, validSizes, factor),
          layout};
}

MappedValue TileOperands::loadRows(MappedValue operand) {
  if (!operand || !operand.map.isFunctionOfDim(m) ||
      operand.map.isFunctionOfDim(k2))
    return operand;
  AffineMap layout = tileLayoutOf(operand.map);
  Type elementType = getElementTypeOrSelf(operand.value.getType());
  return copyToTile(operand, layout, elementType,
                    makeScratch(layout, elementType));
}

MappedValue TileOperands::loadKeys(MappedValue operand, AffineMap layout,
                                   Value scratch, bool packs) {
  Type from = getElementTypeOrSelf(operand.value.getType());
  Type to = getElementTypeOrSelf(scratch.getType());
  // Pairs must lie in memory as pairs.
  bool hasLayout = !policy.termsInPairs || operand.map == layout;
  if (from == to && hasLayout && !packs &&
      isEqualConstantIntOrValue(validSizes[k2], tileSizes[k2]))
    return operand;
  return copyToTile(operand, layout, to, scratch);
}

MappedValue TileOperands::loadScoreOperand(MappedValue operand, Value scratch) {
  if (!operand || !scratch)
    return operand;
  bool whole = llvm::all_of(operand.map.getResults(), [&](AffineExpr expr) {
    return isEqualConstantIntOrValue(validSizes[getDim(expr)],
                                     tileSizes[getDim(expr)]);
  });
  AffineMap layout = tileLayoutOf(operand.map);
  Type elementType = getElementTypeOrSelf(scratch.getType());
  bool isWanted = layout == operand.map &&
                  getElementTypeOrSelf(operand.value.getType()) == elementType;
  if (isWanted && whole)
    return operand;
  return copyToTile(operand, layout, elementType, scratch);
}
