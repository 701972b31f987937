//===- Scores.cpp - Recognises how scores are made ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the exponent inwards to the product of queries and keys, collecting what
// is done to it: scales, soft cap, biases, masks. ScoreSteps.cpp brings these
// steps into the order in which `xsa.attention` applies them.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

namespace {
class ScoreWalk {
public:
  ScoreWalk(MatchContext &match, ArrayRef<ExprRef> keys)
      : match(match), keys(keys) {}

  /// Collects steps, the innermost last.
  bool walk(ExprRef e, SmallVectorImpl<ScoreStep> &steps, ExprRef &product);
  bool carries(ExprRef e, unsigned depth = 0);

private:
  bool isProduct(ExprRef e);
  bool reachesSum(ExprRef e, unsigned depth = 0);
  ExprRef mergeKeys(ExprRef e);
  bool refuseOperation(ExprRef e);
  bool walkSum(ExprRef e, SmallVectorImpl<ScoreStep> &steps, ExprRef &product);
  bool stepScale(ExprRef &e, SmallVectorImpl<ScoreStep> &steps);
  bool stepSelect(ExprRef &e, SmallVectorImpl<ScoreStep> &steps);
  bool stepExtremum(ExprRef &e, SmallVectorImpl<ScoreStep> &steps);

  MatchContext &match;
  ArrayRef<ExprRef> keys;
  llvm::DenseMap<ExprRef, bool> known;
};
} // namespace

/// Whether scores may go through an operation.
static bool isStep(ExprOp op) {
  switch (op) {
  case ExprOp::Add:
  case ExprOp::Sub:
  case ExprOp::Mul:
  case ExprOp::Div:
  case ExprOp::Neg:
  case ExprOp::Tanh:
  case ExprOp::Max:
  case ExprOp::Min:
  case ExprOp::Select:
    return true;
  default:
    return false;
  }
}

/// A sum of products of something that depends on the key and something that
/// does not. A single key has no variable; then the first such sum is it.
bool ScoreWalk::isProduct(ExprRef e) {
  if (!e->isReduce(ExprOp::Add))
    return false;
  ExprRef body = match.look(e->getBody());
  if (!body->isApply(ExprOp::Mul))
    return false;
  return keys.empty() || match.dependsOn(body->getOperand(0), keys) !=
                             match.dependsOn(body->getOperand(1), keys);
}

bool xsa::isComputed(MatchContext &match, ExprRef e, unsigned depth) {
  constexpr unsigned maxDepth = 8;
  e = match.view.peelLayout(e);
  if (e->is(ExprKind::Access)) {
    Operation *op = e->getValue().getDefiningOp();
    return op && !matchPattern(op, m_Constant());
  }
  return e->is(ExprKind::Reduce) ||
         (e->is(ExprKind::Apply) && depth < maxDepth &&
          llvm::any_of(
              e->getOperands(),
              [&](ExprRef operand) {
                return isComputed(match, operand, depth + 1);
              }));
}

static bool readsProduct(MatchContext &match, ExprRef e, ArrayRef<ExprRef> keys,
                         llvm::SmallPtrSetImpl<ExprRef> &seen, unsigned depth) {
  constexpr unsigned maxDepth = 24;
  if (depth > maxDepth || !e->isFloat() || !match.dependsOn(e, keys))
    return false;
  e = match.look(e);
  if (!seen.insert(e).second)
    return false;
  if (e->isReduce(ExprOp::Add)) {
    ExprRef body = match.look(e->getBody());
    if (!body->isApply(ExprOp::Mul))
      return false;
    ExprRef a = body->getOperand(0), b = body->getOperand(1);
    return match.dependsOn(a, keys) != match.dependsOn(b, keys) &&
           isComputed(match, a) && isComputed(match, b);
  }
  return e->is(ExprKind::Apply) &&
         llvm::any_of(e->getOperands(), [&](ExprRef operand) {
           return readsProduct(match, operand, keys, seen, depth + 1);
         });
}

bool xsa::readsProduct(MatchContext &match, ExprRef e, ArrayRef<ExprRef> keys) {
  llvm::SmallPtrSet<ExprRef, 16> seen;
  return ::readsProduct(match, e, keys, seen, /*depth=*/0);
}

/// Whether a sum of products is found in `e`, whatever it depends on.
bool ScoreWalk::reachesSum(ExprRef e, unsigned depth) {
  constexpr unsigned maxDepth = 8;
  e = match.look(e);
  if (e->isReduce(ExprOp::Add))
    return match.look(e->getBody())->isApply(ExprOp::Mul);
  return depth < maxDepth && e->is(ExprKind::Apply) && isStep(e->getOp()) &&
         llvm::any_of(
             e->getOperands(),
             [&](ExprRef operand) {
               return operand->isFloat() && reachesSum(operand, depth + 1);
             });
}

/// Scores that are put together from those of some keys and those of others. A
/// single key among them is a product that does not depend on the key. Null if
/// `e` is something else.
ExprRef ScoreWalk::mergeKeys(ExprRef e) {
  if (!e->isApply(ExprOp::Select) || !e->getOperand(0)->dependsOnAny(keys) ||
      !reachesSum(e->getOperand(1)) || !reachesSum(e->getOperand(2)))
    return nullptr;
  ExprRef merged = mergePieces(match, e);
  return merged && !merged->isApply(ExprOp::Select) ? merged : nullptr;
}

/// Whether a product of queries and keys is found in `e`.
bool ScoreWalk::carries(ExprRef e, unsigned depth) {
  if (depth > 24 || (!keys.empty() && !e->dependsOnAny(keys)))
    return false;
  if (auto it = known.find(e); it != known.end())
    return it->second;
  ExprRef inner = match.look(e);
  bool result = isProduct(inner);
  if (inner->is(ExprKind::Apply) && isStep(inner->getOp())) {
    bool chooses = inner->isApply(ExprOp::Select);
    result = llvm::any_of(inner->getOperands().drop_front(chooses),
                          [&](ExprRef x) { return carries(x, depth + 1); });
    if (ExprRef merged = result ? nullptr : mergeKeys(inner))
      result = carries(merged, depth + 1);
  }
  return known[e] = result;
}

/// One summand carries the scores, the other is a bias, or a shift of the row.
bool ScoreWalk::walkSum(ExprRef e, SmallVectorImpl<ScoreStep> &steps,
                        ExprRef &product) {
  for (unsigned side : {0, 1}) {
    ExprRef scores = e->getOperand(side), other = e->getOperand(1 - side);
    if (!carries(scores))
      continue;
    size_t numSteps = steps.size();
    bool subtracts = e->isApply(ExprOp::Sub);
    steps.push_back(
        {ScoreStep::Bias, subtracts && side == 0 ? -1.0 : 1.0, other});
    if (subtracts && side == 1)
      steps.push_back({ScoreStep::Scale, -1.0});
    if (walk(scores, steps, product))
      return true;
    steps.truncate(numSteps);
  }
  return false;
}

/// Multiplication or division by a number, or by something that is no number.
/// What differs by key becomes part of a score region: keys are looked at for
/// whose they are, and the factor says nothing of that.
bool ScoreWalk::stepScale(ExprRef &e, SmallVectorImpl<ScoreStep> &steps) {
  bool inverse = e->isApply(ExprOp::Div);
  unsigned side = carries(e->getOperand(0)) ? 0 : 1;
  ExprRef other = e->getOperand(1 - side);
  if (side == 1 && inverse)
    return match.refuse("a number is divided by scores before the softmax");
  if (carries(other))
    return match.refuse("scores are multiplied by scores before the softmax");
  ExprRef factor = match.look(other);
  if (!factor->isConstant() && factor->is(ExprKind::Access))
    factor = match.evaluator.simplifyAccess(factor);
  e = e->getOperand(side);
  if (factor->isConstant()) {
    double number = factor->getNumber();
    steps.push_back({ScoreStep::Scale, inverse ? 1 / number : number});
    return std::isfinite(steps.back().number);
  }
  if (!match.dependsOn(other, keys)) {
    steps.push_back({ScoreStep::Factor, 1, other, inverse});
    return true;
  }
  // Scores times a mask of zeros and ones (GPT-1): masked ones become 0.
  if (ExprRef keep = inverse ? nullptr : match.getZeroOneMask(other)) {
    steps.push_back({ScoreStep::Mask, 0, keep});
    return true;
  }
  if (readsProduct(match, other, keys))
    return match.refuse("scores are multiplied by what is computed from "
                        "products of queries and keys");
  steps.push_back({ScoreStep::Factor, 1, other, inverse});
  return true;
}

bool ScoreWalk::stepSelect(ExprRef &e, SmallVectorImpl<ScoreStep> &steps) {
  bool first = carries(e->getOperand(1));
  if (first && carries(e->getOperand(2))) {
    ExprRef merged = mergePieces(match, e);
    if (!merged)
      return match.refuse("scores are chosen between two products of queries "
                          "and keys");
    e = merged;
    return true;
  }
  ExprRef fill = match.look(e->getOperand(first ? 2 : 1));
  if (!fill->isConstant() && fill->is(ExprKind::Access))
    fill = match.evaluator.simplifyAccess(fill);
  ExprRef condition = e->getOperand(0);
  ScoreStep step{ScoreStep::Mask, 0,
                 first ? condition : match.ctx.logicalNot(condition)};
  if (fill->isConstant())
    step.number = fill->getNumber();
  else
    step.fill = e->getOperand(first ? 2 : 1);
  steps.push_back(step);
  e = e->getOperand(first ? 1 : 2);
  return true;
}

/// A clamp. A limit that no score of interest reaches, such as finfo.min, is
/// none.
bool ScoreWalk::stepExtremum(ExprRef &e, SmallVectorImpl<ScoreStep> &steps) {
  unsigned side = carries(e->getOperand(0)) ? 0 : 1;
  ExprRef limit = match.look(e->getOperand(1 - side));
  bool isMax = e->isApply(ExprOp::Max);
  if (!limit->isConstant())
    return match.refuse("scores are clamped to values that are not constant");
  double number = limit->getNumber();
  if (isMax ? number > -1e30 : number < 1e30)
    steps.push_back({isMax ? ScoreStep::AtLeast : ScoreStep::AtMost, number});
  e = e->getOperand(side);
  return true;
}

/// Names what scores go through that has no place in attention.
bool ScoreWalk::refuseOperation(ExprRef e) {
  auto reads = [&](ExprRef x) { return readsProduct(match, x, keys); };
  if (keys.empty() || !reads(e))
    return false;
  while (true) {
    e = match.look(e);
    if (!e->is(ExprKind::Apply))
      return false;
    if (!isStep(e->getOp()))
      break;
    e = *llvm::find_if(e->getOperands(), reads);
  }
  StringRef name = e->isApply(ExprOp::Other) ? e->getOtherName()
                                             : stringifyExprOp(e->getOp());
  return match.refuse("scores go through '" + name + "' before the softmax");
}

bool ScoreWalk::walk(ExprRef e, SmallVectorImpl<ScoreStep> &steps,
                     ExprRef &product) {
  while (true) {
    e = match.look(e);
    if (isProduct(e)) {
      product = e;
      return true;
    }
    if (ExprRef merged = mergeKeys(e)) {
      e = merged;
      continue;
    }
    if (!e->is(ExprKind::Apply) || !isStep(e->getOp()) ||
        llvm::none_of(e->getOperands(), [&](ExprRef x) { return carries(x); }))
      return refuseOperation(e);
    switch (e->getOp()) {
    case ExprOp::Add:
    case ExprOp::Sub:
      return walkSum(e, steps, product);
    case ExprOp::Mul:
    case ExprOp::Div:
      if (!stepScale(e, steps))
        return false;
      break;
    case ExprOp::Neg:
      steps.push_back({ScoreStep::Scale, -1.0});
      e = e->getOperand(0);
      break;
    case ExprOp::Tanh:
      steps.push_back({ScoreStep::Cap});
      e = e->getOperand(0);
      break;
    case ExprOp::Max:
    case ExprOp::Min:
      if (!stepExtremum(e, steps))
        return false;
      break;
    case ExprOp::Select:
      if (!stepSelect(e, steps))
        return false;
      break;
    default:
      llvm_unreachable("every step is handled above");
    }
  }
}

bool xsa::containsScores(MatchContext &match, ExprRef e,
                         ArrayRef<ExprRef> keys) {
  return ScoreWalk(match, keys).carries(e);
}

/// Values in place of scores whose exponentials are 0 as they are, because no
/// maximum is subtracted, are masks, also in rows that keep no key.
static void resolveUnshiftedMasks(MutableArrayRef<ScoreStep> outermostFirst) {
  for (ScoreStep &step : outermostFirst) {
    if (step.kind != ScoreStep::Mask || step.fill)
      return;
    if (std::exp(step.number) == 0)
      step.number = -INFINITY;
  }
}

bool xsa::matchScores(MatchContext &match, const Probabilities &probabilities,
                      ArrayRef<ExprRef> keys, SmallVectorImpl<ScoreStep> &steps,
                      ExprRef &product) {
  SmallVector<ScoreStep> outermostFirst;
  for (ExprRef keep : probabilities.dropped)
    outermostFirst.push_back({ScoreStep::Mask, -INFINITY, keep});
  if (probabilities.base2)
    outermostFirst.push_back({ScoreStep::Scale, M_LN2});
  size_t numDropped = outermostFirst.size();
  ScoreWalk walk(match, keys);
  if (!walk.walk(probabilities.exponent, outermostFirst, product))
    return match.refuse("scores are not a product of queries and keys");
  // A scale by ln 2 does not change which exponentials are 0.
  resolveUnshiftedMasks(MutableArrayRef(outermostFirst).drop_front(numDropped));
  steps.assign(outermostFirst.rbegin(), outermostFirst.rend());
  return true;
}
