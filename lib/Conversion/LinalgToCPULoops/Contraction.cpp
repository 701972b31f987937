//===- Contraction.cpp - What a contraction computes ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Contraction.h.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace xsa;
using linalg::LinalgOp;

bool Factor::isContiguousAlong(unsigned dim) const {
  if (dims.empty() || dims.back() != dim ||
      llvm::count(dims, std::optional(dim)) != 1)
    return false;
  auto [strides, offset] =
      cast<MemRefType>(buffer.getType()).getStridesAndOffset();
  return strides.back() == 1;
}

/// Reads an operand whose map is a projected permutation, or has constant zeros
/// for broadcast unit dimensions.
static LogicalResult readFactor(LinalgOp op, OpOperand &operand,
                                Factor &factor) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || !type.isStrided() || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return failure();
  factor.buffer = operand.get();
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      if (factor.has(dim.getPosition()))
        return failure();
      factor.dims.push_back(dim.getPosition());
    } else if (auto zero = dyn_cast<AffineConstantExpr>(expr);
               zero && zero.getValue() == 0) {
      factor.dims.push_back(std::nullopt);
    } else {
      return failure();
    }
  }
  return success();
}

/// Follows casts from `value` up to a block argument.
static BlockArgument followCasts(Value value,
                                 SmallVectorImpl<Operation *> &casts) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp>(def))
      return nullptr;
    casts.insert(casts.begin(), def);
    value = def->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

/// Matches `yield add(out, mul(cast(a), cast(b)))`.
static LogicalResult readBody(LinalgOp op, Contraction &contraction) {
  Block *body = op.getBlock();
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return failure();
  Value sum = body->getArgument(2);
  Value product = add->getOperand(0) == sum   ? add->getOperand(1)
                  : add->getOperand(1) == sum ? add->getOperand(0)
                                              : Value();
  Operation *mul = product ? product.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul) || product == sum ||
      !sum.hasOneUse())
    return failure();
  BlockArgument first =
      followCasts(mul->getOperand(0), contraction.factors[0].casts);
  BlockArgument second =
      followCasts(mul->getOperand(1), contraction.factors[1].casts);
  if (!first || !second || first.getOwner() != body ||
      second.getOwner() != body || first == second || first == sum ||
      second == sum)
    return failure();
  unsigned numOps = 3 + contraction.factors[0].casts.size() +
                    contraction.factors[1].casts.size();
  if (llvm::range_size(body->getOperations()) != numOps)
    return failure();
  if (first.getArgNumber() > second.getArgNumber())
    std::swap(contraction.factors[0].casts, contraction.factors[1].casts);
  return success();
}

Value xsa::loadVector(OpBuilder &builder, Location loc, Value buffer,
                      ValueRange indices, int64_t lanes, Value mask) {
  auto type = VectorType::get(lanes, getElementTypeOrSelf(buffer.getType()));
  if (!mask)
    return vector::LoadOp::create(builder, loc, type, buffer, indices);
  Value zero =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, loc, type, buffer, indices, mask,
                                      zero);
}

void xsa::storeVector(OpBuilder &builder, Location loc, Value vector,
                      Value buffer, ValueRange indices, Value mask) {
  if (mask)
    vector::MaskedStoreOp::create(builder, loc, buffer, indices, mask, vector);
  else
    vector::StoreOp::create(builder, loc, vector, buffer, indices);
}

FailureOr<Contraction> xsa::readContraction(OpBuilder &builder, LinalgOp op) {
  Contraction contraction;
  contraction.op = op;
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || failed(readBody(op, contraction)) ||
      failed(
          readFactor(op, *op.getDpsInputOperand(0), contraction.factors[0])) ||
      failed(
          readFactor(op, *op.getDpsInputOperand(1), contraction.factors[1])) ||
      failed(readFactor(op, *op.getDpsInitOperand(0), contraction.result)))
    return failure();
  Type type = getElementTypeOrSelf(contraction.result.buffer.getType());
  if (!isa<FloatType>(type) && !type.isInteger(32) && !type.isInteger(64))
    return failure();
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    (kind == utils::IteratorType::parallel ? contraction.parallel
                                           : contraction.reductions)
        .push_back(dim);
  // A reduction that an operand lacks is legal but no product of two.
  for (unsigned dim : contraction.parallel)
    if (!contraction.result.has(dim))
      return failure();
  for (Range range : op.createLoopRanges(builder, op.getLoc()))
    contraction.ranges.push_back({range.offset, range.size, 1});
  return contraction;
}
