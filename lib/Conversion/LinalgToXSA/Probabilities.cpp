//===- Probabilities.cpp - Recognises softmax -----------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Softmax is an exponential that is divided by its own sum. Whatever does not
// depend on the key cancels, so the shift by the maximum, its argmax and the
// place of the division are of no interest.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// MatchContext
//===----------------------------------------------------------------------===//

ExprRef MatchContext::getZeroOneMask(ExprRef e) {
  ExprRef mask = evaluator.resolve(e);
  if (!mask->isApply(ExprOp::Select))
    return nullptr;
  bool keepsTrue = mask->getOperand(1)->isConstant(1);
  if (!mask->getOperand(keepsTrue ? 1 : 2)->isConstant(1) ||
      !mask->getOperand(keepsTrue ? 2 : 1)->isConstant(0))
    return nullptr;
  ExprRef condition = mask->getOperand(0);
  return keepsTrue ? condition : ctx.logicalNot(condition);
}

//===----------------------------------------------------------------------===//
// The path to the exponential
//===----------------------------------------------------------------------===//

namespace {
/// Walks from a factor of the second product to the exponential.
class ProbabilityWalk {
public:
  ProbabilityWalk(MatchContext &match, ArrayRef<ExprRef> keys,
                  Probabilities &result)
      : match(match), keys(keys), result(result) {}

  bool walk(ExprRef e);
  SmallVector<OuterFactor> factors;
  /// Conditions under which the numerator is 0.
  SmallVector<ZeroGuard> zeroed;

private:
  bool step(ExprRef &e);
  void take(OuterFactor factor, ExprRef inner, ExprRef &e);
  bool stepProduct(ExprRef &e);
  bool stepQuotient(ExprRef &e);
  bool stepSelect(ExprRef &e);
  bool refuseMixture(ExprRef sum);
  /// With a single key there is no variable to depend on, only the path.
  bool dependsOnKeys(ExprRef e) {
    return keys.empty() ? leadsToExponential(e) : match.dependsOn(e, keys);
  }
  bool leadsToExponential(ExprRef e, unsigned depth = 0);

  MatchContext &match;
  ArrayRef<ExprRef> keys;
  Probabilities &result;
};
} // namespace

/// Whether an exponential is found through products, quotients and selects.
bool ProbabilityWalk::leadsToExponential(ExprRef e, unsigned depth) {
  if (depth > 12 || (!keys.empty() && !match.dependsOn(e, keys)))
    return false;
  e = match.look(e);
  if (e->isApply(ExprOp::Exp) || e->isApply(ExprOp::Exp2))
    return true;
  if (e->isApply(ExprOp::Mul) || e->isApply(ExprOp::Div))
    return llvm::any_of(e->getOperands(), [&](ExprRef x) {
      return leadsToExponential(x, depth + 1);
    });
  if (e->isApply(ExprOp::Select))
    return leadsToExponential(e->getOperand(1), depth + 1) ||
           leadsToExponential(e->getOperand(2), depth + 1);
  return false;
}

/// Continues in `inner`, of which `e` was a multiple.
void ProbabilityWalk::take(OuterFactor factor, ExprRef inner, ExprRef &e) {
  factors.push_back(factor);
  result.numerator = e = inner;
  // Selects seen so far are outside of what is summed.
  llvm::append_range(result.guards, zeroed);
  zeroed.clear();
}

bool ProbabilityWalk::stepProduct(ExprRef &e) {
  ExprRef a = e->getOperand(0), b = e->getOperand(1);
  if (!keys.empty() && dependsOnKeys(a) && dependsOnKeys(b)) {
    for (auto [mask, other] : {std::pair(a, b), std::pair(b, a)})
      if (ExprRef keep = match.getZeroOneMask(mask)) {
        zeroed.push_back({match.ctx.logicalNot(keep), other});
        e = other;
        return true;
      }
  }
  if (dependsOnKeys(a) && dependsOnKeys(b)) {
    if (leadsToExponential(a) != leadsToExponential(b))
      match.refuse("probabilities are multiplied by a factor that differs "
                   "between keys after the softmax");
    return false;
  }
  bool first = dependsOnKeys(a);
  take({first ? b : a, /*inverse=*/false}, first ? a : b, e);
  return true;
}

bool ProbabilityWalk::stepQuotient(ExprRef &e) {
  ExprRef divisor = e->getOperand(1);
  if (!keys.empty() && dependsOnKeys(divisor)) {
    if (match.look(divisor)->isReduce(ExprOp::Add) &&
        leadsToExponential(e->getOperand(0)))
      match.refuse("softmax runs over another axis than the keys that are "
                   "summed with the values, such as the query axis");
    return false;
  }
  take({divisor, /*inverse=*/true}, e->getOperand(0), e);
  return true;
}

/// Whether a condition says that `e` is infinite, before or after other such
/// choices. No probability is, whatever nan_to_num puts in its place.
static bool isInfinite(MatchContext &match, ExprRef condition, ExprRef e) {
  if (!condition->isApply(ExprOp::CmpF) ||
      condition->getPredicate() != unsigned(arith::CmpFPredicate::OEQ))
    return false;
  ExprRef tested = match.look(condition->getOperand(0));
  ExprRef limit = match.look(condition->getOperand(1));
  if (!limit->isConstant() || !std::isinf(limit->getNumber()))
    return false;
  for (unsigned steps = 0; steps < 4; ++steps) {
    e = match.look(e);
    if (e == tested)
      return true;
    if (!e->isApply(ExprOp::Select))
      return false;
    e = e->getOperand(2);
  }
  return false;
}

/// A select between a probability and 0, or between probabilities.
bool ProbabilityWalk::stepSelect(ExprRef &e) {
  ExprRef condition = e->getOperand(0);
  if (leadsToExponential(e->getOperand(1)) &&
      leadsToExponential(e->getOperand(2))) {
    ExprRef merged = mergePieces(match, e);
    e = merged ? merged : e;
    return merged != nullptr;
  }
  if (isInfinite(match, match.look(condition), e->getOperand(2))) {
    e = e->getOperand(2);
    return true;
  }
  bool zeroFirst = match.look(e->getOperand(1))->isConstant(0);
  if (zeroFirst == match.look(e->getOperand(2))->isConstant(0))
    return false;
  e = e->getOperand(zeroFirst ? 2 : 1);
  zeroed.push_back(
      {zeroFirst ? condition : match.ctx.logicalNot(condition), e});
  return true;
}

bool ProbabilityWalk::step(ExprRef &e) {
  if (!dependsOnKeys(e))
    return false;
  if (e->is(ExprKind::Access)) {
    e = match.view.peel(e);
    return e != nullptr;
  }
  if (e->isApply(ExprOp::Cast)) {
    e = e->getOperand(0);
    return true;
  }
  if (e->isApply(ExprOp::Mul))
    return stepProduct(e);
  if (e->isApply(ExprOp::Div))
    return stepQuotient(e);
  if (e->isApply(ExprOp::Select))
    return stepSelect(e);
  return e->isReduce(ExprOp::Add) && refuseMixture(e);
}

/// Probabilities that are summed, with weights, before they meet the values.
bool ProbabilityWalk::refuseMixture(ExprRef sum) {
  ExprRef body = match.look(sum->getBody());
  if (keys.empty() || !body->isApply(ExprOp::Mul))
    return false;
  for (unsigned side : {0, 1})
    if (leadsToExponential(body->getOperand(side)) &&
        !match.dependsOn(body->getOperand(1 - side), keys))
      return match.refuse("probabilities are mixed with one another after the "
                          "softmax, such as those of several heads");
  return false;
}

bool ProbabilityWalk::walk(ExprRef e) {
  result.numerator = e;
  for (unsigned steps = 0; steps < 100; ++steps) {
    if (e->isApply(ExprOp::Exp) || e->isApply(ExprOp::Exp2)) {
      result.base2 = e->isApply(ExprOp::Exp2);
      result.exponent = e->getOperand(0);
      return true;
    }
    if (!step(e))
      return false;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Normalisation
//===----------------------------------------------------------------------===//

bool xsa::isSumOfNumerators(MatchContext &match, ExprRef sum, ExprRef numerator,
                            ArrayRef<ExprRef> keys) {
  // Exponentials are not negative, whether a model relies on it or not.
  if (sum->isApply(ExprOp::Abs))
    sum = match.look(sum->getOperand(0));
  sum = mergePartialSums(match, sum);
  if (!sum->isReduce(ExprOp::Add))
    return false;
  ExprRef term = sum->getBody();
  if (ExprRef inner = match.look(term); inner->isApply(ExprOp::Abs))
    term = inner->getOperand(0);
  ExprUnifier unifier(match.view, sum->getBoundVars());
  return unifier.unify(term, numerator) &&
         unifier.isBijection(sum->getBoundVars(), keys);
}

/// `select(sum == 0, 1, sum)`: differs from the sum only where no key is kept.
static ExprRef getGuardedSum(MatchContext &match, ExprRef e) {
  if (!e->isApply(ExprOp::Select))
    return nullptr;
  ExprRef condition = match.look(e->getOperand(0));
  ExprRef sum = match.look(e->getOperand(2));
  bool testsZero =
      condition->isApply(ExprOp::CmpF) &&
      condition->getPredicate() == unsigned(arith::CmpFPredicate::OEQ) &&
      match.look(condition->getOperand(1))->isConstant(0) &&
      match.look(condition->getOperand(0)) == sum;
  return testsZero ? sum : nullptr;
}

/// Takes what is the same for all terms out of a sum: `factors` times the sum
/// that is returned. Masks of zeros and ones become selects in it.
static ExprRef pullOut(MatchContext &match, ExprRef sum,
                       SmallVectorImpl<OuterFactor> &factors) {
  ArrayRef<ExprRef> vars = sum->getBoundVars();
  ExprRef e = sum->getBody(), hidden = match.ctx.boolean(false);
  for (unsigned steps = 0; steps < 16; ++steps) {
    ExprRef inner = match.look(e);
    if (inner->isApply(ExprOp::Select)) {
      bool zeroFirst = match.look(inner->getOperand(1))->isConstant(0);
      if (!zeroFirst && !match.look(inner->getOperand(2))->isConstant(0))
        break;
      ExprRef condition = inner->getOperand(0);
      if (!zeroFirst)
        condition = match.ctx.logicalNot(condition);
      hidden =
          match.ctx.apply(ExprOp::Or, hidden->getType(), {hidden, condition});
      e = inner->getOperand(zeroFirst ? 2 : 1);
      continue;
    }
    bool divides = inner->isApply(ExprOp::Div);
    if (!divides && !inner->isApply(ExprOp::Mul))
      break;
    ExprRef a = inner->getOperand(0), b = inner->getOperand(1);
    if (!divides && !match.dependsOn(a, vars))
      std::swap(a, b);
    if (!match.dependsOn(b, vars)) {
      factors.push_back({b, divides});
      e = a;
      continue;
    }
    if (divides)
      break;
    ExprRef keep = match.getZeroOneMask(b);
    if (!keep) {
      std::swap(a, b);
      keep = match.getZeroOneMask(b);
    }
    if (!keep)
      break;
    hidden = match.ctx.apply(ExprOp::Or, hidden->getType(),
                             {hidden, match.ctx.logicalNot(keep)});
    e = a;
  }
  ExprRef term =
      match.ctx.select(hidden, match.ctx.constant(e->getType(), 0), e);
  return match.view.reduce(ExprOp::Add, vars, term);
}

/// Whether `e` is the exponential of what is subtracted from the scores as well
/// as it could be: x / exp(l) and x * exp(-l).
static bool takeLogarithm(MatchContext &match, ExprRef e, bool inverse,
                          Probabilities &result) {
  if (!e->isApply(result.base2 ? ExprOp::Exp2 : ExprOp::Exp))
    return false;
  ExprRef logarithm = match.look(e->getOperand(0));
  if (!inverse) {
    if (!logarithm->isApply(ExprOp::Neg))
      return false;
    logarithm = logarithm->getOperand(0);
  }
  result.logarithms.push_back(logarithm);
  return true;
}

/// Takes one factor apart: constants into `result.factor`, the reciprocal of
/// the sum once in the end. Anything else is not softmax.
static bool matchFactor(MatchContext &match, ExprRef e, bool inverse,
                        ArrayRef<ExprRef> keys, Probabilities &result) {
  e = match.look(e);
  if (e->isConstant()) {
    result.factor *= inverse ? 1 / e->getNumber() : e->getNumber();
    return std::isfinite(result.factor) && result.factor != 0;
  }
  if (e->isApply(ExprOp::Mul) || e->isApply(ExprOp::Div))
    return matchFactor(match, e->getOperand(0), inverse, keys, result) &&
           matchFactor(match, e->getOperand(1),
                       inverse != e->isApply(ExprOp::Div), keys, result);
  if (ExprRef sum = getGuardedSum(match, e))
    e = sum;
  if (isSumOfNumerators(match, e, result.numerator, keys)) {
    result.normalizations += inverse ? 1 : -1;
    return true;
  }
  if (takeLogarithm(match, e, inverse, result))
    return true;
  if (!inverse)
    return false;
  if (result.normalizations == 0 && matchSinks(match, e, keys, result)) {
    ++result.normalizations;
    return true;
  }
  e = mergePartialSums(match, e);
  if (e->isReduce(ExprOp::Add)) {
    SmallVector<OuterFactor> factors;
    ExprRef rest = pullOut(match, e, factors);
    if (!factors.empty())
      return llvm::all_of(factors,
                          [&](const OuterFactor &factor) {
                            return matchFactor(match, factor.expr,
                                               inverse != factor.inverse, keys,
                                               result);
                          }) &&
             matchFactor(match, rest, inverse, keys, result);
    e = rest;
  }
  // The sum may skip keys whose probability is replaced by 0 afterwards.
  if (!matchMaskedSum(match, e, keys, result))
    return false;
  ++result.normalizations;
  return true;
}

/// Exponentials of scores that are not divided by their sum.
static bool refuseSum(MatchContext &match, ArrayRef<ExprRef> keys,
                      const Probabilities &result) {
  return !keys.empty() && containsScores(match, result.exponent, keys) &&
         match.refuse(
             "exponentials of scores are not seen to be divided by their sum "
             "over the same keys");
}

bool xsa::matchProbabilities(MatchContext &match, ExprRef side,
                             ArrayRef<ExprRef> keys,
                             ArrayRef<OuterFactor> factors,
                             Probabilities &result) {
  ProbabilityWalk walk(match, keys, result);
  walk.factors.assign(factors.begin(), factors.end());
  if (!walk.walk(side))
    return false;
  // Inside of the sum a zero drops a key, outside it guards a row.
  for (const ZeroGuard &guard : walk.zeroed)
    result.dropped.push_back(match.ctx.logicalNot(guard.condition));
  for (const OuterFactor &factor : walk.factors)
    if (!matchFactor(match, factor.expr, factor.inverse, keys, result))
      return false;
  if (result.normalizations != 0 && result.normalizations != 1)
    return false;
  if (result.normalizations == 1 && !result.logarithms.empty())
    return false;
  if (result.normalizations == 0) {
    // Without a division every select is outside of the sum.
    llvm::append_range(result.guards, walk.zeroed);
    result.dropped.clear();
    if (!matchLogSoftmax(match, keys, result))
      return refuseSum(match, keys, result);
  }
  return true;
}
