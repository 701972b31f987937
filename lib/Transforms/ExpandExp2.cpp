//===- ExpandExp2.cpp - 2^x in vector arithmetic --------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x = n + f with n an integer and |f| <= 1/2. A polynomial gives 2^f; 2^n is
// made by writing n into the exponent bits. Adding 1.5 * 2^p (p the number of
// mantissa bits) rounds x to an integer and leaves it in the low bits of the
// sum, so that no conversion, which would be undefined for NaN, is needed; with
// the bias of exponents in the same constant they become the exponent by one
// shift.
//
// AVX-512 has both ends of this as instructions: `vreduceps` takes the integer
// below x off, and `vscalefps` multiplies with two to the power of it. Neither
// needs bounds, at infinities either. LLVM makes them from nothing else.
//
// Results below the least normal number are 0, in the arithmetic but for some
// next to it: processors take a hundred times as long for products with what is
// between. Weights of softmax get there where a bias grows with the distance.
//
//===----------------------------------------------------------------------===//

#include "ExpandExp2.h"

#include "AVX512.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

/// Minimax in relative error on |f| <= 1/2, with the constant term set to 1 so
/// that 2^0 is exact; error 1.5e-7.
static constexpr double kCoefficientsF32[] = {1.0,
                                              0.693146967065,
                                              0.240221197237,
                                              0.0555071327186,
                                              0.00967554134312,
                                              0.0013276472632};

/// The same, for what is rounded to bf16; error 1.1e-4.
static constexpr double kCoefficientsBF16[] = {1.0, 0.693282927389,
                                               0.242210962216, 0.0550089314230};

/// Both on 0 <= f <= 1; errors 8.3e-8 and 8.6e-5.
static constexpr double kFractionsF32[] = {1.0,
                                           0.693151314142,
                                           0.240164431006,
                                           0.0557999675882,
                                           0.00901696694435,
                                           0.00186715583135};
static constexpr double kFractionsBF16[] = {1.0, 0.695116787152, 0.227644988873,
                                            0.0770670436424};

/// ln(2)^k / k!; error 4e-18.
static constexpr double kCoefficientsF64[] = {1.0,
                                              0.6931471805599453,
                                              0.2402265069591007,
                                              0.055504108664821576,
                                              0.009618129107628477,
                                              0.0013333558146428441,
                                              0.00015403530393381606,
                                              1.5252733804059838e-05,
                                              1.3215486790144305e-06,
                                              1.0178086009239696e-07,
                                              7.054911620801121e-09,
                                              4.44553827187081e-10,
                                              2.5678435993488196e-11,
                                              1.3691488853904124e-12};

namespace {
/// Constants in the type of x, and in the integers of the same width.
class Exp2Builder {
public:
  Exp2Builder(ImplicitLocOpBuilder &b, VectorType type, Exp2Form form)
      : b(b), type(type), form(form), isF64(type.getElementType().isF64()),
        intType(type.clone(b.getIntegerType(isF64 ? 64 : 32))) {}

  Value build(Value x);
  Value buildAVX512(Value x);

private:
  Value splat(VectorType shaped, TypedAttr attr) {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(shaped, attr));
  }
  Value constant(double value) {
    return splat(type, b.getFloatAttr(type.getElementType(), value));
  }
  /// Written so that NaN passes through.
  Value clamp(Value value, arith::CmpFPredicate beyond, double bound) {
    Value limit = constant(bound);
    Value isBeyond = arith::CmpFOp::create(b, beyond, value, limit);
    return arith::SelectOp::create(b, isBeyond, limit, value);
  }
  Value polynomial(Value f, ArrayRef<double> coefficients);

  ImplicitLocOpBuilder &b;
  VectorType type;
  Exp2Form form;
  bool isF64;
  VectorType intType;
};
} // namespace

Value Exp2Builder::polynomial(Value f, ArrayRef<double> coefficients) {
  Value power = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    power = math::FmaOp::create(b, power, f, constant(coefficient));
  return power;
}

Value Exp2Builder::build(Value x) {
  int64_t mantissaBits = isF64 ? 52 : 23;
  int64_t bias = isF64 ? 1023 : 127;
  // n = -bias has all exponent bits 0, which makes the result 0. Beyond n =
  // bias the polynomial itself grows until the product overflows.
  x = clamp(x, arith::CmpFPredicate::OLT, -double(bias));
  Value most = x;
  if (!form.bounded) {
    x = clamp(x, arith::CmpFPredicate::OGT, double(bias) + 2);
    most = clamp(x, arith::CmpFPredicate::OGT, double(bias));
  }
  Value shifter = constant(std::ldexp(1.5, mantissaBits) + bias);
  Value shifted = arith::AddFOp::create(b, most, shifter);
  Value n = arith::SubFOp::create(b, shifted, shifter);
  ArrayRef<double> coefficients(kCoefficientsF32);
  if (isF64)
    coefficients = kCoefficientsF64;
  else if (form.rough)
    coefficients = kCoefficientsBF16;
  Value power = polynomial(arith::SubFOp::create(b, x, n), coefficients);

  Value bits = arith::BitcastOp::create(b, intType, shifted);
  Value shift =
      splat(intType, b.getIntegerAttr(intType.getElementType(), mantissaBits));
  bits = arith::ShLIOp::create(b, bits, shift);
  Value scale = arith::BitcastOp::create(b, type, bits);
  return arith::MulFOp::create(b, power, scale);
}

Value Exp2Builder::buildAVX512(Value x) {
  ArrayRef<double> coefficients(kFractionsF32);
  if (form.rough)
    coefficients = kFractionsBF16;
  Value power = polynomial(avx512::buildFraction(b, x), coefficients);
  return avx512::buildScale(b, power, x);
}

Value xsa::buildExp2(ImplicitLocOpBuilder &b, Value x, Exp2Form form) {
  auto type = cast<VectorType>(x.getType());
  Exp2Builder builder(b, type, form);
  if (form.avx512 && type.getElementType().isF32() && avx512::fits(type))
    return builder.buildAVX512(x);
  return builder.build(x);
}
