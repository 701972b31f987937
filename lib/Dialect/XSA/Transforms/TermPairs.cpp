//===- TermPairs.cpp - Products that take terms in pairs ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TermPairs.h.
//
//===----------------------------------------------------------------------===//

#include "TermPairs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;

static OpFoldResult halve(OpBuilder &builder, Location loc, OpFoldResult size) {
  return affine::makeComposedFoldedAffineApply(
      builder, loc, builder.getAffineDimExpr(0).floorDiv(2), {size});
}

/// `tile` with dimension `dim`, of even size, as pairs: [.., 2p + r, ..] is
/// [.., p, r, ..].
static Value expandPairs(OpBuilder &builder, Location loc, Value tile,
                         int64_t dim) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tile);
  sizes[dim] = halve(builder, loc, sizes[dim]);
  sizes.insert(sizes.begin() + dim + 1, builder.getIndexAttr(2));
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0, next = 0; i < type.getRank(); ++i) {
    groups.push_back({next++});
    if (i == dim)
      groups.back().push_back(next++);
  }
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), tile,
      groups, sizes);
}

Value xsa::buildEmptyPairs(OpBuilder &builder, Location loc, OpFoldResult terms,
                           OpFoldResult columns, Type elementType,
                           std::optional<int64_t> tiles) {
  SmallVector<OpFoldResult> shape;
  if (tiles)
    shape.push_back(builder.getIndexAttr(*tiles));
  shape.append({halve(builder, loc, terms), columns, builder.getIndexAttr(2)});
  return tensor::EmptyOp::create(builder, loc, shape, elementType);
}

Value xsa::slicePairs(OpBuilder &builder, Location loc, Value pairs,
                      OpFoldResult terms) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, pairs);
  OpFoldResult size = halve(builder, loc, terms);
  if (isEqualConstantIntOrValue(sizes.front(), size))
    return pairs;
  sizes.front() = size;
  SmallVector<OpFoldResult> offsets(3, builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(3, builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, pairs, offsets, sizes,
                                        strides);
}

/// The loops of operations on pairs: pair, column, member of the pair.
static MappedValue onPairLoops(Value value, ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : dims)
    results.push_back(getAffineDimExpr(dim, value.getContext()));
  return {value, AffineMap::get(3, 0, results, value.getContext())};
}

Value xsa::buildPairs(OpBuilder &builder, Location loc, Value tile,
                      Value init) {
  Value terms = expandPairs(builder, loc, tile, 0);
  return buildConverted(builder, loc, onPairLoops(terms, {0, 2, 1}),
                        onPairLoops(init, {0, 1, 2}));
}

WeightsInPairs xsa::buildWeightsInPairs(OpBuilder &builder, Location loc,
                                        Value scores, Value max, Value weights,
                                        Value sum, Value exactSum,
                                        const SoftmaxForm &form,
                                        bool sumsConverted) {
  Value terms = expandPairs(builder, loc, scores, 0);
  SmallVector<Value> results{weights, sum};
  if (exactSum)
    results.push_back(exactSum);
  SmallVector<AffineMap> maps{onPairLoops(terms, {0, 2, 1}).map,
                              onPairLoops(max, {1}).map,
                              onPairLoops(weights, {0, 1, 2}).map};
  maps.append(results.size() - 1, onPairLoops(sum, {1}).map);
  SmallVector<utils::IteratorType> iterators(3, utils::IteratorType::reduction);
  iterators[1] = utils::IteratorType::parallel;
  auto body = [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
    ImplicitLocOpBuilder b(nestedLoc, nested);
    Value weight = buildShiftedExpElement(b, args[0], args[1], form);
    Value narrow = castFloat(b, weight, args[2].getType());
    Value term =
        sumsConverted ? castFloat(b, narrow, weight.getType()) : weight;
    SmallVector<Value> yielded{narrow, arith::AddFOp::create(b, term, args[3])};
    if (exactSum)
      yielded.push_back(arith::AddFOp::create(b, weight, args[4]));
    linalg::YieldOp::create(b, yielded);
  };
  auto op = linalg::GenericOp::create(
      builder, loc, TypeRange(ValueRange(results)), ValueRange{terms, max},
      results, maps, iterators, body);
  return {op.getResult(0), op.getResult(1),
          exactSum ? op.getResult(2) : Value()};
}

/// The loops of a contraction of pairs: row, column, pair, member of the pair.
static SmallVector<AffineMap> getContractionMaps(MLIRContext *context) {
  AffineExpr row, column, pair, member;
  bindDims(context, row, column, pair, member);
  return {AffineMap::get(4, 0, {row, pair, member}, context),
          AffineMap::get(4, 0, {pair, column, member}, context),
          AffineMap::get(4, 0, {row, column}, context)};
}

Value xsa::buildContractionOfPairs(OpBuilder &builder, Location loc, Value lhs,
                                   Value pairs, Value init) {
  SmallVector<AffineMap> maps = getContractionMaps(builder.getContext());
  return buildContraction(builder, loc,
                          {expandPairs(builder, loc, lhs, 1), maps[0]},
                          {pairs, maps[1]}, {init, maps[2]});
}

bool xsa::isContractionOfPairs(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() &&
         op.getIndexingMapsArray() == getContractionMaps(op.getContext()) &&
         cast<RankedTensorType>(op.getDpsInputs()[1].getType())
                 .getShape()
                 .back() == 2;
}
