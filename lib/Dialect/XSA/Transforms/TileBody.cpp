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

#include "ExpandExp2.h"
#include "TileVectorizer.h"
#include "xsa/Dialect/XSA/IR/AttentionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;
using namespace xsa;

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
  if (isVector && isa<math::Exp2Op>(op) && (element.isF32() || element.isF64()))
    return buildExp2(b, operands[0], op->hasAttr(kNonPositiveAttrName));
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

Value xsa::buildTileBody(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                         ArrayRef<Value> args, ArrayRef<Value> indices,
                         unsigned lane, int64_t lanes, bool contracts) {
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
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  return broadcastLanes(b, mapping.lookupOrDefault(yielded), lanes);
}

//===----------------------------------------------------------------------===//
// Sums and maxima
//===----------------------------------------------------------------------===//

Operation *xsa::findCombiner(linalg::GenericOp op) {
  Block *body = op.getBody();
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  Value sum = body->getArguments().back();
  if (!isa_and_nonnull<arith::AddFOp, arith::MaximumFOp>(combiner) ||
      !sum.hasOneUse() || !llvm::is_contained(combiner->getOperands(), sum))
    return nullptr;
  return combiner;
}

Value xsa::buildNeutral(ImplicitLocOpBuilder &b, Operation *combiner,
                        int64_t lanes) {
  double value = isa<arith::AddFOp>(combiner)
                     ? 0.0
                     : -std::numeric_limits<double>::infinity();
  Type type = combiner->getResult(0).getType();
  Value constant = arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  return broadcastLanes(b, constant, lanes);
}

Value xsa::combine(ImplicitLocOpBuilder &b, Operation *combiner, Value lhs,
                   Value rhs) {
  if (isa<arith::MaximumFOp>(combiner))
    return buildMax(b, lhs, rhs);
  return arith::AddFOp::create(b, lhs, rhs);
}
