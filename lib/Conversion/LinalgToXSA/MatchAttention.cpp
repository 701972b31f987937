//===- MatchAttention.cpp - Recognises attention --------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// View a value as an expression; recognise softmax(contraction) times value;
// normalise; assign roles. If a variable turned out to be a number of several
// digits, all is seen again with the digits in its place.
//
//===----------------------------------------------------------------------===//

#include "MatchAttention.h"
#include "OperandBuilder.h"
#include "ScoreRegion.h"

#include "xsa/Analysis/TensorReads.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace xsa;

namespace {
/// The second product, below what multiplies the whole sum.
struct OuterProduct {
  ExprRef sum = nullptr;
  SmallVector<OuterFactor> factors;
};
} // namespace

/// Walks from a value to the sum that `contraction` computes, through layout
/// and through products and quotients with something else.
static std::optional<OuterProduct> findSum(MatchContext &match, ExprRef e,
                                           Value contraction) {
  OuterProduct result;
  for (unsigned steps = 0; steps < 32; ++steps) {
    bool isContraction =
        e->is(ExprKind::Access) && e->getValue() == contraction;
    if (isContraction) {
      result.sum = match.view.peel(e);
      while (result.sum && result.sum->isApply(ExprOp::Cast))
        result.sum = result.sum->getOperand(0);
      if (!result.sum || !result.sum->isReduce(ExprOp::Add))
        return std::nullopt;
      return result;
    }
    if (e->is(ExprKind::Access)) {
      e = match.view.peel(e);
      if (!e)
        return std::nullopt;
    } else if (e->isApply(ExprOp::Cast)) {
      e = e->getOperand(0);
    } else if (e->isApply(ExprOp::Div)) {
      result.factors.push_back({e->getOperand(1), /*inverse=*/true});
      e = e->getOperand(0);
    } else if (e->isApply(ExprOp::Mul)) {
      bool first = false;
      ExprRef inner = match.view.peelLayout(e->getOperand(0));
      first = inner->is(ExprKind::Access) && inner->getValue() == contraction;
      result.factors.push_back({e->getOperand(first ? 1 : 0), false});
      e = e->getOperand(first ? 0 : 1);
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Takes constant factors out of an operand of the first product.
static void takeScale(MatchContext &match, ExprRef &e, double &scale) {
  while (true) {
    ExprRef inner = match.look(e);
    if (inner->isApply(ExprOp::Neg)) {
      scale = -scale;
      e = inner->getOperand(0);
      continue;
    }
    bool divides = inner->isApply(ExprOp::Div);
    if (!divides && !inner->isApply(ExprOp::Mul))
      return;
    ExprRef lhs = match.look(inner->getOperand(0));
    ExprRef rhs = match.look(inner->getOperand(1));
    if (rhs->isConstant() && rhs->getNumber() != 0) {
      scale *= divides ? 1 / rhs->getNumber() : rhs->getNumber();
      e = inner->getOperand(0);
    } else if (lhs->isConstant() && lhs->getNumber() != 0 && !divides) {
      scale *= lhs->getNumber();
      e = inner->getOperand(1);
    } else {
      return;
    }
  }
}

/// Peels an operand so that variables split where its layout needs it.
static void touchLayout(MatchContext &match, ExprRef e) {
  match.view.peelLayout(e);
}

/// Values that are weighed by something else than a softmax of scores, such as
/// their sigmoid or the difference of two softmaxes.
static bool refuseWeights(MatchContext &match, ExprRef product,
                          ArrayRef<ExprRef> keys) {
  for (unsigned side : {0, 1}) {
    ExprRef weights = product->getOperand(side);
    if (isComputed(match, product->getOperand(1 - side)) &&
        !match.look(weights)->is(ExprKind::Reduce) &&
        readsProduct(match, weights, keys))
      return match.refuse("what weighs the values is computed from products of "
                          "queries and keys and is not one softmax of them");
  }
  return false;
}

/// Whether what probabilities are multiplied by may be values: weights that mix
/// heads are not, nor is a mask in a sum of exponentials.
static bool mayBeValue(MatchContext &match, ExprRef e) {
  ExprRef stored = match.view.peelLayout(e);
  bool isConstant =
      stored->isConstant() || (stored->is(ExprKind::Access) &&
                               matchPattern(stored->getValue(), m_Constant()));
  return !isConstant && !match.getZeroOneMask(e);
}

static bool matchSides(MatchContext &match, const OuterProduct &outer,
                       AttentionMatch &result) {
  ExprRef body = match.look(outer.sum->getBody());
  if (!body->isApply(ExprOp::Mul))
    return false;
  result.keys.assign(outer.sum->getBoundVars().begin(),
                     outer.sum->getBoundVars().end());
  Probabilities probabilities;
  bool found = false;
  for (unsigned side : {0, 1}) {
    probabilities = {};
    result.value = body->getOperand(1 - side);
    if (!matchProbabilities(match, body->getOperand(side), result.keys,
                            outer.factors, probabilities)) {
      if (!match.reason.empty() && !mayBeValue(match, result.value))
        match.reason.clear();
      continue;
    }
    // A sum of probabilities that are masked once more is no output.
    if (match.getZeroOneMask(result.value))
      return false;
    ExprRef operand = body->getOperand(side);
    while (operand->isApply(ExprOp::Cast))
      operand = operand->getOperand(0);
    if (operand->is(ExprKind::Access))
      result.probabilities = operand->getValue();
    found = true;
    break;
  }
  if (!found)
    return refuseWeights(match, body, result.keys);
  // A constant left over (dropout that keeps everything) scales the values.
  if (probabilities.factor != 1) {
    Type type = result.value->getType();
    result.value = match.ctx.apply(
        ExprOp::Mul, type,
        {result.value, match.ctx.constant(type, probabilities.factor)});
  }

  result.sink = probabilities.sink;
  result.emptyRowsAreZero = result.sink != nullptr;
  if (result.sink && probabilities.base2) {
    Type type = result.sink->getType();
    result.sink = match.ctx.apply(
        ExprOp::Mul, type, {result.sink, match.ctx.constant(type, M_LN2)});
  }

  SmallVector<ScoreStep> steps;
  ExprRef product = nullptr;
  if (!matchScores(match, probabilities, result.keys, steps, product) ||
      !resolveGuards(match, probabilities, result.keys, steps,
                     result.emptyRowsAreZero))
    return false;
  ExprRef factors = match.look(product->getBody());
  bool keyFirst = match.dependsOn(factors->getOperand(0), result.keys);
  result.key = factors->getOperand(keyFirst ? 0 : 1);
  result.query = factors->getOperand(keyFirst ? 1 : 0);
  result.depth.assign(product->getBoundVars().begin(),
                      product->getBoundVars().end());
  takeScale(match, result.query, result.scale);
  takeScale(match, result.key, result.scale);
  touchLayout(match, result.query);
  touchLayout(match, result.key);
  touchLayout(match, result.value);
  return normalizeScores(match, steps, result);
}

/// Looks at operands as building them does, so that variables split before.
static void lookAtOperands(MatchContext &match, const AttentionMatch &result) {
  SmallVector<ExprRef> operands = {result.query, result.key,  result.value,
                                   result.mask,  result.sink, result.keyBegin,
                                   result.keyEnd};
  for (const BiasTerm &term : result.biases)
    operands.push_back(term.expr);
  llvm::append_range(operands, getScoreInputs(match.ctx, result.region));
  for (ExprRef operand : operands)
    if (operand)
      OperandBuilder::look(match.view, operand);
}

/// One look at `root` with the digits known so far.
static MatchOutcome matchOnce(MatchContext &match, Value contraction,
                              ArrayRef<ExprRef> rootVars,
                              AttentionMatch &result) {
  match.reason.clear();
  for (ExprRef var : rootVars)
    result.rootIndices.push_back(match.ctx.refine(var));
  auto outer = findSum(
      match, match.view.access(result.root, result.rootIndices), contraction);
  auto failed = [&] {
    return match.reason.empty() ? MatchOutcome::NotAttention
                                : MatchOutcome::Refused;
  };
  if (!outer || !matchSides(match, *outer, result) ||
      !assignRoles(match, result) || !classifyMasks(match, result))
    return failed();
  lookAtOperands(match, result);
  return MatchOutcome::Matched;
}

static MatchOutcome matchRoot(MatchContext &match, Value contraction,
                              Value root, AttentionMatch &result) {
  SmallVector<ExprRef> rootVars = match.view.rootVars(root);
  for (unsigned rounds = 0; rounds < 16; ++rounds) {
    unsigned splits = match.ctx.getNumSplits();
    result = {};
    result.root = root;
    MatchOutcome outcome = matchOnce(match, contraction, rootVars, result);
    if (splits == match.ctx.getNumSplits())
      return outcome;
  }
  return MatchOutcome::NotAttention;
}

/// Where the division comes after the second product: the quotient, found
/// through operations that only rearrange.
static void collectQuotients(Value value, SmallVectorImpl<Value> &quotients,
                             unsigned depth = 0) {
  if (depth > 6)
    return;
  for (Operation *user : collectReaders(value)) {
    if (user->getNumResults() != 1 || quotients.size() > 5)
      continue;
    if (isa<linalg::LinalgOp>(user)) {
      auto op = cast<linalg::LinalgOp>(user);
      if (op.getNumReductionLoops() > 0)
        continue;
      bool divides = false;
      user->walk([&](Operation *inner) {
        divides |= inner->getName().getStringRef() == "arith.divf" ||
                   inner->getName().getStringRef() == "arith.mulf";
      });
      if (divides) {
        quotients.push_back(user->getResult(0));
        continue;
      }
      if (op.getBlock()->getOperations().size() > 2)
        continue;
    } else if (user->getDialect() == nullptr ||
               user->getDialect()->getNamespace() != "tensor") {
      continue;
    }
    collectQuotients(user->getResult(0), quotients, depth + 1);
  }
}

MatchOutcome xsa::matchAttention(MatchContext &match, Value contraction,
                                 AttentionMatch &result) {
  // What is refused at the product may be attention once it is divided.
  SmallVector<Value> roots = {contraction};
  MatchOutcome first = MatchOutcome::NotAttention;
  std::string reason;
  collectQuotients(contraction, roots);
  for (Value root : roots) {
    MatchOutcome outcome = matchRoot(match, contraction, root, result);
    if (outcome == MatchOutcome::Matched)
      return outcome;
    if (outcome == MatchOutcome::Refused &&
        first == MatchOutcome::NotAttention) {
      first = outcome;
      reason = match.reason;
    }
  }
  match.reason = reason;
  return first;
}
