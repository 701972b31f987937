//===- Guards.cpp - Probabilities that are replaced by 0 ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models guard rows without keys: where all scores are -inf, where a
// probability is NaN, where the mask says so, row by row or key by key. Where
// masked scores have a finite value, this is what makes them masks.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace xsa;

namespace {
/// What is -inf for all values of some variables.
struct AllMasked {
  ExprRef value = nullptr;
  ArrayRef<ExprRef> vars;
};
} // namespace

static bool isEqualToNegInf(MatchContext &match, ExprRef e) {
  return e->isApply(ExprOp::CmpF) &&
         e->getPredicate() == unsigned(arith::CmpFPredicate::OEQ) &&
         match.look(e->getOperand(1))->isConstant(-INFINITY);
}

/// Reads `x == -inf` for all keys, or the maximum of x over the keys being
/// -inf.
static AllMasked getAllMasked(MatchContext &match, ExprRef condition,
                              bool negated) {
  if (condition->isReduce(negated ? ExprOp::Or : ExprOp::And)) {
    ExprRef body = match.look(condition->getBody());
    if (negated) {
      if (!body->isApply(ExprOp::Not))
        return {};
      body = match.look(body->getOperand(0));
    }
    if (!isEqualToNegInf(match, body))
      return {};
    return {body->getOperand(0), condition->getBoundVars()};
  }
  if (negated || !isEqualToNegInf(match, condition))
    return {};
  ExprRef max = match.look(condition->getOperand(0));
  if (!max->isReduce(ExprOp::Max))
    return {};
  return {max->getBody(), max->getBoundVars()};
}

/// Biases that hide a key where they are -inf, whatever else is in its score.
static SmallVector<ExprRef> collectHidingBiases(ArrayRef<ScoreStep> steps) {
  SmallVector<ExprRef> biases;
  for (const ScoreStep &step : llvm::reverse(steps)) {
    bool isBias = step.kind == ScoreStep::Bias;
    bool isScale = step.kind == ScoreStep::Scale && step.number > 0;
    bool isMask =
        step.kind == ScoreStep::Mask && !step.fill && step.number == -INFINITY;
    if (!isBias && !isScale && !isMask)
      break;
    if (isBias && step.number > 0)
      biases.push_back(step.expr);
  }
  return biases;
}

static bool isAllMasked(MatchContext &match, const AllMasked &masked,
                        ExprRef value, ArrayRef<ExprRef> keys) {
  ExprUnifier unifier(match.view, masked.vars);
  return unifier.unify(masked.value, value) &&
         unifier.isBijection(masked.vars, keys);
}

/// Whether all scores before the shift are -inf.
static bool areScoresMasked(MatchContext &match, const AllMasked &masked,
                            const Probabilities &result,
                            ArrayRef<ExprRef> keys) {
  ExprRef scores = result.exponent;
  for (unsigned depth = 0; scores && depth < 16; ++depth) {
    if (isAllMasked(match, masked, scores, keys))
      return true;
    if (scores->isApply(ExprOp::Sub) || scores->isApply(ExprOp::Cast))
      scores = scores->getOperand(0);
    else
      scores = match.view.peel(scores);
  }
  return false;
}

/// Whether a probability is replaced by 0 only where no key is kept: the
/// condition says that all scores are -inf, or one bias for all keys, or that
/// the probability is NaN. `isAny` tells whether it is so wherever no key is
/// kept.
static bool isEmptyRowGuard(MatchContext &match, const ZeroGuard &guard,
                            const Probabilities &result,
                            ArrayRef<ScoreStep> steps, ArrayRef<ExprRef> keys,
                            bool &isAny) {
  ExprRef e = match.look(guard.condition);
  bool negated = false;
  while (e->isApply(ExprOp::Not)) {
    negated = !negated;
    e = match.look(e->getOperand(0));
  }
  isAny = true;
  using P = arith::CmpFPredicate;
  if (!negated && e->isApply(ExprOp::CmpF) &&
      (e->getPredicate() == unsigned(P::UNO) ||
       e->getPredicate() == unsigned(P::UNE)))
    return match.look(e->getOperand(0)) == match.look(guard.guarded) &&
           match.look(e->getOperand(1)) == match.look(guard.guarded);
  AllMasked masked = getAllMasked(match, e, negated);
  if (!masked.value)
    return false;
  if (areScoresMasked(match, masked, result, keys))
    return true;
  auto mayHide = [](const ScoreStep &step) {
    return step.kind == ScoreStep::Bias || step.kind == ScoreStep::Mask;
  };
  isAny = llvm::count_if(steps, mayHide) == 1;
  return llvm::any_of(collectHidingBiases(steps), [&](ExprRef bias) {
    return isAllMasked(match, masked, bias, keys);
  });
}

//===----------------------------------------------------------------------===//
// Guards by the mask
//===----------------------------------------------------------------------===//

namespace {
/// A step of the scores as the mask that it is.
struct MaskedStep {
  ScoreStep *step;
  ExprRef keep;
  double fill;
};
} // namespace

/// Masks in place of scores, and those that are added to them, as long as what
/// is done to scores after them leaves them masks.
static SmallVector<MaskedStep> collectMasks(MatchContext &match,
                                            MutableArrayRef<ScoreStep> steps) {
  SmallVector<MaskedStep> masks;
  double scale = 1;
  for (ScoreStep &step : llvm::reverse(steps)) {
    if (step.kind == ScoreStep::Scale && step.number > 0)
      scale *= step.number;
    else if (step.kind != ScoreStep::Mask && step.kind != ScoreStep::Bias)
      break;
    if (step.kind == ScoreStep::Mask && !step.fill) {
      masks.push_back(
          {&step, match.evaluator.resolve(step.expr), step.number * scale});
      // What is below is not seen where this one is.
      if (std::isfinite(step.number))
        break;
    } else if (step.kind == ScoreStep::Bias) {
      ExprRef bias = match.evaluator.resolve(step.expr);
      if (!bias->isApply(ExprOp::Select))
        continue;
      bool keepsTrue = bias->getOperand(1)->isConstant(0);
      ExprRef fill = bias->getOperand(keepsTrue ? 2 : 1);
      ExprRef keep = bias->getOperand(0);
      if (fill->isConstant() &&
          bias->getOperand(keepsTrue ? 1 : 2)->isConstant(0))
        masks.push_back({&step, keepsTrue ? keep : match.ctx.logicalNot(keep),
                         fill->getNumber() * step.number * scale});
    }
  }
  llvm::erase_if(masks,
                 [](const MaskedStep &mask) { return !(mask.fill <= -1e4); });
  return masks;
}

/// Whether `condition` says that `keep` holds for no key.
static bool isNoKeyKept(MatchContext &match, ExprRef condition, ExprRef keep,
                        ArrayRef<ExprRef> keys) {
  bool negated = condition->isApply(ExprOp::Not);
  ExprRef all = match.look(negated ? condition->getOperand(0) : condition);
  if (!all->isReduce(negated ? ExprOp::Or : ExprOp::And))
    return false;
  ExprRef body = match.evaluator.resolve(all->getBody());
  ExprUnifier unifier(match.view, all->getBoundVars());
  return unifier.unify(negated ? body : match.ctx.logicalNot(body), keep) &&
         unifier.isBijection(all->getBoundVars(), keys);
}

bool xsa::resolveGuards(MatchContext &match, const Probabilities &probabilities,
                        ArrayRef<ExprRef> keys,
                        MutableArrayRef<ScoreStep> steps,
                        bool &emptyRowsAreZero) {
  SmallVector<MaskedStep> masks = collectMasks(match, steps);
  for (const ZeroGuard &guard : probabilities.guards) {
    bool isAny = false;
    if (isEmptyRowGuard(match, guard, probabilities, steps, keys, isAny)) {
      emptyRowsAreZero |= isAny;
      continue;
    }
    ExprRef condition = match.evaluator.resolve(guard.condition);
    if (condition->isConstant(0))
      continue;
    auto isOtherFinite = [&](const MaskedStep &mask) {
      return llvm::any_of(masks, [&](const MaskedStep &other) {
        return &other != &mask && std::isfinite(other.fill);
      });
    };
    auto *found = llvm::find_if(masks, [&](const MaskedStep &mask) {
      // Two finite masks may leave a row to one another.
      if (std::isfinite(mask.fill) && isOtherFinite(mask))
        return false;
      ExprUnifier unifier(match.view, {});
      if (unifier.unify(match.ctx.logicalNot(condition), mask.keep))
        return true;
      // A row that another mask empties keeps what the finite values give.
      return (std::isinf(mask.fill) || masks.size() == 1) &&
             isNoKeyKept(match, condition, mask.keep, keys);
    });
    if (found == masks.end())
      return match.refuse("probabilities are set to 0 after the softmax under "
                          "a condition that is not its mask");
    if (std::isfinite(found->fill))
      *found->step = {ScoreStep::Mask, -INFINITY, found->keep};
    emptyRowsAreZero |= masks.size() == 1;
  }
  return true;
}
