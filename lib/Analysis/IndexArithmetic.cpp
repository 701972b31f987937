//===- IndexArithmetic.cpp - Exact arithmetic on indices ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers are polynomials over variables and sizes, so that the reshape of a
// dynamic `b*t` is exact. A quotient that depends on how a variable splits into
// digits splits it: x over 24, divided by 12, becomes 12*hi + lo.
//
//===----------------------------------------------------------------------===//

#include "TensorExprDetail.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

static bool precedes(ArrayRef<ExprRef> a, ArrayRef<ExprRef> b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [](ExprRef x, ExprRef y) { return x->getId() < y->getId(); });
}

void ExprContext::PolyBuilder::add(int64_t coeff, ArrayRef<ExprRef> atoms) {
  if (coeff == 0)
    return;
  Atoms sorted(atoms);
  llvm::sort(sorted,
             [](ExprRef a, ExprRef b) { return a->getId() < b->getId(); });
  for (auto *it = terms.begin(); it != terms.end(); ++it) {
    if (it->first != sorted)
      continue;
    overflowed |= llvm::AddOverflow(it->second, coeff, it->second);
    if (it->second == 0)
      terms.erase(it);
    return;
  }
  terms.emplace_back(std::move(sorted), coeff);
}

void ExprContext::PolyBuilder::add(ExprRef e, int64_t factor) {
  for (const PolyTerm &term : ExprContext::getTerms(e)) {
    int64_t coeff;
    overflowed |= llvm::MulOverflow(term.coeff, factor, coeff);
    add(coeff, term.atoms);
  }
}

void ExprContext::PolyBuilder::addProduct(const PolyTerm &a,
                                          const PolyTerm &b) {
  Atoms atoms(a.atoms);
  llvm::append_range(atoms, b.atoms);
  int64_t coeff;
  overflowed |= llvm::MulOverflow(a.coeff, b.coeff, coeff);
  add(coeff, atoms);
}

SmallVector<PolyTerm> ExprContext::getTerms(ExprRef const &e) {
  if (e->is(ExprKind::Poly))
    return SmallVector<PolyTerm>(e->getTerms());
  return {PolyTerm{1, ArrayRef<ExprRef>(e->self)}};
}

ExprRef ExprContext::createPoly(const PolyBuilder &poly) {
  if (poly.overflowed)
    return unknown();
  if (poly.terms.size() == 1 && poly.terms[0].second == 1 &&
      poly.terms[0].first.size() == 1)
    return poly.terms[0].first[0];
  SmallVector<PolyTerm> terms;
  for (const auto &[atoms, coeff] : poly.terms)
    terms.push_back({coeff, atoms});
  llvm::sort(terms, [](const PolyTerm &a, const PolyTerm &b) {
    return precedes(a.atoms, b.atoms);
  });
  Key key(ExprKind::Poly, IndexType::get(context));
  key.terms = terms;
  return create(key);
}

ExprRef ExprContext::integer(int64_t i) {
  PolyBuilder poly;
  poly.add(i, {});
  return createPoly(poly);
}

std::optional<int64_t> ExprContext::getInteger(ExprRef e) {
  if (!e->is(ExprKind::Poly))
    return std::nullopt;
  if (e->getTerms().empty())
    return 0;
  if (e->getTerms().size() == 1 && e->getTerms()[0].atoms.empty())
    return e->getTerms()[0].coeff;
  return std::nullopt;
}

ExprRef ExprContext::add(ExprRef a, ExprRef b) {
  PolyBuilder poly;
  poly.add(a);
  poly.add(b);
  return createPoly(poly);
}

ExprRef ExprContext::sub(ExprRef a, ExprRef b) {
  PolyBuilder poly;
  poly.add(a);
  poly.add(b, -1);
  return createPoly(poly);
}

ExprRef ExprContext::mul(ExprRef a, ExprRef b) {
  PolyBuilder poly;
  for (const PolyTerm &x : getTerms(a))
    for (const PolyTerm &y : getTerms(b))
      poly.addProduct(x, y);
  return createPoly(poly);
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static ExprRef boundPoly(ExprContext &ctx, ExprRef e, bool upper);

/// A bound of an atom from one side, as a polynomial in sizes; null if unknown.
static ExprRef boundAtom(ExprContext &ctx, ExprRef atom, bool upper) {
  switch (atom->getKind()) {
  case ExprKind::Symbol:
    return atom;
  case ExprKind::Var:
    return upper ? ctx.sub(atom->getExtent(), ctx.integer(1)) : ctx.integer(0);
  case ExprKind::Apply:
    break;
  default:
    return nullptr;
  }
  if (atom->isApply(ExprOp::Mod))
    return upper ? ctx.sub(atom->getOperand(1), ctx.integer(1))
                 : ctx.integer(0);
  // A quotient is not larger than what is divided.
  if (atom->isApply(ExprOp::FloorDiv) &&
      ctx.isProvablyNonNegative(atom->getOperand(0)))
    return upper ? boundPoly(ctx, atom->getOperand(0), upper) : ctx.integer(0);
  if (atom->isApply(ExprOp::Select)) {
    auto a = ExprContext::getInteger(atom->getOperand(1));
    auto b = ExprContext::getInteger(atom->getOperand(2));
    if (a && b)
      return ctx.integer(upper ? std::max(*a, *b) : std::min(*a, *b));
  }
  return nullptr;
}

/// Every size is at least 1: writes s as 1 + s' and asks for coefficients that
/// are all non-negative, which decides B*T - T >= 0.
static bool isNonNegativeInSizes(ExprContext &ctx, ExprRef poly) {
  ExprRef shifted = ctx.integer(0);
  for (const PolyTerm &term : ExprContext::getTerms(poly)) {
    ExprRef product = ctx.integer(term.coeff);
    for (ExprRef atom : term.atoms) {
      if (!atom->is(ExprKind::Symbol))
        return false;
      product = ctx.mul(product, ctx.add(atom, ctx.integer(1)));
    }
    shifted = ctx.add(shifted, product);
  }
  return shifted->isKnown() &&
         llvm::all_of(ExprContext::getTerms(shifted),
                      [](const PolyTerm &term) { return term.coeff >= 0; });
}

/// A bound of a polynomial from one side, as one in sizes; null if unknown.
static ExprRef boundPoly(ExprContext &ctx, ExprRef e, bool upper) {
  ExprRef sum = ctx.integer(0);
  for (const PolyTerm &term : ExprContext::getTerms(e)) {
    ExprRef product = ctx.integer(term.coeff);
    for (ExprRef atom : term.atoms) {
      // All atoms but the first unknown-signed one must be non-negative for
      // the product of bounds to be a bound; every bounded atom here is,
      // except selects of negative constants.
      ExprRef bound = boundAtom(ctx, atom, upper == (term.coeff > 0));
      if (!bound)
        return nullptr;
      if (term.atoms.size() > 1 && atom->isApply(ExprOp::Select))
        return nullptr;
      product = ctx.mul(product, bound);
    }
    sum = ctx.add(sum, product);
  }
  return sum;
}

bool ExprContext::isProvablyNonNegative(ExprRef e) {
  ExprRef least = boundPoly(*this, e, /*upper=*/false);
  return least && isNonNegativeInSizes(*this, least);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// `term / divisor` for monomials, if exact.
static std::optional<std::pair<int64_t, SmallVector<ExprRef, 2>>>
divideMonomial(const PolyTerm &term, const PolyTerm &divisor) {
  // Only the least integer has no counterpart of the other sign.
  bool overflows =
      divisor.coeff == -1 && term.coeff == std::numeric_limits<int64_t>::min();
  if (divisor.coeff == 0 || overflows || term.coeff % divisor.coeff != 0)
    return std::nullopt;
  SmallVector<ExprRef, 2> atoms(term.atoms);
  for (ExprRef atom : divisor.atoms) {
    auto *it = llvm::find(atoms, atom);
    if (it == atoms.end())
      return std::nullopt;
    atoms.erase(it);
  }
  return std::make_pair(term.coeff / divisor.coeff, std::move(atoms));
}

std::optional<ExprRef> ExprContext::exactDiv(ExprRef a, ExprRef b) {
  if (a == b)
    return integer(1);
  SmallVector<PolyTerm> divisor = getTerms(b);
  if (divisor.size() != 1)
    return std::nullopt;
  PolyBuilder poly;
  for (const PolyTerm &term : getTerms(a)) {
    auto quotient = divideMonomial(term, divisor[0]);
    if (!quotient)
      return std::nullopt;
    poly.add(quotient->first, quotient->second);
  }
  return createPoly(poly);
}

bool ExprContext::split(ExprRef var, ExprRef size) {
  if (splits.contains(var))
    return false;
  auto high = exactDiv(var->getExtent(), size);
  if (!high || getInteger(*high) == 1 || getInteger(size) == 1)
    return false;
  // One after the other: the order of arguments is the compiler's choice, and
  // variables are numbered as they are made.
  ExprRef highDigit = variable(*high);
  ExprRef lowDigit = variable(size);
  splits[var] = add(mul(highDigit, size), lowDigit);
  ++numSplits;
  return true;
}

ExprRef ExprContext::floorDiv(ExprRef a, ExprRef b) {
  a = refine(a);
  if (getInteger(b) == 1)
    return a;
  SmallVector<PolyTerm> divisor = getTerms(b);
  if (divisor.size() != 1 || divisor[0].coeff <= 0) {
    if (auto exact = exactDiv(a, b))
      return *exact;
    Key key(ExprKind::Apply, IndexType::get(context));
    key.op = ExprOp::FloorDiv;
    ExprRef operands[] = {a, b};
    key.operands = operands;
    return create(key);
  }

  PolyBuilder quotient, rest;
  for (const PolyTerm &term : getTerms(a)) {
    if (auto exact = divideMonomial(term, divisor[0])) {
      quotient.add(exact->first, exact->second);
    } else if (term.atoms.empty() && divisor[0].atoms.empty()) {
      int64_t q = llvm::divideFloorSigned(term.coeff, divisor[0].coeff);
      quotient.add(q, {});
      rest.add(term.coeff - q * divisor[0].coeff, {});
    } else {
      rest.add(term.coeff, term.atoms);
    }
  }
  ExprRef remainder = createPoly(rest);
  if (isProvablyNonNegative(remainder) && isProvablyLess(remainder, b))
    return createPoly(quotient);

  for (const PolyTerm &term : getTerms(remainder)) {
    const ExprRef *var = llvm::find_if(
        term.atoms, [](ExprRef atom) { return atom->is(ExprKind::Var); });
    if (var == term.atoms.end())
      continue;
    PolyTerm stride{term.coeff, {}};
    SmallVector<ExprRef> others(term.atoms);
    others.erase(llvm::find(others, *var));
    stride.atoms = others;
    bool countsDown = term.coeff < 0;
    if (countsDown && llvm::SubOverflow<int64_t>(0, term.coeff, stride.coeff))
      continue;
    auto digits = divideMonomial(divisor[0], stride);
    if (!digits)
      continue;
    PolyBuilder poly, step;
    poly.add(digits->first, digits->second);
    step.add(stride.coeff, stride.atoms);
    ExprRef size = createPoly(poly);
    // Positions that count down are digits that do, if no other term is there
    // and the low digit is never larger than what it is taken from.
    if (countsDown) {
      ExprRef rest = add(
          remainder, mul(createPoly(step), sub(add(*var, integer(1)), size)));
      if (!rest->getFreeVars().empty() || !isProvablyNonNegative(rest))
        continue;
    }
    if (split(*var, size))
      return floorDiv(refine(a), b);
  }
  Key key(ExprKind::Apply, IndexType::get(context));
  key.op = ExprOp::FloorDiv;
  ExprRef operands[] = {remainder, b};
  key.operands = operands;
  return add(createPoly(quotient), create(key));
}

ExprRef ExprContext::mod(ExprRef a, ExprRef b) {
  ExprRef quotient = floorDiv(a, b);
  a = refine(a);
  for (const PolyTerm &term : getTerms(quotient))
    for (ExprRef atom : term.atoms)
      if (atom->isApply(ExprOp::FloorDiv) && atom->getOperand(1) == b) {
        Key key(ExprKind::Apply, IndexType::get(context));
        key.op = ExprOp::Mod;
        ExprRef operands[] = {atom->getOperand(0), b};
        key.operands = operands;
        return create(key);
      }
  return sub(a, mul(quotient, b));
}

ExprRef ExprContext::linearize(ArrayRef<ExprRef> indices,
                               ArrayRef<ExprRef> extents) {
  ExprRef linear = integer(0);
  for (auto [index, extent] : llvm::zip_equal(indices, extents))
    linear = add(mul(linear, extent), index);
  return linear;
}

SmallVector<ExprRef> ExprContext::delinearize(ExprRef linear,
                                              ArrayRef<ExprRef> extents) {
  SmallVector<ExprRef> indices(extents.size());
  for (int64_t i = extents.size() - 1; i > 0; --i) {
    if (getInteger(extents[i]) == 1) {
      indices[i] = integer(0);
      continue;
    }
    indices[i] = mod(linear, extents[i]);
    linear = floorDiv(linear, extents[i]);
  }
  if (!extents.empty())
    indices[0] = linear;
  for (ExprRef &index : indices)
    index = refine(index);
  return indices;
}

std::optional<ExprContext::Digits> ExprContext::getDigits(ExprRef index) {
  PolyBuilder offset;
  SmallVector<std::pair<ExprRef, ExprRef>> open; // variable, stride
  for (const PolyTerm &term : getTerms(index)) {
    ExprRef var = nullptr;
    SmallVector<ExprRef> factors;
    for (ExprRef atom : term.atoms) {
      if (atom->is(ExprKind::Symbol)) {
        factors.push_back(atom);
      } else if (atom->is(ExprKind::Var) && !var) {
        var = atom;
      } else {
        return std::nullopt;
      }
    }
    if (!var) {
      offset.add(term.coeff, term.atoms);
      continue;
    }
    if (term.coeff <= 0 ||
        llvm::is_contained(llvm::make_first_range(open), var))
      return std::nullopt;
    PolyBuilder stride;
    stride.add(term.coeff, factors);
    open.emplace_back(var, createPoly(stride));
  }

  Digits digits{createPoly(offset), integer(1), {}, integer(1)};
  if (open.empty())
    return digits;
  // The least significant digit has the stride that divides all others.
  for (auto [var, stride] : open)
    if (llvm::all_of(open, [&, s = stride](auto &other) {
          return exactDiv(other.second, s).has_value();
        }))
      digits.stride = stride;
  ExprRef next = digits.stride;
  while (!open.empty()) {
    auto *it = llvm::find_if(
        open, [&](auto &candidate) { return candidate.second == next; });
    if (it == open.end())
      return std::nullopt;
    digits.vars.insert(digits.vars.begin(), it->first);
    digits.size = mul(digits.size, it->first->getExtent());
    next = mul(next, it->first->getExtent());
    open.erase(it);
  }
  return digits;
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

/// A predicate of a polynomial that contains one select of constants is
/// decided by its condition, if it is decided in both cases.
ExprRef ExprContext::decideBySelect(ExprOp op, ExprRef poly) {
  ExprRef choice = nullptr;
  for (const PolyTerm &term : getTerms(poly))
    for (ExprRef atom : term.atoms)
      if (atom->isApply(ExprOp::Select)) {
        if (choice || term.atoms.size() != 1)
          return nullptr;
        choice = atom;
      }
  if (!choice)
    return nullptr;
  ExprRef results[2];
  for (unsigned branch : {0, 1}) {
    ExprRef value = integer(0);
    for (const PolyTerm &term : getTerms(poly)) {
      ExprRef product = integer(term.coeff);
      for (ExprRef atom : term.atoms)
        product = mul(product,
                      atom == choice ? choice->getOperand(1 + branch) : atom);
      value = add(value, product);
    }
    results[branch] = op == ExprOp::IsZero ? isZero(value) : nonNegative(value);
    if (!results[branch]->isConstant())
      return nullptr;
  }
  return select(choice->getOperand(0), results[0], results[1]);
}

ExprRef ExprContext::nonNegative(ExprRef e) {
  if (isProvablyNonNegative(e))
    return boolean(true);
  if (isProvablyNonNegative(sub(integer(-1), e)))
    return boolean(false);
  if (ExprRef decided = decideBySelect(ExprOp::NonNegative, e))
    return decided;
  Key key(ExprKind::Apply, IntegerType::get(context, 1));
  key.op = ExprOp::NonNegative;
  key.operands = e;
  return create(key);
}

ExprRef ExprContext::isZero(ExprRef e) {
  if (auto i = getInteger(e))
    return boolean(*i == 0);
  if (isProvablyNonNegative(sub(e, integer(1))) ||
      isProvablyNonNegative(sub(integer(-1), e)))
    return boolean(false);
  if (ExprRef decided = decideBySelect(ExprOp::IsZero, e))
    return decided;
  // e and -e are zero together: keep one of the two.
  SmallVector<PolyTerm> terms = getTerms(e);
  if (terms.back().coeff < 0)
    e = sub(integer(0), e);
  Key key(ExprKind::Apply, IntegerType::get(context, 1));
  key.op = ExprOp::IsZero;
  key.operands = e;
  return create(key);
}
