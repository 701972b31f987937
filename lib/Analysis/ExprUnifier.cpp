//===- ExprUnifier.cpp - Equality of expressions up to renaming -----------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structural unification. Two accesses to one value are compared by index
// first; otherwise the value that is defined later is peeled, because equal
// values meet in what both are computed from.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/ExprUnifier.h"

#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace xsa;

bool ExprUnifier::isBijection(ArrayRef<ExprRef> from,
                              ArrayRef<ExprRef> to) const {
  ExprContext &ctx = view->getContext();
  SmallVector<ExprRef> seen;
  ExprRef fromSize = ctx.integer(1), toSize = ctx.integer(1);
  for (ExprRef var : from) {
    fromSize = ctx.mul(fromSize, var->getExtent());
    ExprRef image = bindings.lookup(var);
    if (!image)
      return false;
    for (ExprRef free : image->getFreeVars()) {
      if (!llvm::is_contained(to, free) || llvm::is_contained(seen, free))
        return false;
      seen.push_back(free);
    }
    // A mixed-radix number reaches each value below the extent once, as it is
    // or counted down from the last.
    auto reachesAll = [&](ExprRef index) {
      auto digits = ctx.getDigits(index);
      return digits && ExprContext::getInteger(digits->offset) == 0 &&
             ExprContext::getInteger(digits->stride) == 1 &&
             digits->size == var->getExtent();
    };
    ExprRef last = ctx.sub(var->getExtent(), ctx.integer(1));
    if (!reachesAll(image) && !reachesAll(ctx.sub(last, image)))
      return false;
  }
  for (ExprRef var : to)
    toSize = ctx.mul(toSize, var->getExtent());
  return seen.size() == to.size() && fromSize == toSize;
}

bool ExprUnifier::unify(ExprRef a, ExprRef b) {
  while (a->isApply(ExprOp::Cast))
    a = a->getOperand(0);
  while (b->isApply(ExprOp::Cast))
    b = b->getOperand(0);
  if (a == b && !a->dependsOnAny(bindable))
    return true;
  if (known.contains({a, b}))
    return true;
  if (budget == 0)
    return false;
  --budget;
  if (!unifyUncached(a, b))
    return false;
  known.insert({a, b});
  return true;
}

bool ExprUnifier::bind(ExprRef var, ExprRef value) {
  if (!value->isInt())
    return false;
  bindings[var] = value;
  return true;
}

bool ExprUnifier::unifyIntegers(ExprRef a, ExprRef b) {
  ExprContext &ctx = view->getContext();
  ExprRef partial = ctx.substitute(a, bindings);
  SmallVector<ExprRef> open;
  for (ExprRef var : partial->getFreeVars())
    if (llvm::is_contained(bindable, var) && !bindings.contains(var))
      open.push_back(var);
  // One variable may be bound on both sides.
  if (partial == b)
    return llvm::all_of(open, [&](ExprRef var) { return bind(var, var); });
  if (open.empty() || !b->isInt())
    return false;
  // One digit that stands alone is solved for.
  for (ExprRef var : open) {
    ExprRef rest = ctx.sub(partial, var);
    if (!rest->dependsOn(var) && open.size() == 1)
      return bind(var, ctx.sub(b, rest));
    rest = ctx.add(partial, var);
    if (!rest->dependsOn(var) && open.size() == 1)
      return bind(var, ctx.sub(rest, b));
  }
  // Elements of one tensor that differ in the variable only.
  ExprRef difference = ctx.sub(partial, b);
  SmallVector<PolyTerm> terms = ExprContext::getTerms(difference);
  if (terms.size() == 2 && llvm::is_contained({1, -1}, terms[0].coeff) &&
      llvm::is_contained({1, -1}, terms[1].coeff) &&
      terms[0].coeff != terms[1].coeff && terms[0].atoms.size() == 1 &&
      terms[1].atoms.size() == 1) {
    ExprRef x = terms[0].atoms[0], y = terms[1].atoms[0];
    if (!x->dependsOnAny(open))
      std::swap(x, y);
    return x->is(ExprKind::Access) && y->is(ExprKind::Access) && unify(x, y);
  }
  // Digits of one number, counted up or down from somewhere: taken apart on the
  // other side.
  ExprContext::Substitution zeros;
  for (ExprRef var : open)
    zeros[var] = ctx.integer(0);
  ExprRef start = ctx.substitute(partial, zeros), number = ctx.sub(b, start);
  auto digits = ctx.getDigits(ctx.sub(partial, start));
  if (!digits) {
    digits = ctx.getDigits(ctx.sub(start, partial));
    number = ctx.sub(start, b);
  }
  if (!digits || digits->vars.size() != open.size() ||
      ExprContext::getInteger(digits->stride) != 1)
    return false;
  // Elsewhere than at 0 it may be another number that is meant.
  if (number != b && !(ctx.isProvablyNonNegative(number) &&
                       ctx.isProvablyLess(number, digits->size)))
    return false;
  SmallVector<ExprRef> extents;
  for (ExprRef digit : digits->vars) {
    if (!llvm::is_contained(open, digit))
      return false;
    extents.push_back(digit->getExtent());
  }
  for (auto [digit, image] :
       llvm::zip_equal(digits->vars, ctx.delinearize(number, extents)))
    bind(digit, image);
  return true;
}

bool ExprUnifier::unifyLists(ArrayRef<ExprRef> a, ArrayRef<ExprRef> b) {
  if (a.size() != b.size())
    return false;
  for (auto [x, y] : llvm::zip_equal(a, b))
    if (!unify(x, y))
      return false;
  return true;
}

void ExprUnifier::restore(ExprContext::Substitution before) {
  bindings = std::move(before);
  known.clear();
}

/// Whether `a` is computed after `b`, as far as that can be told.
static bool isLater(Value a, Value b) {
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y)
    return x != nullptr;
  return x->getBlock() == y->getBlock() ? y->isBeforeInBlock(x) : true;
}

bool ExprUnifier::unifyAccesses(ExprRef a, ExprRef b) {
  if (a->getValue() == b->getValue()) {
    ExprContext::Substitution before = bindings;
    if (unifyLists(a->getOperands(), b->getOperands()))
      return true;
    restore(std::move(before));
  }
  bool same = a->getValue() == b->getValue();
  bool peelA = same || isLater(a->getValue(), b->getValue());
  bool peelB = same || !peelA;
  ExprRef nextA = peelA ? view->peel(a) : a;
  ExprRef nextB = peelB ? view->peel(b) : b;
  return nextA && nextB && unify(nextA, nextB);
}

static bool isCommutative(ExprRef e) {
  return e->isApply(ExprOp::Add) || e->isApply(ExprOp::Mul) ||
         e->isApply(ExprOp::Max) || e->isApply(ExprOp::Min) ||
         e->isApply(ExprOp::And) || e->isApply(ExprOp::Or);
}

bool ExprUnifier::unifyApply(ExprRef a, ExprRef b) {
  if (a->getOp() != b->getOp() || a->getPredicate() != b->getPredicate() ||
      a->getAttribute() != b->getAttribute())
    return false;
  ExprContext::Substitution before = bindings;
  if (unifyLists(a->getOperands(), b->getOperands()))
    return true;
  restore(before);
  // Which of two terms is subtracted depends on the names of variables.
  if (a->isApply(ExprOp::IsZero)) {
    ExprContext &ctx = view->getContext();
    ExprRef negated = ctx.sub(ctx.integer(0), a->getOperand(0));
    if (unify(negated, b->getOperand(0)))
      return true;
    restore(std::move(before));
    return false;
  }
  if (!isCommutative(a))
    return false;
  // In either order, and from either side: one operand may only be found equal
  // once the other has said what a variable stands for.
  auto attempt = [&](unsigned first, unsigned image) {
    if (unify(a->getOperand(first), b->getOperand(image)) &&
        unify(a->getOperand(1 - first), b->getOperand(1 - image)))
      return true;
    restore(before);
    return false;
  };
  return attempt(1, 1) || attempt(0, 1) || attempt(1, 0);
}

bool ExprUnifier::unifyReduce(ExprRef a, ExprRef b) {
  if (a->getOp() != b->getOp())
    return false;
  ExprContext::Substitution before = bindings;
  size_t numBindable = bindable.size();
  llvm::append_range(bindable, a->getBoundVars());
  for (ExprRef var : a->getBoundVars())
    bindings.erase(var);
  // What was found equal holds for another reading of the bound variables.
  auto knownBefore = known;
  bool equal = unify(a->getBody(), b->getBody()) &&
               isBijection(a->getBoundVars(), b->getBoundVars());
  known = std::move(knownBefore);
  bindable.truncate(numBindable);
  if (!equal) {
    restore(std::move(before));
    return false;
  }
  for (ExprRef var : a->getBoundVars()) {
    bindings.erase(var);
    if (ExprRef outer = before.lookup(var))
      bindings[var] = outer;
  }
  return true;
}

bool ExprUnifier::unifyUncached(ExprRef a, ExprRef b) {
  if (a->is(ExprKind::Var) && llvm::is_contained(bindable, a)) {
    if (ExprRef bound = bindings.lookup(a))
      return bound == b;
    return bind(a, b);
  }
  if (a->is(ExprKind::Poly) || b->is(ExprKind::Poly))
    return a->isInt() && b->isInt() && unifyIntegers(a, b);
  if (a->is(ExprKind::Access) && b->is(ExprKind::Access))
    return unifyAccesses(a, b);
  if (a->is(ExprKind::Access)) {
    ExprRef inner = view->peel(a);
    return inner && unify(inner, b);
  }
  if (b->is(ExprKind::Access)) {
    ExprRef inner = view->peel(b);
    return inner && unify(a, inner);
  }
  if (a->getKind() != b->getKind())
    return false;
  if (a->is(ExprKind::Apply))
    return unifyApply(a, b);
  if (a->is(ExprKind::Reduce))
    return unifyReduce(a, b);
  return false;
}
