//===- LogSoftmax.cpp - Recognises softmax by logarithms ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exponential of scores less the logarithm of the sum of their exponentials
// is softmax without a division. Libraries write that logarithm with a shift,
// over the keys of a mask, and with care for sums that they do not know the
// sign of.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace xsa;

namespace {
/// A sum whose logarithm is subtracted, and the exponent without it.
struct LogarithmOfSum {
  ExprRef sum, exponent;
};
} // namespace

/// Whether a number is at least 0, or NaN.
static bool isNeverNegative(MatchContext &match, ExprRef e,
                            unsigned depth = 0) {
  constexpr unsigned maxDepth = 16;
  e = match.look(e);
  auto is = [&](ExprRef operand) {
    return isNeverNegative(match, operand, depth + 1);
  };
  if (depth > maxDepth)
    return false;
  if (e->is(ExprKind::Access))
    e = match.evaluator.resolve(e);
  if (e->isConstant())
    return !(e->getNumber() < 0);
  if (e->is(ExprKind::Reduce))
    return (e->isReduce(ExprOp::Add) || e->isReduce(ExprOp::Max)) &&
           is(e->getBody());
  if (!e->is(ExprKind::Apply))
    return false;
  switch (e->getOp()) {
  case ExprOp::Exp:
  case ExprOp::Exp2:
  case ExprOp::Abs:
  case ExprOp::Sqrt:
    return true;
  case ExprOp::Add:
  case ExprOp::Mul:
  case ExprOp::Div:
    return llvm::all_of(e->getOperands(), is);
  case ExprOp::Select:
    return is(e->getOperand(1)) && is(e->getOperand(2));
  case ExprOp::Other:
    // The sign of a number: 0 or 1 with the sign of that number.
    return e->getOtherName() == "math.copysign" && is(e->getOperand(1));
  default:
    return false;
  }
}

/// A logarithm that is replaced by NaN where its number is negative, which a
/// sum of exponentials is not.
static ExprRef withoutNaN(MatchContext &match, ExprRef e) {
  if (!e->isApply(ExprOp::Select))
    return e;
  ExprRef replacement = match.look(e->getOperand(1));
  if (!replacement->isConstant() || !std::isnan(replacement->getNumber()))
    return e;
  ExprRef condition = match.look(e->getOperand(0));
  bool isNegative =
      condition->isApply(ExprOp::CmpF) &&
      condition->getPredicate() == unsigned(arith::CmpFPredicate::OLT) &&
      match.look(condition->getOperand(1))->isConstant(0);
  return isNegative && isNeverNegative(match, condition->getOperand(0))
             ? match.look(e->getOperand(2))
             : e;
}

/// What may be the logarithm of a sum in x - log(sum), x - (m + log(sum)).
static SmallVector<LogarithmOfSum> collectLogarithms(MatchContext &match,
                                                     ExprRef e) {
  SmallVector<LogarithmOfSum> found;
  ExprRef outer = match.look(e);
  if (!outer->isApply(ExprOp::Sub))
    return found;
  ExprRef inner = outer->getOperand(0);
  auto add = [&](ExprRef term, ExprRef rest) {
    ExprRef logarithm = match.look(term);
    if (!logarithm->isApply(ExprOp::Log))
      return;
    ExprRef exponent =
        rest ? match.ctx.apply(ExprOp::Sub, outer->getType(), {inner, rest})
             : inner;
    found.push_back({match.look(logarithm->getOperand(0)), exponent});
  };
  ExprRef shift = withoutNaN(match, match.look(outer->getOperand(1)));
  add(shift, nullptr);
  if (shift->isApply(ExprOp::Add)) {
    add(shift->getOperand(0), shift->getOperand(1));
    add(shift->getOperand(1), shift->getOperand(0));
  }
  return found;
}

/// exp2(x * log2(e)) is exp(x).
static bool takeBaseE(MatchContext &match, Probabilities &result) {
  ExprRef e = match.look(result.exponent);
  if (!e->isApply(ExprOp::Mul))
    return false;
  ExprRef factor = match.look(e->getOperand(1));
  if (!factor->isConstant() ||
      std::fabs(factor->getNumber() * M_LN2 - 1) > 1e-6)
    return false;
  result.exponent = e->getOperand(0);
  result.base2 = false;
  return true;
}

bool xsa::matchLogSoftmax(MatchContext &match, ArrayRef<ExprRef> keys,
                          Probabilities &result) {
  for (ExprRef logarithm : result.logarithms)
    result.exponent = match.ctx.apply(ExprOp::Sub, result.exponent->getType(),
                                      {result.exponent, logarithm});
  if (result.base2 && !takeBaseE(match, result))
    return false;
  auto exponential = [&](ExprRef exponent) {
    return match.ctx.apply(ExprOp::Exp, exponent->getType(), exponent);
  };
  for (auto [sum, exponent] : collectLogarithms(match, result.exponent)) {
    if (!isSumOfNumerators(match, sum, exponential(exponent), keys))
      continue;
    result.exponent = exponent;
    result.numerator = exponential(exponent);
    return true;
  }
  // The logarithm is of the sum over keys that are kept.
  Probabilities masked = result;
  takeMasks(match, masked);
  for (auto [sum, exponent] : collectLogarithms(match, masked.exponent)) {
    result = masked;
    result.exponent = exponent;
    if (!matchMaskedSum(match, sum, keys, result))
      continue;
    result.numerator = exponential(result.exponent);
    return true;
  }
  return false;
}
