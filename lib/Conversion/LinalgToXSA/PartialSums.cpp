//===- PartialSums.cpp - Sums that are put together from sums -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum below a softmax may be computed in parts: for each chunk of the keys,
// or for every other key. Where the parts are the terms of an addition, or are
// put into one tensor, their number becomes a variable of one sum.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

using namespace mlir;
using namespace xsa;

/// What the first term of a sum is computed from, itself first.
static SmallVector<ExprRef> getElements(MatchContext &match, ExprRef sum) {
  ExprContext::Substitution first;
  for (ExprRef var : sum->getBoundVars())
    first[var] = match.ctx.integer(0);
  SmallVector<ExprRef> elements;
  ExprRef e = match.ctx.substitute(sum->getBody(), first);
  while (e && (e->is(ExprKind::Apply) || e->is(ExprKind::Access))) {
    bool isElement = e->is(ExprKind::Access);
    if (isElement)
      elements.push_back(e);
    e = isElement ? match.view.peel(e) : e->getOperand(0);
  }
  return elements;
}

/// How far an element is from another one of the same tensor.
static std::optional<SmallVector<int64_t>>
getDistance(ExprContext &ctx, ExprRef element, ExprRef start) {
  SmallVector<int64_t> distance;
  for (auto [i, j] :
       llvm::zip_equal(element->getOperands(), start->getOperands())) {
    auto steps = ExprContext::getInteger(ctx.sub(i, j));
    if (!steps)
      return std::nullopt;
    distance.push_back(*steps);
  }
  return distance;
}

/// Brings sums over pieces of one tensor into the order of the pieces.
static bool sortByPosition(MatchContext &match, MutableArrayRef<ExprRef> sums) {
  auto elements = llvm::map_to_vector(
      sums, [&](ExprRef sum) { return getElements(match, sum); });
  for (ExprRef start : elements.front()) {
    SmallVector<std::pair<SmallVector<int64_t>, ExprRef>> places;
    for (auto [sum, chain] : llvm::zip_equal(sums, elements)) {
      ExprRef *found = llvm::find_if(chain, [&](ExprRef element) {
        return element->getValue() == start->getValue();
      });
      auto distance = found == chain.end()
                          ? std::nullopt
                          : getDistance(match.ctx, *found, start);
      if (distance)
        places.emplace_back(*distance, sum);
    }
    if (places.size() != sums.size())
      continue;
    llvm::stable_sort(places, llvm::less_first());
    llvm::copy(llvm::make_second_range(places), sums.begin());
    return true;
  }
  return false;
}

ExprRef xsa::mergePartialSums(MatchContext &match, ExprRef sum) {
  ExprContext &ctx = match.ctx;
  auto isSum = [&](ExprRef e) {
    ExprRef inner = match.look(e);
    return inner->isReduce(ExprOp::Add) && !inner->getBoundVars().empty();
  };
  auto merge = [&](ArrayRef<ExprRef> vars, ExprRef choice) {
    // Of like parts nothing is chosen.
    if (!choice->isApply(ExprOp::Select))
      return sum;
    ExprRef piece = mergePieces(match, choice);
    return piece && isSum(piece) ? match.view.reduce(ExprOp::Add, vars, piece)
                                 : sum;
  };
  if (sum->isReduce(ExprOp::Add)) {
    ExprRef choice = match.look(sum->getBody());
    return choice->isApply(ExprOp::Select) && isSum(choice->getOperand(1))
               ? merge(sum->getBoundVars(), choice)
               : sum;
  }
  if (!sum->isApply(ExprOp::Add))
    return sum;
  SmallVector<ExprRef> terms = {sum}, parts;
  while (!terms.empty()) {
    ExprRef term = match.look(terms.pop_back_val());
    if (term->isApply(ExprOp::Add))
      llvm::append_range(terms, term->getOperands());
    else if (isSum(term))
      parts.push_back(term);
    else if (!term->isConstant(0))
      return sum;
  }
  if (parts.size() < 2 || !sortByPosition(match, parts))
    return sum;
  ExprRef number = match.partOf(parts.front()->getBoundVars().front(),
                                ctx.integer(parts.size()));
  ExprRef choice = parts.back();
  for (size_t i = parts.size() - 1; i-- > 0;)
    choice = ctx.select(ctx.isZero(ctx.sub(number, ctx.integer(i))), parts[i],
                        choice);
  return merge(number->getFreeVars(), choice);
}
