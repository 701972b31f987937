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

ExprRef MatchContext::look(ExprRef e) {
  while (true) {
    if (e->isApply(ExprOp::Cast)) {
      e = e->getOperand(0);
      continue;
    }
    ExprRef inner = view.peel(e);
    if (!inner)
      return e;
    e = inner;
  }
}

bool MatchContext::dependsOn(ExprRef e, ArrayRef<ExprRef> vars,
                             unsigned depth) {
  if (!e->dependsOnAny(vars))
    return false;
  ExprRef inner = depth < 16 ? look(e) : e;
  if (!inner->dependsOnAny(vars))
    return false;
  if (inner->is(ExprKind::Apply) || inner->is(ExprKind::Reduce))
    return llvm::any_of(inner->getOperands(), [&](ExprRef x) {
      return dependsOn(x, vars, depth + 1);
    });
  return true;
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
      match.refuse("softmax does not run over the keys that are summed with "
                   "the values (it runs over the query axis)");
    return false;
  }
  take({divisor, /*inverse=*/true}, e->getOperand(0), e);
  return true;
}

/// A select between a probability and 0.
bool ProbabilityWalk::stepSelect(ExprRef &e) {
  ExprRef condition = e->getOperand(0);
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
  if (!sum->isReduce(ExprOp::Add))
    return false;
  ExprUnifier unifier(match.view, sum->getBoundVars());
  return unifier.unify(sum->getBody(), numerator) &&
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

/// Takes one factor apart: constants into `result.factor`, the reciprocal of
/// the sum once. Anything else is not softmax.
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
  if (!inverse || result.normalized)
    return false;
  if (ExprRef sum = getGuardedSum(match, e))
    e = sum;
  result.normalized = isSumOfNumerators(match, e, result.numerator, keys) ||
                      matchSinks(match, e, keys, result);
  if (result.normalized)
    return true;
  // The sum may skip keys whose probability is replaced by 0 afterwards.
  for (ZeroGuard &guard : result.guards) {
    Type type = result.numerator->getType();
    ExprRef kept = match.ctx.select(
        guard.condition, match.ctx.constant(type, 0), result.numerator);
    if (!match.dependsOn(guard.condition, keys) ||
        !isSumOfNumerators(match, e, kept, keys))
      continue;
    result.normalized = true;
    result.dropped.push_back(match.ctx.logicalNot(guard.condition));
    result.guards.erase(&guard);
    return true;
  }
  return false;
}

/// exp(x - log(sum exp x)), written also as exp(s - (m + log(sum exp(s - m)))).
static bool matchLogSoftmax(MatchContext &match, ArrayRef<ExprRef> keys,
                            Probabilities &result) {
  ExprRef outer = match.look(result.exponent);
  if (result.base2 || !outer->isApply(ExprOp::Sub))
    return false;
  ExprRef inner = outer->getOperand(0),
          shift = match.look(outer->getOperand(1));
  SmallVector<std::pair<ExprRef, ExprRef>> candidates; // logarithm, rest
  candidates.emplace_back(shift, nullptr);
  if (shift->isApply(ExprOp::Add)) {
    candidates.emplace_back(match.look(shift->getOperand(0)),
                            shift->getOperand(1));
    candidates.emplace_back(match.look(shift->getOperand(1)),
                            shift->getOperand(0));
  }
  for (auto [logarithm, rest] : candidates) {
    if (!logarithm->isApply(ExprOp::Log))
      continue;
    Type type = outer->getType();
    ExprRef exponent =
        rest ? match.ctx.apply(ExprOp::Sub, type, {inner, rest}) : inner;
    ExprRef exponential = match.ctx.apply(ExprOp::Exp, type, exponent);
    if (!isSumOfNumerators(match, match.look(logarithm->getOperand(0)),
                           exponential, keys))
      continue;
    result.exponent = exponent;
    result.numerator = exponential;
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// `x == -inf` for all keys, where `x` are the scores before the shift.
static bool isAllMasked(MatchContext &match, ExprRef condition, bool negated,
                        const Probabilities &result, ArrayRef<ExprRef> keys) {
  if (!condition->isReduce(negated ? ExprOp::Or : ExprOp::And))
    return false;
  ExprRef body = match.look(condition->getBody());
  if (negated) {
    if (!body->isApply(ExprOp::Not))
      return false;
    body = match.look(body->getOperand(0));
  }
  if (!body->isApply(ExprOp::CmpF) ||
      body->getPredicate() != unsigned(arith::CmpFPredicate::OEQ) ||
      !match.look(body->getOperand(1))->isConstant(-INFINITY))
    return false;
  ExprRef scores = result.exponent;
  for (unsigned depth = 0; scores && depth < 16; ++depth) {
    ExprUnifier unifier(match.view, condition->getBoundVars());
    if (unifier.unify(body->getOperand(0), scores) &&
        unifier.isBijection(condition->getBoundVars(), keys))
      return true;
    if (scores->isApply(ExprOp::Sub) || scores->isApply(ExprOp::Cast))
      scores = scores->getOperand(0);
    else
      scores = match.view.peel(scores);
  }
  return false;
}

/// Whether a probability is replaced by 0 only where no key is kept: the
/// condition says that all scores are -inf, or that the probability is NaN.
static bool isEmptyRowGuard(MatchContext &match, const ZeroGuard &guard,
                            const Probabilities &result,
                            ArrayRef<ExprRef> keys) {
  ExprRef e = match.look(guard.condition);
  bool negated = false;
  while (e->isApply(ExprOp::Not)) {
    negated = !negated;
    e = match.look(e->getOperand(0));
  }
  using P = arith::CmpFPredicate;
  if (!negated && e->isApply(ExprOp::CmpF) &&
      (e->getPredicate() == unsigned(P::UNO) ||
       e->getPredicate() == unsigned(P::UNE)))
    return match.look(e->getOperand(0)) == match.look(guard.guarded) &&
           match.look(e->getOperand(1)) == match.look(guard.guarded);
  return isAllMasked(match, e, negated, result, keys);
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
  if (!result.normalized) {
    // Without a division every select is outside of the sum.
    if (!matchLogSoftmax(match, keys, result))
      return false;
    llvm::append_range(result.guards, walk.zeroed);
    result.dropped.clear();
  }
  for (const ZeroGuard &guard : result.guards)
    if (!isEmptyRowGuard(match, guard, result, keys))
      return match.refuse("probabilities are replaced by 0 under a condition "
                          "other than an empty row");
  return true;
}
