//===- TensorOpView.cpp - Reads tensor operations -------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that rearrange, join and cut tensors are arithmetic on indices,
// and selects where an index decides which tensor is read.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/TensorView.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;

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

/// Where an index is a number of digits of which the last ones run through a
/// piece of `size`: the number of the piece, and the index in it.
static std::optional<std::pair<ExprRef, ExprRef>>
splitAtPiece(ExprContext &ctx, ExprRef index, ExprRef size) {
  auto digits = ctx.getDigits(index);
  if (!digits || ExprContext::getInteger(digits->offset) != 0 ||
      ExprContext::getInteger(digits->stride) != 1)
    return std::nullopt;
  SmallVector<ExprRef> extents;
  for (ExprRef digit : digits->vars)
    extents.push_back(digit->getExtent());
  ExprRef inner = ctx.integer(1);
  for (size_t first = extents.size(); first > 0; --first) {
    if (inner == size) {
      ArrayRef<ExprRef> vars(digits->vars), sizes(extents);
      return std::make_pair(
          ctx.linearize(vars.take_front(first), sizes.take_front(first)),
          ctx.linearize(vars.drop_front(first), sizes.drop_front(first)));
    }
    inner = ctx.mul(inner, extents[first - 1]);
  }
  return std::nullopt;
}

ExprRef TensorView::peelConcat(Operation *op, ArrayRef<ExprRef> indices) {
  auto concat = cast<tensor::ConcatOp>(op);
  unsigned dim = concat.getDim();
  ExprRef result = nullptr, index = ctx.refine(indices[dim]);
  SmallVector<ExprRef> starts = {ctx.integer(0)}, sizes;
  for (Value input : concat.getInputs()) {
    sizes.push_back(extent(input, dim));
    starts.push_back(ctx.add(starts.back(), sizes.back()));
  }
  std::optional<std::pair<ExprRef, ExprRef>> inPiece;
  if (llvm::all_equal(sizes))
    inPiece = splitAtPiece(ctx, index, sizes.front());
  // From the last piece to the first: select(i < end, piece, the rest).
  for (int64_t i = concat.getInputs().size() - 1; i >= 0; --i) {
    SmallVector<ExprRef> inner(indices);
    inner[dim] = inPiece ? inPiece->second : ctx.sub(index, starts[i]);
    ExprRef piece = access(concat.getInputs()[i], inner);
    if (!result) {
      result = piece;
      continue;
    }
    ExprRef before =
        inPiece ? ctx.sub(ctx.integer(i), inPiece->first)
                : ctx.sub(ctx.sub(starts[i + 1], ctx.integer(1)), index);
    result = ctx.select(ctx.nonNegative(before), piece, result);
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
