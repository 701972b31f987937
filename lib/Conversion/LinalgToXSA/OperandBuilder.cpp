//===- OperandBuilder.cpp - Expressions as operands -----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The deepest tensor that can be used in place wins: importers' transposes,
// reshapes and repeated heads are then absorbed into the operand's map.
//
//===----------------------------------------------------------------------===//

#include "OperandBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value OperandBuilder::sizeValue(ExprRef extent) {
  Value sum;
  for (const PolyTerm &term : ExprContext::getTerms(extent)) {
    Value product;
    if (term.coeff != 1 || term.atoms.empty())
      product = arith::ConstantIndexOp::create(builder, loc, term.coeff);
    for (ExprRef atom : term.atoms) {
      Value factor;
      if (atom->is(ExprKind::Symbol)) {
        factor = tensor::DimOp::create(builder, loc, atom->getValue(),
                                       atom->getDimension());
      } else {
        ExprEmitter emitter(builder, loc, view, *this);
        factor = emitter.emit(atom);
        if (factor && !factor.getType().isIndex())
          factor = arith::IndexCastOp::create(builder, loc,
                                              builder.getIndexType(), factor);
      }
      if (!factor)
        return nullptr;
      product = product ? arith::MulIOp::create(builder, loc, product, factor)
                        : factor;
    }
    sum = sum ? arith::AddIOp::create(builder, loc, sum, product) : product;
  }
  return sum ? sum : arith::ConstantIndexOp::create(builder, loc, 0);
}

OpFoldResult OperandBuilder::size(ExprRef extent) {
  if (auto i = ExprContext::getInteger(extent))
    return builder.getIndexAttr(*i);
  return getAsOpFoldResult(sizeValue(extent));
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

namespace {
/// The dimensions between an expansion and a collapse.
struct Middle {
  SmallVector<SmallVector<ExprRef>> dims;
  SmallVector<ReassociationIndices> fromGroups, toGroups;
};
} // namespace

static Middle alignGroups(const OperandBuilder::Dims &from,
                          const OperandBuilder::Dims &to) {
  Middle middle;
  middle.fromGroups.resize(from.size());
  middle.toGroups.resize(to.size());
  size_t i = 0, j = 0, doneFrom = 0, doneTo = 0;
  auto push = [&](ArrayRef<ExprRef> digits, size_t fromGroup, size_t toGroup) {
    int64_t position = middle.dims.size();
    middle.dims.emplace_back(digits);
    if (!from.empty())
      middle.fromGroups[std::min(fromGroup, from.size() - 1)].push_back(
          position);
    if (!to.empty())
      middle.toGroups[std::min(toGroup, to.size() - 1)].push_back(position);
  };
  while (i < from.size() || j < to.size()) {
    bool unitFrom = i < from.size() && from[i].empty();
    bool unitTo = j < to.size() && to[j].empty();
    if (unitFrom || unitTo) {
      push({}, i, j);
      i += unitFrom;
      j += unitTo;
      continue;
    }
    if (i == from.size() || j == to.size())
      break; // not the same digits: the caller's error
    ArrayRef<ExprRef> restFrom = ArrayRef(from[i]).drop_front(doneFrom);
    ArrayRef<ExprRef> restTo = ArrayRef(to[j]).drop_front(doneTo);
    size_t run = std::min(restFrom.size(), restTo.size());
    push(restFrom.take_front(run), i, j);
    doneFrom += run;
    doneTo += run;
    if (doneFrom == from[i].size()) {
      ++i;
      doneFrom = 0;
    }
    if (doneTo == to[j].size()) {
      ++j;
      doneTo = 0;
    }
  }
  return middle;
}

Value OperandBuilder::regroup(Value value, const Dims &from, const Dims &to) {
  if (from == to)
    return value;
  Middle middle = alignGroups(from, to);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes;
  for (ArrayRef<ExprRef> digits : middle.dims) {
    ExprRef product = ctx.integer(1);
    for (ExprRef digit : digits)
      product = ctx.mul(product, digit->getExtent());
    sizes.push_back(size(product));
  }
  if (middle.dims.size() != from.size()) {
    auto [shape, dynamic] = decomposeMixedValues(sizes);
    value = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        value, middle.fromGroups, sizes);
  }
  if (middle.dims.size() != to.size())
    value =
        tensor::CollapseShapeOp::create(builder, loc, value, middle.toGroups);
  return value;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

std::optional<unsigned> OperandBuilder::axisOf(ExprRef digit) const {
  for (auto [i, axis] : llvm::enumerate(axes))
    if (llvm::is_contained(axis.digits, digit))
      return i;
  return std::nullopt;
}

SmallVector<unsigned> OperandBuilder::neededAxes(ExprRef e,
                                                 ArrayRef<unsigned> required) {
  SmallVector<unsigned> needed;
  for (unsigned i = 0; i < axes.size(); ++i)
    if (llvm::is_contained(required, i) || e->dependsOnAny(axes[i].digits))
      needed.push_back(i);
  return needed;
}

namespace {
/// A slice of a tensor, and the digits of each dimension that remains.
struct ViewPlan {
  SmallVector<ExprRef> offsets, sizes, strides;
  OperandBuilder::Dims digits;
  SmallVector<bool> dropped;
  bool needsSlice = false;
};
} // namespace

static std::optional<ViewPlan> planView(TensorView &view, ExprRef access) {
  ExprContext &ctx = view.getContext();
  ViewPlan plan;
  SmallVector<ExprRef> seen;
  for (auto [dim, index] : llvm::enumerate(access->getOperands())) {
    auto digits = ctx.getDigits(index);
    if (!digits)
      return std::nullopt;
    for (ExprRef var : digits->vars) {
      if (llvm::is_contained(seen, var))
        return std::nullopt;
      seen.push_back(var);
    }
    ExprRef extent = view.extent(access->getValue(), dim);
    bool whole = ExprContext::getInteger(digits->offset) == 0 &&
                 ExprContext::getInteger(digits->stride) == 1 &&
                 digits->size == extent;
    plan.needsSlice |= !whole;
    plan.offsets.push_back(digits->offset);
    plan.sizes.push_back(digits->size);
    plan.strides.push_back(digits->vars.empty() ? ctx.integer(1)
                                                : digits->stride);
    plan.dropped.push_back(digits->vars.empty());
    if (!digits->vars.empty())
      plan.digits.push_back(digits->vars);
  }
  return plan;
}

static Value emitSlice(OpBuilder &builder, Location loc, OperandBuilder &sizes,
                       Value value, const ViewPlan &plan) {
  auto toSizes = [&](ArrayRef<ExprRef> list) {
    return llvm::map_to_vector(list, [&](ExprRef e) { return sizes.size(e); });
  };
  SmallVector<OpFoldResult> offsets = toSizes(plan.offsets);
  SmallVector<OpFoldResult> extents = toSizes(plan.sizes);
  SmallVector<OpFoldResult> strides = toSizes(plan.strides);
  SmallVector<int64_t> shape;
  for (auto [extent, dropped] : llvm::zip_equal(extents, plan.dropped))
    if (!dropped)
      shape.push_back(
          getConstantIntValue(extent).value_or(ShapedType::kDynamic));
  auto type = cast<RankedTensorType>(value.getType());
  return tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      offsets, extents, strides);
}

FailureOr<Operand> OperandBuilder::buildView(ExprRef access,
                                             ArrayRef<unsigned> needed) {
  auto plan = planView(view, access);
  if (!plan || !isa<RankedTensorType>(access->getValue().getType()))
    return failure();
  // The digits must come as whole axes, one after the other.
  SmallVector<ExprRef> flat;
  for (ArrayRef<ExprRef> digits : plan->digits)
    llvm::append_range(flat, digits);
  Operand operand;
  Dims dims;
  for (ArrayRef<ExprRef> rest = flat; !rest.empty();) {
    auto axis = axisOf(rest.front());
    if (!axis || !llvm::is_contained(needed, *axis) ||
        rest.take_front(axes[*axis].digits.size()) !=
            ArrayRef(axes[*axis].digits))
      return failure();
    operand.axes.push_back(*axis);
    dims.push_back(axes[*axis].digits);
    rest = rest.drop_front(axes[*axis].digits.size());
  }
  for (unsigned axis : needed) {
    if (llvm::is_contained(operand.axes, axis))
      continue;
    if (!axes[axis].digits.empty())
      return failure(); // would have to be repeated
    operand.axes.push_back(axis);
    dims.push_back({});
  }
  operand.value = access->getValue();
  if (plan->needsSlice) {
    operand.value = emitSlice(builder, loc, *this, operand.value, *plan);
    operand.value = regroup(operand.value, plan->digits, dims);
  } else {
    Dims whole;
    size_t next = 0;
    for (bool dropped : plan->dropped)
      whole.push_back(dropped ? SmallVector<ExprRef>() : plan->digits[next++]);
    operand.value = regroup(operand.value, whole, dims);
  }
  return operand;
}

//===----------------------------------------------------------------------===//
// Computed operands
//===----------------------------------------------------------------------===//

/// The map of an access that reads whole dimensions along loops.
static std::optional<AffineMap> getAccessMap(TensorView &view, ExprRef access,
                                             ArrayRef<ExprRef> loops,
                                             MLIRContext *context) {
  SmallVector<AffineExpr> results;
  for (auto [dim, index] : llvm::enumerate(access->getOperands())) {
    ExprRef extent = view.extent(access->getValue(), dim);
    const auto *loop = llvm::find(loops, index);
    if (loop != loops.end() && index->getExtent() == extent)
      results.push_back(getAffineDimExpr(loop - loops.begin(), context));
    else if (ExprContext::getInteger(index) == 0)
      results.push_back(getAffineConstantExpr(0, context));
    else
      return std::nullopt;
  }
  return AffineMap::get(loops.size(), 0, results, context);
}

FailureOr<Operand> OperandBuilder::buildGeneric(ExprRef e,
                                                ArrayRef<unsigned> needed) {
  if (!ExprEmitter::canEmit(e))
    return failure();
  Operand operand;
  operand.axes.assign(needed.begin(), needed.end());
  SmallVector<ExprRef> loops;
  Dims digitDims, axisDims;
  SmallVector<OpFoldResult> sizes;
  for (unsigned axis : needed) {
    axisDims.push_back(axes[axis].digits);
    for (ExprRef digit : axes[axis].digits) {
      loops.push_back(digit);
      digitDims.push_back({digit});
      sizes.push_back(size(digit->getExtent()));
    }
  }
  for (ExprRef var : e->getFreeVars())
    if (!llvm::is_contained(loops, var))
      return failure();

  Type element = e->isInt() ? builder.getI64Type() : e->getType();
  Value init = tensor::EmptyOp::create(builder, loc, sizes, element);
  SmallVector<ExprRef> accesses, inputs;
  llvm::SmallPtrSet<ExprRef, 16> seen;
  e->collectAccesses(seen, accesses);
  SmallVector<Value> inputValues;
  SmallVector<AffineMap> maps;
  for (ExprRef access : accesses) {
    if (!isa<RankedTensorType>(access->getValue().getType()))
      continue;
    auto map = getAccessMap(view, access, loops, builder.getContext());
    if (!map)
      continue;
    inputs.push_back(access);
    inputValues.push_back(access->getValue());
    maps.push_back(*map);
  }
  maps.push_back(builder.getMultiDimIdentityMap(loops.size()));
  SmallVector<utils::IteratorType> iterators(loops.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, init.getType(), inputValues, init, maps, iterators,
      [&](OpBuilder &body, Location bodyLoc, ValueRange arguments) {
        ExprEmitter emitter(body, bodyLoc, view, *this);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(body.getInsertionBlock(),
                                  body.getInsertionPoint());
        for (auto [i, access] : llvm::enumerate(inputs)) {
          Value argument = arguments[i];
          if (access->isInt() && !argument.getType().isIndex())
            argument = arith::IndexCastOp::create(
                body, bodyLoc, body.getIndexType(), argument);
          emitter.set(access, argument);
        }
        for (auto [i, loop] : llvm::enumerate(loops))
          emitter.set(loop, linalg::IndexOp::create(body, bodyLoc, i));
        Value result = emitter.emit(e);
        if (e->isInt())
          result = arith::IndexCastOp::create(body, bodyLoc, element, result);
        linalg::YieldOp::create(body, bodyLoc, result);
      });
  operand.value = regroup(generic.getResult(0), digitDims, axisDims);
  return operand;
}

ExprRef xsa::withoutRepeats(TensorView &view, ExprRef e, unsigned depth) {
  if (depth > 8 || e->getFreeVars().empty())
    return e;
  if (e->is(ExprKind::Apply)) {
    auto operands = llvm::map_to_vector(e->getOperands(), [&](ExprRef x) {
      return withoutRepeats(view, x, depth + 1);
    });
    return view.getContext().rebuild(e, operands);
  }
  ExprRef best = e, next = e;
  while (next && next->is(ExprKind::Access)) {
    next = view.peel(next);
    if (next && next->is(ExprKind::Apply))
      next = withoutRepeats(view, next, depth + 1);
    if (next && next->getFreeVars().size() < best->getFreeVars().size() &&
        ExprEmitter::canEmit(next))
      best = next;
  }
  if (!next || !next->is(ExprKind::Reduce))
    return best;
  // Sums, such as norms, of what was repeated before.
  ExprContext::Substitution first;
  for (ExprRef var : best->getFreeVars())
    if (!view.dependsOn(best, var))
      first[var] = view.getContext().integer(0);
  return first.empty() ? best : view.getContext().substitute(best, first);
}

/// The tensors that `e` is read from, the nearest first.
static SmallVector<ExprRef> getReadTensors(TensorView &view, ExprRef e) {
  SmallVector<ExprRef> chain;
  for (ExprRef next = e; next;) {
    // Widening to f32 is what attention does with its operands anyway.
    if (next->isApply(ExprOp::Cast) && next->getType().isF32() &&
        next->getOperand(0)->getType().getIntOrFloatBitWidth() < 32)
      next = next->getOperand(0);
    if (!next->is(ExprKind::Access))
      break;
    chain.push_back(next);
    next = view.peel(next);
  }
  return chain;
}

/// What is computed anew where `e` is no view of the last of these tensors.
static ExprRef getComputed(TensorView &view, ExprRef e,
                           ArrayRef<ExprRef> chain) {
  return withoutRepeats(view, e->is(ExprKind::Access) ? chain.back() : e);
}

void OperandBuilder::look(TensorView &view, ExprRef e) {
  getComputed(view, e, getReadTensors(view, e));
}

FailureOr<Operand> OperandBuilder::build(ExprRef e,
                                         ArrayRef<unsigned> required) {
  SmallVector<ExprRef> chain = getReadTensors(view, e);
  SmallVector<unsigned> needed =
      neededAxes(chain.empty() ? e : chain.back(), required);
  // The deepest tensor depends on the fewest axes: repeated heads are gone.
  auto mayRunAlong = [&](ExprRef candidate) {
    return llvm::all_of(neededAxes(candidate, required), [&](unsigned axis) {
      bool leading = axis + 4 < axes.size();
      return leading || llvm::is_contained(needed, axis);
    });
  };
  for (ExprRef candidate : llvm::reverse(chain)) {
    if (!mayRunAlong(candidate))
      continue;
    FailureOr<Operand> operand =
        buildView(candidate, neededAxes(candidate, required));
    if (succeeded(operand))
      return operand;
  }
  ExprRef computed = getComputed(view, e, chain);
  return buildGeneric(computed, neededAxes(computed, required));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

Value xsa::transpose(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  SmallVector<OpFoldResult> sizes,
      sourceSizes = tensor::getMixedSizes(builder, loc, value);
  for (int64_t source : permutation)
    sizes.push_back(sourceSizes[source]);
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  Value init = tensor::EmptyOp::create(builder, loc, sizes, element);
  return linalg::TransposeOp::create(builder, loc, value, init, permutation)
      ->getResult(0);
}

static SmallVector<ExprRef> flatten(const OperandBuilder::Dims &dims) {
  SmallVector<ExprRef> flat;
  for (ArrayRef<ExprRef> digits : dims)
    llvm::append_range(flat, digits);
  return flat;
}

Value OperandBuilder::rearrange(Value value, const Dims &from, const Dims &to) {
  SmallVector<ExprRef> source = flatten(from), target = flatten(to);
  if (source == target)
    return regroup(value, from, to);
  auto separate = [](ArrayRef<ExprRef> digits) {
    Dims dims;
    for (ExprRef digit : digits)
      dims.push_back({digit});
    return dims;
  };
  SmallVector<int64_t> permutation;
  for (ExprRef digit : target)
    permutation.push_back(llvm::find(source, digit) - source.begin());
  value = regroup(value, from, separate(source));
  value = transpose(builder, loc, value, permutation);
  return regroup(value, separate(target), to);
}

FailureOr<Value> OperandBuilder::buildInOrder(ExprRef e, const Dims &dims) {
  SmallVector<unsigned> all;
  for (unsigned axis = 0; axis < axes.size(); ++axis)
    all.push_back(axis);
  FailureOr<Operand> operand = build(e, all);
  if (failed(operand))
    return failure();
  Dims built;
  for (unsigned axis : operand->axes)
    built.push_back(axes[axis].digits);
  return rearrange(operand->value, built, dims);
}
