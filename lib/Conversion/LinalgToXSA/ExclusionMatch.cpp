//===- ExclusionMatch.cpp - Recognises the exclusion ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a sum of products, one is the output and another its projection onto a
// value: the value, its dot product with the output, norms and a strength.
//
//===----------------------------------------------------------------------===//

#include "ExclusionMatch.h"
#include "ProjectionNorms.h"
#include "SumOfProducts.h"

using namespace mlir;
using namespace xsa;

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

  MatchContext &match;
  Expander &expander;
  ExclusionMatch &result;
  SmallVector<std::pair<ExprRef, int>> inputFactors;
  /// What remains after value and dot product are taken out.
  Product rest;
};
} // namespace

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
  return matchDot(product) && matchNorms(match, expander, rest, result);
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
