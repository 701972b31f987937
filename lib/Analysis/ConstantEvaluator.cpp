//===- ConstantEvaluator.cpp - Values of constant tensors -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tree walk over expressions. Each tensor met on the way is computed as a
// whole and remembered, so the cost is linear in the elements involved.
// Constants are read in ConstantTensor.cpp; ConstantPatterns.cpp turns values
// back into expressions.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/ConstantEvaluator.h"
#include "TensorExprDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace xsa;

ConstantEvaluator::ConstantEvaluator(TensorView &view, int64_t maxElements)
    : view(view), maxElements(maxElements) {
  view.setPositionReader([this](ExprRef e) { return readPosition(e); });
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

const ConstantTensor *ConstantEvaluator::get(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second.get();
  known[value] = nullptr;
  std::unique_ptr<ConstantTensor> tensor = compute(value);
  return (known[value] = std::move(tensor)).get();
}

std::unique_ptr<ConstantTensor> ConstantEvaluator::compute(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() > maxElements ||
      !value.getDefiningOp())
    return nullptr;
  auto tensor = std::make_unique<ConstantTensor>();
  tensor->shape.assign(type.getShape().begin(), type.getShape().end());
  ElementsAttr attribute;
  if (matchPattern(value, m_Constant(&attribute)))
    return tensor->read(attribute) ? std::move(tensor) : nullptr;
  // Elements that nothing has written may be taken for any value. A tensor that
  // is filled slice by slice passes through states that have some.
  if (value.getDefiningOp<tensor::EmptyOp>()) {
    tensor->data.assign(type.getNumElements(), 0.0);
    return tensor;
  }
  if (value.getDefiningOp()->getName().getStringRef() == "tm_tensor.scan")
    return cast<OpResult>(value).getResultNumber() == 0
               ? computeScan(value.getDefiningOp())
               : nullptr;

  ExprContext &ctx = view.getContext();
  SmallVector<ExprRef> vars;
  for (int64_t size : type.getShape())
    vars.push_back(ctx.variable(size));
  ExprRef e = view.peel(view.access(value, vars));
  if (!e)
    return nullptr;
  SmallVector<ExprRef> digits;
  for (ExprRef var : vars) {
    // Most significant first, which is not the order of their ids.
    auto number = ctx.getDigits(ctx.refine(var));
    if (!number)
      return nullptr;
    llvm::append_range(digits, number->vars);
  }
  auto data = tabulate(ctx.refine(e), digits);
  if (!data)
    return nullptr;
  tensor->data = std::move(*data);
  return tensor;
}

/// A running sum along one dimension (`tm_tensor.scan` with an addition).
std::unique_ptr<ConstantTensor> ConstantEvaluator::computeScan(Operation *op) {
  auto scan = RunningCombination::of(op);
  if (!scan || !isa<arith::AddIOp, arith::AddFOp>(scan->step))
    return nullptr;
  const ConstantTensor *input = get(scan->input);
  const ConstantTensor *start = get(scan->start);
  auto type = cast<RankedTensorType>(scan->input.getType());
  if (!input || !start || start->getUniform() != 0.0)
    return nullptr;

  auto result = std::make_unique<ConstantTensor>(*input);
  int64_t dim = scan->dim, size = input->shape[dim], stride = 1;
  for (int64_t later : ArrayRef(input->shape).drop_front(dim + 1))
    stride *= later;
  for (int64_t i = 0, e = result->data.size(); i < e; ++i) {
    int64_t position = (i / stride) % size;
    double before = 0;
    if (position > 0)
      before = result->data[i - stride] +
               (scan->isInclusive ? 0 : input->data[i - stride]);
    result->data[i] =
        roundToType(scan->isInclusive ? before + input->data[i] : before,
                    type.getElementType());
    if (!isa<FloatType>(type.getElementType()) &&
        !xsa::detail::isExactInteger(result->data[i]))
      return nullptr;
  }
  return result;
}

std::optional<std::vector<double>>
ConstantEvaluator::tabulate(ExprRef e, ArrayRef<ExprRef> vars) {
  int64_t count = 1;
  SmallVector<int64_t> sizes;
  for (ExprRef var : vars) {
    auto size = ExprContext::getInteger(var->getExtent());
    if (!size || *size <= 0 || count > maxElements / *size)
      return std::nullopt;
    sizes.push_back(*size);
    count *= *size;
  }
  std::vector<double> data;
  data.reserve(count);
  Environment environment;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (int64_t k = vars.size() - 1; k >= 0; --k) {
      environment[vars[k]] = rest % sizes[k];
      rest /= sizes[k];
    }
    auto x = evaluate(e, environment);
    if (!x)
      return std::nullopt;
    data.push_back(*x);
  }
  return data;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

std::optional<double> ConstantEvaluator::evaluate(ExprRef e,
                                                  Environment &environment) {
  auto result = evaluateUnchecked(e, environment);
  if (result && e->isInt() && !xsa::detail::isExactInteger(*result))
    return std::nullopt;
  return result;
}

std::optional<double>
ConstantEvaluator::evaluateUnchecked(ExprRef e, Environment &environment) {
  switch (e->getKind()) {
  case ExprKind::Constant:
    return e->getNumber();
  case ExprKind::Var: {
    auto it = environment.find(e);
    if (it == environment.end())
      return std::nullopt;
    return it->second;
  }
  case ExprKind::Symbol:
  case ExprKind::Unknown:
    return std::nullopt;
  case ExprKind::Poly:
    return evaluatePoly(e, environment);
  case ExprKind::Access: {
    const ConstantTensor *tensor = get(e->getValue());
    if (!tensor || tensor->shape.size() != e->getOperands().size())
      return std::nullopt;
    SmallVector<int64_t> indices;
    for (ExprRef index : e->getOperands()) {
      auto i = evaluate(index, environment);
      if (!i)
        return std::nullopt;
      indices.push_back(static_cast<int64_t>(*i));
    }
    return tensor->at(indices);
  }
  case ExprKind::Apply:
    return evaluateApply(e, environment);
  case ExprKind::Reduce:
    return evaluateReduce(e, environment);
  }
  return std::nullopt;
}

std::optional<double>
ConstantEvaluator::evaluatePoly(ExprRef e, Environment &environment) {
  double sum = 0;
  for (const PolyTerm &term : e->getTerms()) {
    double product = term.coeff;
    for (ExprRef atom : term.atoms) {
      auto x = evaluate(atom, environment);
      if (!x)
        return std::nullopt;
      product *= *x;
    }
    sum += product;
    if (!xsa::detail::isExactInteger(product) ||
        !xsa::detail::isExactInteger(sum))
      return std::nullopt;
  }
  return sum;
}

std::optional<double>
ConstantEvaluator::evaluateReduce(ExprRef e, Environment &environment) {
  auto values = ArrayRef(e->getBoundVars());
  int64_t count = 1;
  for (ExprRef var : values) {
    auto size = ExprContext::getInteger(var->getExtent());
    if (!size || count > maxElements / std::max<int64_t>(*size, 1))
      return std::nullopt;
    count *= *size;
  }
  std::optional<double> result;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (ExprRef var : llvm::reverse(values)) {
      int64_t size = *ExprContext::getInteger(var->getExtent());
      environment[var] = rest % size;
      rest /= size;
    }
    auto x = evaluate(e->getBody(), environment);
    if (!x)
      return std::nullopt;
    if (!result)
      result = x;
    else if (e->getOp() == ExprOp::And || e->getOp() == ExprOp::Or)
      result = e->getOp() == ExprOp::And ? (*result && *x) : (*result || *x);
    else if (auto next =
                 xsa::detail::evaluateFloatOp(e->getOp(), {*result, *x}))
      result = roundToType(*next, e->getType());
    else
      return std::nullopt;
    if (e->isInt() && !xsa::detail::isExactInteger(*result))
      return std::nullopt;
  }
  return result;
}

using IntegerFunction = std::optional<double> (*)(int64_t, int64_t);

/// Integer operations that have no node of their own.
static IntegerFunction getIntegerFunction(StringRef name) {
  using Result = std::optional<double>;
  return llvm::StringSwitch<IntegerFunction>(name)
      .Case("arith.andi", [](int64_t a, int64_t b) { return Result(a & b); })
      .Case("arith.ori", [](int64_t a, int64_t b) { return Result(a | b); })
      .Case("arith.xori", [](int64_t a, int64_t b) { return Result(a ^ b); })
      .Case("arith.shrsi",
            [](int64_t a, int64_t b) {
              return b >= 0 && b < 64 ? Result(a >> b) : Result();
            })
      .Default(nullptr);
}

/// Integers of few bits are left alone: they wrap around.
static std::optional<double> evaluateOther(ExprRef e, ArrayRef<double> x) {
  IntegerFunction function = getIntegerFunction(e->getOtherName());
  Type type = cast<TypeAttr>(cast<ArrayAttr>(e->getAttribute())[2]).getValue();
  bool isWide = type.isIndex() ||
                (type.isInteger() && type.getIntOrFloatBitWidth() >= 32);
  if (!function || !isWide || !llvm::all_of(x, xsa::detail::isExactInteger))
    return std::nullopt;
  return function(static_cast<int64_t>(x[0]), static_cast<int64_t>(x[1]));
}

std::optional<double>
ConstantEvaluator::evaluateApply(ExprRef e, Environment &environment) {
  SmallVector<double> x;
  for (auto [i, operand] : llvm::enumerate(e->getOperands())) {
    // The branch that is not taken may read out of bounds.
    if (e->isApply(ExprOp::Select) && i > 0 && (x[0] != 0) != (i == 1)) {
      x.push_back(0);
      continue;
    }
    auto value = evaluate(operand, environment);
    if (!value)
      return std::nullopt;
    x.push_back(*value);
  }
  switch (e->getOp()) {
  case ExprOp::Select:
    return x[0] ? x[1] : x[2];
  case ExprOp::FloorDiv:
    if (x[1] <= 0)
      return std::nullopt;
    return std::floor(x[0] / x[1]);
  case ExprOp::Mod:
    if (x[1] <= 0)
      return std::nullopt;
    return x[0] - x[1] * std::floor(x[0] / x[1]);
  case ExprOp::IntMin:
    return std::min(x[0], x[1]);
  case ExprOp::IntMax:
    return std::max(x[0], x[1]);
  case ExprOp::FloatToInt:
    return std::trunc(x[0]);
  case ExprOp::NonNegative:
    return x[0] >= 0;
  case ExprOp::IsZero:
    return x[0] == 0;
  case ExprOp::CmpF:
    return xsa::detail::evaluateCmpF(e->getPredicate(), x[0], x[1]);
  case ExprOp::And:
    return x[0] && x[1];
  case ExprOp::Or:
    return x[0] || x[1];
  case ExprOp::Not:
    return !x[0];
  case ExprOp::IntToFloat:
    return roundToType(x[0], e->getType());
  case ExprOp::Other:
    return evaluateOther(e, x);
  default:
    break;
  }
  auto result = xsa::detail::evaluateFloatOp(e->getOp(), x);
  if (!result)
    return std::nullopt;
  return roundToType(*result, e->getType());
}
