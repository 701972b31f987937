//===- TensorView.cpp - Reads IR as tensor expressions --------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured operations are read through their maps and bodies; bodies in
// ScalarView.cpp, operations that rearrange in TensorOpView.cpp, sizes in
// TensorSizes.cpp.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/TensorView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

void TensorView::forget(Operation *erased) {
  erased->walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      outerScope.erase(result);
      if (auto type = dyn_cast<RankedTensorType>(result.getType()))
        for (unsigned dim : llvm::seq<unsigned>(type.getRank()))
          extentCache.erase({result, dim});
    }
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      for (unsigned dim : llvm::seq(linalgOp.getNumLoops()))
        reductionVars.erase({op, dim});
  });
}

//===----------------------------------------------------------------------===//
// Peeling
//===----------------------------------------------------------------------===//

ExprRef TensorView::peel(ExprRef e) {
  if (!e->is(ExprKind::Access))
    return nullptr;
  // After a split, variables in what is remembered may be out of date.
  unsigned splits = ctx.getNumSplits();
  if (peeledAtSplit != splits) {
    peeled.clear();
    peeledAtSplit = splits;
  }
  if (auto it = peeled.find(e); it != peeled.end())
    return it->second;
  ExprRef result = peelUncached(e);
  if (result)
    result = ctx.refine(result);
  // Integers that may have wrapped stay what the tensor holds.
  if (result && !result->isKnown())
    result = nullptr;
  if (splits == ctx.getNumSplits())
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

ExprRef TensorView::look(ExprRef e) {
  while (true) {
    if (e->isApply(ExprOp::Cast)) {
      e = e->getOperand(0);
      continue;
    }
    ExprRef inner = peel(e);
    if (!inner)
      return e;
    e = inner;
  }
}

bool TensorView::dependsOn(ExprRef e, ArrayRef<ExprRef> vars) {
  llvm::SmallPtrSet<ExprRef, 16> independent;
  return dependsOn(e, vars, independent, /*depth=*/0);
}

/// The first part that depends on a variable ends the search, so a part that
/// was looked at before does not.
bool TensorView::dependsOn(ExprRef e, ArrayRef<ExprRef> vars,
                           llvm::SmallPtrSetImpl<ExprRef> &independent,
                           unsigned depth) {
  if (!e->dependsOnAny(vars) || !independent.insert(e).second)
    return false;
  ExprRef inner = depth < 16 ? look(e) : e;
  if (!inner->dependsOnAny(vars))
    return false;
  if (inner->is(ExprKind::Apply) || inner->is(ExprKind::Reduce))
    return llvm::any_of(inner->getOperands(), [&](ExprRef x) {
      return dependsOn(x, vars, independent, depth + 1);
    });
  return true;
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
  if (op->getName().getStringRef() == "tm_tensor.scan")
    return result == 0 ? peelScan(op, e->getOperands()) : nullptr;
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
    // Most significant first, which is not the order of their ids.
    auto digits = view.getContext().getDigits(loops[dim]);
    llvm::append_range(vars, digits ? ArrayRef<ExprRef>(digits->vars)
                                    : loops[dim]->getFreeVars());
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
    ExprRef element = access(input->get(), at);
    // A division is only read if the divisor is known: a number may have been
    // spread over a tensor.
    if (element->isInt()) {
      ExprRef stored = peelLayout(element);
      if (stored->getFreeVars().empty())
        stored = peelWhole(stored);
      if (ExprContext::getInteger(stored))
        element = stored;
    }
    scope[argument] = element;
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

ExprRef TensorView::reduce(ExprOp op, ArrayRef<ExprRef> vars, ExprRef body) {
  unsigned splits = ctx.getNumSplits();
  ExprRef inner = look(body);
  // After a split, variables may be out of date.
  if (!inner->isReduce(op) || splits != ctx.getNumSplits())
    return ctx.reduce(op, vars, body);
  SmallVector<ExprRef> all(vars);
  llvm::append_range(all, inner->getBoundVars());
  return ctx.reduce(op, all,
                    ctx.apply(ExprOp::Cast, body->getType(), inner->getBody()));
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
  ExprRef reduced = reduce(combiner, vars, element);
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

std::optional<RunningCombination> RunningCombination::of(Operation *op) {
  auto dimension = op->getAttrOfType<IntegerAttr>("dimension");
  auto inclusive = op->getAttrOfType<BoolAttr>("inclusive");
  if (op->getName().getStringRef() != "tm_tensor.scan" || !dimension ||
      !inclusive || op->getNumRegions() != 1 || op->getRegion(0).empty() ||
      op->getNumOperands() < 3)
    return std::nullopt;
  Block &body = op->getRegion(0).front();
  Operation *step = body.getTerminator()->getNumOperands() == 1
                        ? body.getTerminator()->getOperand(0).getDefiningOp()
                        : nullptr;
  if (!step || body.getOperations().size() != 2 ||
      step->getOperands() != ValueRange(body.getArguments()))
    return std::nullopt;
  return RunningCombination{op->getOperand(0), op->getOperand(2),
                            unsigned(dimension.getInt()), inclusive.getValue(),
                            step};
}

/// The last element of a running combination is the combination of all.
ExprRef TensorView::peelScan(Operation *op, ArrayRef<ExprRef> indices) {
  auto scan = RunningCombination::of(op);
  if (!scan || !scan->isInclusive)
    return nullptr;
  ExprRef size = extent(scan->input, scan->dim);
  if (ctx.add(indices[scan->dim], ctx.integer(1)) != size)
    return nullptr;
  ExprOp combiner = getCombiner(scan->step).first;
  if (combiner == ExprOp::None)
    return nullptr;
  ExprRef var = reductionVar(op, scan->dim, size);
  SmallVector<ExprRef> inner(indices);
  inner[scan->dim] = var;
  return ctx.reduce(combiner, var->getFreeVars(), access(scan->input, inner));
}
