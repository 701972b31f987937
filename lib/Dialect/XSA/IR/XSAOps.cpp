//===- XSAOps.cpp - Operations of the XSA dialect -------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accessors, destination passing, shape reification and memory effects. What
// an operation must satisfy, how it tiles, folds and decomposes stand in files
// of their own.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace xsa;

#include "xsa/Dialect/XSA/IR/XSAInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "xsa/Dialect/XSA/IR/XSAOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared by both structured operations
//===----------------------------------------------------------------------===//

Operation *xsa::cloneOnto(OpBuilder &builder, Operation *op,
                          TypeRange resultTypes, ValueRange operands) {
  OperationState state(op->getLoc(), op->getName(), operands, resultTypes,
                       op->getAttrs());
  IRMapping mapping;
  for (Region &region : op->getRegions())
    region.cloneInto(state.addRegion(), mapping);
  return builder.create(state);
}

/// f64 if one of `values` holds f64 elements, else f32.
static FloatType accumulatorFor(MLIRContext *context, ValueRange values) {
  bool anyF64 = llvm::any_of(values, [](Value value) {
    return getElementTypeOrSelf(value.getType()).isF64();
  });
  if (anyF64)
    return Float64Type::get(context);
  return Float32Type::get(context);
}

/// The map of the operand in segment `segment`, null where it is absent.
template <typename OpTy>
static AffineMap findMapOfSegment(OpTy op, unsigned segment) {
  auto [start, size] = op.getODSOperandIndexAndLength(segment);
  if (size == 0)
    return {};
  return op.getMapOf(op->getOpOperand(start));
}

LogicalResult
xsa::detail::reifyResultShapes(StructuredOpInterface op, OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &dims) {
  auto inits = cast<DestinationStyleOpInterface>(*op).getDpsInits();
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    dims.push_back(tensor::getMixedSizes(builder, op.getLoc(), inits[i]));
  return success();
}

void xsa::detail::getEffects(StructuredOpInterface op, Effects &effects) {
  auto dpsOp = cast<DestinationStyleOpInterface>(*op);
  for (OpOperand *operand : op.getShapedOperands()) {
    if (!isa<MemRefType>(operand->get().getType()))
      continue;
    MemoryEffects::Effect *effect = MemoryEffects::Read::get();
    if (dpsOp.isDpsInit(operand))
      effect = MemoryEffects::Write::get();
    effects.emplace_back(effect, operand, SideEffects::DefaultResource::get());
  }
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

AffineMap AttentionOp::getQueryMap() {
  return findMapOfSegment(*this, odsIndex_query);
}
AffineMap AttentionOp::getKeyMap() {
  return findMapOfSegment(*this, odsIndex_key);
}
AffineMap AttentionOp::getValueMap() {
  return findMapOfSegment(*this, odsIndex_value);
}
AffineMap AttentionOp::getSelfValueMap() {
  return findMapOfSegment(*this, odsIndex_self_value);
}
AffineMap AttentionOp::getMaskMap() {
  return findMapOfSegment(*this, odsIndex_mask);
}
AffineMap AttentionOp::getBiasMap() {
  return findMapOfSegment(*this, odsIndex_bias);
}
AffineMap AttentionOp::getSinksMap() {
  return findMapOfSegment(*this, odsIndex_sinks);
}
AffineMap AttentionOp::getStrengthMap() {
  return findMapOfSegment(*this, odsIndex_strength);
}
AffineMap AttentionOp::getKeyLengthsMap() {
  return findMapOfSegment(*this, odsIndex_key_lengths);
}
AffineMap AttentionOp::getKeyBeginMap() {
  return findMapOfSegment(*this, odsIndex_key_begin);
}
AffineMap AttentionOp::getKeyEndMap() {
  return findMapOfSegment(*this, odsIndex_key_end);
}
AffineMap AttentionOp::getQueryOffsetMap() {
  return findMapOfSegment(*this, odsIndex_query_offset);
}
SmallVector<AffineMap> AttentionOp::getScoreInputMaps() {
  auto [start, size] = getODSOperandIndexAndLength(odsIndex_score_inputs);
  SmallVector<AffineMap> maps;
  for (unsigned i = 0; i < size; ++i)
    maps.push_back(getMapOf((*this)->getOpOperand(start + i)));
  return maps;
}
AffineMap AttentionOp::getOutputMap() {
  return findMapOfSegment(*this, odsIndex_output);
}
AffineMap AttentionOp::getLseMap() {
  return findMapOfSegment(*this, odsIndex_lse_output);
}
AffineMap AttentionOp::getMaxMap() {
  return findMapOfSegment(*this, odsIndex_max_output);
}
AffineMap AttentionOp::getSumMap() {
  return findMapOfSegment(*this, odsIndex_sum_output);
}
AffineMap AttentionOp::getCoefficientMap() {
  return findMapOfSegment(*this, odsIndex_coefficient_output);
}

void AttentionOp::assignOperand(unsigned odsIndex, Value value, AffineMap map) {
  // Maps follow the operands, so the new one stands where its operand will.
  auto [start, size] = getODSOperandIndexAndLength(odsIndex);
  SmallVector<AffineMap> maps;
  bool pending = static_cast<bool>(value);
  for (auto [operand, oldMap] :
       llvm::zip_equal(getShapedOperands(), getMaps())) {
    unsigned number = operand->getOperandNumber();
    if (pending && number >= start) {
      maps.push_back(map);
      pending = false;
    }
    if (number < start || number >= start + size)
      maps.push_back(oldMap);
  }
  if (pending)
    maps.push_back(map);

  auto segments =
      DenseI32ArrayAttr::get(getContext(), getProperties().operandSegmentSizes);
  MutableOperandRange range(
      *this, start, size,
      MutableOperandRange::OperandSegment(
          odsIndex, {getOperandSegmentSizesAttrName(), segments}));
  range.assign(value ? ValueRange(value) : ValueRange());
  setIndexingMapsAttr(Builder(getContext()).getAffineMapArrayAttr(maps));
}

FloatType AttentionOp::getAccumulatorType() {
  return accumulatorFor(getContext(), {getQuery(), getKey(), getValue()});
}

bool AttentionOp::usesPositions() {
  if (getCausal() || getWindowLeft() || getWindowRight())
    return true;
  if (!hasScoreRegion())
    return false;
  Block &body = getScoreRegion().front();
  return !body.getArgument(body.getNumArguments() - 2).use_empty();
}

//===----------------------------------------------------------------------===//
// ExcludeOp
//===----------------------------------------------------------------------===//

AffineMap ExcludeOp::getInputMap() {
  return findMapOfSegment(*this, odsIndex_input);
}
AffineMap ExcludeOp::getValueMap() {
  return findMapOfSegment(*this, odsIndex_value);
}
AffineMap ExcludeOp::getStrengthMap() {
  return findMapOfSegment(*this, odsIndex_strength);
}
AffineMap ExcludeOp::getOutputMap() {
  return findMapOfSegment(*this, odsIndex_output);
}
AffineMap ExcludeOp::getCoefficientMap() {
  return findMapOfSegment(*this, odsIndex_coefficient_output);
}

FloatType ExcludeOp::getAccumulatorType() {
  return accumulatorFor(getContext(), {getInput(), getValue()});
}

Value ExcludeOp::getCoefficient() {
  if (!getCoefficientOutput() || getNumResults() == 0)
    return {};
  return getResult(1);
}
