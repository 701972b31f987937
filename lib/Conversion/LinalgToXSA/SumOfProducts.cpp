//===- SumOfProducts.cpp - Multiplies expressions out ---------------------===//
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

#include "SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

bool xsa::isNear(double a, double b) {
  return std::fabs(a - b) <= 1e-6 * std::max(std::fabs(a), std::fabs(b));
}

void Product::multiply(ExprRef factor, int power) {
  for (auto *it = factors.begin(); it != factors.end(); ++it) {
    if (it->first != factor)
      continue;
    it->second += power;
    if (it->second == 0)
      factors.erase(it);
    return;
  }
  // In one order, so that like terms are equal.
  auto *position = llvm::lower_bound(
      factors, factor->getId(),
      [](const auto &known, unsigned id) { return known.first->getId() < id; });
  factors.insert(position, {factor, power});
}

/// A sum belongs to the pattern if y is in it, a constant (1 - a), or an
/// identity matrix.
bool Expander::isPatternSum(ExprRef e) {
  if (e == whole || (!e->isApply(ExprOp::Add) && !e->isApply(ExprOp::Sub)))
    return false;
  return containsInput(e) || llvm::any_of(e->getOperands(), [&](ExprRef x) {
           return match.look(x)->isConstant() || getIdentity(x);
         });
}

/// Takes factors that are the same for all terms out of a sum, such as the own
/// value out of its outer product with itself, times the output.
bool Expander::multiplySum(Product &product, ExprRef sum, int power,
                           unsigned depth) {
  Product body;
  return containsInput(sum->getBody()) &&
         multiply(body, sum->getBody(), 1, depth + 1) &&
         addUp(product, std::move(body), sum, power);
}

/// Multiplies the sum of `body` over the variables of `sum` into `product`.
bool Expander::addUp(Product &product, Product body, ExprRef sum, int power) {
  ArrayRef<ExprRef> vars = sum->getBoundVars();
  auto *inside = std::stable_partition(
      body.factors.begin(), body.factors.end(),
      [&](const auto &factor) { return !match.dependsOn(factor.first, vars); });
  if (inside == body.factors.begin() || inside == body.factors.end())
    return false;
  ExprRef rest = nullptr;
  for (auto [factor, factorPower] :
       llvm::make_range(inside, body.factors.end())) {
    if (factorPower < 1 || factorPower > 4)
      return false;
    for (int i = 0; i < factorPower; ++i)
      rest = rest ? match.ctx.apply(ExprOp::Mul, sum->getType(), {rest, factor})
                  : factor;
  }
  product.number *= std::pow(body.number, power);
  for (auto [factor, factorPower] :
       llvm::make_range(body.factors.begin(), inside))
    product.multiply(factor, factorPower * power);
  product.multiply(match.ctx.reduce(ExprOp::Add, vars, rest), power);
  return std::isfinite(product.number);
}

/// Where `e` is 1 on the diagonal of a matrix and 0 elsewhere: the difference
/// of row and column. Null if it is not.
ExprRef Expander::getIdentity(ExprRef e) {
  if (!e->isFloat() || e->getFreeVars().size() < 2)
    return nullptr;
  ExprRef condition = match.getZeroOneMask(e);
  if (!condition)
    return nullptr;
  if (condition->isApply(ExprOp::IsZero))
    return condition->getOperand(0);
  // A constant matrix is a band that ends where it begins.
  if (!condition->isApply(ExprOp::And))
    return nullptr;
  ExprRef from = condition->getOperand(0), to = condition->getOperand(1);
  if (!from->isApply(ExprOp::NonNegative) || !to->isApply(ExprOp::NonNegative))
    return nullptr;
  ExprRef sum = match.ctx.add(from->getOperand(0), to->getOperand(0));
  return ExprContext::getInteger(sum) == 0 ? from->getOperand(0) : nullptr;
}

/// A sum of products with an identity matrix is the product at one place.
bool Expander::applyIdentity(Product &product, ArrayRef<ExprRef> vars) {
  if (vars.size() != 1)
    return false;
  for (auto [factor, power] : product.factors) {
    ExprRef difference = power == 1 ? getIdentity(factor) : nullptr;
    if (!difference || !difference->dependsOn(vars[0]))
      continue;
    ExprRef place = match.ctx.add(difference, vars[0]);
    if (place->dependsOn(vars[0]))
      place = match.ctx.sub(vars[0], difference);
    if (!place->is(ExprKind::Var) ||
        place->getExtent() != vars[0]->getExtent() || place == vars[0])
      return false;
    Product rest;
    rest.number = product.number;
    for (auto [other, otherPower] : product.factors)
      if (other != factor)
        rest.multiply(match.ctx.substitute(other, {{vars[0], place}}),
                      otherPower);
    product = std::move(rest);
    return true;
  }
  return false;
}

/// The output times a matrix that is itself a sum: the identity less a
/// projection.
std::optional<SmallVector<Product>> Expander::expandMatrix(ExprRef sum,
                                                           unsigned depth) {
  ExprRef body = match.look(sum->getBody());
  if (!body->isApply(ExprOp::Mul))
    return std::nullopt;
  auto isMatrix = [&](ExprRef e) {
    ExprRef inner = match.look(e);
    bool isSum = inner->isApply(ExprOp::Add) || inner->isApply(ExprOp::Sub);
    return isSum && llvm::any_of(inner->getOperands(),
                                 [&](ExprRef x) { return getIdentity(x); });
  };
  bool first = isMatrix(body->getOperand(0));
  if (!first && !isMatrix(body->getOperand(1)))
    return std::nullopt;
  auto terms = expand(body->getOperand(first ? 0 : 1), depth + 1);
  if (!terms)
    return std::nullopt;
  SmallVector<Product> result;
  for (Product &term : *terms) {
    if (!multiply(term, body->getOperand(first ? 1 : 0), 1, depth + 1))
      return std::nullopt;
    if (applyIdentity(term, sum->getBoundVars())) {
      result.push_back(std::move(term));
      continue;
    }
    Product total;
    if (!addUp(total, std::move(term), sum, 1))
      return std::nullopt;
    result.push_back(std::move(total));
  }
  return result;
}

/// `select(n == 0, 0, x / n)` or `select(n == 0, 1, n)`: x / n, or n. They
/// differ where the value is 0, and with it what is subtracted.
ExprRef Expander::getGuarded(ExprRef e) {
  if (!e->isApply(ExprOp::Select))
    return nullptr;
  ExprRef condition = match.look(e->getOperand(0));
  using P = arith::CmpFPredicate;
  if (!condition->isApply(ExprOp::CmpF) ||
      !match.look(condition->getOperand(1))->isConstant(0))
    return nullptr;
  auto predicate = static_cast<P>(condition->getPredicate());
  bool testsZero = predicate == P::OEQ || predicate == P::OLE;
  bool testsOther =
      predicate == P::OGT || predicate == P::UNE || predicate == P::ONE;
  if (!testsZero && !testsOther)
    return nullptr;
  ExprRef other = match.look(e->getOperand(testsZero ? 1 : 2));
  ExprRef guarded = e->getOperand(testsZero ? 2 : 1);
  ExprRef tested = match.look(condition->getOperand(0));
  ExprRef inner = match.look(guarded);
  bool isNorm = inner == tested && other->isConstant(1);
  bool isQuotient = inner->isApply(ExprOp::Div) && other->isConstant(0) &&
                    match.look(inner->getOperand(1)) == tested;
  return isNorm || isQuotient ? guarded : nullptr;
}

/// `select(c, x, 0)` is x times a guard of 1 or 0, if x is finite.
bool Expander::multiplyGuarded(Product &product, ExprRef e, int power,
                               unsigned depth) {
  if (!e->isApply(ExprOp::Select) || power != 1)
    return false;
  bool zeroFirst = match.look(e->getOperand(1))->isConstant(0);
  ExprRef kept = e->getOperand(zeroFirst ? 2 : 1);
  if ((!zeroFirst && !match.look(e->getOperand(2))->isConstant(0)) ||
      match.look(kept)->isConstant())
    return false;
  ExprRef one = match.ctx.constant(e->getType(), 1);
  ExprRef zero = match.ctx.constant(e->getType(), 0);
  ExprRef guard = match.ctx.select(e->getOperand(0), zeroFirst ? zero : one,
                                   zeroFirst ? one : zero);
  Product attempt = product;
  attempt.multiply(guard, power);
  if (!multiply(attempt, kept, power, depth + 1))
    return false;
  guards.insert(guard);
  product = std::move(attempt);
  return true;
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
  // A matrix product of depth 1, such as an outer product.
  if (inner->isReduce(ExprOp::Add) && inner->getBoundVars().empty())
    return multiply(product, inner->getBody(), power, depth + 1);
  if (inner->isReduce(ExprOp::Add) && multiplySum(product, inner, power, depth))
    return true;
  if (ExprRef guarded = getGuarded(inner))
    return multiply(product, guarded, power, depth + 1);
  if (multiplyGuarded(product, inner, power, depth))
    return true;
  switch (inner->is(ExprKind::Apply) ? inner->getOp() : ExprOp::None) {
  case ExprOp::Neg:
    product.number *= power % 2 ? -1 : 1;
    return multiply(product, inner->getOperand(0), power, depth + 1);
  case ExprOp::Mul:
  case ExprOp::Div:
    if (inner->isApply(ExprOp::Mul) &&
        inner->getOperand(0) == inner->getOperand(1))
      return multiply(product, inner->getOperand(0), 2 * power, depth + 1);
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

/// A choice between two spellings of one sum, as lerp makes it, or by a
/// condition that is constant.
std::optional<SmallVector<Product>> Expander::expandSelect(ExprRef e,
                                                           unsigned depth) {
  ExprRef condition = match.evaluator.resolve(e->getOperand(0));
  if (condition->isConstant())
    return expand(e->getOperand(condition->getNumber() != 0 ? 1 : 2),
                  depth + 1);
  auto first = expand(e->getOperand(1), depth + 1);
  auto second = expand(e->getOperand(2), depth + 1);
  if (!first || !second || first->size() != second->size())
    return std::nullopt;
  bool same = llvm::all_of(*first, [&](const Product &term) {
    return llvm::any_of(*second, [&](const Product &other) {
      return other.factors == term.factors && isNear(other.number, term.number);
    });
  });
  return same ? first : std::nullopt;
}

std::optional<SmallVector<Product>> Expander::expand(ExprRef e,
                                                     unsigned depth) {
  if (depth > 16)
    return std::nullopt;
  if (auto it = expanded.find(e); it != expanded.end())
    return it->second;
  auto terms = expandUncached(e, depth);
  if (terms)
    expanded[e] = *terms;
  return terms;
}

std::optional<SmallVector<Product>> Expander::expandUncached(ExprRef e,
                                                             unsigned depth) {
  ExprRef inner = match.look(e);
  if (inner->isApply(ExprOp::Select) && containsInput(inner))
    return expandSelect(inner, depth);
  if (inner->isApply(ExprOp::Mul) || inner->isApply(ExprOp::Div))
    return expandProduct(inner, depth);
  if (inner->isApply(ExprOp::Neg)) {
    auto terms = expand(inner->getOperand(0), depth + 1);
    if (terms)
      for (Product &product : *terms)
        product.number = -product.number;
    return terms;
  }
  if (inner->isReduce(ExprOp::Add) && containsInput(inner->getBody()))
    if (auto terms = expandMatrix(inner, depth))
      return terms;
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
        known->number = isNear(known->number, -term.number)
                            ? 0
                            : known->number + term.number;
    }
  }
  llvm::erase_if(result, [](const Product &term) { return term.number == 0; });
  if (result.size() > 16)
    return std::nullopt;
  return result;
}
