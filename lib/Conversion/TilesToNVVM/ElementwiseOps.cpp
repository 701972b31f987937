//===- ElementwiseOps.cpp - Arithmetic of single elements -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exponentials are ex2.approx.ftz, two units in the last place off (PTX ISA); a
// hyperbolic tangent comes from one, because tanh.approx is too coarse for
// scores that are multiplied by a cap. A quotient by a value per row is a
// product with its reciprocal, which is computed once per row.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseOps.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

static Value constantF32(ThreadBuilder &b, double value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

static arith::FastMathFlagsAttr contracting(ThreadBuilder &b) {
  return arith::FastMathFlagsAttr::get(b.getContext(),
                                       arith::FastMathFlags::contract);
}

static Value buildExp2(ThreadBuilder &b, Value x) {
  return LLVM::CallIntrinsicOp::create(
             b, b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"),
             ValueRange(x))
      .getResult(0);
}

static Value buildLog2(ThreadBuilder &b, Value x) {
  return LLVM::CallIntrinsicOp::create(
             b, b.getF32Type(), b.getStringAttr("llvm.nvvm.lg2.approx.ftz.f"),
             ValueRange(x))
      .getResult(0);
}

/// 1 - 2 / (1 + e^(2x)).
static Value buildTanh(ThreadBuilder &b, Value x) {
  Value power = buildExp2(
      b, arith::MulFOp::create(b, x, constantF32(b, 2.0 / std::log(2.0))));
  Value sum = arith::AddFOp::create(b, power, constantF32(b, 1.0));
  Value inverse = NVVM::RcpApproxFtzF32Op::create(b, b.getF32Type(), sum);
  return math::FmaOp::create(b, inverse, constantF32(b, -2.0),
                             constantF32(b, 1.0));
}

/// Integers from index and back: positions are i32 in a thread.
static Value castInteger(ThreadBuilder &b, Value x, Type type) {
  if (type.isIndex())
    type = b.getI32Type();
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtSIOp::create(b, type, x);
  if (from == to)
    return x;
  // Bounds that a model writes as the largest integer stay large.
  int64_t most = int64_t(1) << 30;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(x.getType(), value));
  };
  Value least = arith::MaxSIOp::create(b, x, constant(-most));
  return arith::TruncIOp::create(
      b, type, arith::MinSIOp::create(b, least, constant(most)));
}

static bool isConstantFloat(Value value) {
  return value.getDefiningOp<arith::ConstantOp>();
}

static Value buildQuotient(ThreadBuilder &b, Value lhs, Value rhs,
                           bool divisorPerRow) {
  Type type = lhs.getType();
  if (!getElementTypeOrSelf(type).isF32() ||
      !(divisorPerRow || isConstantFloat(rhs)))
    return arith::DivFOp::create(b, lhs, rhs);
  TypedAttr ones = b.getF32FloatAttr(1.0);
  if (auto vector = dyn_cast<VectorType>(type))
    ones = DenseElementsAttr::get(vector, ones);
  Value one = arith::ConstantOp::create(b, ones);
  Value inverse = arith::DivFOp::create(b, one, rhs);
  return arith::MulFOp::create(b, lhs, inverse);
}

Value xsa::buildElement(ThreadBuilder &b, Operation *op, ValueRange operands,
                        Type type, ArrayRef<bool> perRow) {
  bool isF32 = type.isF32();
  if (isF32 && isa<math::Exp2Op>(op))
    return buildExp2(b, operands[0]);
  if (isF32 && isa<math::ExpOp>(op))
    return buildExp2(
        b, arith::MulFOp::create(b, operands[0],
                                 constantF32(b, 1.0 / std::log(2.0))));
  if (isF32 && isa<math::LogOp>(op))
    return arith::MulFOp::create(b, buildLog2(b, operands[0]),
                                 constantF32(b, std::log(2.0)));
  if (isF32 && isa<math::TanhOp>(op))
    return buildTanh(b, operands[0]);
  if (isa<arith::DivFOp>(op))
    return buildQuotient(b, operands[0], operands[1], perRow[1] && !perRow[0]);
  if (isa<arith::IndexCastOp>(op))
    return castInteger(b, operands[0], type);
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : op->getAttrs())
    if (attribute.getName() != kLayoutAttrName)
      attributes.push_back(attribute);
  OperationState state(b.getLoc(), op->getName(), operands, type, attributes);
  Operation *result = b.create(state);
  // A product and a sum may become one instruction, rounded once.
  if (getElementTypeOrSelf(type).isF32() &&
      isa<arith::MulFOp, arith::AddFOp, arith::SubFOp>(result))
    result->setAttr("fastmath", contracting(b));
  return result->getResult(0);
}

Value xsa::buildPair(ThreadBuilder &b, Value first, Value second, Type type) {
  auto pair = VectorType::get(2, type);
  // The instruction takes the upper half first.
  if (type.isBF16())
    return NVVM::ConvertF32x2ToBF16x2Op::create(b, pair, second, first, Value(),
                                                NVVM::FPRoundingMode::RN);
  return NVVM::ConvertF32x2ToF16x2Op::create(b, pair, second, first, Value(),
                                             NVVM::FPRoundingMode::RN);
}

Value xsa::buildCombined(ThreadBuilder &b, vector::CombiningKind kind,
                         Value lhs, Value rhs) {
  switch (kind) {
  case vector::CombiningKind::ADD:
    return arith::AddFOp::create(b, lhs, rhs, contracting(b));
  case vector::CombiningKind::MAXIMUMF:
    return arith::MaximumFOp::create(b, lhs, rhs);
  case vector::CombiningKind::MAXSI:
    return arith::MaxSIOp::create(b, lhs, rhs);
  case vector::CombiningKind::MINSI:
    return arith::MinSIOp::create(b, lhs, rhs);
  default:
    llvm_unreachable("xsa-tiles-to-vectors makes no other reductions");
  }
}
