//===- ElementwiseOps.cpp - Arithmetic of single elements -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exponentials are ex2.approx.ftz, two units in the last place off (PTX ISA); a
// hyperbolic tangent comes from one, because tanh.approx is off by 2^-11, which
// times a cap of 30 changes weights by more than rounding them to 16 bits does;
// of small numbers that may be multiplied by a large cap it is a polynomial.
// A quotient by a value per row is a product with its reciprocal, which is
// computed once per row. Factors that follow on each other become one.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseOps.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
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

static std::optional<double> constantFloat(Value value) {
  APFloat constant(0.0f);
  if (!value.getType().isF32() ||
      !matchPattern(value, m_ConstantFloat(&constant)))
    return std::nullopt;
  return constant.convertToDouble();
}

/// Whether an f32 has the value without overflow or loss of bits.
static bool isNormal(double value) {
  return std::abs(value) > 1e-30 && std::abs(value) < 1e30;
}

/// x * factor. What x is already the product with, or the sum of, is multiplied
/// here.
static Value buildScaled(ThreadBuilder &b, Value x, double factor) {
  auto times = [&](Value operand) -> std::optional<double> {
    std::optional<double> constant = constantFloat(operand);
    if (constant && isNormal(*constant) && isNormal(*constant * factor))
      return *constant * factor;
    return std::nullopt;
  };
  if (auto product = x.getDefiningOp<arith::MulFOp>())
    if (auto both = times(product.getRhs()))
      return arith::MulFOp::create(b, product.getLhs(), constantF32(b, *both),
                                   contracting(b));
  if (auto sum = x.getDefiningOp<math::FmaOp>())
    if (auto slope = times(sum.getB()))
      if (auto start = times(sum.getC()))
        return math::FmaOp::create(b, sum.getA(), constantF32(b, *slope),
                                   constantF32(b, *start));
  return arith::MulFOp::create(b, x, constantF32(b, factor), contracting(b));
}

static Value callIntrinsic(ThreadBuilder &b, StringRef name, Value x) {
  return LLVM::CallIntrinsicOp::create(b, b.getF32Type(), b.getStringAttr(name),
                                       ValueRange(x))
      .getResult(0);
}

static Value buildExp2(ThreadBuilder &b, Value x) {
  return callIntrinsic(b, "llvm.nvvm.ex2.approx.ftz.f32", x);
}

static Value buildLog2(ThreadBuilder &b, Value x) {
  return callIntrinsic(b, "llvm.nvvm.lg2.approx.ftz.f", x);
}

/// 1 - 2 / (1 + e^(2x)), off by 2^-23 at most.
static Value buildTanhOfAny(ThreadBuilder &b, Value x) {
  Value power = buildExp2(b, buildScaled(b, x, 2.0 / std::log(2.0)));
  Value sum = arith::AddFOp::create(b, power, constantF32(b, 1.0));
  Value inverse = NVVM::RcpApproxFtzF32Op::create(b, b.getF32Type(), sum);
  return math::FmaOp::create(b, inverse, constantF32(b, -2.0),
                             constantF32(b, 1.0));
}

/// x + x^3 p(x^2), off by 2^-23 of the result at most where |x| < 0.625 (the
/// polynomial of tanhf in Cephes).
static Value buildTanhOfSmall(ThreadBuilder &b, Value x, Value square) {
  Value sum = constantF32(b, -5.70498872745e-3);
  for (double coefficient : {2.06390887954e-2, -5.37397155531e-2,
                             1.33314422036e-1, -3.33332819422e-1})
    sum = math::FmaOp::create(b, sum, square, constantF32(b, coefficient));
  Value cube = arith::MulFOp::create(b, square, x);
  return math::FmaOp::create(b, sum, cube, x);
}

/// A score divided by its cap, which the result is multiplied with: up to a cap
/// of 64 what the exponential is off by, 2^-17 of a score, is less than what
/// weights of 16 bits are off by. Anything else can be small and has to be as
/// precise there.
static bool isOfSmallCap(math::TanhOp op) {
  auto ratio = op.getOperand().getDefiningOp<arith::DivFOp>();
  DenseElementsAttr cap;
  return ratio && matchPattern(ratio.getRhs(), m_Constant(&cap)) &&
         cap.isSplat() &&
         abs(cap.getSplatValue<APFloat>()).convertToDouble() <= 64.0;
}

static Value buildTanh(ThreadBuilder &b, math::TanhOp op, Value x) {
  Value ofAny = buildTanhOfAny(b, x);
  if (b.getPlan().getUnit() != MatrixKind::Fma && isOfSmallCap(op))
    return ofAny;
  Value square = arith::MulFOp::create(b, x, x);
  Value isSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, square,
                                        constantF32(b, 0.625 * 0.625));
  return arith::SelectOp::create(b, isSmall, buildTanhOfSmall(b, x, square),
                                 ofAny);
}

/// Integers from index and back: positions are i32 in a thread.
static Value castInteger(ThreadBuilder &b, Value x, Type type, bool isSigned) {
  if (type.isIndex())
    type = b.getI32Type();
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to && !isSigned)
    return arith::ExtUIOp::create(b, type, x);
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

static Value buildQuotient(ThreadBuilder &b, Value lhs, Value rhs,
                           bool divisorPerRow) {
  if (std::optional<double> constant = constantFloat(rhs);
      constant && isNormal(*constant))
    return buildScaled(b, lhs, 1.0 / *constant);
  Type type = lhs.getType();
  bool once = divisorPerRow || rhs.getDefiningOp<arith::ConstantOp>();
  if (!getElementTypeOrSelf(type).isF32() || !once)
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
  if (isF32 && isa<math::AbsFOp>(op))
    return callIntrinsic(b, "llvm.fabs.f32", operands[0]);
  if (isF32 && isa<math::SqrtOp, math::RsqrtOp>(op)) {
    Value root = callIntrinsic(b, "llvm.sqrt.f32", operands[0]);
    return isa<math::SqrtOp>(op)
               ? root
               : arith::DivFOp::create(b, constantF32(b, 1.0), root);
  }
  if (isF32 && isa<math::ExpOp>(op))
    return buildExp2(b, buildScaled(b, operands[0], 1.0 / std::log(2.0)));
  if (isF32 && isa<math::LogOp>(op))
    return arith::MulFOp::create(b, buildLog2(b, operands[0]),
                                 constantF32(b, std::log(2.0)));
  if (auto tanh = dyn_cast<math::TanhOp>(op); tanh && isF32)
    return buildTanh(b, tanh, operands[0]);
  if (isF32 && isa<arith::MulFOp>(op))
    for (unsigned number : {0, 1})
      if (auto factor = constantFloat(operands[number]);
          factor && isNormal(*factor))
        return buildScaled(b, operands[1 - number], *factor);
  if (isa<arith::DivFOp>(op))
    return buildQuotient(b, operands[0], operands[1], perRow[1] && !perRow[0]);
  if (isa<arith::IndexCastOp>(op))
    return castInteger(b, operands[0], type, /*isSigned=*/true);
  if (auto cast = dyn_cast<arith::IndexCastUIOp>(op)) {
    // Of an index there are 32 bits of more, which its sign fills.
    bool fromIndex = getElementTypeOrSelf(cast.getIn()).isIndex();
    return castInteger(b, operands[0], type, fromIndex);
  }
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
