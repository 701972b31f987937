//===- ConstantPatterns.cpp - Expressions for constant tensors ------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that were computed become expressions again: affine positions, bands
// of two values. Everything else in an expression is peeled down to them.
//
//===----------------------------------------------------------------------===//

#include "TensorExprDetail.h"
#include "xsa/Analysis/ConstantEvaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace xsa;

/// What the elements of a list grow by along one digit of their index.
struct DigitStep {
  int64_t stride, size;
  int64_t step;
};

/// The digits of the index by which a list grows evenly, the least significant
/// first; nothing if it is not such a list. One digit is the index itself.
static std::optional<SmallVector<DigitStep>>
fitDigits(ArrayRef<int64_t> list, int64_t maxDigits, int64_t stride = 1) {
  SmallVector<DigitStep> none;
  int64_t count = list.size();
  if (count == 1)
    return none;
  if (maxDigits == 0)
    return std::nullopt;
  int64_t step = list[1] - list[0];
  for (int64_t size = count; size > 1; --size) {
    if (count % size != 0 || (size < count && maxDigits == 1))
      continue;
    SmallVector<int64_t> starts;
    for (int64_t i = 0; i < count; i += size)
      starts.push_back(list[i]);
    bool grows = true;
    for (int64_t i = 0; i < count && grows; ++i)
      grows = list[i] == starts[i / size] + step * (i % size);
    if (!grows)
      continue;
    auto rest = fitDigits(starts, maxDigits - 1, stride * size);
    if (!rest)
      continue;
    rest->insert(rest->begin(), {stride, size, step});
    return rest;
  }
  return std::nullopt;
}

namespace {
/// Elements that are a sum of functions of each index.
struct IndexSum {
  int64_t base = 0;
  SmallVector<SmallVector<DigitStep>> steps;
};
} // namespace

static std::optional<IndexSum> fitIndexSum(const ConstantTensor &tensor,
                                           int64_t maxDigits) {
  if (tensor.data.empty() || !llvm::all_of(tensor.data, [](double x) {
        return xsa::detail::isExactInteger(x) && x == std::floor(x);
      }))
    return std::nullopt;
  SmallVector<SmallVector<int64_t>> lists;
  SmallVector<int64_t> indices(tensor.shape.size(), 0);
  auto at = [&] { return static_cast<int64_t>(*tensor.at(indices)); };
  IndexSum sum{static_cast<int64_t>(tensor.data.front()), {}};
  for (auto [dim, size] : llvm::enumerate(tensor.shape)) {
    SmallVector<int64_t> &list = lists.emplace_back();
    for (indices[dim] = 0; indices[dim] < size; ++indices[dim])
      list.push_back(at() - sum.base);
    indices[dim] = 0;
  }
  for (size_t i = 0; i < tensor.data.size(); ++i) {
    size_t rest = i;
    double expected = sum.base;
    for (int64_t dim = tensor.shape.size() - 1; dim >= 0; --dim) {
      expected += lists[dim][rest % tensor.shape[dim]];
      rest /= tensor.shape[dim];
    }
    if (tensor.data[i] != expected)
      return std::nullopt;
  }
  for (ArrayRef<int64_t> list : lists) {
    auto digits = fitDigits(list, maxDigits);
    if (!digits)
      return std::nullopt;
    sum.steps.push_back(*digits);
  }
  return sum;
}

/// The sum at `indices`.
static ExprRef getIndexSum(ExprContext &ctx, const IndexSum &sum,
                           ArrayRef<ExprRef> indices) {
  ExprRef result = ctx.integer(sum.base);
  for (auto [digits, index] : llvm::zip_equal(sum.steps, indices))
    for (const DigitStep &digit : digits) {
      if (digit.step == 0)
        continue;
      ExprRef number = ctx.floorDiv(index, ctx.integer(digit.stride));
      if (&digit != &digits.back())
        number = ctx.mod(number, ctx.integer(digit.size));
      result = ctx.add(result, ctx.mul(ctx.integer(digit.step), number));
    }
  return ctx.refine(result);
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

/// Whether the elements do not differ along a dimension.
static bool isRepeatedAlong(const ConstantTensor &tensor, unsigned dim) {
  int64_t stride = 1, size = tensor.shape[dim];
  for (int64_t later : ArrayRef(tensor.shape).drop_front(dim + 1))
    stride *= later;
  for (int64_t i = 0, e = tensor.data.size(); i < e; ++i)
    if ((i / stride) % size > 0 && tensor.data[i] != tensor.data[i - stride])
      return false;
  return true;
}

/// A tensor that an exporter repeated along a dimension, read at the first
/// place of it.
static ExprRef dropRepeats(ExprContext &ctx, const ConstantTensor &tensor,
                           ExprRef access) {
  SmallVector<ExprRef> indices(access->getOperands());
  for (auto [dim, index] : llvm::enumerate(indices))
    if (!ExprContext::getInteger(index) && isRepeatedAlong(tensor, dim))
      index = ctx.integer(0);
  return ctx.access(access->getValue(), indices);
}

/// A tensor of two values is a condition that chooses between them; any other
/// one element.
static ExprRef simplifyTwoValued(ExprContext &ctx, const ConstantTensor &tensor,
                                 ExprRef access) {
  ExprRef element = dropRepeats(ctx, tensor, access);
  auto values = getTwoValues(tensor);
  if (!values || std::isnan(values->first))
    return element;
  ExprRef isHigh =
      getBandCondition(ctx, tensor, values->second, access->getOperands());
  if (!isHigh)
    if (ExprRef isLow =
            getBandCondition(ctx, tensor, values->first, access->getOperands()))
      isHigh = ctx.logicalNot(isLow);
  if (access->isBool())
    return isHigh ? isHigh : element;
  if (!access->isFloat())
    return element;
  Type type = access->getType();
  ExprRef high = ctx.constant(type, values->second);
  if (!isHigh)
    isHigh = ctx.cmpF(unsigned(arith::CmpFPredicate::OEQ), element, high);
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
  auto affine = fitIndexSum(*tensor, /*maxDigits=*/1);
  return affine ? getIndexSum(ctx, *affine, access->getOperands()) : access;
}

ExprRef ConstantEvaluator::readPosition(ExprRef e) {
  constexpr int64_t maxPositions = 1 << 10, maxDigits = 4;
  bool isPlain = llvm::all_of(ExprContext::getTerms(e), [](const PolyTerm &t) {
    return llvm::all_of(t.atoms, [](ExprRef atom) {
      return atom->is(ExprKind::Var) || atom->is(ExprKind::Symbol);
    });
  });
  if (isPlain || e->isConstant())
    return e;
  if (ExprRef known = positions.lookup(e))
    return view.getContext().refine(known);
  positions[e] = e;
  int64_t count = 1;
  ConstantTensor table;
  for (ExprRef var : e->getFreeVars()) {
    auto size = ExprContext::getInteger(var->getExtent());
    if (!size || (count *= *size) > maxPositions)
      return e;
    table.shape.push_back(*size);
  }
  auto data = tabulate(e, e->getFreeVars());
  if (!data)
    return e;
  table.data = std::move(*data);
  if (e->isBool()) {
    auto all = table.getUniform();
    return positions[e] = all ? view.getContext().boolean(*all) : e;
  }
  auto sum = fitIndexSum(table, maxDigits);
  if (!sum)
    return e;
  return positions[e] = getIndexSum(view.getContext(), *sum, e->getFreeVars());
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
  // A condition on a constant may contain the access itself.
  resolved[e] = e;
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
