//===- Masks.cpp - Finds structure in masks -------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask is a conjunction of conditions. Those that bound the key by the row
// become `causal` and windows; constant ones are tabulated and looked at as a
// picture; bounds that come from elsewhere are operands of a row each, the rest
// is a mask operand. Finite mask values are masks only where
// every row provably keeps a key.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

namespace {
class MaskClassifier {
public:
  MaskClassifier(MatchContext &match, AttentionMatch &result)
      : match(match), ctx(match.ctx), result(result) {}

  bool run();

private:
  void addCondition(ExprRef keep);
  bool addBound(ExprRef polynomial);
  bool addBounds(ExprRef polynomial);
  bool addTable(ExprRef keep);
  bool isConstant(ExprRef condition);
  bool everyRowKeepsAKey();
  bool everyRowKeepsItsOwnKey(ExprRef keep);
  ExprRef joinEnds(ExprRef keep);
  bool addKeyBound(ExprRef keep);
  void withdrawFiniteMasks();
  void setBand();
  ExprRef conjunction(ArrayRef<ExprRef> conditions);

  MatchContext &match;
  ExprContext &ctx;
  AttentionMatch &result;
  /// Keys kept by row i: i - left <= j <= i + right.
  Band band;
  /// Set if the band's right bound is the diagonal of the last rows and keys.
  bool rightIsBottomAligned = false;
  SmallVector<ExprRef> rest;
};
} // namespace

ExprRef MaskClassifier::conjunction(ArrayRef<ExprRef> conditions) {
  ExprRef all = ctx.boolean(true);
  for (ExprRef condition : conditions)
    all = ctx.apply(ExprOp::And, all->getType(), {all, condition});
  return all;
}

/// `polynomial >= 0` where it is the distance of row and key plus a constant.
bool MaskClassifier::addBound(ExprRef polynomial) {
  // Beyond this a bound says nothing more, and sums of bounds are exact.
  constexpr int64_t limit = int64_t(1) << 61;
  auto toBound = [&](ExprRef e) {
    auto bound = ExprContext::getInteger(e);
    return bound ? std::optional(std::clamp(*bound, -limit, limit)) : bound;
  };
  ExprRef distance = ctx.sub(result.rowIndex, result.keyIndex);
  ExprRef right = ctx.sub(polynomial, distance);
  if (right->getFreeVars().empty()) {
    if (auto bound = toBound(right)) {
      band.right = std::min(*bound, band.right.value_or(*bound));
      return true;
    }
    // The diagonal of a dynamic size that ends at the last key.
    if (right == ctx.sub(result.numKeys, result.numRows) && !band.right) {
      rightIsBottomAligned = true;
      return true;
    }
    return false;
  }
  auto left = toBound(ctx.add(polynomial, distance));
  if (!left)
    return false;
  band.left = std::min(*left, band.left.value_or(*left));
  return true;
}

/// The same where the distance is bounded from both sides at once, such as its
/// magnitude: max(a, b) <= c says both a <= c and b <= c.
bool MaskClassifier::addBounds(ExprRef polynomial) {
  if (addBound(polynomial))
    return true;
  for (const PolyTerm &term : ExprContext::getTerms(polynomial)) {
    ExprRef atom = term.atoms.size() == 1 ? term.atoms[0] : nullptr;
    bool isLeast = atom && atom->isApply(ExprOp::IntMin) && term.coeff == 1;
    bool isLargest = atom && atom->isApply(ExprOp::IntMax) && term.coeff == -1;
    if (!isLeast && !isLargest)
      continue;
    bool areBounds = true;
    for (ExprRef operand : atom->getOperands()) {
      ExprRef change = ctx.sub(operand, atom);
      areBounds &= addBounds(isLeast ? ctx.add(polynomial, change)
                                     : ctx.sub(polynomial, change));
    }
    return areBounds;
  }
  return false;
}

void MaskClassifier::addCondition(ExprRef keep) {
  if (keep->isConstant(1))
    return;
  if (keep->isApply(ExprOp::And)) {
    addCondition(keep->getOperand(0));
    addCondition(keep->getOperand(1));
    return;
  }
  if (keep->isApply(ExprOp::NonNegative) && addBounds(keep->getOperand(0)))
    return;
  if (!llvm::is_contained(rest, keep))
    rest.push_back(keep);
}

/// Reads a condition that depends on no input value by value. Returns false if
/// it has to stay an operand.
bool MaskClassifier::addTable(ExprRef keep) {
  auto numRows = ExprContext::getInteger(result.numRows);
  auto numKeys = ExprContext::getInteger(result.numKeys);
  if (!numRows || !numKeys)
    return false;
  SmallVector<ExprRef> vars;
  for (ExprRef var : keep->getFreeVars())
    if (!llvm::is_contained(result.rows, var) &&
        !llvm::is_contained(result.keys, var))
      vars.push_back(var);
  llvm::append_range(vars, result.rows);
  llvm::append_range(vars, result.keys);
  auto table = match.evaluator.tabulate(keep, vars);
  if (!table)
    return false;
  int64_t size = *numRows * *numKeys;
  for (size_t i = size; i < table->size(); ++i)
    if ((*table)[i] != (*table)[i - size])
      return false;
  auto found = readBand(ArrayRef(*table).take_front(size), *numRows, *numKeys);
  if (!found)
    return false;
  if (found->right)
    band.right = std::min(*found->right, band.right.value_or(*found->right));
  if (found->left)
    band.left = std::min(*found->left, band.left.value_or(*found->left));
  return true;
}

/// Keys before one of two ends are those before the later one: the past of a
/// row, and a prefix that all rows see.
ExprRef MaskClassifier::joinEnds(ExprRef keep) {
  if (!keep->isApply(ExprOp::Or))
    return nullptr;
  ExprRef ends[2];
  for (auto [end, side] : llvm::zip_equal(ends, keep->getOperands())) {
    ExprRef joined = joinEnds(side);
    ExprRef bound = joined ? joined : side;
    if (!bound->isApply(ExprOp::NonNegative))
      return nullptr;
    end = ctx.add(bound->getOperand(0), result.keyIndex);
    if (end->dependsOnAny(result.keys))
      return nullptr;
  }
  ExprRef last = ctx.apply(ExprOp::IntMax, ends[0]->getType(), ends);
  return ctx.nonNegative(ctx.sub(last, result.keyIndex));
}

/// A bound of the key that differs by row or sequence only: padding, packed
/// sequences.
bool MaskClassifier::addKeyBound(ExprRef keep) {
  if (ExprRef joined = joinEnds(keep))
    keep = joined;
  if (!keep->isApply(ExprOp::NonNegative))
    return false;
  ExprRef polynomial = keep->getOperand(0);
  auto limit = [&](ExprRef &bound, ExprOp op, ExprRef e) {
    bound = bound ? ctx.apply(op, e->getType(), {bound, e}) : e;
    return true;
  };
  ExprRef end = ctx.add(ctx.add(polynomial, result.keyIndex), ctx.integer(1));
  if (!end->dependsOnAny(result.keys))
    return limit(result.keyEnd, ExprOp::IntMin, end);
  ExprRef begin = ctx.sub(result.keyIndex, polynomial);
  return !begin->dependsOnAny(result.keys) &&
         limit(result.keyBegin, ExprOp::IntMax, begin);
}

/// Whether a condition depends on no input.
bool MaskClassifier::isConstant(ExprRef condition) {
  ConstantEvaluator::Environment origin;
  for (ExprRef var : condition->getFreeVars())
    origin[var] = 0;
  return match.evaluator.evaluate(condition, origin).has_value();
}

/// Whether `e` is `value` whatever is in its variables and in tensors.
static bool isAlways(MatchContext &match, ExprRef e, bool value,
                     unsigned depth = 0) {
  constexpr unsigned maxDepth = 16;
  if (depth > maxDepth)
    return false;
  ExprContext &ctx = match.ctx;
  e = match.look(e);
  auto is = [&](unsigned operand, bool expected) {
    return isAlways(match, e->getOperand(operand), expected, depth + 1);
  };
  if (e->isConstant())
    return e->isConstant(value);
  if (e->isApply(ExprOp::Not))
    return is(0, !value);
  if (e->isApply(ExprOp::And) || e->isApply(ExprOp::Or))
    return e->isApply(ExprOp::And) == value ? is(0, value) && is(1, value)
                                            : is(0, value) || is(1, value);
  if (e->isApply(ExprOp::Select) && e->isBool())
    return (is(0, false) || is(1, value)) && (is(0, true) || is(2, value));
  if (!value || !e->isApply(ExprOp::NonNegative))
    return false;
  return ctx.isProvablyNonNegative(e->getOperand(0));
}

/// Whether the row's own key, counted from the first or from the last ones, is
/// kept. That is seen for any length.
bool MaskClassifier::everyRowKeepsItsOwnKey(ExprRef keep) {
  ExprRef surplus = ctx.sub(result.numKeys, result.numRows);
  if (!ctx.isProvablyNonNegative(surplus))
    return false;
  SmallVector<ExprRef> sizes;
  for (ExprRef digit : result.keys)
    sizes.push_back(digit->getExtent());
  return llvm::any_of(ArrayRef{ctx.integer(0), surplus}, [&](ExprRef offset) {
    ExprContext::Substitution own;
    for (auto [digit, index] : llvm::zip_equal(
             result.keys,
             ctx.delinearize(ctx.add(result.rowIndex, offset), sizes)))
      own[digit] = index;
    return isAlways(match, ctx.substitute(keep, own), true);
  });
}

bool MaskClassifier::everyRowKeepsAKey() {
  // What a region does to scores is not looked into.
  if (!result.region.empty())
    return false;
  if (rest.empty()) {
    ExprRef surplus = ctx.sub(result.numKeys, result.numRows);
    bool right = rightIsBottomAligned ? ctx.isProvablyNonNegative(surplus)
                                      : !band.right || *band.right >= 0;
    bool left = !band.left || ctx.isProvablyNonNegative(
                                  ctx.add(surplus, ctx.integer(*band.left)));
    bool both =
        !band.left || !(band.right || rightIsBottomAligned) ||
        (band.right && *band.left + *band.right >= 0) ||
        (!band.right && *band.left >= 0 && ctx.isProvablyNonNegative(surplus));
    return right && left && both;
  }
  SmallVector<ExprRef> keeps;
  for (const MaskStep &mask : result.masks)
    keeps.push_back(mask.keep);
  ExprRef all = conjunction(keeps);
  if (everyRowKeepsItsOwnKey(all))
    return true;
  // Otherwise every row is looked at.
  SmallVector<ExprRef> vars;
  for (ExprRef var : all->getFreeVars())
    if (!llvm::is_contained(result.keys, var))
      vars.push_back(var);
  llvm::append_range(vars, result.keys);
  auto numKeys = ExprContext::getInteger(result.numKeys);
  auto table = match.evaluator.tabulate(all, vars);
  if (!table || !numKeys)
    return false;
  for (size_t row = 0; row < table->size(); row += *numKeys)
    if (llvm::none_of(ArrayRef(*table).slice(row, *numKeys),
                      [](double x) { return x != 0; }))
      return false;
  return true;
}

/// A finite value in a row without keys keeps its meaning only as a number:
/// additive masks stay biases, and scores are replaced in a region, together
/// with what is done to them up to there.
void MaskClassifier::withdrawFiniteMasks() {
  SmallVector<MaskStep> masks;
  SmallVector<BiasTerm> biases;
  std::swap(masks, result.masks);
  std::swap(biases, result.biases);
  band = {};
  rest.clear();
  rightIsBottomAligned = false;
  const MaskStep *replaced = masks.begin();
  for (const MaskStep &mask : masks)
    if (std::isfinite(mask.fill) && !mask.bias)
      replaced = &mask + 1;

  // Nothing is added after a region but what is part of it.
  auto addBias = [&](const BiasTerm &term) {
    if (result.region.empty())
      result.biases.push_back(term);
    else
      result.region.push_back({ScoreStep::Bias, term.factor, term.expr});
  };
  ArrayRef<BiasTerm> next = biases;
  for (const MaskStep &mask : masks) {
    size_t before = mask.numBiases - (biases.size() - next.size());
    llvm::for_each(next.take_front(before), addBias);
    next = next.drop_front(before);
    if (std::isfinite(mask.fill) && mask.bias) {
      addBias({mask.biasFactor, mask.bias});
    } else if (&mask < replaced) {
      result.region.push_back({ScoreStep::Mask, mask.fill, mask.keep});
    } else {
      result.masks.push_back(mask);
      addCondition(mask.keep);
    }
  }
  llvm::for_each(next, addBias);
}

/// Chooses the attributes that say the same as the band.
void MaskClassifier::setBand() {
  auto numRows = ExprContext::getInteger(result.numRows);
  auto numKeys = ExprContext::getInteger(result.numKeys);
  // Position of row 0 among the keys.
  int64_t base = 0;
  bool square = result.numRows == result.numKeys;
  if (rightIsBottomAligned || (band.right && numRows && numKeys &&
                               *band.right == *numKeys - *numRows)) {
    result.causal = true;
    base = rightIsBottomAligned ? 0 : *band.right;
  } else if (band.right) {
    if (!square)
      result.alignment = Alignment::TopLeft;
    if (*band.right == 0)
      result.causal = true;
    else if (*band.right > 0)
      result.windowRight = *band.right;
    else
      rest.push_back(
          ctx.nonNegative(ctx.add(ctx.sub(result.rowIndex, result.keyIndex),
                                  ctx.integer(*band.right))));
  } else if (band.left && !square) {
    result.alignment = Alignment::TopLeft;
  }
  if (!band.left)
    return;
  if (base + *band.left >= 0 && !(rightIsBottomAligned && !square))
    result.windowLeft = base + *band.left;
  else
    rest.push_back(ctx.nonNegative(ctx.add(
        ctx.sub(result.keyIndex, result.rowIndex), ctx.integer(*band.left))));
}

bool MaskClassifier::run() {
  for (const MaskStep &mask : result.masks)
    addCondition(mask.keep);
  auto isFinite = [](const MaskStep &mask) { return std::isfinite(mask.fill); };
  if (llvm::any_of(result.masks, isFinite) &&
      (match.strict || !everyRowKeepsAKey()))
    withdrawFiniteMasks();
  bool mayBeEmpty = !result.masks.empty() || !result.region.empty();
  if (match.strict && mayBeEmpty && !result.emptyRowsAreZero &&
      !everyRowKeepsAKey())
    return match.refuse("rows may keep no key, for which the model gives NaN");

  SmallVector<ExprRef> open, constant;
  std::swap(open, rest);
  for (ExprRef condition : open)
    (isConstant(condition) ? constant : rest).push_back(condition);
  if (!constant.empty() && !addTable(conjunction(constant)))
    llvm::append_range(rest, constant);
  setBand();
  llvm::erase_if(rest, [&](ExprRef keep) { return addKeyBound(keep); });
  if (!rest.empty())
    result.mask = conjunction(rest);
  return true;
}

bool xsa::classifyMasks(MatchContext &match, AttentionMatch &result) {
  return MaskClassifier(match, result).run();
}
