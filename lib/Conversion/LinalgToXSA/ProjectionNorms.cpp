//===- ProjectionNorms.cpp - Reads the denominator of a projection --------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Norms are written with epsilons under the root, beside it or as a limit, as
// means, squared or not. They add up to the power -2; what no kind of
// denominator has is a quotient of two, and part of the strength.
//
//===----------------------------------------------------------------------===//

#include "ProjectionNorms.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

namespace {
class NormMatcher {
public:
  NormMatcher(MatchContext &match, Expander &expander, const Product &rest,
              ExclusionMatch &result)
      : match(match), expander(expander), rest(rest), result(result) {}

  bool run();

private:
  /// A factor that is `scale` times a norm of the value, or a squared one.
  struct Norm {
    ExprRef factor;
    int exponent;
    Denominator kind = Denominator::Raw;
    bool squared = false;
    double eps = 0, scale = 1;
  };

  bool isSquaredNorm(ExprRef e);
  std::optional<double> getNorm(ExprRef e, Denominator &kind, bool &squared,
                                double &factor);
  ExprRef getNormPlus(ExprRef e);
  void addQuotient(ExprRef norm, ExprRef divisor, int power);
  void collectNorms(SmallVectorImpl<Norm> &norms);

  MatchContext &match;
  Expander &expander;
  const Product &rest;
  ExclusionMatch &result;
  /// Norms in the strength.
  llvm::SmallPtrSet<ExprRef, 4> quotients;
};
} // namespace

/// Whether `e` is the sum of the squares of the value.
bool NormMatcher::isSquaredNorm(ExprRef e) {
  e = match.look(e);
  // The square of a norm.
  if (e->isApply(ExprOp::Mul)) {
    ExprRef norm = match.look(e->getOperand(0));
    if (norm->isApply(ExprOp::Sqrt) && match.look(e->getOperand(1)) == norm)
      e = match.look(norm->getOperand(0));
  }
  if (!e->isReduce(ExprOp::Add))
    return false;
  Product square;
  if (!expander.multiply(square, e->getBody(), 1) || square.number != 1 ||
      square.factors.size() != 1 || square.factors[0].second != 2)
    return false;
  ExprRef base = square.factors[0].first;
  if (ExprRef inner = match.look(base); inner->isApply(ExprOp::Abs))
    base = inner->getOperand(0);
  ExprUnifier unifier(match.view, e->getBoundVars());
  return unifier.unify(base, result.value) &&
         unifier.isBijection(e->getBoundVars(), result.columns);
}

/// Takes a constant factor off: a mean of squares is a sum over their number.
static ExprRef takeFactor(MatchContext &match, ExprRef e, double &factor) {
  e = match.look(e);
  bool divides = e->isApply(ExprOp::Div);
  if (!divides && !e->isApply(ExprOp::Mul))
    return e;
  ExprRef number = match.look(e->getOperand(1));
  if (!number->isConstant() || !(number->getNumber() > 0))
    return e;
  factor *= divides ? 1 / number->getNumber() : number->getNumber();
  return match.look(e->getOperand(0));
}

/// Recognises `factor` times a norm, or a squared one, with its epsilon.
std::optional<double> NormMatcher::getNorm(ExprRef e, Denominator &kind,
                                           bool &squared, double &factor) {
  e = match.look(e);
  factor = 1;
  squared = !e->isApply(ExprOp::Sqrt);
  ExprRef inner = takeFactor(match, squared ? e : e->getOperand(0), factor);
  if (isSquaredNorm(inner)) {
    kind = Denominator::Raw;
    return 0;
  }
  if (!inner->isApply(ExprOp::Max) && !inner->isApply(ExprOp::Add))
    return std::nullopt;
  ExprRef norm = match.look(inner->getOperand(0));
  ExprRef eps = match.look(inner->getOperand(1));
  if (norm->isConstant())
    std::swap(norm, eps);
  if (!eps->isConstant() || eps->getNumber() < 0)
    return std::nullopt;
  double inside = 1;
  if (isSquaredNorm(takeFactor(match, norm, inside))) {
    kind =
        inner->isApply(ExprOp::Max) ? Denominator::SqClamp : Denominator::SqAdd;
    factor *= inside;
    return eps->getNumber() / inside;
  }
  // max(|v|, eps): the clamp is on the norm itself.
  if (squared && inner->isApply(ExprOp::Max) && norm->isApply(ExprOp::Sqrt) &&
      isSquaredNorm(norm->getOperand(0))) {
    kind = Denominator::L2Clamp;
    squared = false;
    factor *= factor; // it stands outside of the norm
    return eps->getNumber();
  }
  return std::nullopt;
}

/// `|v| + eps`, which no kind of denominator has: the norm in it.
ExprRef NormMatcher::getNormPlus(ExprRef e) {
  e = match.look(e);
  if (!e->isApply(ExprOp::Add))
    return nullptr;
  ExprRef norm = match.look(e->getOperand(0));
  ExprRef eps = match.look(e->getOperand(1));
  if (norm->isConstant())
    std::swap(norm, eps);
  bool isNorm = norm->isApply(ExprOp::Sqrt) && eps->isConstant() &&
                eps->getNumber() > 0 && isSquaredNorm(norm->getOperand(0));
  return isNorm ? norm : nullptr;
}

/// Makes a quotient of norms part of the strength. It is finite: the divisor is
/// the larger one, and not 0.
void NormMatcher::addQuotient(ExprRef norm, ExprRef divisor, int power) {
  result.strengthFactors.emplace_back(divisor, -power);
  result.strengthFactors.emplace_back(norm, power);
  quotients.insert_range(ArrayRef{divisor, norm});
}

/// Reads `rest` as norms and other factors.
void NormMatcher::collectNorms(SmallVectorImpl<Norm> &norms) {
  for (auto [factor, exponent] : rest.factors) {
    Norm norm{factor, exponent};
    if (auto eps = getNorm(factor, norm.kind, norm.squared, norm.scale)) {
      norm.eps = *eps;
      norms.push_back(norm);
      continue;
    }
    if (ExprRef plain = exponent < 0 ? getNormPlus(factor) : nullptr) {
      addQuotient(plain, factor, -exponent);
      norms.push_back({plain, exponent});
    } else {
      result.strengthFactors.emplace_back(factor, exponent);
    }
  }
}

/// The norms in `rest` must add up to the power -2. Those that are not of the
/// kind of the first are that, times a quotient that is part of the strength.
bool NormMatcher::run() {
  SmallVector<Norm> norms;
  collectNorms(norms);
  if (norms.empty())
    return false;
  // A quotient that is never infinite: the least norm is the numerator.
  const Norm kept = *llvm::min_element(
      norms, [](const Norm &a, const Norm &b) { return a.eps < b.eps; });
  int power = 0;
  double number = rest.number;
  for (const Norm &norm : norms) {
    bool isKept = norm.kind == kept.kind && isNear(norm.eps, kept.eps);
    if (!isKept &&
        (norm.squared != kept.squared || norm.exponent > 0 || !(norm.eps > 0)))
      return false;
    const Norm &read = isKept ? norm : kept;
    if (!isKept)
      addQuotient(kept.factor, norm.factor, -norm.exponent);
    power += norm.squared ? 2 * norm.exponent : norm.exponent;
    number *= std::pow(read.scale,
                       norm.squared ? norm.exponent : norm.exponent / 2.0);
  }
  if (power != -2 || !std::isfinite(number) || !std::isfinite(kept.eps))
    return false;
  result.denominator = kept.kind;
  result.eps = kept.eps;
  result.strength = isNear(-number, 1) ? 1 : -number;
  // The operation itself gives 0 for values of 0. What else is guarded may not
  // be finite, but for quotients of norms.
  auto isGuard = [&](const auto &factor) {
    return expander.isGuard(factor.first);
  };
  if (llvm::any_of(result.strengthFactors, isGuard) &&
      !llvm::all_of(result.strengthFactors, [&](const auto &factor) {
        return isGuard(factor) || quotients.contains(factor.first);
      }))
    return false;
  return llvm::none_of(result.strengthFactors, [&](const auto &factor) {
    return match.dependsOn(factor.first, result.columns);
  });
}

bool xsa::matchNorms(MatchContext &match, Expander &expander,
                     const Product &rest, ExclusionMatch &result) {
  return NormMatcher(match, expander, rest, result).run();
}
