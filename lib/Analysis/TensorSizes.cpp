//===- TensorSizes.cpp - Sizes of tensors as expressions ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a dynamic size comes from, and which of them are equal: a model that is
// only defined if two sizes agree says that they do.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/TensorView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;

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

/// Whether the value of a symbol is there before that of another, so that it
/// can stand for it: also in a loop that the other is the result of.
static bool isDefinedBefore(ExprRef a, ExprRef b) {
  Operation *x = a->getValue().getDefiningOp();
  Operation *y = b->getValue().getDefiningOp();
  if (x && y && x->getBlock() == y->getBlock() && x != y)
    return x->isBeforeInBlock(y);
  if (!x != !y)
    return !x;
  return a->getId() < b->getId();
}

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
  if (isDefinedBefore(other, kept))
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
