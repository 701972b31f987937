//===- ScoreSteps.cpp - Brings changes of scores into order ---------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `xsa.attention` scales, caps, adds and masks in one order; models do so in
// any. Steps that commute are moved, and what cannot be becomes part of a score
// region.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

/// Magnitude from which a finite value counts as a mask: against it the
/// exponential of any score of a working model underflows.
static constexpr double maskMagnitude = 1e4;

static bool isMaskFill(double fill) { return fill <= -maskMagnitude; }

namespace {
/// Applies steps from the product outwards to a growing result.
class ScoreNormalizer {
public:
  ScoreNormalizer(MatchContext &match, AttentionMatch &result)
      : match(match), result(result) {}

  bool run(ArrayRef<ScoreStep> steps);

private:
  bool fits(const ScoreStep &step);
  bool fitAll(ArrayRef<ScoreStep> steps);
  bool apply(const ScoreStep &step);
  bool applyScale(double number);
  void applyFactor(ExprRef factor, bool inverse);
  void applyBias(double factor, ExprRef bias);
  void applyAdditiveMask(double factor, ExprRef original, ExprRef resolved);
  void applyMask(const ScoreStep &step);

  MatchContext &match;
  AttentionMatch &result;
};
} // namespace

/// Whether there is an attribute or operand for a step.
bool ScoreNormalizer::fits(const ScoreStep &step) {
  switch (step.kind) {
  case ScoreStep::Scale:
  case ScoreStep::Cap:
  case ScoreStep::Bias:
    return true;
  case ScoreStep::Factor:
    return !match.dependsOn(step.expr, result.keys);
  case ScoreStep::Mask:
    return !step.fill && isMaskFill(step.number);
  case ScoreStep::AtLeast:
  case ScoreStep::AtMost:
    return false;
  }
  return false;
}

bool ScoreNormalizer::applyScale(double number) {
  if (number == 0)
    return match.refuse("scores are multiplied by zero");
  result.scale *= number;
  if (result.softcap)
    *result.softcap = std::abs(*result.softcap * number); // tanh is odd
  for (BiasTerm &bias : result.biases)
    bias.factor *= number;
  for (MaskStep &mask : result.masks) {
    mask.fill *= number;
    mask.biasFactor *= number;
  }
  return true;
}

/// A factor that is no number, and the same for all keys, belongs to the query.
void ScoreNormalizer::applyFactor(ExprRef factor, bool inverse) {
  ExprRef &query = result.query;
  Type type = query->getType();
  if (factor->getType() != type)
    factor = match.ctx.apply(ExprOp::Cast, type, factor);
  query = match.ctx.apply(inverse ? ExprOp::Div : ExprOp::Mul, type,
                          {query, factor});
}

/// A bias that is 0 or a mask value, by a condition, is a mask. What the
/// condition leaves besides is a bias of its own.
void ScoreNormalizer::applyAdditiveMask(double factor, ExprRef original,
                                        ExprRef e) {
  if (e->isApply(ExprOp::Add)) {
    applyAdditiveMask(factor, e->getOperand(0), e->getOperand(0));
    applyAdditiveMask(factor, e->getOperand(1), e->getOperand(1));
    return;
  }
  // The same for every key cancels, unless there is a sink.
  if (e->isConstant() && std::isfinite(e->getNumber()) && !result.sink)
    return;
  if (e->isApply(ExprOp::Select)) {
    for (unsigned side : {0, 1}) {
      ExprRef fill = e->getOperand(2 - side), rest = e->getOperand(1 + side);
      if (!fill->isConstant() || !isMaskFill(fill->getNumber() * factor))
        continue;
      ExprRef condition = e->getOperand(0);
      if (side == 1)
        condition = match.ctx.logicalNot(condition);
      for (MaskStep &known : result.masks)
        if (known.keep == condition && rest->isConstant(0)) {
          known.fill += fill->getNumber() * factor;
          return;
        }
      if (!rest->isConstant(0))
        applyAdditiveMask(factor, rest, rest);
      // What it is besides the mask is a bias by now.
      ExprRef bias = original;
      if (!rest->isConstant(0))
        bias = match.ctx.select(condition,
                                match.ctx.constant(fill->getType(), 0), fill);
      result.masks.push_back({condition, fill->getNumber() * factor, bias,
                              factor, result.biases.size()});
      return;
    }
  }
  result.biases.push_back({factor, original});
}

void ScoreNormalizer::applyBias(double factor, ExprRef bias) {
  applyAdditiveMask(factor, bias, match.evaluator.resolve(bias));
}

void ScoreNormalizer::applyMask(const ScoreStep &step) {
  result.masks.push_back({match.evaluator.resolve(step.expr), step.number,
                          /*bias=*/nullptr, 1, result.biases.size()});
}

bool ScoreNormalizer::apply(const ScoreStep &step) {
  switch (step.kind) {
  case ScoreStep::Scale:
    return applyScale(step.number);
  case ScoreStep::Factor:
    applyFactor(step.expr, step.inverse);
    return true;
  case ScoreStep::Cap:
    result.softcap = 1;
    return true;
  case ScoreStep::Bias:
    applyBias(step.number, step.expr);
    return true;
  case ScoreStep::Mask:
    applyMask(step);
    return true;
  default:
    return false;
  }
}

/// Whether a term may be infinite by what the function is given: a row that has
/// such a term does not stay as it is without it. What is computed, such as the
/// shift by the maximum, is infinite only where the scores are.
static bool mayBeInfinite(ExprRef e, llvm::SmallPtrSetImpl<ExprRef> &finite) {
  if (!finite.insert(e).second)
    return false;
  if (e->is(ExprKind::Constant))
    return !std::isfinite(e->getNumber());
  if (e->is(ExprKind::Access))
    return e->isFloat() && isa<BlockArgument>(e->getValue());
  for (ExprOp op : {ExprOp::Add, ExprOp::Sub, ExprOp::Mul, ExprOp::Neg,
                    ExprOp::Cast, ExprOp::Select})
    if (e->isApply(op))
      return llvm::any_of(e->getOperands(), [&](ExprRef operand) {
        return mayBeInfinite(operand, finite);
      });
  return false;
}

/// Removes what is the same for all keys of a row, such as the shift by the
/// maximum: it cancels, unless something outside of it is not linear.
static SmallVector<ScoreStep> dropRowShifts(MatchContext &match,
                                            ArrayRef<ScoreStep> steps,
                                            ArrayRef<ExprRef> keys) {
  SmallVector<ScoreStep> kept;
  bool cancels = true;
  llvm::SmallPtrSet<ExprRef, 16> finite;
  for (const ScoreStep &step : llvm::reverse(steps)) {
    if (step.kind == ScoreStep::Bias && cancels &&
        !match.dependsOn(step.expr, keys) && !mayBeInfinite(step.expr, finite))
      continue;
    cancels &=
        step.kind == ScoreStep::Scale || step.kind == ScoreStep::Bias ||
        (step.kind == ScoreStep::Factor && !match.dependsOn(step.expr, keys)) ||
        (step.kind == ScoreStep::Mask && !step.fill && isMaskFill(step.number));
    kept.push_back(step);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

/// Whether all steps can be applied one after the other.
bool ScoreNormalizer::fitAll(ArrayRef<ScoreStep> steps) {
  bool capped = false, onlyScaled = true;
  for (const ScoreStep &step : steps) {
    bool needsProduct =
        step.kind == ScoreStep::Factor || step.kind == ScoreStep::Cap;
    if (!fits(step) || (needsProduct && (capped || !onlyScaled)))
      return false;
    capped |= step.kind == ScoreStep::Cap;
    onlyScaled &= step.kind == ScoreStep::Scale || needsProduct;
  }
  return true;
}

/// Steps that are in the operation's order are attributes and operands. Else
/// the scales and a soft cap from the inside and the masks from the outside
/// are, and what is between them is a region.
bool ScoreNormalizer::run(ArrayRef<ScoreStep> steps) {
  const ScoreStep *masks = steps.end(), *region = steps.begin();
  while (masks != steps.begin() && masks[-1].kind == ScoreStep::Mask &&
         fits(masks[-1]))
    --masks;
  ArrayRef<ScoreStep> inner(steps.begin(), masks);
  if (fitAll(inner))
    region = masks;
  else
    while (region->kind != ScoreStep::Bias && region->kind != ScoreStep::Mask &&
           fitAll({steps.begin(), region + 1}))
      ++region;
  for (const ScoreStep &step : ArrayRef(steps.begin(), region))
    if (!apply(step))
      return false;
  for (ScoreStep step : ArrayRef(region, masks)) {
    if (step.kind == ScoreStep::Mask)
      step.expr = match.evaluator.resolve(step.expr);
    result.region.push_back(step);
  }
  for (const ScoreStep &step : ArrayRef(masks, steps.end()))
    applyMask(step);
  return true;
}

bool xsa::normalizeScores(MatchContext &match, ArrayRef<ScoreStep> steps,
                          AttentionMatch &result) {
  SmallVector<ScoreStep> kept(steps);
  if (!result.sink)
    kept = dropRowShifts(match, steps, result.keys);
  return ScoreNormalizer(match, result).run(kept);
}
