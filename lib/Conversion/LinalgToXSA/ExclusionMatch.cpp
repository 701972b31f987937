//===- ExclusionMatch.cpp - Recognises the exclusion ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// z = y - a (y . v) / n(v) v is written in many ways: with v normalised twice
// or once, with a norm or its square, by lerp, with the factors in any order.
// As a sum of products they are the same: y once, and one product of v, the dot
// product, norms to powers that add up to -2, and the strength.
//
//===----------------------------------------------------------------------===//

#include "ExclusionMatch.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

void Product::multiply(ExprRef factor, int power) {
  for (auto *it = factors.begin(); it != factors.end(); ++it) {
    if (it->first != factor)
      continue;
    it->second += power;
    if (it->second == 0)
      factors.erase(it);
    return;
  }
  factors.emplace_back(factor, power);
}

namespace {
class Expander {
public:
  Expander(MatchContext &match, llvm::function_ref<bool(ExprRef)> containsInput)
      : match(match), containsInput(containsInput) {}

  /// Sums of products; nothing if there are too many.
  std::optional<SmallVector<Product>> expand(ExprRef e, unsigned depth = 0);

  /// Multiplies `e` to `power` into `product`, without expanding sums.
  bool multiply(Product &product, ExprRef e, int power, unsigned depth = 0);

private:
  bool isPatternSum(ExprRef e);
  std::optional<SmallVector<Product>> expandProduct(ExprRef e, unsigned depth);

  MatchContext &match;
  llvm::function_ref<bool(ExprRef)> containsInput;
};
} // namespace

/// A sum belongs to the pattern if y is in it, or a constant (1 - a).
bool Expander::isPatternSum(ExprRef e) {
  if (!e->isApply(ExprOp::Add) && !e->isApply(ExprOp::Sub))
    return false;
  return containsInput(e) || match.look(e->getOperand(0))->isConstant() ||
         match.look(e->getOperand(1))->isConstant();
}

bool Expander::multiply(Product &product, ExprRef e, int power,
                        unsigned depth) {
  if (depth > 24)
    return false;
  ExprRef inner = match.look(e);
  if (inner->isConstant()) {
    product.number *= std::pow(inner->getNumber(), power);
    return std::isfinite(product.number);
  }
  switch (inner->is(ExprKind::Apply) ? inner->getOp() : ExprOp::None) {
  case ExprOp::Neg:
    product.number *= power % 2 ? -1 : 1;
    return multiply(product, inner->getOperand(0), power, depth + 1);
  case ExprOp::Mul:
  case ExprOp::Div:
    return multiply(product, inner->getOperand(0), power, depth + 1) &&
           multiply(product, inner->getOperand(1),
                    inner->isApply(ExprOp::Div) ? -power : power, depth + 1);
  case ExprOp::Rsqrt:
    product.multiply(
        match.ctx.apply(ExprOp::Sqrt, inner->getType(), inner->getOperand(0)),
        -power);
    return true;
  case ExprOp::Max:
  case ExprOp::Sqrt:
  case ExprOp::Select:
    product.multiply(inner, power);
    return true;
  case ExprOp::Add:
    // A denominator with its epsilon is a factor; any other sum is a value.
    product.multiply(power < 0 ? inner : match.view.peelLayout(e), power);
    return true;
  default:
    product.multiply(match.view.peelLayout(e), power);
    return true;
  }
}

std::optional<SmallVector<Product>> Expander::expandProduct(ExprRef e,
                                                            unsigned depth) {
  ExprRef lhs = e->getOperand(0), rhs = e->getOperand(1);
  auto left = expand(lhs, depth + 1);
  if (!left)
    return std::nullopt;
  SmallVector<Product> result;
  if (e->isApply(ExprOp::Div)) {
    for (Product &product : *left)
      if (!multiply(product, rhs, -1))
        return std::nullopt;
    return left;
  }
  auto right = expand(rhs, depth + 1);
  if (!right || left->size() * right->size() > 16)
    return std::nullopt;
  for (const Product &a : *left)
    for (const Product &b : *right) {
      Product product = a;
      product.number *= b.number;
      for (auto [factor, power] : b.factors)
        product.multiply(factor, power);
      result.push_back(std::move(product));
    }
  return result;
}

std::optional<SmallVector<Product>> Expander::expand(ExprRef e,
                                                     unsigned depth) {
  if (depth > 16)
    return std::nullopt;
  ExprRef inner = match.look(e);
  if (inner->isApply(ExprOp::Mul) || inner->isApply(ExprOp::Div))
    return expandProduct(inner, depth);
  if (inner->isApply(ExprOp::Neg)) {
    auto terms = expand(inner->getOperand(0), depth + 1);
    if (terms)
      for (Product &product : *terms)
        product.number = -product.number;
    return terms;
  }
  if (!isPatternSum(inner)) {
    Product product;
    if (!multiply(product, e, 1))
      return std::nullopt;
    return SmallVector<Product>{product};
  }
  SmallVector<Product> result;
  for (unsigned side : {0, 1}) {
    auto terms = expand(inner->getOperand(side), depth + 1);
    if (!terms)
      return std::nullopt;
    for (Product &term : *terms) {
      if (side == 1 && inner->isApply(ExprOp::Sub))
        term.number = -term.number;
      // Like terms add up.
      auto *known = llvm::find_if(result, [&](const Product &other) {
        return other.factors == term.factors;
      });
      if (known == result.end())
        result.push_back(std::move(term));
      else
        known->number += term.number;
    }
  }
  llvm::erase_if(result, [](const Product &term) { return term.number == 0; });
  if (result.size() > 16)
    return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

namespace {
/// Reads the product that is subtracted.
class ProjectionMatcher {
public:
  ProjectionMatcher(MatchContext &match, Expander &expander,
                    ExclusionMatch &result)
      : match(match), expander(expander), result(result) {}

  bool run(const Product &input, const Product &product);

private:
  bool matchDot(const Product &product);
  bool matchNorms();
  std::optional<double> getNorm(ExprRef e, Denominator &kind, bool &squared);
  bool isSquaredNorm(ExprRef e);

  MatchContext &match;
  Expander &expander;
  ExclusionMatch &result;
  SmallVector<ExprRef> inputFactors;
  /// What remains after value and dot product are taken out.
  Product rest;
};
} // namespace

/// Whether `e` is the sum of the squares of the value.
bool ProjectionMatcher::isSquaredNorm(ExprRef e) {
  e = match.look(e);
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

/// Recognises a norm, or a squared one, with its epsilon.
std::optional<double> ProjectionMatcher::getNorm(ExprRef e, Denominator &kind,
                                                 bool &squared) {
  e = match.look(e);
  squared = !e->isApply(ExprOp::Sqrt);
  ExprRef inner = squared ? e : match.look(e->getOperand(0));
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
  if (isSquaredNorm(norm)) {
    kind =
        inner->isApply(ExprOp::Max) ? Denominator::SqClamp : Denominator::SqAdd;
    return eps->getNumber();
  }
  // max(|v|, eps): the clamp is on the norm itself.
  if (squared && inner->isApply(ExprOp::Max) && norm->isApply(ExprOp::Sqrt) &&
      isSquaredNorm(norm->getOperand(0))) {
    kind = Denominator::L2Clamp;
    squared = false;
    return eps->getNumber();
  }
  return std::nullopt;
}

/// The norms in `rest` must add up to the power -2, all of one kind.
bool ProjectionMatcher::matchNorms() {
  int power = 0;
  std::optional<std::pair<Denominator, double>> known;
  SmallVector<std::pair<ExprRef, int>> others;
  for (auto [factor, exponent] : rest.factors) {
    Denominator kind;
    bool squared;
    auto eps = getNorm(factor, kind, squared);
    if (!eps) {
      others.emplace_back(factor, exponent);
      continue;
    }
    if (known && *known != std::make_pair(kind, *eps))
      return false;
    known = {kind, *eps};
    power += squared ? 2 * exponent : exponent;
  }
  if (power != -2)
    return false;
  result.denominator = known->first;
  result.eps = known->second;
  result.strength = -rest.number;
  for (auto [factor, exponent] : others) {
    if (match.dependsOn(factor, result.columns))
      return false;
    result.strengthFactors.emplace_back(factor, exponent);
  }
  return true;
}

/// Finds the dot product of input and value among the factors.
bool ProjectionMatcher::matchDot(const Product &product) {
  for (const auto &sum : product.factors) {
    ExprRef dot = match.look(sum.first);
    if (sum.second != 1 || !dot->isReduce(ExprOp::Add))
      continue;
    Product body;
    if (!expander.multiply(body, dot->getBody(), 1))
      continue;
    for (const auto &candidate : product.factors) {
      ExprRef value = candidate.first;
      if (candidate.second != 1 || value == sum.first)
        continue;
      rest = body;
      ExprUnifier unifier(match.view, dot->getBoundVars());
      auto take = [&](ExprRef wanted) {
        for (auto [factor, factorPower] : body.factors)
          if (factorPower == 1 &&
              llvm::is_contained(llvm::make_first_range(rest.factors),
                                 factor)) {
            ExprUnifier attempt = unifier;
            if (!attempt.unify(factor, wanted))
              continue;
            unifier = std::move(attempt);
            rest.multiply(factor, -1);
            return true;
          }
        return false;
      };
      if (!take(value) || !llvm::all_of(inputFactors, take))
        continue;
      if (llvm::any_of(rest.factors, [&](auto &factor) {
            return match.dependsOn(factor.first, dot->getBoundVars());
          }))
        continue;
      result.columns.clear();
      for (ExprRef var : dot->getBoundVars())
        if (ExprRef image = unifier.lookup(var))
          llvm::append_range(result.columns, image->getFreeVars());
      if (result.columns.empty() ||
          !unifier.isBijection(dot->getBoundVars(), result.columns))
        continue;
      result.value = value;
      rest.number *= product.number;
      for (auto [factor, factorPower] : product.factors)
        if (factor != sum.first && factor != value)
          rest.multiply(factor, factorPower);
      return true;
    }
  }
  return false;
}

bool ProjectionMatcher::run(const Product &input, const Product &product) {
  if (input.number != 1 || input.factors.empty())
    return false;
  result.input = nullptr;
  for (auto [factor, power] : input.factors) {
    if (power != 1)
      return false;
    inputFactors.push_back(factor);
    result.input = result.input
                       ? match.ctx.apply(ExprOp::Mul, factor->getType(),
                                         {result.input, factor})
                       : factor;
  }
  return matchDot(product) && matchNorms();
}

bool xsa::matchExclusion(MatchContext &match,
                         llvm::function_ref<bool(ExprRef)> containsInput,
                         ExclusionMatch &result) {
  Expander expander(match, containsInput);
  auto terms =
      expander.expand(match.view.access(result.root, result.rootIndices));
  if (!terms || terms->size() != 2)
    return false;
  for (unsigned side : {0, 1}) {
    result.strengthFactors.clear();
    ProjectionMatcher matcher(match, expander, result);
    if (matcher.run((*terms)[side], (*terms)[1 - side]))
      return true;
  }
  return false;
}
