//===- ExprEmitter.cpp - Scalar code for expressions ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way back from expressions to IR, for masks, biases and scaled operands
// that no existing tensor holds.
//
//===----------------------------------------------------------------------===//

#include "OperandBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace xsa;

/// The first part that cannot be emitted ends the search, so a part that was
/// looked at before can.
static bool canEmitAll(ArrayRef<ExprRef> list,
                       llvm::SmallPtrSetImpl<ExprRef> &emittable) {
  return llvm::all_of(list, [&](ExprRef e) {
    if (!emittable.insert(e).second || e->is(ExprKind::Var) ||
        e->is(ExprKind::Symbol))
      return true;
    if (e->is(ExprKind::Reduce) || !e->isKnown() ||
        (e->isApply(ExprOp::Other) && e->getOperands().empty()))
      return false;
    return canEmitAll(e->getOperands(), emittable) &&
           llvm::all_of(e->getTerms(), [&](const PolyTerm &term) {
             return canEmitAll(term.atoms, emittable);
           });
  });
}

bool ExprEmitter::canEmit(ExprRef e) {
  llvm::SmallPtrSet<ExprRef, 16> emittable;
  return canEmitAll(e, emittable);
}

Value ExprEmitter::emitInteger(int64_t i) {
  return arith::ConstantIndexOp::create(builder, loc, i);
}

/// Integers are computed as `index`.
Value ExprEmitter::emitIndex(ExprRef e) {
  Value value = emit(e);
  if (value && !value.getType().isIndex())
    value =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
  return value;
}

Value ExprEmitter::emit(ExprRef e) {
  if (Value known = values.lookup(e))
    return known;
  Value result;
  switch (e->getKind()) {
  case ExprKind::Constant:
    if (e->isBool())
      result =
          arith::ConstantIntOp::create(builder, loc, e->getNumber() != 0, 1);
    else
      result = arith::ConstantOp::create(
          builder, loc, builder.getFloatAttr(e->getType(), e->getNumber()));
    break;
  case ExprKind::Var:
    return nullptr;
  case ExprKind::Symbol:
    result = sizes.sizeValue(e);
    break;
  case ExprKind::Poly:
    result = emitPoly(e);
    break;
  case ExprKind::Access:
    result = emitAccess(e);
    break;
  case ExprKind::Apply:
    result = emitApply(e);
    break;
  case ExprKind::Reduce:
  case ExprKind::Unknown:
    return nullptr;
  }
  return values[e] = result;
}

Value ExprEmitter::emitPoly(ExprRef e) {
  Value sum;
  for (const PolyTerm &term : e->getTerms()) {
    Value product;
    if (term.coeff != 1 || term.atoms.empty())
      product = emitInteger(term.coeff);
    for (ExprRef atom : term.atoms) {
      Value factor = emitIndex(atom);
      if (!factor)
        return nullptr;
      product = product ? arith::MulIOp::create(builder, loc, product, factor)
                        : factor;
    }
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product) : product;
  }
  return sum ? sum : emitInteger(0);
}

/// Reads one element. Indices that might be out of bounds where the element is
/// not used (a branch of a select) are clamped.
Value ExprEmitter::emitAccess(ExprRef e) {
  if (!isa<ShapedType>(e->getValue().getType()))
    return e->getValue();
  ExprContext &ctx = view.getContext();
  SmallVector<Value> indices;
  for (auto [dim, index] : llvm::enumerate(e->getOperands())) {
    Value at = emitIndex(index);
    if (!at)
      return nullptr;
    ExprRef last = ctx.sub(view.extent(e->getValue(), dim), ctx.integer(1));
    if (!ctx.isProvablyNonNegative(index))
      at = arith::MaxSIOp::create(builder, loc, at, emitInteger(0));
    if (!ctx.isProvablyNonNegative(ctx.sub(last, index)))
      at = arith::MinSIOp::create(builder, loc, at, emitIndex(last));
    indices.push_back(at);
  }
  return tensor::ExtractOp::create(builder, loc, e->getValue(), indices);
}

static Value emitCast(OpBuilder &builder, Location loc, Value value,
                      Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, loc, type, value);
  Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, type, wide);
}

/// The operation as it was, with integers in its own types.
Value ExprEmitter::emitOther(ExprRef e, ArrayRef<Value> operands) {
  auto parts = cast<ArrayAttr>(e->getAttribute());
  auto typeAt = [&](unsigned i) { return cast<TypeAttr>(parts[i]).getValue(); };
  auto cast = [&](Value value, Type type) -> Value {
    if (value.getType() == type)
      return value;
    return arith::IndexCastOp::create(builder, loc, type, value);
  };
  OperationState state(loc, e->getOtherName());
  for (auto [i, operand] : llvm::enumerate(operands))
    state.addOperands(cast(operand, typeAt(3 + i)));
  state.addTypes(typeAt(2));
  state.addAttributes(llvm::cast<DictionaryAttr>(parts[1]).getValue());
  Value result = builder.create(state)->getResult(0);
  return e->isInt() ? cast(result, builder.getIndexType()) : result;
}

Value ExprEmitter::emitApply(ExprRef e) {
  SmallVector<Value> x;
  for (ExprRef operand : e->getOperands()) {
    x.push_back(operand->isInt() ? emitIndex(operand) : emit(operand));
    if (!x.back())
      return nullptr;
  }
  Type type = e->getType();
  auto binary = [&](auto tag) -> Value {
    return decltype(tag)::create(builder, loc, x[0], x[1]);
  };
  auto unary = [&](auto tag) -> Value {
    return decltype(tag)::create(builder, loc, x[0]);
  };
  auto compare = [&](arith::CmpIPredicate predicate) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, x[0], emitInteger(0));
  };
  switch (e->getOp()) {
  case ExprOp::FloorDiv:
    return binary(arith::FloorDivSIOp());
  case ExprOp::Mod: {
    Value quotient = binary(arith::FloorDivSIOp());
    Value multiple = arith::MulIOp::create(builder, loc, quotient, x[1]);
    return arith::SubIOp::create(builder, loc, x[0], multiple);
  }
  case ExprOp::IntMin:
    return binary(arith::MinSIOp());
  case ExprOp::IntMax:
    return binary(arith::MaxSIOp());
  case ExprOp::FloatToInt: {
    Value wide =
        arith::FPToSIOp::create(builder, loc, builder.getI64Type(), x[0]);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      wide);
  }
  case ExprOp::NonNegative:
    return compare(arith::CmpIPredicate::sge);
  case ExprOp::IsZero:
    return compare(arith::CmpIPredicate::eq);
  case ExprOp::CmpF:
    return arith::CmpFOp::create(
        builder, loc, static_cast<arith::CmpFPredicate>(e->getPredicate()),
        x[0], x[1]);
  case ExprOp::And:
    return binary(arith::AndIOp());
  case ExprOp::Or:
    return binary(arith::OrIOp());
  case ExprOp::Not: {
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 1);
    return arith::XOrIOp::create(builder, loc, x[0], one);
  }
  case ExprOp::Select:
    return arith::SelectOp::create(builder, loc, x[0], x[1], x[2]);
  case ExprOp::Add:
    return binary(arith::AddFOp());
  case ExprOp::Sub:
    return binary(arith::SubFOp());
  case ExprOp::Mul:
    return binary(arith::MulFOp());
  case ExprOp::Div:
    return binary(arith::DivFOp());
  case ExprOp::Max:
    return binary(arith::MaximumFOp());
  case ExprOp::Min:
    return binary(arith::MinimumFOp());
  case ExprOp::Pow:
    return binary(math::PowFOp());
  case ExprOp::Neg:
    return unary(arith::NegFOp());
  case ExprOp::Exp:
    return unary(math::ExpOp());
  case ExprOp::Exp2:
    return unary(math::Exp2Op());
  case ExprOp::Log:
    return unary(math::LogOp());
  case ExprOp::Tanh:
    return unary(math::TanhOp());
  case ExprOp::Sqrt:
    return unary(math::SqrtOp());
  case ExprOp::Rsqrt:
    return unary(math::RsqrtOp());
  case ExprOp::Abs:
    return unary(math::AbsFOp());
  case ExprOp::Floor:
    return unary(math::FloorOp());
  case ExprOp::Cast:
    return emitCast(builder, loc, x[0], type);
  case ExprOp::IntToFloat: {
    Value wide =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), x[0]);
    return arith::SIToFPOp::create(builder, loc, type, wide);
  }
  case ExprOp::Other:
    return emitOther(e, x);
  case ExprOp::None:
    return nullptr;
  }
  return nullptr;
}
