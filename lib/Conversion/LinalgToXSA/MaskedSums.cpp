//===- MaskedSums.cpp - Sums of the exponentials that are kept ------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A key is left out of a softmax by a score of -inf, by a 0 in place of its
// exponential, or by both; in the sum one way and in the probability another
// (`logsumexp(where=...)`). What is added up are the probabilities' numerators
// if exponents agree where keys are kept, and the conditions do.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

namespace {
/// Takes masks off exponents and exponentials.
class MaskStripper {
public:
  explicit MaskStripper(MatchContext &match) : match(match) {}

  /// All of these hold where a key is kept; else its exponential is 0.
  SmallVector<ExprRef> kept;
  /// What else is known of the keys in question.
  SmallVector<ExprRef> known;

  static void addCondition(MatchContext &match, ExprRef condition,
                           SmallVectorImpl<ExprRef> &conditions);
  void keep(ExprRef condition) { addCondition(match, condition, kept); }

  /// The exponent without what the conditions decide.
  ExprRef strip(ExprRef exponent);
  /// The same of an exponential; null if it is none.
  ExprRef stripExponential(ExprRef e, bool base2);

private:
  ExprRef stripOnce(ExprRef e, unsigned depth = 0);
  ExprRef stripSelect(ExprRef select, unsigned depth);
  std::optional<bool> decide(ExprRef condition);

  MatchContext &match;
};
} // namespace

/// Adds the parts of a conjunction.
void MaskStripper::addCondition(MatchContext &match, ExprRef condition,
                                SmallVectorImpl<ExprRef> &conditions) {
  condition = match.evaluator.resolve(condition);
  if (condition->isApply(ExprOp::And)) {
    for (ExprRef part : condition->getOperands())
      addCondition(match, part, conditions);
    return;
  }
  if (!condition->isConstant(1) && !llvm::is_contained(conditions, condition))
    conditions.push_back(condition);
}

/// Whether a condition holds for all keys in question, or for none.
std::optional<bool> MaskStripper::decide(ExprRef condition) {
  auto isKnown = [&](ExprRef e) {
    SmallVector<ExprRef> parts;
    addCondition(match, e, parts);
    return llvm::all_of(parts, [&](ExprRef part) {
      return llvm::is_contained(kept, part) || llvm::is_contained(known, part);
    });
  };
  if (isKnown(condition))
    return true;
  if (isKnown(match.ctx.logicalNot(condition)))
    return false;
  return std::nullopt;
}

/// A choice that a condition decides, or one between a score and -inf.
ExprRef MaskStripper::stripSelect(ExprRef select, unsigned depth) {
  ExprRef condition = select->getOperand(0);
  for (bool first : {true, false})
    if (match.look(select->getOperand(first ? 2 : 1))->isConstant(-INFINITY)) {
      keep(first ? condition : match.ctx.logicalNot(condition));
      return stripOnce(select->getOperand(first ? 1 : 2), depth + 1);
    }
  std::optional<bool> decided = decide(condition);
  return decided ? stripOnce(select->getOperand(*decided ? 1 : 2), depth + 1)
                 : nullptr;
}

/// -inf stays -inf in sums and in multiples.
ExprRef MaskStripper::stripOnce(ExprRef e, unsigned depth) {
  constexpr unsigned maxDepth = 16;
  if (depth > maxDepth)
    return e;
  ExprRef inner = match.look(e);
  ExprRef stripped = nullptr;
  if (inner->isApply(ExprOp::Select)) {
    stripped = stripSelect(inner, depth);
  } else if (inner->isApply(ExprOp::Add) || inner->isApply(ExprOp::Sub)) {
    bool adds = inner->isApply(ExprOp::Add);
    ExprRef a = inner->getOperand(0), b = inner->getOperand(1);
    ExprRef x = stripOnce(a, depth + 1);
    ExprRef y = adds ? stripOnce(b, depth + 1) : b;
    if (x != a || y != b)
      stripped = match.ctx.apply(inner->getOp(), inner->getType(), {x, y});
  } else if (inner->isApply(ExprOp::Mul) || inner->isApply(ExprOp::Div)) {
    ExprRef factor = match.look(inner->getOperand(1));
    ExprRef x = factor->isConstant() && factor->getNumber() > 0
                    ? stripOnce(inner->getOperand(0), depth + 1)
                    : inner->getOperand(0);
    if (x != inner->getOperand(0))
      stripped = match.ctx.apply(inner->getOp(), inner->getType(),
                                 {x, inner->getOperand(1)});
  }
  if (!stripped)
    return e;
  return stripped->getType() == e->getType()
             ? stripped
             : match.ctx.apply(ExprOp::Cast, e->getType(), stripped);
}

ExprRef MaskStripper::strip(ExprRef exponent) {
  // A mask found late may decide what was met before.
  size_t before;
  do {
    before = kept.size();
    exponent = stripOnce(exponent);
  } while (kept.size() != before);
  return exponent;
}

ExprRef MaskStripper::stripExponential(ExprRef e, bool base2) {
  for (unsigned steps = 0; steps < 16; ++steps) {
    e = match.look(e);
    if (e->isApply(base2 ? ExprOp::Exp2 : ExprOp::Exp))
      return strip(e->getOperand(0));
    if (e->isApply(ExprOp::Select)) {
      bool zeroFirst = match.look(e->getOperand(1))->isConstant(0);
      if (!zeroFirst && !match.look(e->getOperand(2))->isConstant(0))
        return nullptr;
      keep(zeroFirst ? match.ctx.logicalNot(e->getOperand(0))
                     : e->getOperand(0));
      e = e->getOperand(zeroFirst ? 2 : 1);
      continue;
    }
    if (!e->isApply(ExprOp::Mul))
      return nullptr;
    ExprRef condition = nullptr, other = nullptr;
    for (unsigned side : {0, 1})
      if (!condition && (condition = match.getZeroOneMask(e->getOperand(side))))
        other = e->getOperand(1 - side);
    if (!condition)
      return nullptr;
    keep(condition);
    e = other;
  }
  return nullptr;
}

void xsa::takeMasks(MatchContext &match, Probabilities &result) {
  MaskStripper stripper(match);
  for (ExprRef condition : result.dropped)
    stripper.keep(condition);
  for (const ZeroGuard &guard : result.guards)
    MaskStripper::addCondition(match, match.ctx.logicalNot(guard.condition),
                               stripper.known);
  result.exponent = stripper.strip(result.exponent);
  result.dropped = std::move(stripper.kept);
}

bool xsa::matchMaskedSum(MatchContext &match, ExprRef sum,
                         ArrayRef<ExprRef> keys, Probabilities &result) {
  // Exponentials are not negative, whether a model relies on it or not.
  if (sum->isApply(ExprOp::Abs))
    sum = match.look(sum->getOperand(0));
  sum = mergePartialSums(match, sum);
  if (!sum->isReduce(ExprOp::Add) || keys.empty())
    return false;
  MaskStripper summed(match);
  ExprRef exponent = summed.stripExponential(sum->getBody(), result.base2);
  if (!exponent)
    return false;
  Probabilities attempt = result;
  takeMasks(match, attempt);

  ArrayRef<ExprRef> vars = sum->getBoundVars();
  ExprUnifier unifier(match.view, vars);
  if (!unifier.unify(exponent, attempt.exponent) ||
      !unifier.isBijection(vars, keys))
    return false;
  // A key is in the sum if and only if its probability is kept. Where a guard
  // has more conditions than the sum it stays, to be looked at by itself.
  auto isInSum = [&](ExprRef condition) {
    return llvm::any_of(summed.kept, [&](ExprRef other) {
      return ExprUnifier(unifier).unify(other, condition);
    });
  };
  if (!llvm::all_of(attempt.dropped, isInSum))
    return false;
  llvm::erase_if(attempt.guards, [&](const ZeroGuard &guard) {
    SmallVector<ExprRef> conditions;
    MaskStripper::addCondition(match, match.ctx.logicalNot(guard.condition),
                               conditions);
    if (conditions.empty() || !llvm::all_of(conditions, isInSum))
      return false;
    llvm::append_range(attempt.dropped, conditions);
    return true;
  });
  bool allKept = llvm::all_of(summed.kept, [&](ExprRef condition) {
    return llvm::any_of(attempt.dropped, [&](ExprRef other) {
      return ExprUnifier(unifier).unify(condition, other);
    });
  });
  if (!allKept)
    return false;
  result = std::move(attempt);
  return true;
}
