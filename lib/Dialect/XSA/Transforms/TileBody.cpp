//===- TileBody.cpp - The body of a tile operation on vectors -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TileBody.h.
//
//===----------------------------------------------------------------------===//

#include "TileBody.h"

#include "xsa/Dialect/XSA/IR/AttentionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

TileAccess xsa::classifyAccess(Value operand, AffineMap map, unsigned lane) {
  if (!isTensor(operand) || !map.isFunctionOfDim(lane))
    return TileAccess::Uniform;
  bool isLast =
      map.getResults().back() == getAffineDimExpr(lane, map.getContext());
  return isLast ? TileAccess::PerLane : TileAccess::Unsupported;
}

SmallVector<Value> xsa::getAccessIndices(AffineMap map,
                                         ArrayRef<Value> indices) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return indices[cast<AffineDimExpr>(expr).getPosition()];
  });
}

Value xsa::getTileDim(ImplicitLocOpBuilder &b, Value tensor, int64_t position) {
  int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(position);
  if (!ShapedType::isDynamic(size))
    return arith::ConstantIndexOp::create(b, size);
  return tensor::DimOp::create(b, tensor, position);
}

Value xsa::getLoopExtent(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                         unsigned dim) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (auto position = map.getResultPosition(b.getAffineDimExpr(dim)))
      return getTileDim(b, operand.get(), *position);
  }
  llvm_unreachable("every loop of a generic is in some map");
}

/// The vector that begins at a position of the result of `op`.
static Value buildInlined(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                          ArrayRef<Value> position, int64_t lanes) {
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<Value> loops(op.getNumLoops());
  for (auto [i, value] : llvm::enumerate(position))
    loops[to.getDimPosition(i)] = value;
  return buildTileElement(b, op, loops,
                          to.getDimPosition(to.getNumResults() - 1), lanes,
                          /*accumulator=*/Value());
}

Value xsa::readTileOperand(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                           OpOperand *operand, Value from,
                           ArrayRef<Value> indices, unsigned lane,
                           int64_t lanes) {
  if (!isTensor(from))
    return from;
  // A tile filled with a constant need not be read.
  if (auto fill = from.getDefiningOp<linalg::FillOp>())
    return fill.value();
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<Value> position = getAccessIndices(map, indices);
  if (classifyAccess(from, map, lane) == TileAccess::Uniform)
    return tensor::ExtractOp::create(b, from, position);
  if (auto producer = from.getDefiningOp<linalg::GenericOp>();
      producer && producer->hasAttr(kInlinedAttrName))
    return buildInlined(b, producer, position, lanes);
  auto type = VectorType::get({lanes}, getElementTypeOrSelf(from.getType()));
  if (lanes == 1)
    return vector::BroadcastOp::create(
        b, type, tensor::ExtractOp::create(b, from, position));
  return vector::TransferReadOp::create(b, type, from, position,
                                        /*padding=*/std::nullopt,
                                        ArrayRef<bool>{true});
}

Value xsa::writeLanes(ImplicitLocOpBuilder &b, Value vector, Value destination,
                      ArrayRef<Value> position) {
  if (cast<VectorType>(vector.getType()).getNumElements() == 1)
    return tensor::InsertOp::create(
        b, vector::ExtractOp::create(b, vector, 0).getResult(), destination,
        position);
  return vector::TransferWriteOp::create(b, vector, destination, position,
                                         ArrayRef<bool>{true})
      .getResult();
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

bool xsa::hasVectorForm(linalg::GenericOp op) {
  return llvm::all_of(*op.getBody(), [](Operation &nested) {
    if (isa<linalg::YieldOp, linalg::IndexOp, arith::ConstantOp>(nested))
      return true;
    return OpTrait::hasElementwiseMappableTraits(&nested) &&
           nested.getNumRegions() == 0;
  });
}

Value xsa::broadcastLanes(ImplicitLocOpBuilder &b, Value value, int64_t lanes) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, value.getType()), value);
}

/// Compare and select is one instruction on most processors, where maximumf,
/// which must propagate NaN, is several. NaN still reaches the result, through
/// the weights.
static Value buildMax(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  Value isGreater =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, lhs, rhs);
  return arith::SelectOp::create(b, isGreater, lhs, rhs);
}

/// The form of `op` on the given operands, all vectors or all scalars.
static Value buildOn(ImplicitLocOpBuilder &b, Operation *op,
                     ValueRange operands, int64_t lanes, bool contracts) {
  if (isa<arith::MaximumFOp>(op))
    return buildMax(b, operands[0], operands[1]);
  bool isVector = isa<VectorType>(operands.front().getType());
  Type element = op->getResult(0).getType();
  Type type = isVector ? VectorType::get({lanes}, element) : element;
  OperationState state(b.getLoc(), op->getName(), operands, type,
                       op->getAttrs());
  Operation *created = b.create(state);
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(created);
      fast && contracts)
    created->setAttr(fast.getFastMathAttrName(),
                     arith::FastMathFlagsAttr::get(
                         b.getContext(), arith::FastMathFlags::contract));
  return created->getResult(0);
}

SmallVector<Value> xsa::buildTileBody(ImplicitLocOpBuilder &b,
                                      linalg::GenericOp op,
                                      ArrayRef<Value> args,
                                      ArrayRef<Value> indices, unsigned lane,
                                      int64_t lanes, bool contracts) {
  IRMapping mapping;
  mapping.map(op.getBody()->getArguments(), args);
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      Value position = indices[index.getDim()];
      if (index.getDim() == lane)
        position = arith::AddIOp::create(
            b,
            vector::StepOp::create(b,
                                   VectorType::get({lanes}, b.getIndexType())),
            broadcastLanes(b, position, lanes));
      mapping.map(index.getResult(), position);
      continue;
    }
    if (nested.getNumOperands() == 0) {
      b.clone(nested, mapping);
      continue;
    }
    SmallVector<Value> operands =
        llvm::map_to_vector(nested.getOperands(), [&](Value value) {
          return mapping.lookupOrDefault(value);
        });
    bool isVector = llvm::any_of(
        operands, [](Value value) { return isa<VectorType>(value.getType()); });
    if (isVector)
      for (Value &operand : operands)
        operand = broadcastLanes(b, operand, lanes);
    mapping.map(nested.getResult(0),
                buildOn(b, &nested, operands, lanes, contracts));
  }
  return llvm::map_to_vector(
      op.getBody()->getTerminator()->getOperands(), [&](Value yielded) {
        return broadcastLanes(b, mapping.lookupOrDefault(yielded), lanes);
      });
}

SmallVector<Value> xsa::readSharedInputs(ImplicitLocOpBuilder &b,
                                         linalg::GenericOp op,
                                         ArrayRef<Value> at, unsigned lane,
                                         int64_t lanes) {
  return llvm::map_to_vector(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
      if (dim != lane && map.isFunctionOfDim(dim))
        return Value();
    return readTileOperand(b, op, input, input->get(), at, lane, lanes);
  });
}

SmallVector<Value> xsa::readInputs(ImplicitLocOpBuilder &b,
                                   linalg::GenericOp op,
                                   ArrayRef<Value> indices, unsigned lane,
                                   int64_t lanes, ArrayRef<Value> shared) {
  SmallVector<Value> inputs;
  for (auto [i, input] : llvm::enumerate(op.getDpsInputOperands()))
    inputs.push_back(!shared.empty() && shared[i]
                         ? shared[i]
                         : readTileOperand(b, op, input, input->get(), indices,
                                           lane, lanes));
  return inputs;
}

Value xsa::buildTileElement(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                            ArrayRef<Value> indices, unsigned lane,
                            int64_t lanes, Value accumulator,
                            ArrayRef<Value> shared) {
  SmallVector<Value> args = readInputs(b, op, indices, lane, lanes, shared);
  args.push_back(accumulator);
  return buildTileBody(b, op, args, indices, lane, lanes,
                       /*contracts=*/op.getNumReductionLoops() != 0)
      .front();
}

Value xsa::buildTileChange(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                           linalg::GenericOp change, ArrayRef<Value> indices,
                           int64_t lanes, Value value) {
  if (!change)
    return value;
  AffineMap from = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  AffineMap to = change.getMatchingIndexingMap(change.getDpsInitOperand(0));
  SmallVector<Value> position(change.getNumLoops());
  for (unsigned i = 0; i < to.getNumResults(); ++i)
    position[to.getDimPosition(i)] = indices[from.getDimPosition(i)];
  unsigned lane = to.getDimPosition(to.getNumResults() - 1);
  return buildTileElement(b, change, position, lane, lanes, value);
}

//===----------------------------------------------------------------------===//
// Sums and maxima
//===----------------------------------------------------------------------===//

Operation *xsa::findCombiner(linalg::GenericOp op) {
  Block *body = op.getBody();
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  Value sum = body->getArguments().back();
  if (!isa_and_nonnull<arith::AddFOp, arith::MaximumFOp, arith::OrIOp>(
          combiner) ||
      !sum.hasOneUse() || !llvm::is_contained(combiner->getOperands(), sum))
    return nullptr;
  return combiner;
}

Value xsa::buildNeutral(ImplicitLocOpBuilder &b, Operation *combiner,
                        int64_t lanes) {
  Type type = combiner->getResult(0).getType();
  TypedAttr value = b.getZeroAttr(type);
  if (isa<arith::MaximumFOp>(combiner))
    value = b.getFloatAttr(type, -std::numeric_limits<double>::infinity());
  return broadcastLanes(b, arith::ConstantOp::create(b, value), lanes);
}

Value xsa::combine(ImplicitLocOpBuilder &b, Operation *combiner, Value lhs,
                   Value rhs) {
  if (isa<arith::MaximumFOp>(combiner))
    return buildMax(b, lhs, rhs);
  if (isa<arith::OrIOp>(combiner))
    return arith::OrIOp::create(b, lhs, rhs);
  return arith::AddFOp::create(b, lhs, rhs);
}

Value xsa::combineLanes(ImplicitLocOpBuilder &b, Operation *combiner,
                        Value vector) {
  if (isa<arith::MaximumFOp>(combiner))
    return vector::ReductionOp::create(b, vector::CombiningKind::MAXNUMF,
                                       vector);
  if (isa<arith::OrIOp>(combiner))
    return vector::ReductionOp::create(b, vector::CombiningKind::OR, vector);
  // In order, the lanes would wait for each other.
  return vector::ReductionOp::create(b, vector::CombiningKind::ADD, vector,
                                     arith::FastMathFlags::reassoc);
}
