//===- TensorView.cpp - Reads IR as tensor expressions --------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One case per kind of tensor operation: structured linalg operations through
// their maps and bodies, the rest as index arithmetic. Bodies are read in
// ScalarView.cpp.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/TensorView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

/// One element of a constant list of sizes.
static ExprRef readShapeElement(ExprContext &ctx, DenseElementsAttr dense,
                                ArrayRef<ExprRef> indices) {
  if (!dense || indices.size() != 1 || dense.getNumElements() > 64 ||
      !dense.getElementType().isIntOrIndex() ||
      dense.getElementType().getIntOrFloatBitWidth() < 32)
    return nullptr;
  auto i = ExprContext::getInteger(indices[0]);
  if (!i || *i < 0 || *i >= dense.getNumElements())
    return nullptr;
  return ctx.integer((*(dense.value_begin<APInt>() + *i)).getSExtValue());
}

ExprRef TensorView::access(Value value, ArrayRef<ExprRef> indices) {
  DenseElementsAttr dense;
  if (matchPattern(value, m_Constant(&dense)) && dense.isSplat()) {
    Type element = dense.getElementType();
    if (isa<FloatType>(element))
      return ctx.constant(element,
                          dense.getSplatValue<APFloat>().convertToDouble());
    if (element.isInteger(1))
      return ctx.boolean(dense.getSplatValue<bool>());
    if (element.isIntOrIndex() && element.getIntOrFloatBitWidth() >= 32)
      return ctx.integer(dense.getSplatValue<APInt>().getSExtValue());
  }
  SmallVector<ExprRef> refined;
  for (ExprRef index : indices)
    refined.push_back(ctx.refine(index));
  if (ExprRef element = readShapeElement(ctx, dense, refined))
    return element;
  return ctx.access(value, refined);
}

SmallVector<ExprRef> TensorView::extents(Value value) {
  SmallVector<ExprRef> result;
  int64_t rank = cast<ShapedType>(value.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    result.push_back(extent(value, dim));
  return result;
}

ExprRef TensorView::extent(Value value, unsigned dim) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(dim))
    return ctx.integer(type.getDimSize(dim));
  if (ExprRef known = extentCache.lookup({value, dim}))
    return known;
  ExprRef result = extentUncached(value, dim);
  extentCache[{value, dim}] = result;
  return result;
}

ExprRef TensorView::extentUncached(Value value, unsigned dim) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return symbol(value, dim);
  auto ofMixed = [&](ArrayRef<OpFoldResult> sizes) {
    return foldResult(sizes[dim]);
  };
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return ofMixed(empty.getMixedSizes());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    SmallVector<OpFoldResult> sizes;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(i))
        sizes.push_back(size);
    return ofMixed(sizes);
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return ofMixed(expand.getMixedOutputShape());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    ExprRef product = ctx.integer(1);
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    for (int64_t source : groups[dim])
      product = ctx.mul(product, extent(collapse.getSrc(), source));
    return product;
  }
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    if (isa<RankedTensorType>(cast.getSource().getType()))
      return extent(cast.getSource(), dim);
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
    ExprRef size = peelWhole(access(reshape.getShape(), ctx.integer(dim)));
    return size->isInt() && !size->is(ExprKind::Access) ? size
                                                        : symbol(value, dim);
  }
  if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    auto type = cast<ShapedType>(value.getType());
    return scalar(generate.getDynamicExtents()[type.getDynamicDimIndex(dim)]);
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    if (concat.getDim() != dim)
      return extent(concat.getInputs()[0], dim);
    ExprRef sum = ctx.integer(0);
    for (Value input : concat.getInputs())
      sum = ctx.add(sum, extent(input, dim));
    return sum;
  }
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
    if (OpOperand *init = dps.getTiedOpOperand(cast<OpResult>(value)))
      return extent(init->get(), dim);
  return symbol(value, dim);
}

//===----------------------------------------------------------------------===//
// Equal sizes
//===----------------------------------------------------------------------===//

/// Records that two sizes are equal, if that says something about single
/// symbols: common factors cancel.
bool TensorView::learnEqual(ExprRef a, ExprRef b) {
  SmallVector<PolyTerm> x = ExprContext::getTerms(a);
  SmallVector<PolyTerm> y = ExprContext::getTerms(b);
  if (a == b || x.size() != 1 || y.size() != 1)
    return false;
  SmallVector<ExprRef> left(x[0].atoms), right;
  for (ExprRef atom : y[0].atoms) {
    auto *it = llvm::find(left, atom);
    if (it == left.end())
      right.push_back(atom);
    else
      left.erase(it);
  }
  if (x[0].coeff != y[0].coeff || left.size() != 1 || right.size() != 1 ||
      !left[0]->is(ExprKind::Symbol) || !right[0]->is(ExprKind::Symbol))
    return false;
  ExprRef kept = left[0], other = right[0];
  if (other->getId() < kept->getId())
    std::swap(kept, other);
  sameSize[other] = kept;
  extentCache.clear();
  outerScope.clear();
  peeled.clear();
  return true;
}

/// Sizes that an operation needs to be equal to be defined.
bool TensorView::learnFrom(Operation *op) {
  if (auto check = dyn_cast<cf::AssertOp>(op)) {
    auto compare = check.getArg().getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
      return false;
    ExprRef a = scalar(compare.getLhs()), b = scalar(compare.getRhs());
    return a->isInt() && b->isInt() && learnEqual(a, b);
  }
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return false;
  bool learned = false;
  SmallVector<ExprRef> loops(linalgOp.getNumLoops(), nullptr);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      ExprRef size = extent(operand.get(), i);
      ExprRef &known = loops[dim.getPosition()];
      if (known)
        learned |= learnEqual(known, size);
      else
        known = size;
    }
  }
  return learned;
}

static bool isDynamic(Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  return shaped && !shaped.hasStaticShape();
}

void TensorView::learnSizes(Operation *root) {
  if (root->getNumRegions() != 1 || root->getRegion(0).empty())
    return;
  bool dynamic = false;
  root->walk([&](Operation *op) {
    dynamic |= llvm::any_of(op->getOperandTypes(), isDynamic);
    return dynamic ? WalkResult::interrupt() : WalkResult::advance();
  });
  // Each round may make terms cancel that hid a fact before.
  for (unsigned round = 0; dynamic && round < 4; ++round) {
    // Only what is executed in any case counts.
    bool learned = false;
    for (Operation &op : root->getRegion(0).front())
      learned |= learnFrom(&op);
    if (!learned)
      return;
  }
}

ExprRef TensorView::symbol(Value value, unsigned dim) {
  ExprRef result = ctx.symbol(value, dim);
  while (ExprRef same = sameSize.lookup(result))
    result = same;
  return result;
}

SmallVector<ExprRef> TensorView::rootVars(Value value) {
  SmallVector<ExprRef> vars;
  for (ExprRef size : extents(value))
    vars.push_back(ctx.variable(size));
  return vars;
}

ExprRef TensorView::reductionVar(Operation *op, unsigned dim, ExprRef extent) {
  ExprRef &var = reductionVars[{op, dim}];
  if (!var)
    var = ctx.variable(extent);
  return ctx.refine(var);
}

//===----------------------------------------------------------------------===//
// Peeling
//===----------------------------------------------------------------------===//

ExprRef TensorView::peel(ExprRef e) {
  if (!e->is(ExprKind::Access))
    return nullptr;
  // After a split, variables in what is remembered may be out of date.
  if (peeledAtSplit != ctx.getNumSplits()) {
    peeled.clear();
    peeledAtSplit = ctx.getNumSplits();
  }
  if (auto it = peeled.find(e); it != peeled.end())
    return it->second;
  ExprRef result = peelUncached(e);
  if (result)
    result = ctx.refine(result);
  // Integers that may have wrapped stay what the tensor holds.
  if (result && !result->isKnown())
    result = nullptr;
  if (peeledAtSplit == ctx.getNumSplits())
    peeled[e] = result;
  return result;
}

ExprRef TensorView::peelLayout(ExprRef e, bool throughCasts) {
  while (true) {
    if (throughCasts && e->isApply(ExprOp::Cast)) {
      e = e->getOperand(0);
      continue;
    }
    if (!e->is(ExprKind::Access))
      return e;
    ExprRef inner = peel(e);
    if (!inner)
      return e;
    bool isCast = throughCasts && inner->isApply(ExprOp::Cast);
    bool isConstant = inner->isConstant() || ExprContext::getInteger(inner);
    if (!inner->is(ExprKind::Access) && !isCast && !isConstant)
      return e;
    e = inner;
  }
}

ExprRef TensorView::peelUncached(ExprRef e) {
  Operation *op = e->getValue().getDefiningOp();
  if (!op)
    return nullptr;
  unsigned result = cast<OpResult>(e->getValue()).getResultNumber();
  if (!isa<RankedTensorType>(e->getValue().getType()))
    return nullptr;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return peelLinalg(linalgOp, result, e->getOperands());
  if (isa<linalg::SoftmaxOp>(op))
    return peelSoftmax(op, e->getOperands());
  return peelTensorOp(op, e->getOperands());
}

/// Loop variables of a structured operation from the indices of one result.
/// Dimensions that the result does not have become reduction variables.
static bool bindLoops(TensorView &view, linalg::LinalgOp op, unsigned result,
                      ArrayRef<ExprRef> indices, SmallVector<ExprRef> &loops,
                      SmallVector<ExprRef> &vars) {
  loops.assign(op.getNumLoops(), nullptr);
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  for (auto [expr, index] : llvm::zip_equal(outMap.getResults(), indices)) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      loops[dim.getPosition()] = index;
      continue;
    }
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant || ExprContext::getInteger(index) != constant.getValue())
      return false;
  }
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim) {
    if (loops[dim])
      continue;
    ExprRef extent = nullptr;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<ShapedType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [position, expr] : llvm::enumerate(map.getResults()))
        if (!extent && expr == getAffineDimExpr(dim, op.getContext()))
          extent = view.extent(operand.get(), position);
    }
    if (!extent)
      return false;
    loops[dim] = view.reductionVar(op, dim, extent);
    llvm::append_range(vars, loops[dim]->getFreeVars());
  }
  return true;
}

ExprRef TensorView::peelLinalg(linalg::LinalgOp op, unsigned result,
                               ArrayRef<ExprRef> indices) {
  if (!op.hasPureTensorSemantics() || op->getNumRegions() != 1)
    return nullptr;
  SmallVector<ExprRef> loops, vars;
  if (!bindLoops(*this, op, result, indices, loops, vars))
    return nullptr;

  Scope scope;
  Block &body = *op.getBlock();
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (!isa<ShapedType>(input->get().getType())) {
      scope[argument] = scalar(input->get());
      continue;
    }
    SmallVector<ExprRef> at;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      ExprRef index = evaluateAffine(expr, loops, {});
      if (!index)
        return nullptr;
      at.push_back(index);
    }
    scope[argument] = access(input->get(), at);
  }
  bool reduces = op.getNumReductionLoops() > 0;
  if (reduces)
    return peelReduction(op, result, loops, indices, scope, vars);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    SmallVector<ExprRef> at;
    for (AffineExpr expr : op.getMatchingIndexingMap(&init).getResults())
      at.push_back(evaluateAffine(expr, loops, {}));
    scope[op.getMatchingBlockArgument(&init)] = access(init.get(), at);
  }
  return evaluate(body.getTerminator()->getOperand(result), scope, loops);
}

/// The reduction that `op` is one step of, and its neutral element.
static std::pair<ExprOp, double> getCombiner(Operation *op) {
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return {ExprOp::Add, 0};
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return {ExprOp::Mul, 1};
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
    return {ExprOp::Max, -INFINITY};
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return {ExprOp::Min, INFINITY};
  if (isa<arith::AndIOp>(op) && op->getResult(0).getType().isInteger(1))
    return {ExprOp::And, 1};
  if (isa<arith::OrIOp>(op) && op->getResult(0).getType().isInteger(1))
    return {ExprOp::Or, 0};
  return {ExprOp::None, 0};
}

static bool isNeutral(ExprRef e, double neutral) {
  if (auto i = ExprContext::getInteger(e))
    return *i == neutral;
  return e->isConstant(neutral);
}

ExprRef TensorView::peelReduction(linalg::LinalgOp op, unsigned result,
                                  ArrayRef<ExprRef> loops,
                                  ArrayRef<ExprRef> indices, Scope &scope,
                                  ArrayRef<ExprRef> vars) {
  Block &body = *op.getBlock();
  Value yielded = body.getTerminator()->getOperand(result);
  OpOperand *init = op.getDpsInitOperand(result);
  BlockArgument carried = op.getMatchingBlockArgument(init);
  Operation *step = yielded.getDefiningOp();
  if (!step || step->getBlock() != &body || step->getNumOperands() != 2)
    return nullptr;
  auto [combiner, neutral] = getCombiner(step);
  bool first = step->getOperand(0) == carried;
  if (combiner == ExprOp::None || (!first && step->getOperand(1) != carried))
    return nullptr;

  // The element must not depend on the carried values: they are not in scope.
  ExprRef element = evaluate(step->getOperand(first ? 1 : 0), scope, loops);
  if (!element)
    return nullptr;
  ExprRef reduced = ctx.reduce(combiner, vars, element);
  ExprRef start = peelLayout(access(init->get(), indices));
  if (isNeutral(start, neutral))
    return reduced;
  if (reduced->isInt())
    return combiner == ExprOp::Add ? ctx.add(start, reduced) : nullptr;
  return ctx.apply(combiner, reduced->getType(), {start, reduced});
}

ExprRef TensorView::peelSoftmax(Operation *op, ArrayRef<ExprRef> indices) {
  auto softmax = cast<linalg::SoftmaxOp>(op);
  unsigned dim = softmax.getDimension();
  Value input = softmax.getInput();
  Type type = getElementTypeOrSelf(input.getType());
  ExprRef var = reductionVar(op, dim, extent(input, dim));
  SmallVector<ExprRef> inner(indices);
  inner[dim] = var;
  ExprRef everywhere = access(input, inner);
  SmallVector<ExprRef> vars(var->getFreeVars());
  ExprRef largest = ctx.reduce(ExprOp::Max, vars, everywhere);
  auto exponential = [&](ExprRef x) {
    return ctx.apply(ExprOp::Exp, type,
                     ctx.apply(ExprOp::Sub, type, {x, largest}));
  };
  ExprRef sum = ctx.reduce(ExprOp::Add, vars, exponential(everywhere));
  return ctx.apply(ExprOp::Div, type,
                   {exponential(access(input, indices)), sum});
}

//===----------------------------------------------------------------------===//
// Tensor operations
//===----------------------------------------------------------------------===//

static SmallVector<ExprRef> expandedToSource(TensorView &view,
                                             tensor::ExpandShapeOp op,
                                             ArrayRef<ExprRef> indices) {
  SmallVector<ExprRef> source;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    SmallVector<ExprRef> digits, sizes;
    for (int64_t dim : group) {
      digits.push_back(indices[dim]);
      sizes.push_back(view.extent(op.getResult(), dim));
    }
    source.push_back(view.getContext().linearize(digits, sizes));
  }
  return source;
}

static SmallVector<ExprRef> collapsedToSource(TensorView &view,
                                              tensor::CollapseShapeOp op,
                                              ArrayRef<ExprRef> indices) {
  SmallVector<ExprRef> source;
  for (auto [group, index] :
       llvm::zip_equal(op.getReassociationIndices(), indices)) {
    SmallVector<ExprRef> sizes;
    for (int64_t dim : group)
      sizes.push_back(view.extent(op.getSrc(), dim));
    llvm::append_range(source, view.getContext().delinearize(index, sizes));
  }
  // A rank-0 result collapses dimensions of size 1.
  while (source.size() < static_cast<size_t>(op.getSrcType().getRank()))
    source.push_back(view.getContext().integer(0));
  return source;
}

ExprRef TensorView::peelTensorOp(Operation *op, ArrayRef<ExprRef> indices) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return access(expand.getSrc(), expandedToSource(*this, expand, indices));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return access(collapse.getSrc(),
                  collapsedToSource(*this, collapse, indices));
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
    ExprRef linear = ctx.linearize(indices, extents(reshape.getResult()));
    SmallVector<ExprRef> source =
        ctx.delinearize(linear, extents(reshape.getSource()));
    return access(reshape.getSource(), source);
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<ExprRef> source;
    unsigned next = 0;
    for (unsigned i = 0, e = slice.getSourceType().getRank(); i < e; ++i) {
      ExprRef index = foldResult(slice.getMixedOffsets()[i]);
      if (!dropped.test(i))
        index = ctx.add(index, ctx.mul(indices[next++],
                                       foldResult(slice.getMixedStrides()[i])));
      source.push_back(index);
    }
    return access(slice.getSource(), source);
  }
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType())
               ? access(cast.getSource(), indices)
               : nullptr;
  if (isa<tensor::ConcatOp>(op))
    return peelConcat(op, indices);
  if (isa<tensor::PadOp>(op))
    return peelPad(op, indices);
  if (isa<tensor::InsertSliceOp>(op))
    return peelInsertSlice(op, indices);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return scalar(splat.getInput());
  if (auto list = dyn_cast<tensor::FromElementsOp>(op)) {
    if (list.getElements().size() == 1)
      return scalar(list.getElements()[0]);
    auto i = indices.size() == 1 ? ExprContext::getInteger(indices[0])
                                 : std::nullopt;
    return i && *i >= 0 && *i < int64_t(list.getElements().size())
               ? scalar(list.getElements()[*i])
               : nullptr;
  }
  if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    Scope scope;
    Block &body = generate.getBody().front();
    for (auto [argument, index] : llvm::zip_equal(body.getArguments(), indices))
      scope[argument] = index;
    return evaluate(body.getTerminator()->getOperand(0), scope, {});
  }
  // Elementwise operations written directly on tensors.
  if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1) {
    SmallVector<ExprRef> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<RankedTensorType>(operand.getType())
                             ? access(operand, indices)
                             : scalar(operand));
    return evaluateOp(op, operands, {});
  }
  return nullptr;
}

ExprRef TensorView::peelConcat(Operation *op, ArrayRef<ExprRef> indices) {
  auto concat = cast<tensor::ConcatOp>(op);
  unsigned dim = concat.getDim();
  ExprRef result = nullptr;
  // From the last piece to the first: select(i < end, piece, the rest).
  SmallVector<ExprRef> starts = {ctx.integer(0)};
  for (Value input : concat.getInputs())
    starts.push_back(ctx.add(starts.back(), extent(input, dim)));
  for (int64_t i = concat.getInputs().size() - 1; i >= 0; --i) {
    SmallVector<ExprRef> inner(indices);
    inner[dim] = ctx.sub(indices[dim], starts[i]);
    ExprRef piece = access(concat.getInputs()[i], inner);
    if (!result) {
      result = piece;
      continue;
    }
    ExprRef before = ctx.nonNegative(ctx.sub(
        ctx.sub(starts[i + 1], ctx.integer(1)), ctx.refine(indices[dim])));
    result = ctx.select(before, piece, result);
  }
  return result;
}

ExprRef TensorView::peelPad(Operation *op, ArrayRef<ExprRef> indices) {
  auto pad = cast<tensor::PadOp>(op);
  Value filler = pad.getConstantPaddingValue();
  if (!filler)
    return nullptr;
  ExprRef inside = ctx.boolean(true);
  SmallVector<ExprRef> inner;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    ExprRef low = foldResult(pad.getMixedLowPad()[dim]);
    inner.push_back(ctx.sub(index, low));
    ExprRef size = extent(pad.getSource(), dim);
    for (ExprRef condition :
         {ctx.nonNegative(inner.back()),
          ctx.nonNegative(
              ctx.sub(ctx.sub(size, ctx.integer(1)), inner.back()))})
      inside = ctx.apply(ExprOp::And, inside->getType(), {inside, condition});
  }
  return ctx.select(inside, access(pad.getSource(), inner), scalar(filler));
}

ExprRef TensorView::peelInsertSlice(Operation *op, ArrayRef<ExprRef> indices) {
  auto insert = cast<tensor::InsertSliceOp>(op);
  llvm::SmallBitVector dropped = insert.getDroppedDims();
  ExprRef inside = ctx.boolean(true);
  SmallVector<ExprRef> inner;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    ExprRef stride = foldResult(insert.getMixedStrides()[dim]);
    if (ExprContext::getInteger(stride) != 1)
      return nullptr;
    ExprRef at = ctx.sub(index, foldResult(insert.getMixedOffsets()[dim]));
    ExprRef size = foldResult(insert.getMixedSizes()[dim]);
    for (ExprRef condition :
         {ctx.nonNegative(at),
          ctx.nonNegative(ctx.sub(ctx.sub(size, ctx.integer(1)), at))})
      inside = ctx.apply(ExprOp::And, inside->getType(), {inside, condition});
    if (!dropped.test(dim))
      inner.push_back(at);
  }
  return ctx.select(inside, access(insert.getSource(), inner),
                    access(insert.getDest(), indices));
}
