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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cmath>

using namespace mlir;
using namespace xsa;

/// Equal but for the rounding of constants, such as 1 - 0.3 and 0.7.
static bool isNear(double a, double b) {
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

namespace {
class Expander {
public:
  /// `whole` is a sum that is left in one piece: the output may be changed by
  /// one before its component along the own value is taken out.
  Expander(MatchContext &match, llvm::function_ref<bool(ExprRef)> containsInput,
           ExprRef whole = nullptr)
      : match(match), containsInput(containsInput), whole(whole) {}

  /// Sums of products; nothing if there are too many.
  std::optional<SmallVector<Product>> expand(ExprRef e, unsigned depth = 0);

  /// Multiplies `e` to `power` into `product`, without expanding sums.
  bool multiply(Product &product, ExprRef e, int power, unsigned depth = 0);

  /// Whether a factor is 1 or 0 by the condition of a guard: what it guards may
  /// be infinite where it is 0.
  bool isGuard(ExprRef factor) const { return guards.contains(factor); }

private:
  bool isPatternSum(ExprRef e);
  bool multiplySum(Product &product, ExprRef sum, int power, unsigned depth);
  bool addUp(Product &product, Product body, ExprRef sum, int power);
  ExprRef getGuarded(ExprRef e);
  bool multiplyGuarded(Product &product, ExprRef e, int power, unsigned depth);
  ExprRef getIdentity(ExprRef e);
  bool applyIdentity(Product &product, ArrayRef<ExprRef> vars);
  std::optional<SmallVector<Product>> expandMatrix(ExprRef sum, unsigned depth);
  std::optional<SmallVector<Product>> expandSelect(ExprRef e, unsigned depth);
  std::optional<SmallVector<Product>> expandProduct(ExprRef e, unsigned depth);
  std::optional<SmallVector<Product>> expandUncached(ExprRef e, unsigned depth);

  MatchContext &match;
  llvm::function_ref<bool(ExprRef)> containsInput;
  ExprRef whole;
  llvm::SmallPtrSet<ExprRef, 2> guards;
  /// What was expanded: parts of a strength may be shared.
  llvm::DenseMap<ExprRef, SmallVector<Product>> expanded;
};
} // namespace

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
  /// A factor that is `scale` times a norm of the value, or a squared one.
  struct Norm {
    ExprRef factor;
    int exponent;
    Denominator kind = Denominator::Raw;
    bool squared = false;
    double eps = 0, scale = 1;
  };

  bool matchDot(const Product &product);
  ExprRef getNormPlus(ExprRef e);
  void addQuotient(ExprRef norm, ExprRef divisor, int power);
  void collectNorms(SmallVectorImpl<Norm> &norms);
  bool matchNorms();
  std::optional<double> getNorm(ExprRef e, Denominator &kind, bool &squared,
                                double &factor);
  bool isSquaredNorm(ExprRef e);

  MatchContext &match;
  Expander &expander;
  ExclusionMatch &result;
  SmallVector<std::pair<ExprRef, int>> inputFactors;
  /// What remains after value and dot product are taken out.
  Product rest;
  /// Norms in the strength.
  llvm::SmallPtrSet<ExprRef, 4> quotients;
};
} // namespace

/// Whether `e` is the sum of the squares of the value.
bool ProjectionMatcher::isSquaredNorm(ExprRef e) {
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
std::optional<double> ProjectionMatcher::getNorm(ExprRef e, Denominator &kind,
                                                 bool &squared,
                                                 double &factor) {
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
ExprRef ProjectionMatcher::getNormPlus(ExprRef e) {
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
void ProjectionMatcher::addQuotient(ExprRef norm, ExprRef divisor, int power) {
  result.strengthFactors.emplace_back(divisor, -power);
  result.strengthFactors.emplace_back(norm, power);
  quotients.insert_range(ArrayRef{divisor, norm});
}

/// Reads `rest` as norms and other factors.
void ProjectionMatcher::collectNorms(SmallVectorImpl<Norm> &norms) {
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
bool ProjectionMatcher::matchNorms() {
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
      auto take = [&](const std::pair<ExprRef, int> &wanted) {
        for (auto [factor, factorPower] : body.factors)
          if (factorPower == wanted.second &&
              llvm::is_contained(rest.factors,
                                 std::make_pair(factor, factorPower))) {
            ExprUnifier attempt = unifier;
            if (!attempt.unify(factor, wanted.first))
              continue;
            unifier = std::move(attempt);
            rest.multiply(factor, -factorPower);
            return true;
          }
        return false;
      };
      bool isInside = false;
      auto takeAnywhere = [&](const std::pair<ExprRef, int> &wanted) {
        if (take(wanted))
          return isInside = true;
        // What is the same for a whole row may stand outside of the sum.
        if (!llvm::is_contained(product.factors, wanted))
          return false;
        rest.multiply(wanted.first, -wanted.second);
        return true;
      };
      if (!take({value, 1}) || !llvm::all_of(inputFactors, takeAnywhere) ||
          !isInside)
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
  if (!isNear(input.number, 1) || input.factors.empty())
    return false;
  result.input = nullptr;
  inputFactors.assign(input.factors.begin(), input.factors.end());
  // Divisors last, so that there is something to divide.
  llvm::stable_sort(inputFactors, [](const auto &a, const auto &b) {
    return a.second > b.second;
  });
  for (auto [factor, power] : inputFactors) {
    if (std::abs(power) != 1 || (power < 0 && !result.input))
      return false;
    ExprOp op = power > 0 ? ExprOp::Mul : ExprOp::Div;
    result.input = result.input ? match.ctx.apply(op, factor->getType(),
                                                  {result.input, factor})
                                : factor;
  }
  return matchDot(product) && matchNorms();
}

/// Sums below `e` that the output is part of, the outermost first.
static void collectWholes(MatchContext &match,
                          llvm::function_ref<bool(ExprRef)> containsInput,
                          ExprRef e, SmallVectorImpl<ExprRef> &wholes,
                          unsigned depth = 0) {
  constexpr unsigned maxWholes = 6;
  ExprRef inner = match.look(e);
  if (depth > 12 || !inner->is(ExprKind::Apply) || !containsInput(inner))
    return;
  bool isSum = inner->isApply(ExprOp::Add) || inner->isApply(ExprOp::Sub);
  if (depth > 0 && isSum && wholes.size() < maxWholes &&
      !llvm::is_contained(wholes, inner))
    wholes.push_back(inner);
  for (ExprRef operand : inner->getOperands())
    collectWholes(match, containsInput, operand, wholes, depth + 1);
}

/// Whether the output is summed up somewhere in `e`, as a dot product does.
static bool containsDot(MatchContext &match,
                        llvm::function_ref<bool(ExprRef)> containsInput,
                        ExprRef e, llvm::SmallPtrSetImpl<ExprRef> &seen,
                        unsigned depth = 0) {
  ExprRef inner = match.look(e);
  if (depth > 24 || !seen.insert(inner).second)
    return false;
  if (inner->isReduce(ExprOp::Add))
    return containsInput(inner->getBody());
  return inner->is(ExprKind::Apply) &&
         llvm::any_of(inner->getOperands(), [&](ExprRef operand) {
           return containsDot(match, containsInput, operand, seen, depth + 1);
         });
}

/// The sum of all terms but two; null if they contain the output or powers.
static ExprRef sumOthers(MatchContext &match,
                         llvm::function_ref<bool(ExprRef)> containsInput,
                         ArrayRef<Product> terms, size_t first, size_t second) {
  ExprRef sum = nullptr;
  for (auto [i, term] : llvm::enumerate(terms)) {
    if (i == first || i == second)
      continue;
    if (term.factors.size() != 1 || term.factors[0].second != 1 ||
        containsInput(term.factors[0].first))
      return nullptr;
    ExprRef e = term.factors[0].first;
    if (term.number != 1)
      e = match.ctx.apply(ExprOp::Mul, e->getType(),
                          {e, match.ctx.constant(e->getType(), term.number)});
    if (sum && sum->getType() != e->getType())
      return nullptr;
    sum = sum ? match.ctx.apply(ExprOp::Add, e->getType(), {sum, e}) : e;
  }
  return sum;
}

bool xsa::matchExclusion(MatchContext &match,
                         llvm::function_ref<bool(ExprRef)> containsInput,
                         ExclusionMatch &result, bool withMore) {
  ExprRef root = match.view.access(result.root, result.rootIndices);
  llvm::SmallPtrSet<ExprRef, 32> seen;
  if (!containsDot(match, containsInput, root, seen))
    return false;
  auto attempt = [&](ExprRef whole) {
    Expander expander(match, containsInput, whole);
    auto terms = expander.expand(root);
    if (!terms || terms->size() < 2 || (terms->size() > 2 && !withMore))
      return false;
    for (size_t input = 0; input < terms->size(); ++input)
      for (size_t product = 0; product < terms->size(); ++product) {
        if (input == product)
          continue;
        result.strengthFactors.clear();
        ProjectionMatcher matcher(match, expander, result);
        if (!matcher.run((*terms)[input], (*terms)[product]))
          continue;
        result.added = sumOthers(match, containsInput, *terms, input, product);
        return terms->size() == 2 || result.added;
      }
    return false;
  };
  if (attempt(nullptr))
    return true;
  if (withMore)
    return false;
  SmallVector<ExprRef> wholes;
  collectWholes(match, containsInput, root, wholes);
  return llvm::any_of(wholes, attempt);
}
