//===- ScalarView.cpp - Reads scalar code as expressions ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies of structured operations and the size arithmetic around them are the
// same kind of code; this file gives its meaning. Integers of 32 bits and more
// count as unbounded: importers use them for sizes and positions.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/TensorView.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace xsa;

static bool isWideInteger(Type type) {
  return type.isIndex() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() >= 32);
}

ExprRef TensorView::foldResult(OpFoldResult value) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return ctx.integer(cast<IntegerAttr>(attribute).getInt());
  return scalar(cast<Value>(value));
}

ExprRef TensorView::scalar(Value value) {
  ExprRef result = evaluate(value, outerScope, {});
  if (!result || !result->isKnown())
    result = outerScope[value] = ctx.access(value, {});
  return result;
}

ExprRef TensorView::peelWhole(ExprRef e, unsigned depth) {
  if (depth > 64)
    return e;
  if (e->is(ExprKind::Access)) {
    ExprRef inner = peel(e);
    return inner ? peelWhole(inner, depth + 1) : e;
  }
  if (e->is(ExprKind::Poly)) {
    ExprRef sum = ctx.integer(0);
    for (const PolyTerm &term : e->getTerms()) {
      ExprRef product = ctx.integer(term.coeff);
      for (ExprRef atom : term.atoms)
        product = ctx.mul(product, peelWhole(atom, depth + 1));
      sum = ctx.add(sum, product);
    }
    return sum;
  }
  if (!e->is(ExprKind::Apply))
    return e;
  SmallVector<ExprRef> operands;
  for (ExprRef operand : e->getOperands())
    operands.push_back(peelWhole(operand, depth + 1));
  return ctx.rebuild(e, operands);
}

ExprRef TensorView::evaluateConstant(Value value) {
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return nullptr;
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return ctx.constant(value.getType(), number.getValueAsDouble());
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number)
    return nullptr;
  if (value.getType().isInteger(1))
    return ctx.boolean(!number.getValue().isZero());
  return ctx.integer(number.getValue().getSExtValue());
}

/// Null if the value depends on something that has no place in an expression,
/// such as the running value of a reduction.
/// Branches in the body of an operation, as StableHLO's concatenations have.
ExprRef TensorView::evaluateChoice(scf::IfOp choice, unsigned number,
                                   Scope &scope, ArrayRef<ExprRef> loops) {
  Type type = choice->getResult(number).getType();
  if (!isa<FloatType>(type) && !isWideInteger(type))
    return nullptr;
  ExprRef condition = evaluate(choice.getCondition(), scope, loops);
  ExprRef first = evaluate(choice.thenYield().getOperand(number), scope, loops);
  ExprRef second =
      evaluate(choice.elseYield().getOperand(number), scope, loops);
  return condition && first && second ? ctx.select(condition, first, second)
                                      : nullptr;
}

ExprRef TensorView::evaluate(Value value, Scope &scope,
                             ArrayRef<ExprRef> loops) {
  if (auto it = scope.find(value); it != scope.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    bool isBody = isa<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    return isBody ? nullptr : ctx.access(value, {});
  }
  ExprRef result = evaluateConstant(value);
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    result = evaluateChoice(choice, cast<OpResult>(value).getResultNumber(),
                            scope, loops);
  } else if (!result) {
    SmallVector<ExprRef> operands;
    for (Value operand : op->getOperands()) {
      ExprRef e = nullptr;
      if (!isa<ShapedType>(operand.getType()))
        e = evaluate(operand, scope, loops);
      if (!e && !isa<ShapedType>(operand.getType()))
        return nullptr;
      operands.push_back(e);
    }
    result = evaluateOp(op, operands, loops);
  }
  if (result)
    scope[value] = result;
  return result;
}

ExprRef TensorView::evaluateAffine(AffineExpr expr, ArrayRef<ExprRef> dims,
                                   ArrayRef<ExprRef> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbol.getPosition() < symbols.size() ? symbols[symbol.getPosition()]
                                                 : nullptr;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return ctx.integer(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  ExprRef lhs = evaluateAffine(binary.getLHS(), dims, symbols);
  ExprRef rhs = evaluateAffine(binary.getRHS(), dims, symbols);
  if (!lhs || !rhs)
    return nullptr;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return ctx.add(lhs, rhs);
  case AffineExprKind::Mul:
    return ctx.mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return ctx.floorDiv(lhs, rhs);
  case AffineExprKind::Mod:
    return ctx.mod(lhs, rhs);
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Float operations that have a node of their own.
static ExprOp getFloatOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, ExprOp>(op)
      .Case([](arith::AddFOp) { return ExprOp::Add; })
      .Case([](arith::SubFOp) { return ExprOp::Sub; })
      .Case([](arith::MulFOp) { return ExprOp::Mul; })
      .Case([](arith::DivFOp) { return ExprOp::Div; })
      .Case([](arith::NegFOp) { return ExprOp::Neg; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [](auto) { return ExprOp::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [](auto) { return ExprOp::Min; })
      .Case([](math::ExpOp) { return ExprOp::Exp; })
      .Case([](math::Exp2Op) { return ExprOp::Exp2; })
      .Case([](math::LogOp) { return ExprOp::Log; })
      .Case([](math::TanhOp) { return ExprOp::Tanh; })
      .Case([](math::SqrtOp) { return ExprOp::Sqrt; })
      .Case([](math::RsqrtOp) { return ExprOp::Rsqrt; })
      .Case([](math::AbsFOp) { return ExprOp::Abs; })
      .Case([](math::FloorOp) { return ExprOp::Floor; })
      .Case([](math::PowFOp) { return ExprOp::Pow; })
      .Case<arith::ExtFOp, arith::TruncFOp>([](auto) { return ExprOp::Cast; })
      .Default([](Operation *) { return ExprOp::None; });
}

static ExprRef compareIntegers(ExprContext &ctx, arith::CmpIPredicate predicate,
                               ExprRef a, ExprRef b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::ult:
  case P::ule:
  case P::ugt:
  case P::uge:
    if (!ctx.isProvablyNonNegative(a) || !ctx.isProvablyNonNegative(b))
      return nullptr;
    break;
  default:
    break;
  }
  ExprRef one = ctx.integer(1);
  switch (predicate) {
  case P::eq:
    return ctx.isZero(ctx.sub(a, b));
  case P::ne:
    return ctx.logicalNot(ctx.isZero(ctx.sub(a, b)));
  case P::slt:
  case P::ult:
    return ctx.nonNegative(ctx.sub(ctx.sub(b, a), one));
  case P::sle:
  case P::ule:
    return ctx.nonNegative(ctx.sub(b, a));
  case P::sgt:
  case P::ugt:
    return ctx.nonNegative(ctx.sub(ctx.sub(a, b), one));
  case P::sge:
  case P::uge:
    return ctx.nonNegative(ctx.sub(a, b));
  }
  return nullptr;
}

static ExprRef compareBools(ExprContext &ctx, arith::CmpIPredicate predicate,
                            ExprRef a, ExprRef b) {
  bool equal = predicate == arith::CmpIPredicate::eq;
  if (!equal && predicate != arith::CmpIPredicate::ne)
    return nullptr;
  ExprRef different = ctx.select(a, ctx.logicalNot(b), b);
  return equal ? ctx.logicalNot(different) : different;
}

/// A sum or product, unless it may wrap in the model's type: sizes and
/// positions never do, but a mask may be written with a limit of the type.
static ExprRef unlessWrapped(ExprContext &ctx, ExprRef e, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  uint64_t limit = uint64_t(1) << std::min(width - 2, 62u);
  for (const PolyTerm &term : ExprContext::getTerms(e)) {
    uint64_t reach = term.coeff < 0 ? -uint64_t(term.coeff) : term.coeff;
    for (ExprRef atom : term.atoms)
      if (atom->is(ExprKind::Var))
        reach = llvm::SaturatingMultiply<uint64_t>(
            reach, ExprContext::getInteger(atom->getExtent()).value_or(1));
    if (reach > limit)
      return ctx.unknown();
  }
  return e;
}

/// Whether the operation may read a negative integer of few bits as a positive
/// one. (In 32 bits and more, integers are sizes and positions.)
static bool widensNegative(ExprContext &ctx, Operation *op,
                           ArrayRef<ExprRef> x) {
  return isa<arith::ExtUIOp, arith::IndexCastUIOp, arith::UIToFPOp>(op) &&
         !isWideInteger(getElementTypeOrSelf(op->getOperand(0).getType())) &&
         !ctx.isProvablyNonNegative(x[0]);
}

/// 2 to the power of a small constant.
static ExprRef getPowerOfTwo(ExprContext &ctx, ExprRef exponent) {
  auto i = ExprContext::getInteger(exponent);
  return i && *i >= 0 && *i < 31 ? ctx.integer(int64_t(1) << *i) : nullptr;
}

/// The lowest bits of an integer are its remainder, whatever its sign.
static ExprRef takeLowBits(ExprContext &ctx, ExprRef a, ExprRef b) {
  if (ExprContext::getInteger(a))
    std::swap(a, b);
  auto mask = ExprContext::getInteger(b);
  bool isLow = mask && *mask >= 0 && *mask < (int64_t(1) << 31) &&
               llvm::isPowerOf2_64(*mask + 1);
  return isLow ? ctx.mod(a, ctx.integer(*mask + 1)) : nullptr;
}

ExprRef TensorView::evaluateInteger(Operation *op, ArrayRef<ExprRef> x) {
  Type type = op->getResult(0).getType();
  bool isBool = type.isInteger(1);
  if (isBool && x.size() == 2 && x[0]->isBool() && x[1]->isBool()) {
    if (isa<arith::AndIOp, arith::MulIOp, arith::MinUIOp>(op))
      return ctx.apply(ExprOp::And, type, x);
    if (isa<arith::OrIOp, arith::MaxUIOp>(op))
      return ctx.apply(ExprOp::Or, type, x);
    if (isa<arith::XOrIOp, arith::AddIOp>(op))
      return ctx.select(x[0], ctx.logicalNot(x[1]), x[1]);
  }
  if (isa<arith::ExtUIOp>(op) && x[0]->isBool())
    return ctx.select(x[0], ctx.integer(1), ctx.integer(0));
  if (isa<arith::ExtSIOp>(op) && x[0]->isBool())
    return ctx.select(x[0], ctx.integer(-1), ctx.integer(0));
  if (!isWideInteger(type) || widensNegative(ctx, op, x) ||
      llvm::any_of(x, [](ExprRef e) { return !e || !e->isInt(); }))
    return nullptr;

  auto pick = [&](bool larger) {
    return ctx.apply(larger ? ExprOp::IntMax : ExprOp::IntMin, type, x);
  };
  // The quotient or remainder of magnitudes, with the dividend's sign.
  auto towardsZero = [&](bool remainder) {
    ExprRef zero = ctx.integer(0), negated = ctx.sub(zero, x[0]);
    auto divide = [&](ExprRef e) {
      return remainder ? ctx.mod(e, x[1]) : ctx.floorDiv(e, x[1]);
    };
    return ctx.select(ctx.nonNegative(x[0]), divide(x[0]),
                      ctx.sub(zero, divide(negated)));
  };
  return llvm::TypeSwitch<Operation *, ExprRef>(op)
      .Case([&](arith::AddIOp) {
        return unlessWrapped(ctx, ctx.add(x[0], x[1]), type);
      })
      .Case([&](arith::SubIOp) {
        return unlessWrapped(ctx, ctx.sub(x[0], x[1]), type);
      })
      .Case([&](arith::MulIOp) {
        return unlessWrapped(ctx, ctx.mul(x[0], x[1]), type);
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>([&](auto) { return x[0]; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) -> ExprRef {
            if (auto exact = ctx.exactDiv(x[0], x[1]))
              return *exact;
            if (!ctx.isProvablyLess(ctx.integer(0), x[1]))
              return nullptr;
            if (isa<arith::FloorDivSIOp>(op) || ctx.isProvablyNonNegative(x[0]))
              return ctx.floorDiv(x[0], x[1]);
            return isa<arith::DivSIOp>(op) ? towardsZero(false) : nullptr;
          })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) -> ExprRef {
        if (!ctx.isProvablyLess(ctx.integer(0), x[1]))
          return nullptr;
        if (ctx.isProvablyNonNegative(x[0]))
          return ctx.mod(x[0], x[1]);
        return isa<arith::RemSIOp>(op) ? towardsZero(true) : nullptr;
      })
      .Case<arith::AndIOp>([&](auto) { return takeLowBits(ctx, x[0], x[1]); })
      .Case<arith::ShRSIOp>([&](auto) -> ExprRef {
        ExprRef power = getPowerOfTwo(ctx, x[1]);
        return power ? ctx.floorDiv(x[0], power) : nullptr;
      })
      .Case<arith::ShLIOp>([&](auto) -> ExprRef {
        ExprRef power = getPowerOfTwo(ctx, x[1]);
        return power ? unlessWrapped(ctx, ctx.mul(x[0], power), type) : nullptr;
      })
      .Case<arith::MaxSIOp>([&](auto) { return pick(true); })
      .Case<arith::MinSIOp>([&](auto) { return pick(false); })
      .Case<math::AbsIOp>([&](auto) {
        return ctx.apply(ExprOp::IntMax, type,
                         {x[0], ctx.sub(ctx.integer(0), x[0])});
      })
      .Case<arith::MaxUIOp, arith::MinUIOp>([&](Operation *o) -> ExprRef {
        return ctx.isProvablyNonNegative(x[0]) &&
                       ctx.isProvablyNonNegative(x[1])
                   ? pick(isa<arith::MaxUIOp>(o))
                   : nullptr;
      })
      .Default([](Operation *) { return nullptr; });
}

static ExprRef evaluateComparison(ExprContext &ctx, Operation *op,
                                  ArrayRef<ExprRef> x) {
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return ctx.cmpF(static_cast<unsigned>(cmp.getPredicate()), x[0], x[1]);
  auto cmp = cast<arith::CmpIOp>(op);
  if (x[0]->isInt() && x[1]->isInt())
    return compareIntegers(ctx, cmp.getPredicate(), x[0], x[1]);
  if (x[0]->isBool() && x[1]->isBool())
    return compareBools(ctx, cmp.getPredicate(), x[0], x[1]);
  return nullptr;
}

ExprRef TensorView::evaluateOp(Operation *op, ArrayRef<ExprRef> x,
                               ArrayRef<ExprRef> loops) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return nullptr;
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return index.getDim() < loops.size() ? loops[index.getDim()] : nullptr;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    if (llvm::any_of(x.drop_front(),
                     [](ExprRef e) { return !e || !e->isInt(); }))
      return nullptr;
    SmallVector<ExprRef> indices(x.drop_front());
    if (readPosition && !loops.empty())
      llvm::transform(indices, indices.begin(), readPosition);
    ExprRef read = access(extract.getTensor(), indices);
    // Outside of bodies this is how sizes are read; see through to them.
    return loops.empty() ? peelWhole(read) : read;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto position = dim.getConstantIndex();
    if (!position || !isa<RankedTensorType>(dim.getSource().getType()))
      return nullptr;
    return extent(dim.getSource(), *position);
  }
  if (llvm::is_contained(x, nullptr))
    return nullptr;
  if (auto affineApply = dyn_cast<affine::AffineApplyOp>(op)) {
    unsigned numDims = affineApply.getAffineMap().getNumDims();
    return evaluateAffine(affineApply.getAffineMap().getResult(0),
                          x.take_front(numDims), x.drop_front(numDims));
  }
  if (isa<arith::CmpFOp, arith::CmpIOp>(op))
    return evaluateComparison(ctx, op, x);
  if (isa<arith::SelectOp>(op)) {
    if (!x[0]->isBool())
      return nullptr;
    // Whether an element was gathered from within, as jnp.take asks.
    ExprRef condition = x[0];
    if (readPosition && condition->is(ExprKind::Access))
      if (ExprRef known = readPosition(peelLayout(condition));
          known->isConstant())
        condition = known;
    return ctx.select(condition, x[1], x[2]);
  }
  if (ExprOp floatOp = getFloatOp(op); floatOp != ExprOp::None)
    return ctx.apply(floatOp, type, x);
  if (isa<math::FPowIOp>(op))
    if (auto exponent = ExprContext::getInteger(x[1]))
      return ctx.apply(ExprOp::Pow, type,
                       {x[0], ctx.constant(type, *exponent)});
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    if (x[0]->isBool())
      return ctx.select(x[0],
                        ctx.constant(type, isa<arith::UIToFPOp>(op) ? 1 : -1),
                        ctx.constant(type, 0));
    if (!x[0]->isInt())
      return nullptr;
    if (widensNegative(ctx, op, x))
      return ctx.other(op, type, x);
    if (x[0]->isApply(ExprOp::Select) &&
        ExprContext::getInteger(x[0]->getOperand(1)) &&
        ExprContext::getInteger(x[0]->getOperand(2)))
      return ctx.select(
          x[0]->getOperand(0),
          ctx.constant(type, *ExprContext::getInteger(x[0]->getOperand(1))),
          ctx.constant(type, *ExprContext::getInteger(x[0]->getOperand(2))));
    return ctx.apply(ExprOp::IntToFloat, type, x);
  }
  if (isa<arith::FPToSIOp>(op) && isWideInteger(type))
    return ctx.apply(ExprOp::FloatToInt, type, x);
  if (ExprRef integer = evaluateInteger(op, x))
    return integer;
  // Anything else that computes one scalar from scalars keeps its name.
  if (op->hasTrait<OpTrait::Elementwise>() && isPure(op))
    return ctx.other(op, type, x);
  return nullptr;
}
