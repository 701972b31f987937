//===- ExprSimplification.cpp - Exact simplifications ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every client wants to be simple: constants folded, selects over
// constants turned around, comparisons as normalised predicates, extrema
// recognised.
//
//===----------------------------------------------------------------------===//

#include "TensorExprDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace xsa;

static bool compareFloats(unsigned predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  using P = arith::CmpFPredicate;
  switch (static_cast<P>(predicate)) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return !unordered && a == b;
  case P::OGT:
    return !unordered && a > b;
  case P::OGE:
    return !unordered && a >= b;
  case P::OLT:
    return !unordered && a < b;
  case P::OLE:
    return !unordered && a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return unordered || a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

std::optional<double> xsa::detail::evaluateFloatOp(ExprOp op,
                                                   ArrayRef<double> x) {
  switch (op) {
  case ExprOp::Add:
    return x[0] + x[1];
  case ExprOp::Sub:
    return x[0] - x[1];
  case ExprOp::Mul:
    return x[0] * x[1];
  case ExprOp::Div:
    return x[0] / x[1];
  case ExprOp::Neg:
    return -x[0];
  case ExprOp::Max:
    return std::isnan(x[0]) || std::isnan(x[1]) ? NAN : std::max(x[0], x[1]);
  case ExprOp::Min:
    return std::isnan(x[0]) || std::isnan(x[1]) ? NAN : std::min(x[0], x[1]);
  case ExprOp::Exp:
    return std::exp(x[0]);
  case ExprOp::Exp2:
    return std::exp2(x[0]);
  case ExprOp::Log:
    return std::log(x[0]);
  case ExprOp::Tanh:
    return std::tanh(x[0]);
  case ExprOp::Sqrt:
    return std::sqrt(x[0]);
  case ExprOp::Rsqrt:
    return 1.0 / std::sqrt(x[0]);
  case ExprOp::Abs:
    return std::fabs(x[0]);
  case ExprOp::Floor:
    return std::floor(x[0]);
  case ExprOp::Pow:
    return std::pow(x[0], x[1]);
  case ExprOp::Cast:
    return x[0];
  default:
    return std::nullopt;
  }
}

bool xsa::detail::evaluateCmpF(unsigned predicate, double a, double b) {
  return compareFloats(predicate, a, b);
}

ExprRef ExprContext::foldConstants(ExprOp op, Type type,
                                   ArrayRef<ExprRef> operands) {
  if (op == ExprOp::IntToFloat) {
    if (auto i = getInteger(operands[0]))
      return constant(type, static_cast<double>(*i));
    return nullptr;
  }
  SmallVector<double> numbers;
  for (ExprRef operand : operands) {
    if (!operand->isConstant() || !operand->isFloat())
      return nullptr;
    numbers.push_back(operand->getNumber());
  }
  if (auto result = xsa::detail::evaluateFloatOp(op, numbers))
    return constant(type, *result);
  return nullptr;
}

static bool isConstantLike(ExprRef e) {
  return e->isConstant() || ExprContext::getInteger(e).has_value();
}

/// op(select(c, 1, 2), 3) is select(c, op(1, 3), op(2, 3)): masks that were
/// turned into numbers become conditions again.
ExprRef ExprContext::pushIntoSelect(ExprOp op, Type type, unsigned predicate,
                                    ArrayRef<ExprRef> operands) {
  const ExprRef *choice = llvm::find_if(operands, [](ExprRef e) {
    return e->isApply(ExprOp::Select) && isConstantLike(e->getOperand(1)) &&
           isConstantLike(e->getOperand(2));
  });
  if (choice == operands.end())
    return nullptr;
  for (ExprRef operand : operands) {
    if (operand == *choice)
      continue;
    // Two selects on one condition combine as well.
    if (operand->isApply(ExprOp::Select) &&
        operand->getOperand(0) == (*choice)->getOperand(0) &&
        isConstantLike(operand->getOperand(1)) &&
        isConstantLike(operand->getOperand(2)))
      continue;
    if (!isConstantLike(operand))
      return nullptr;
  }
  SmallVector<ExprRef> whenTrue(operands), whenFalse(operands);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!operand->isApply(ExprOp::Select))
      continue;
    whenTrue[i] = operand->getOperand(1);
    whenFalse[i] = operand->getOperand(2);
  }
  ExprRef condition = (*choice)->getOperand(0);
  if (op == ExprOp::CmpF)
    return select(condition, cmpF(predicate, whenTrue[0], whenTrue[1]),
                  cmpF(predicate, whenFalse[0], whenFalse[1]));
  return select(condition, apply(op, type, whenTrue),
                apply(op, type, whenFalse));
}

/// A power of a positive number is an exponential.
static ExprRef simplifyPowerOf(ExprContext &ctx, Type type, double base,
                               ExprRef exponent) {
  if (base == 2)
    return ctx.apply(ExprOp::Exp2, type, exponent);
  if (!(base > 0) || !std::isfinite(base))
    return nullptr;
  // Of e as far as the type holds it, as nearly as the type tells.
  double factor = std::log(base);
  if (roundToType(M_E, type) == base)
    factor = 1;
  return ctx.apply(
      ExprOp::Exp, type,
      ctx.apply(ExprOp::Mul, type, {exponent, ctx.constant(type, factor)}));
}

static ExprRef simplifyPow(ExprContext &ctx, Type type, ExprRef base,
                           double exponent) {
  if (exponent == 1)
    return base;
  if (exponent == 0.5)
    return ctx.apply(ExprOp::Sqrt, type, base);
  if (exponent == -0.5)
    return ctx.apply(ExprOp::Rsqrt, type, base);
  if (exponent == -1)
    return ctx.apply(ExprOp::Div, type, {ctx.constant(type, 1), base});
  if (exponent == 2) {
    ExprRef inner = base->isApply(ExprOp::Abs) ? base->getOperand(0) : base;
    return ctx.apply(ExprOp::Mul, type, {inner, inner});
  }
  return nullptr;
}

/// Identities that hold for one operation at a time; null if none applies.
ExprRef ExprContext::simplify(ExprOp op, Type type, ArrayRef<ExprRef> x) {
  switch (op) {
  case ExprOp::Add:
    return x[0]->isConstant(0) ? x[1] : x[1]->isConstant(0) ? x[0] : nullptr;
  case ExprOp::Sub:
    return x[1]->isConstant(0) ? x[0] : nullptr;
  case ExprOp::Mul:
    return x[0]->isConstant(1) ? x[1] : x[1]->isConstant(1) ? x[0] : nullptr;
  case ExprOp::Div:
    return x[1]->isConstant(1) ? x[0] : nullptr;
  case ExprOp::Neg:
    return x[0]->isApply(ExprOp::Neg) ? x[0]->getOperand(0) : nullptr;
  case ExprOp::Max:
    if (x[0] == x[1] || x[1]->isConstant(-INFINITY))
      return x[0];
    return x[0]->isConstant(-INFINITY) ? x[1] : nullptr;
  case ExprOp::Min:
    if (x[0] == x[1] || x[1]->isConstant(INFINITY))
      return x[0];
    // Clamps often name the largest finite number where they mean no limit.
    if (x[1]->isConstant() && x[1]->getNumber() >= 3.4e38)
      return x[0];
    return x[0]->isConstant(INFINITY) ? x[1] : nullptr;
  case ExprOp::IntMin:
  case ExprOp::IntMax:
    for (unsigned i : {0, 1})
      if (isProvablyNonNegative(sub(x[i], x[1 - i])))
        return x[op == ExprOp::IntMax ? i : 1 - i];
    return nullptr;
  case ExprOp::Abs:
    return x[0]->isApply(ExprOp::Abs) ? x[0] : nullptr;
  case ExprOp::Floor:
    return xsa::detail::simplifyFloor(*this, type, x[0]);
  case ExprOp::FloatToInt:
    return xsa::detail::simplifyToInteger(*this, x[0]);
  case ExprOp::Cast:
    return x[0]->getType() == type ? x[0] : nullptr;
  case ExprOp::Pow:
    if (x[1]->isConstant())
      return simplifyPow(*this, type, x[0], x[1]->getNumber());
    return x[0]->isConstant()
               ? simplifyPowerOf(*this, type, x[0]->getNumber(), x[1])
               : nullptr;
  case ExprOp::And:
  case ExprOp::Or: {
    bool neutral = op == ExprOp::And;
    for (unsigned i : {0, 1})
      if (x[i]->isConstant())
        return (x[i]->getNumber() != 0) == neutral ? x[1 - i] : x[i];
    return x[0] == x[1] ? x[0] : nullptr;
  }
  default:
    return nullptr;
  }
}

static bool isCommutative(ExprOp op) {
  switch (op) {
  case ExprOp::Add:
  case ExprOp::Mul:
  case ExprOp::Max:
  case ExprOp::Min:
  case ExprOp::And:
  case ExprOp::Or:
    return true;
  default:
    return false;
  }
}

ExprRef ExprContext::apply(ExprOp op, Type type, ArrayRef<ExprRef> operands) {
  assert(op != ExprOp::Other && op != ExprOp::CmpF && "have their own makers");
  if (op == ExprOp::Not)
    return logicalNot(operands[0]);
  if (op == ExprOp::Select)
    return select(operands[0], operands[1], operands[2]);
  if (op == ExprOp::NonNegative)
    return nonNegative(operands[0]);
  if (op == ExprOp::IsZero)
    return isZero(operands[0]);
  if (op == ExprOp::FloorDiv)
    return floorDiv(operands[0], operands[1]);
  if (op == ExprOp::Mod)
    return mod(operands[0], operands[1]);

  Type normalized = xsa::detail::normalizeType(type);
  if (ExprRef folded = foldConstants(op, normalized, operands))
    return folded;
  if (ExprRef simple = simplify(op, normalized, operands))
    return simple;
  if (isa<FloatType>(normalized))
    if (ExprRef pushed = pushIntoSelect(op, normalized, 0, operands))
      return pushed;
  SmallVector<ExprRef> sorted(operands);
  if (isCommutative(op))
    llvm::sort(sorted, [](ExprRef a, ExprRef b) {
      return std::make_pair(a->isConstant(), a->getId()) <
             std::make_pair(b->isConstant(), b->getId());
    });
  Key key(ExprKind::Apply, normalized);
  key.op = op;
  key.operands = sorted;
  return create(key);
}

ExprRef ExprContext::cmpF(unsigned predicate, ExprRef a, ExprRef b) {
  if (a->isConstant() && b->isConstant())
    return boolean(compareFloats(predicate, a->getNumber(), b->getNumber()));
  if (ExprRef compared = compareConverted(predicate, a, b))
    return compared;
  if (ExprRef pushed = pushIntoSelect(
          ExprOp::CmpF, IntegerType::get(context, 1), predicate, {a, b}))
    return pushed;
  Key key(ExprKind::Apply, IntegerType::get(context, 1));
  key.op = ExprOp::CmpF;
  key.index = predicate;
  ExprRef operands[] = {a, b};
  key.operands = operands;
  return create(key);
}

ExprRef ExprContext::logicalNot(ExprRef e) {
  if (e->isConstant())
    return boolean(e->getNumber() == 0);
  if (e->isApply(ExprOp::Not))
    return e->getOperand(0);
  // not (p >= 0) is (-p - 1 >= 0): one form for strict and non-strict.
  if (e->isApply(ExprOp::NonNegative))
    return nonNegative(sub(integer(-1), e->getOperand(0)));
  if (e->isApply(ExprOp::And) || e->isApply(ExprOp::Or))
    return apply(e->isApply(ExprOp::And) ? ExprOp::Or : ExprOp::And,
                 e->getType(),
                 {logicalNot(e->getOperand(0)), logicalNot(e->getOperand(1))});
  Key key(ExprKind::Apply, e->getType());
  key.op = ExprOp::Not;
  key.operands = e;
  return create(key);
}

/// select(a > b, a, b) is max(a, b), whichever way it is written.
static ExprRef selectAsExtremum(ExprContext &ctx, ExprRef condition, ExprRef a,
                                ExprRef b) {
  if (!condition->isApply(ExprOp::CmpF) || !a->isFloat())
    return nullptr;
  ExprRef lhs = condition->getOperand(0), rhs = condition->getOperand(1);
  bool straight = lhs == a && rhs == b, crossed = lhs == b && rhs == a;
  if (!straight && !crossed)
    return nullptr;
  using P = arith::CmpFPredicate;
  switch (static_cast<P>(condition->getPredicate())) {
  case P::OGT:
  case P::OGE:
  case P::UGT:
  case P::UGE:
    return ctx.apply(straight ? ExprOp::Max : ExprOp::Min, a->getType(),
                     {a, b});
  case P::OLT:
  case P::OLE:
  case P::ULT:
  case P::ULE:
    return ctx.apply(straight ? ExprOp::Min : ExprOp::Max, a->getType(),
                     {a, b});
  default:
    return nullptr;
  }
}

ExprRef ExprContext::select(ExprRef condition, ExprRef a, ExprRef b) {
  if (condition->isConstant())
    return condition->getNumber() ? a : b;
  if (a == b)
    return a;
  if (condition->isApply(ExprOp::Not))
    return select(condition->getOperand(0), b, a);
  if (a->isBool()) {
    // A branch that is the condition itself, or its opposite, is known.
    ExprRef opposite = logicalNot(condition);
    if (a == condition || a == opposite)
      return select(condition, boolean(a == condition), b);
    if (b == condition || b == opposite)
      return select(condition, a, boolean(b == opposite));
    if (a->isConstant())
      return a->getNumber()
                 ? apply(ExprOp::Or, a->getType(), {condition, b})
                 : apply(ExprOp::And, a->getType(), {logicalNot(condition), b});
    if (b->isConstant())
      return b->getNumber()
                 ? apply(ExprOp::Or, a->getType(), {logicalNot(condition), a})
                 : apply(ExprOp::And, a->getType(), {condition, a});
  }
  // A branch that asks the same condition again has its answer.
  if (a->isApply(ExprOp::Select) && a->getOperand(0) == condition)
    return select(condition, a->getOperand(1), b);
  if (b->isApply(ExprOp::Select) && b->getOperand(0) == condition)
    return select(condition, a, b->getOperand(2));
  if (ExprRef extremum = selectAsExtremum(*this, condition, a, b))
    return extremum;
  // select(size == 1, 0, i) is i where i < size: a broadcast that is decided
  // at run time and does not happen.
  if (condition->isApply(ExprOp::IsZero) && a->isInt() && getInteger(a) == 0 &&
      b->is(ExprKind::Var) &&
      isZero(sub(b->getExtent(), integer(1))) == condition)
    return b;
  Key key(ExprKind::Apply, a->getType());
  key.op = ExprOp::Select;
  ExprRef operands[] = {condition, a, b};
  key.operands = operands;
  return create(key);
}
