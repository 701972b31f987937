//===- Sinks.cpp - Denominators with something more -----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sink is a logit that takes part in the sum and in nothing else: learned per
// head, or 0 in "softmax off by one". Models write it as a term of the sum, or
// join it to the scores as a further key and cut it off afterwards.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

/// Below this an epsilon is within the rounding of a sum that is at least 1.
static constexpr double maxEpsilon = 1e-6;

namespace {
class SinkMatcher {
public:
  SinkMatcher(MatchContext &match, ArrayRef<ExprRef> keys,
              Probabilities &result)
      : match(match), ctx(match.ctx), keys(keys), result(result) {}

  bool matchSum(ExprRef denominator);
  bool matchFurtherKey(ExprRef denominator);
  bool matchClamp(ExprRef denominator);

private:
  bool isShiftedByMaximum();
  bool takeConstant(double number);
  bool takeTerm(ExprRef term);
  bool takeLogit(ExprRef logit);

  MatchContext &match;
  ExprContext &ctx;
  ArrayRef<ExprRef> keys;
  Probabilities &result;
};
} // namespace

/// Whether the exponent is `s - max s`, so that the sum is at least 1.
bool SinkMatcher::isShiftedByMaximum() {
  ExprRef exponent = match.look(result.exponent);
  if (!exponent->isApply(ExprOp::Sub))
    return false;
  ExprRef largest = match.look(exponent->getOperand(1));
  if (!largest->isReduce(ExprOp::Max))
    return false;
  ExprUnifier unifier(match.view, largest->getBoundVars());
  return unifier.unify(largest->getBody(), exponent->getOperand(0)) &&
         unifier.isBijection(largest->getBoundVars(), keys);
}

/// The logit enters the sum shifted as the scores are: takes the shifts off
/// both. What is left of the scores may still differ by row.
bool SinkMatcher::takeLogit(ExprRef logit) {
  ExprRef scores = result.exponent;
  logit = match.look(logit);
  for (unsigned steps = 0; steps < 8; ++steps) {
    ExprRef shifted = match.look(scores);
    if (!shifted->isApply(ExprOp::Sub) ||
        match.dependsOn(shifted->getOperand(1), keys))
      break;
    ExprRef shift = match.look(shifted->getOperand(1)), rest = nullptr;
    auto isShift = [&](ExprRef e) {
      ExprUnifier unifier(match.view, {});
      return unifier.unify(e, shift);
    };
    if (logit->isApply(ExprOp::Neg) && isShift(logit->getOperand(0)))
      rest = ctx.constant(logit->getType(), 0);
    else if (logit->isApply(ExprOp::Sub) && isShift(logit->getOperand(1)))
      rest = logit->getOperand(0);
    else
      break;
    scores = shifted->getOperand(0);
    logit = match.look(rest);
  }
  if (logit->is(ExprKind::Access))
    logit = match.evaluator.simplifyAccess(logit);
  if (match.dependsOn(logit, keys))
    return false;
  result.exponent = scores;
  result.sink = logit;
  return true;
}

bool SinkMatcher::takeConstant(double number) {
  if (number < 0)
    return false;
  bool shifted = isShiftedByMaximum();
  if (number == 0 || (shifted && number <= maxEpsilon && !match.strict))
    return true;
  if (shifted)
    return match.refuse("a constant is added to the sum of exponentials after "
                        "the maximum was subtracted");
  double logit = result.base2 ? std::log2(number) : std::log(number);
  return takeLogit(ctx.constant(result.exponent->getType(), logit));
}

/// One term of the sum besides the keys'.
bool SinkMatcher::takeTerm(ExprRef term) {
  term = match.look(term);
  if (term->isConstant())
    return takeConstant(term->getNumber());
  ExprOp exponential = result.base2 ? ExprOp::Exp2 : ExprOp::Exp;
  return !result.sink && term->isApply(exponential) &&
         takeLogit(term->getOperand(0));
}

/// `sum over keys + term`.
bool SinkMatcher::matchSum(ExprRef denominator) {
  if (!denominator->isApply(ExprOp::Add))
    return false;
  for (unsigned side : {0, 1}) {
    ExprRef sum = match.look(denominator->getOperand(side));
    ExprRef term = denominator->getOperand(1 - side);
    if (isSumOfNumerators(match, sum, result.numerator, keys))
      return takeTerm(term);
  }
  return false;
}

/// A sum over one key more, before or behind the others.
bool SinkMatcher::matchFurtherKey(ExprRef denominator) {
  if (!denominator->isReduce(ExprOp::Add) ||
      denominator->getBoundVars().size() != 1)
    return false;
  ExprRef var = denominator->getBoundVars()[0];
  ExprRef numKeys = ctx.integer(1), one = ctx.integer(1);
  for (ExprRef digit : keys)
    numKeys = ctx.mul(numKeys, digit->getExtent());
  if (ctx.sub(var->getExtent(), numKeys) != one)
    return false;
  for (bool behind : {true, false}) {
    ExprRef key = match.partOf(var, numKeys);
    auto at = [&](ExprRef position) {
      ExprContext::Substitution substitution;
      substitution[var] = position;
      return ctx.substitute(denominator->getBody(), substitution);
    };
    ExprRef others = ctx.reduce(ExprOp::Add, key->getFreeVars(),
                                at(behind ? key : ctx.add(key, one)));
    if (isSumOfNumerators(match, others, result.numerator, keys))
      return takeTerm(at(behind ? numKeys : ctx.integer(0)));
  }
  return false;
}

/// `max(sum over keys, eps)` with a sum that is at least 1.
bool SinkMatcher::matchClamp(ExprRef denominator) {
  if (!denominator->isApply(ExprOp::Max))
    return false;
  for (unsigned side : {0, 1}) {
    ExprRef least = match.look(denominator->getOperand(1 - side));
    ExprRef sum = match.look(denominator->getOperand(side));
    if (least->isConstant() && least->getNumber() <= 1 &&
        isSumOfNumerators(match, sum, result.numerator, keys))
      return isShiftedByMaximum() ||
             match.refuse("the sum of exponentials is kept above a number "
                          "that it may fall below");
  }
  return false;
}

bool xsa::matchSinks(MatchContext &match, ExprRef denominator,
                     ArrayRef<ExprRef> keys, Probabilities &result) {
  SinkMatcher matcher(match, keys, result);
  return matcher.matchSum(denominator) ||
         matcher.matchFurtherKey(denominator) ||
         matcher.matchClamp(denominator);
}
