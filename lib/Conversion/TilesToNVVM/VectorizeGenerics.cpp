//===- VectorizeGenerics.cpp - Structured operations on vectors -----------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation on tiles is evaluated once for its whole domain: element-wise
// arithmetic on vectors, in which a value that depends on the row alone has one
// element per row; products as contractions, reductions over rows.
//
//===----------------------------------------------------------------------===//

#include "KernelVectorizer.h"

#include "xsa/Dialect/XSA/Transforms/TileAttention.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Tiles and their domains
//===----------------------------------------------------------------------===//

VectorType KernelVectorizer::tileType(ShapedType type) {
  auto shape = llvm::map_to_vector(type.getShape(), [&](int64_t size) {
    return static_cast<int64_t>(llvm::alignTo(size, multiple));
  });
  return VectorType::get(shape, type.getElementType());
}

/// The most that a dimension of a slice can be: parts of tiles at the end are
/// cut off by a minimum.
static int64_t largestExtent(Value sliced, unsigned dim) {
  auto slice = sliced.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return ShapedType::kDynamic;
  SmallVector<OpFoldResult> sizes;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (auto [position, size] : llvm::enumerate(slice.getMixedSizes()))
    if (!dropped.test(position))
      sizes.push_back(size);
  auto size = dyn_cast<Value>(sizes[dim]);
  auto least =
      size ? size.getDefiningOp<affine::AffineMinOp>() : affine::AffineMinOp();
  if (!least)
    return ShapedType::kDynamic;
  for (AffineExpr expr : least.getMap().getResults())
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return constant.getValue();
  return ShapedType::kDynamic;
}

/// The extents of a generic's domain: those of its tiles, then those of the
/// operands it reads from.
FailureOr<SmallVector<int64_t>>
KernelVectorizer::domainOf(linalg::GenericOp op) {
  SmallVector<int64_t> domain(op.getNumLoops(), ShapedType::kDynamic);
  auto learn = [&](OpOperand &operand, ArrayRef<int64_t> shape, bool align) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
      int64_t &extent = domain[cast<AffineDimExpr>(expr).getPosition()];
      if (ShapedType::isDynamic(extent) && !ShapedType::isDynamic(size))
        extent = align ? llvm::alignTo(size, multiple) : size;
    }
  };
  for (OpOperand &operand : op->getOpOperands())
    if (Value vector = vectors.lookup(operand.get()))
      if (auto type = dyn_cast<VectorType>(vector.getType()))
        learn(operand, type.getShape(), false);
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<ShapedType>(operand.get().getType()))
      if (!vectors.count(operand.get()))
        learn(operand, type.getShape(), true);
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<ShapedType>(operand.get().getType()))
      if (!vectors.count(operand.get()))
        learn(operand,
              llvm::map_to_vector(llvm::seq<unsigned>(0, type.getRank()),
                                  [&](unsigned dim) {
                                    return largestExtent(operand.get(), dim);
                                  }),
              true);
  if (llvm::any_of(domain, ShapedType::isDynamic))
    return op.emitOpError("works on a tile of unknown extent");
  return domain;
}

/// Reads the part of `source` that the domain covers, dimensions in the order
/// of the domain.
Value KernelVectorizer::read(Value source, AffineMap map,
                             ArrayRef<int64_t> domain, Value padding) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<unsigned> positions(type.getRank());
  std::iota(positions.begin(), positions.end(), 0);
  llvm::sort(positions, [&](unsigned lhs, unsigned rhs) {
    return map.getDimPosition(lhs) < map.getDimPosition(rhs);
  });
  SmallVector<int64_t> shape;
  SmallVector<bool> inBounds;
  SmallVector<AffineExpr> exprs;
  for (unsigned position : positions) {
    shape.push_back(domain[map.getDimPosition(position)]);
    inBounds.push_back(type.getDimSize(position) == shape.back());
    exprs.push_back(b.getAffineDimExpr(position));
  }
  if (!padding)
    padding =
        arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> indices(type.getRank(), zero);
  return vector::TransferReadOp::create(
      b, VectorType::get(shape, type.getElementType()), source, indices,
      padding, AffineMap::get(type.getRank(), 0, exprs, b.getContext()),
      ArrayRef<bool>(inBounds));
}

SmallVector<int64_t> KernelVectorizer::shapeOf(const llvm::SmallBitVector &dims,
                                               ArrayRef<int64_t> domain) {
  SmallVector<int64_t> shape(domain.size(), 1);
  for (unsigned dim : dims.set_bits())
    shape[dim] = domain[dim];
  return shape;
}

/// An input at every point of the domain.
Spread KernelVectorizer::spreadInput(OpOperand &operand, AffineMap map,
                                     ArrayRef<int64_t> domain, Value padding) {
  llvm::SmallBitVector dims(domain.size());
  if (!isa<ShapedType>(operand.get().getType()))
    return {operand.get(), dims};
  for (AffineExpr expr : map.getResults())
    dims.set(cast<AffineDimExpr>(expr).getPosition());
  Value vector = vectors.lookup(operand.get());
  if (!vector)
    vector = read(operand.get(), map, domain, padding);
  if (dims.none() || !isa<VectorType>(vector.getType()))
    return {vector, dims};
  auto type = cast<VectorType>(vector.getType());
  auto wanted = VectorType::get(shapeOf(dims, domain), type.getElementType());
  if (wanted != type)
    vector = vector::ShapeCastOp::create(b, wanted, vector);
  return {vector, dims};
}

Value KernelVectorizer::stretch(Spread spread, const llvm::SmallBitVector &dims,
                                ArrayRef<int64_t> domain) {
  if (dims.none())
    return spread.value;
  auto type = VectorType::get(shapeOf(dims, domain),
                              getElementTypeOrSelf(spread.value.getType()));
  if (spread.value.getType() == type)
    return spread.value;
  return vector::BroadcastOp::create(b, type, spread.value);
}

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

/// The operations of `body` that `op` needs, operands first.
void KernelVectorizer::collectBody(Operation *op, Block *body,
                                   SmallVector<Operation *> &ops) {
  if (!op || op->getBlock() != body || llvm::is_contained(ops, op))
    return;
  for (Value operand : op->getOperands())
    collectBody(operand.getDefiningOp(), body, ops);
  ops.push_back(op);
}

/// `result`, a value in the body of `op`, for the whole domain.
FailureOr<Spread> KernelVectorizer::evaluate(linalg::GenericOp op, Value result,
                                             ArrayRef<int64_t> domain,
                                             Value padding) {
  Block *body = op.getBody();
  DenseMap<Value, Spread> spreads;
  auto lookup = [&](Value value) -> Spread {
    auto found = spreads.find(value);
    if (found != spreads.end())
      return found->second;
    auto arg = dyn_cast<BlockArgument>(value);
    if (!arg || arg.getOwner() != body)
      return {value, llvm::SmallBitVector(domain.size())};
    OpOperand &operand = op->getOpOperand(arg.getArgNumber());
    return spreads[value] = spreadInput(
               operand, op.getMatchingIndexingMap(&operand), domain, padding);
  };
  SmallVector<Operation *> ops;
  collectBody(result.getDefiningOp(), body, ops);
  for (Operation *nested : ops) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      llvm::SmallBitVector dims(domain.size());
      dims.set(index.getDim());
      Value step = vector::StepOp::create(
          b, VectorType::get(domain[index.getDim()], b.getIndexType()));
      auto type = VectorType::get(shapeOf(dims, domain), b.getIndexType());
      if (type != step.getType())
        step = vector::ShapeCastOp::create(b, type, step);
      spreads[index] = {step, dims};
      continue;
    }
    if (nested->getNumRegions() || nested->getNumResults() != 1)
      return nested->emitOpError(
          "is not element-wise: it has no form on tiles");
    llvm::SmallBitVector dims(domain.size());
    for (Value operand : nested->getOperands())
      dims |= lookup(operand).dims;
    SmallVector<Value> operands;
    for (Value operand : nested->getOperands())
      operands.push_back(stretch(lookup(operand), dims, domain));
    Type type = nested->getResult(0).getType();
    if (dims.any()) {
      if (!OpTrait::hasElementwiseMappableTraits(nested))
        return nested->emitOpError(
            "is not element-wise: it has no form on tiles");
      type = VectorType::get(shapeOf(dims, domain), type);
    }
    OperationState state(nested->getLoc(), nested->getName(), operands, type,
                         nested->getAttrs());
    spreads[nested->getResult(0)] = {b.create(state)->getResult(0), dims};
  }
  return lookup(result);
}

FailureOr<Value> KernelVectorizer::convertParallel(linalg::GenericOp op,
                                                   ArrayRef<int64_t> domain) {
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  FailureOr<Spread> result = evaluate(op, yield.getOperand(0), domain, Value());
  if (failed(result))
    return failure();
  return stretch(*result, llvm::SmallBitVector(domain.size(), true), domain);
}

static std::optional<vector::CombiningKind> combiningKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<vector::CombiningKind>>(op)
      .Case<arith::AddFOp>([](auto) { return vector::CombiningKind::ADD; })
      .Case<arith::MaximumFOp>(
          [](auto) { return vector::CombiningKind::MAXIMUMF; })
      .Case<arith::MaxSIOp>([](auto) { return vector::CombiningKind::MAXSI; })
      .Case<arith::MinSIOp>([](auto) { return vector::CombiningKind::MINSI; })
      .Default([](Operation *) { return std::nullopt; });
}

/// What a missing row is to count as in the minimum or maximum of integers.
static Value neutralElement(ImplicitLocOpBuilder &b, Type type,
                            vector::CombiningKind kind) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  APInt value = kind == vector::CombiningKind::MAXSI
                    ? APInt::getSignedMinValue(width)
                    : APInt::getSignedMaxValue(width);
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

/// Through a widening cast, the argument that it widens.
static BlockArgument widenedArgument(Value value) {
  if (auto cast = value.getDefiningOp<arith::ExtFOp>())
    value = cast.getIn();
  return dyn_cast<BlockArgument>(value);
}

/// A product of matrices, as vector.contract on the types of its operands; null
/// if the generic is none.
Value KernelVectorizer::convertContraction(linalg::GenericOp op,
                                           ArrayRef<int64_t> domain) {
  if (op.getNumDpsInputs() != 2 || op.getNumParallelLoops() != 2)
    return Value();
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  auto add = yield.getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add)
    return Value();
  auto product = add.getRhs().getDefiningOp<arith::MulFOp>();
  if (!product || add.getLhs() != op.getBody()->getArguments().back())
    return Value();
  BlockArgument lhs = widenedArgument(product.getLhs());
  BlockArgument rhs = widenedArgument(product.getRhs());
  if (!lhs || !rhs || lhs.getArgNumber() != 0 || rhs.getArgNumber() != 1)
    return Value();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (llvm::any_of(maps,
                   [](AffineMap map) { return map.getNumResults() != 2; }))
    return Value();
  auto operand = [&](unsigned number) -> Value {
    Value value = op->getOperand(number);
    if (Value vector = vectors.lookup(value))
      return vector;
    // In the order of the operand itself: a contraction takes any.
    auto type = cast<ShapedType>(value.getType());
    SmallVector<int64_t> extents;
    for (AffineExpr expr : maps[number].getResults())
      extents.push_back(domain[cast<AffineDimExpr>(expr).getPosition()]);
    return read(value, b.getMultiDimIdentityMap(type.getRank()), extents,
                Value());
  };
  auto iterators = llvm::map_to_vector(
      op.getIteratorTypesArray(), [&](utils::IteratorType type) -> Attribute {
        return vector::IteratorTypeAttr::get(
            b.getContext(), type == utils::IteratorType::parallel
                                ? vector::IteratorType::parallel
                                : vector::IteratorType::reduction);
      });
  Value left = operand(0), right = operand(1);
  return vector::ContractionOp::create(b, left, right, operand(2),
                                       b.getAffineMapArrayAttr(maps),
                                       b.getArrayAttr(iterators));
}

FailureOr<Value> KernelVectorizer::convertReduction(linalg::GenericOp op,
                                                    ArrayRef<int64_t> domain) {
  if (Value contraction = convertContraction(op, domain))
    return contraction;
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  Operation *combiner = yield.getOperand(0).getDefiningOp();
  Value out = op.getBody()->getArguments().back();
  auto kind = combiner ? combiningKind(combiner) : std::nullopt;
  if (!kind || !llvm::is_contained(combiner->getOperands(), out))
    return op.emitOpError("is a reduction that has no form on tiles");
  Value element = combiner->getOperand(combiner->getOperand(0) == out);

  // A scalar start is the neutral element, and stands for missing rows too.
  Value start = vectors.lookup(op.getDpsInits()[0]);
  bool toScalar = start && !isa<VectorType>(start.getType());
  Value padding;
  if (toScalar)
    padding = neutralElement(
        b, getElementTypeOrSelf(op->getOperand(0).getType()), *kind);
  FailureOr<Spread> spread = evaluate(op, element, domain, padding);
  if (failed(spread))
    return failure();
  Value source =
      stretch(*spread, llvm::SmallBitVector(domain.size(), true), domain);
  SmallVector<bool> reduced;
  for (utils::IteratorType type : op.getIteratorTypesArray())
    reduced.push_back(type == utils::IteratorType::reduction);
  if (!start)
    return op.emitOpError("reduces into something that is not a tile");
  return vector::MultiDimReductionOp::create(b, source, start, reduced, *kind)
      .getResult();
}

/// Records the result of a generic; one that goes to memory is written there.
void KernelVectorizer::finish(linalg::GenericOp op, Value result) {
  Value init = op.getDpsInits()[0];
  if (vectors.count(init)) {
    vectors[op.getResult(0)] = result;
    return;
  }
  auto memory = cast<RankedTensorType>(init.getType());
  auto shape = cast<VectorType>(result.getType()).getShape();
  SmallVector<AffineExpr> exprs(memory.getRank());
  SmallVector<bool> inBounds(memory.getRank());
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (unsigned position = 0; position < memory.getRank(); ++position) {
    unsigned dim = map.getDimPosition(position);
    exprs[dim] = b.getAffineDimExpr(position);
    inBounds[dim] = shape[dim] == memory.getDimSize(position);
  }
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> indices(memory.getRank(), zero);
  auto write = vector::TransferWriteOp::create(
      b, result, init, indices,
      AffineMap::get(memory.getRank(), 0, exprs, b.getContext()),
      ArrayRef<bool>(inBounds));
  op.getResult(0).replaceAllUsesWith(write.getResult());
}

/// Loops in the order of the dimensions of a tile: of the destination, or where
/// that is memory, of the tile that is stored. A tile's vector has its
/// dimensions in that order.
FailureOr<linalg::GenericOp>
KernelVectorizer::orderLoops(linalg::GenericOp op) {
  auto mapOf = [&](OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand);
  };
  auto isTile = [&](OpOperand &operand) {
    Value vector = vectors.lookup(operand.get());
    return vector && isa<VectorType>(vector.getType());
  };
  if (!op.getNumReductionLoops()) {
    AffineMap map = mapOf(*op.getDpsInitOperand(0));
    if (!isTile(*op.getDpsInitOperand(0)))
      for (OpOperand *input : op.getDpsInputOperands())
        if (isTile(*input) && mapOf(*input).isPermutation()) {
          map = mapOf(*input);
          break;
        }
    SmallVector<unsigned> order;
    for (AffineExpr expr : map.getResults())
      order.push_back(cast<AffineDimExpr>(expr).getPosition());
    if (!map.isIdentity()) {
      IRRewriter rewriter(op);
      FailureOr<linalg::GenericOp> ordered =
          linalg::interchangeGenericOp(rewriter, op, order);
      if (failed(ordered))
        return op.emitOpError("stores a tile that has other dimensions than it "
                              "goes through, which has no form on vectors");
      op = *ordered;
    }
  }
  for (OpOperand *input : op.getDpsInputOperands())
    if (isTile(*input) && !op.getNumReductionLoops() &&
        !llvm::is_sorted(mapOf(*input).getResults(),
                         [](AffineExpr lhs, AffineExpr rhs) {
                           return cast<AffineDimExpr>(lhs).getPosition() <
                                  cast<AffineDimExpr>(rhs).getPosition();
                         }))
      return op.emitOpError("transposes a tile, which cannot be distributed");
  return op;
}

/// Work on single elements outside of tiles, such as the position of a tile
/// among the keys of its batch.
Value KernelVectorizer::convertScalar(linalg::GenericOp op) {
  IRMapping mapping;
  for (auto [operand, arg] :
       llvm::zip_equal(op->getOperands(), op.getBody()->getArguments())) {
    Value element = operand;
    if (Value scalar = vectors.lookup(operand);
        scalar && !isa<VectorType>(scalar.getType())) {
      element = scalar;
    } else if (auto type = dyn_cast<ShapedType>(operand.getType())) {
      if (!arg.use_empty()) {
        Value zero = arith::ConstantIndexOp::create(b, 0);
        SmallVector<Value> indices(type.getRank(), zero);
        element = tensor::ExtractOp::create(b, operand, indices);
      }
    }
    mapping.map(arg, element);
  }
  for (Operation &nested : op.getBody()->without_terminator())
    b.clone(nested, mapping);
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  return mapping.lookupOrDefault(yield.getOperand(0));
}

static bool isSingleElement(linalg::GenericOp op) {
  auto type = cast<ShapedType>(op.getResult(0).getType());
  return type.hasStaticShape() && type.getNumElements() == 1 &&
         !op.getNumReductionLoops();
}

LogicalResult KernelVectorizer::convertGeneric(linalg::GenericOp op) {
  if (!op->hasAttr(kTileAttrName) && isSingleElement(op)) {
    vectors[op.getResult(0)] = convertScalar(op);
    dead.push_back(op);
    return success();
  }
  if (op.getNumResults() != 1)
    return op.emitOpError("expected one tile as result, got ")
           << op.getNumResults();
  FailureOr<linalg::GenericOp> ordered = orderLoops(op);
  if (failed(ordered))
    return failure();
  op = *ordered;
  b.setInsertionPoint(op);
  FailureOr<SmallVector<int64_t>> domain = domainOf(op);
  if (failed(domain))
    return failure();
  FailureOr<Value> result = op.getNumReductionLoops()
                                ? convertReduction(op, *domain)
                                : convertParallel(op, *domain);
  if (failed(result))
    return failure();
  finish(op, *result);
  dead.push_back(op);
  return success();
}
