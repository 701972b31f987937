//===- FloatPositions.cpp - Positions that are computed as floats ---------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Importers compare positions as floats, and divide them as floats and round
// down: torch's integer division is written so. Where the floats hold every
// value, that is arithmetic on integers.
//
//===----------------------------------------------------------------------===//

#include "TensorExprDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace xsa;

/// The integer that was converted to a float; null if there is none.
static ExprRef getConverted(ExprContext &ctx, ExprRef e) {
  if (e->isApply(ExprOp::IntToFloat))
    return e->getOperand(0);
  double number = e->isConstant() ? e->getNumber() : NAN;
  return std::fabs(number) < 1e9 && number == std::floor(number)
             ? ctx.integer(static_cast<int64_t>(number))
             : nullptr;
}

/// Whether every value of an integer has a float of `type`. Those of 64 bits
/// hold all sizes and positions.
static bool isExactIn(ExprContext &ctx, ExprRef e, Type type) {
  unsigned precision =
      APFloat::semanticsPrecision(cast<FloatType>(type).getFloatSemantics());
  if (precision >= 53)
    return true;
  ExprRef limit = ctx.integer(int64_t(1) << precision);
  return ctx.isProvablyLess(e, limit) &&
         ctx.isProvablyLess(ctx.integer(0), ctx.add(e, limit));
}

/// A quotient of an integer by a positive number, both converted: rounded as a
/// float it keeps its distance to the integers on either side.
static std::optional<std::pair<ExprRef, ExprRef>>
getConvertedQuotient(ExprContext &ctx, ExprRef e) {
  bool negates = e->isApply(ExprOp::Neg);
  if (negates)
    e = e->getOperand(0);
  if (!e->isApply(ExprOp::Div))
    return std::nullopt;
  ExprRef dividend = getConverted(ctx, e->getOperand(0));
  ExprRef divisor = getConverted(ctx, e->getOperand(1));
  if (!dividend || !divisor || !ExprContext::getInteger(divisor) ||
      *ExprContext::getInteger(divisor) <= 0 ||
      !isExactIn(ctx, dividend, e->getType()) ||
      !isExactIn(ctx, divisor, e->getType()))
    return std::nullopt;
  if (negates)
    dividend = ctx.sub(ctx.integer(0), dividend);
  return std::make_pair(dividend, divisor);
}

ExprRef xsa::detail::simplifyFloor(ExprContext &ctx, Type type, ExprRef e) {
  if (e->isApply(ExprOp::IntToFloat) || e->isApply(ExprOp::Floor))
    return e;
  auto quotient = getConvertedQuotient(ctx, e);
  return quotient ? ctx.apply(ExprOp::IntToFloat, type,
                              ctx.floorDiv(quotient->first, quotient->second))
                  : nullptr;
}

ExprRef xsa::detail::simplifyToInteger(ExprContext &ctx, ExprRef e) {
  if (e->isApply(ExprOp::IntToFloat) &&
      isExactIn(ctx, e->getOperand(0), e->getType()))
    return e->getOperand(0);
  // The conversion rounds to zero.
  auto quotient = getConvertedQuotient(ctx, e);
  return quotient && ctx.isProvablyNonNegative(quotient->first)
             ? ctx.floorDiv(quotient->first, quotient->second)
             : nullptr;
}

/// Positions that are compared as floats are compared as integers where one of
/// them is small enough to be exact: rounding of the other changes nothing.
ExprRef ExprContext::compareConverted(unsigned predicate, ExprRef a,
                                      ExprRef b) {
  ExprRef x = getConverted(*this, a), y = getConverted(*this, b);
  if (!x || !y)
    return nullptr;
  auto isExact = [&](ExprRef e) {
    unsigned precision = APFloat::semanticsPrecision(
        cast<FloatType>(a->getType()).getFloatSemantics());
    ExprRef limit = integer(int64_t(1) << std::min(precision, 52u));
    return isProvablyNonNegative(e) && isProvablyLess(e, limit);
  };
  if (!isExact(x) && !isExact(y))
    return nullptr;
  using P = arith::CmpFPredicate;
  switch (static_cast<P>(predicate)) {
  case P::OEQ:
  case P::UEQ:
    return isZero(sub(x, y));
  case P::ONE:
  case P::UNE:
    return logicalNot(isZero(sub(x, y)));
  case P::OGE:
  case P::UGE:
    return nonNegative(sub(x, y));
  case P::OGT:
  case P::UGT:
    return nonNegative(sub(sub(x, y), integer(1)));
  case P::OLE:
  case P::ULE:
    return nonNegative(sub(y, x));
  case P::OLT:
  case P::ULT:
    return nonNegative(sub(sub(y, x), integer(1)));
  default:
    return nullptr;
  }
}
