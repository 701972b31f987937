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
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/ConstantEvaluator.h"
#include "TensorExprDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// ConstantTensor
//===----------------------------------------------------------------------===//

std::optional<double> ConstantTensor::at(ArrayRef<int64_t> indices) const {
  int64_t linear = 0;
  for (auto [index, size] : llvm::zip_equal(indices, shape)) {
    if (index < 0 || index >= size)
      return std::nullopt;
    linear = linear * size + index;
  }
  return data[linear];
}

std::optional<double> ConstantTensor::getUniform() const {
  if (data.empty() ||
      llvm::any_of(data, [&](double x) { return x != data.front(); }))
    return std::nullopt;
  return data.front();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static constexpr double maxExactInteger = 9007199254740992.0; // 2^53

/// False for NaN as well.
static bool isExactInteger(double x) { return std::fabs(x) <= maxExactInteger; }

static bool appendElement(std::vector<double> &data, const APInt &bits,
                          Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat x(floatType.getFloatSemantics(), bits);
    bool losesInfo;
    x.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    data.push_back(x.convertToDouble());
    return true;
  }
  double x =
      type.isInteger(1) ? double(!bits.isZero()) : double(bits.getSExtValue());
  data.push_back(x);
  return isExactInteger(x);
}

static bool readDense(DenseElementsAttr dense, std::vector<double> &data) {
  Type type = dense.getElementType();
  if (auto floats = dyn_cast<DenseFPElementsAttr>(Attribute(dense)))
    return llvm::all_of(floats.getValues<APFloat>(), [&](const APFloat &x) {
      return appendElement(data, x.bitcastToAPInt(), type);
    });
  if (auto ints = dyn_cast<DenseIntElementsAttr>(Attribute(dense)))
    return llvm::all_of(ints.getValues<APInt>(), [&](const APInt &x) {
      return appendElement(data, x, type);
    });
  return false;
}

static bool readResource(DenseResourceElementsAttr resource,
                         std::vector<double> &data) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  Type type = resource.getElementType();
  if (!blob || !type.isIntOrFloat())
    return false;
  unsigned bytes = (type.getIntOrFloatBitWidth() + 7) / 8;
  ArrayRef<char> raw = blob->getData();
  int64_t count = resource.getType().getNumElements();
  if (bytes > 8 || static_cast<int64_t>(raw.size()) < count * bytes)
    return false;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t word = 0;
    for (unsigned byte = 0; byte < bytes; ++byte)
      word |= uint64_t(uint8_t(raw[i * bytes + byte])) << (8 * byte);
    APInt bits(type.getIntOrFloatBitWidth(), word, /*isSigned=*/false,
               /*implicitTrunc=*/true);
    if (!appendElement(data, bits, type))
      return false;
  }
  return true;
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
  if (matchPattern(value, m_Constant(&attribute))) {
    bool read = false;
    if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
      read = readDense(dense, tensor->data);
    else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
      read = readResource(resource, tensor->data);
    return read ? std::move(tensor) : nullptr;
  }
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
  auto dimension = op->getAttrOfType<IntegerAttr>("dimension");
  auto inclusive = op->getAttrOfType<BoolAttr>("inclusive");
  if (!dimension || !inclusive || op->getNumRegions() != 1 ||
      op->getRegion(0).empty() || op->getNumOperands() < 3)
    return nullptr;
  Block &body = op->getRegion(0).front();
  Operation *step = body.getTerminator()->getNumOperands() == 1
                        ? body.getTerminator()->getOperand(0).getDefiningOp()
                        : nullptr;
  if (!isa_and_nonnull<arith::AddIOp, arith::AddFOp>(step) ||
      body.getOperations().size() != 2)
    return nullptr;
  const ConstantTensor *input = get(op->getOperand(0));
  const ConstantTensor *start = get(op->getOperand(2));
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (!input || !start || start->getUniform() != 0.0)
    return nullptr;

  auto result = std::make_unique<ConstantTensor>(*input);
  int64_t dim = dimension.getInt(), size = input->shape[dim], stride = 1;
  for (int64_t later : ArrayRef(input->shape).drop_front(dim + 1))
    stride *= later;
  for (int64_t i = 0, e = result->data.size(); i < e; ++i) {
    int64_t position = (i / stride) % size;
    double before = 0;
    if (position > 0)
      before = result->data[i - stride] +
               (inclusive.getValue() ? 0 : input->data[i - stride]);
    result->data[i] =
        roundToType(inclusive.getValue() ? before + input->data[i] : before,
                    type.getElementType());
    if (!isa<FloatType>(type.getElementType()) &&
        !isExactInteger(result->data[i]))
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
  if (result && e->isInt() && !isExactInteger(*result))
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
    if (!isExactInteger(product) || !isExactInteger(sum))
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
    else if (auto next = detail::evaluateFloatOp(e->getOp(), {*result, *x}))
      result = roundToType(*next, e->getType());
    else
      return std::nullopt;
    if (e->isInt() && !isExactInteger(*result))
      return std::nullopt;
  }
  return result;
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
    return detail::evaluateCmpF(e->getPredicate(), x[0], x[1]);
  case ExprOp::And:
    return x[0] && x[1];
  case ExprOp::Or:
    return x[0] || x[1];
  case ExprOp::Not:
    return !x[0];
  case ExprOp::IntToFloat:
    return roundToType(x[0], e->getType());
  default:
    break;
  }
  auto result = detail::evaluateFloatOp(e->getOp(), x);
  if (!result)
    return std::nullopt;
  return roundToType(*result, e->getType());
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The affine function that the elements are of their indices, if they are.
static std::optional<std::pair<int64_t, SmallVector<int64_t>>>
fitAffine(const ConstantTensor &tensor) {
  SmallVector<int64_t> steps(tensor.shape.size(), 0);
  SmallVector<int64_t> indices(tensor.shape.size(), 0);
  if (tensor.data.empty())
    return std::nullopt;
  double base = tensor.data.front();
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    if (tensor.shape[dim] < 2)
      continue;
    indices[dim] = 1;
    steps[dim] = static_cast<int64_t>(*tensor.at(indices) - base);
    indices[dim] = 0;
  }
  for (size_t i = 0; i < tensor.data.size(); ++i) {
    size_t rest = i;
    double expected = base;
    for (int64_t dim = tensor.shape.size() - 1; dim >= 0; --dim) {
      expected += double(steps[dim]) * double(rest % tensor.shape[dim]);
      rest /= tensor.shape[dim];
    }
    if (tensor.data[i] != expected || !isExactInteger(expected))
      return std::nullopt;
  }
  return std::make_pair(static_cast<int64_t>(base), std::move(steps));
}

std::optional<Band> xsa::readBand(ArrayRef<double> table, int64_t numRows,
                                  int64_t numKeys) {
  Band band;
  for (int64_t i = 0; i < numRows; ++i) {
    ArrayRef<double> row = table.slice(i * numKeys, numKeys);
    int64_t first =
        llvm::find_if(row, [](double x) { return x != 0; }) - row.begin();
    int64_t last = numKeys - 1;
    while (last >= 0 && row[last] == 0)
      --last;
    if (last < 0) {
      // An empty row is beyond one end of the band.
      continue;
    }
    if (last < numKeys - 1 && !band.right)
      band.right = last - i;
    if (first > 0 && !band.left)
      band.left = i - first;
  }
  for (int64_t i = 0; i < numRows; ++i)
    for (int64_t j = 0; j < numKeys; ++j) {
      bool kept = (!band.right || j <= i + *band.right) &&
                  (!band.left || j >= i - *band.left);
      if (kept != (table[i * numKeys + j] != 0))
        return std::nullopt;
    }
  return band;
}

/// The two values that the elements have, the smaller one first.
static std::optional<std::pair<double, double>>
getTwoValues(const ConstantTensor &tensor) {
  auto [low, high] =
      std::minmax_element(tensor.data.begin(), tensor.data.end());
  for (double x : tensor.data)
    if (x != *low && x != *high)
      return std::nullopt;
  return std::make_pair(*low, *high);
}

/// Where the elements that are `number` form a band in the last two dimensions,
/// the same in all others: the condition on the indices.
static ExprRef getBandCondition(ExprContext &ctx, const ConstantTensor &tensor,
                                double number, ArrayRef<ExprRef> indices) {
  size_t rank = tensor.shape.size();
  if (rank < 2)
    return nullptr;
  int64_t numRows = tensor.shape[rank - 2], numKeys = tensor.shape[rank - 1];
  size_t size = numRows * numKeys;
  for (size_t i = size; i < tensor.data.size(); ++i)
    if (tensor.data[i] != tensor.data[i - size])
      return nullptr;
  std::vector<double> table;
  for (double x : ArrayRef(tensor.data).take_front(size))
    table.push_back(x == number);
  auto band = readBand(table, numRows, numKeys);
  if (!band)
    return nullptr;
  ExprRef distance = ctx.sub(indices[rank - 2], indices[rank - 1]);
  ExprRef condition = ctx.boolean(true);
  auto require = [&](ExprRef e) {
    condition = ctx.apply(ExprOp::And, condition->getType(),
                          {condition, ctx.nonNegative(e)});
  };
  if (band->right)
    require(ctx.add(distance, ctx.integer(*band->right)));
  if (band->left)
    require(ctx.sub(ctx.integer(*band->left), distance));
  return condition;
}

/// A tensor of two values is a condition that chooses between them.
static ExprRef simplifyTwoValued(ExprContext &ctx, const ConstantTensor &tensor,
                                 ExprRef access) {
  auto values = getTwoValues(tensor);
  if (!values || std::isnan(values->first))
    return access;
  ExprRef isHigh =
      getBandCondition(ctx, tensor, values->second, access->getOperands());
  if (!isHigh)
    if (ExprRef isLow =
            getBandCondition(ctx, tensor, values->first, access->getOperands()))
      isHigh = ctx.logicalNot(isLow);
  if (access->isBool())
    return isHigh ? isHigh : access;
  if (!access->isFloat())
    return access;
  Type type = access->getType();
  ExprRef high = ctx.constant(type, values->second);
  if (!isHigh)
    isHigh = ctx.cmpF(unsigned(arith::CmpFPredicate::OEQ), access, high);
  return ctx.select(isHigh, high, ctx.constant(type, values->first));
}

ExprRef ConstantEvaluator::simplifyAccess(ExprRef access) {
  ExprContext &ctx = view.getContext();
  const ConstantTensor *tensor = get(access->getValue());
  if (!tensor)
    return access;
  // One element, or one value for all.
  std::optional<double> number = tensor->getUniform();
  SmallVector<int64_t> indices;
  for (ExprRef index : access->getOperands())
    if (auto i = ExprContext::getInteger(index))
      indices.push_back(*i);
  if (!number && indices.size() == access->getOperands().size())
    number = tensor->at(indices);
  if (number)
    return access->isInt() ? ctx.integer(static_cast<int64_t>(*number))
                           : ctx.constant(access->getType(), *number);
  if (!access->isInt())
    return simplifyTwoValued(ctx, *tensor, access);
  auto affine = fitAffine(*tensor);
  if (!affine)
    return access;
  ExprRef result = ctx.integer(affine->first);
  for (auto [step, index] :
       llvm::zip_equal(affine->second, access->getOperands()))
    result = ctx.add(result, ctx.mul(ctx.integer(step), index));
  return result;
}

//===----------------------------------------------------------------------===//
// Whole expressions
//===----------------------------------------------------------------------===//

/// Integer tensors up to this size are evaluated before they are peeled.
static constexpr int64_t maxPositions = 1 << 16;

static bool containsReduce(ExprRef e) {
  if (e->is(ExprKind::Reduce))
    return true;
  return llvm::any_of(e->getOperands(), containsReduce) ||
         llvm::any_of(e->getTerms(), [](const PolyTerm &term) {
           return llvm::any_of(term.atoms, containsReduce);
         });
}

/// A short sum of integers, as flattened positions are computed, written out.
static ExprRef unrollSum(ExprContext &ctx, ExprRef e) {
  if (!e->isReduce(ExprOp::Add) || !e->isInt())
    return nullptr;
  int64_t count = 1;
  for (ExprRef var : e->getBoundVars()) {
    auto size = ExprContext::getInteger(var->getExtent());
    if (!size || (count *= *size) > 16)
      return nullptr;
  }
  ExprRef sum = ctx.integer(0);
  for (int64_t i = 0; i < count; ++i) {
    ExprContext::Substitution at;
    int64_t rest = i;
    for (ExprRef var : e->getBoundVars()) {
      int64_t size = *ExprContext::getInteger(var->getExtent());
      at[var] = ctx.integer(rest % size);
      rest /= size;
    }
    sum = ctx.add(sum, ctx.substitute(e->getBody(), at));
  }
  return sum;
}

ExprRef ConstantEvaluator::resolve(ExprRef e) { return resolve(e, 0); }

ExprRef ConstantEvaluator::resolve(ExprRef e, unsigned depth) {
  if (ExprRef known = resolved.lookup(e))
    return known;
  ExprRef result = resolveUncached(e, depth);
  resolved[e] = result;
  return result;
}

ExprRef ConstantEvaluator::resolveUncached(ExprRef e, unsigned depth) {
  ExprContext &ctx = view.getContext();
  if (e->is(ExprKind::Access)) {
    // Positions may take long detours; their values are short.
    auto type = dyn_cast<RankedTensorType>(e->getValue().getType());
    if (e->isInt() && type && type.hasStaticShape() &&
        type.getNumElements() <= maxPositions) {
      ExprRef simple = simplifyAccess(e);
      if (simple != e)
        return resolve(simple, depth + 1);
    }
    ExprRef inner = depth < 200 ? view.peel(e) : nullptr;
    if (ExprRef sum = inner ? unrollSum(ctx, inner) : nullptr)
      return resolve(sum, depth + 1);
    if (!inner || inner->is(ExprKind::Reduce) || containsReduce(inner)) {
      ExprRef simple = simplifyAccess(e);
      return simple == e ? e : resolve(simple, depth + 1);
    }
    return resolve(inner, depth + 1);
  }
  if (e->is(ExprKind::Poly)) {
    ExprRef result = ctx.integer(0);
    for (const PolyTerm &term : e->getTerms()) {
      ExprRef product = ctx.integer(term.coeff);
      for (ExprRef atom : term.atoms)
        product = ctx.mul(product, resolve(atom, depth + 1));
      result = ctx.add(result, product);
    }
    return result;
  }
  if (!e->is(ExprKind::Apply))
    return e;
  SmallVector<ExprRef> operands;
  for (ExprRef operand : e->getOperands())
    operands.push_back(resolve(operand, depth + 1));
  return ctx.rebuild(e, operands);
}
