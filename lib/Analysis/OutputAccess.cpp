//===- OutputAccess.cpp - Where the output of attention is read -----------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks stop at contractions: what is behind a projection belongs to the next
// block of a model, with exclusions of its own.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/OutputAccess.h"

#include "xsa/Analysis/TensorReads.h"
#include "xsa/Analysis/TokenAxis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace xsa;

static bool subtractsOrAdds(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<arith::SubFOp, arith::AddFOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool reduces(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() > 0;
}

llvm::SetVector<Operation *> xsa::collectUsers(AttentionOp op,
                                               bool beyondReductions) {
  constexpr unsigned maxUsers = 200;
  llvm::SetVector<Operation *> reached;
  reached.insert(op);
  for (unsigned i = 0; i < reached.size() && i < maxUsers; ++i) {
    if (reduces(reached[i]) && !beyondReductions)
      continue;
    for (Operation *reader : collectReaders(reached[i]))
      if (isa<linalg::LinalgOp>(reader) ||
          isa_and_nonnull<tensor::TensorDialect>(reader->getDialect()))
        reached.insert(reader);
  }
  return reached;
}

OutputSums xsa::collectSums(AttentionOp op) {
  OutputSums result;
  for (Operation *user : collectUsers(op, /*beyondReductions=*/false)) {
    if (!isa<linalg::LinalgOp>(user) || user->getNumResults() != 1)
      continue;
    if (reduces(user))
      result.contractions.push_back(user->getResult(0));
    else if (subtractsOrAdds(user))
      result.elementwise.push_back(user->getResult(0));
  }
  llvm::sort(result.elementwise, [](Value a, Value b) {
    Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
    return x->getBlock() == y->getBlock() && y->isBeforeInBlock(x);
  });
  return result;
}

SmallVector<ExprRef> xsa::collectAttentions(TensorView &view, ExprRef e) {
  constexpr unsigned maxDepth = 16;
  SmallVector<ExprRef> accesses;
  llvm::SmallSetVector<ExprRef, 16> level, next;
  llvm::SmallPtrSet<ExprRef, 32> seen;
  level.insert(view.look(e));
  for (unsigned depth = 0; depth <= maxDepth && !level.empty(); ++depth) {
    for (ExprRef inner : level) {
      if (!seen.insert(inner).second)
        continue;
      if (inner->is(ExprKind::Access)) {
        auto op = inner->getValue().getDefiningOp<AttentionOp>();
        // Not to a log-sum-exp or another further result.
        if (op && inner->getValue() == op->getResult(0))
          accesses.push_back(inner);
      } else if (inner->is(ExprKind::Apply)) {
        for (ExprRef operand : inner->getOperands())
          next.insert(view.look(operand));
      }
    }
    level = std::move(next);
    next.clear();
  }
  return accesses;
}

OutputAccess xsa::getOutputAccess(ExprRef access) {
  OutputAccess result;
  result.op = access->getValue().getDefiningOp<AttentionOp>();
  result.loops.assign(result.op.getNumLoops(), nullptr);
  for (auto [expr, index] : llvm::zip_equal(
           result.op.getOutputMap().getResults(), access->getOperands()))
    result.loops[cast<AffineDimExpr>(expr).getPosition()] = index;
  return result;
}

ExprRef xsa::getOwnRow(TensorView &view, const OutputAccess &output) {
  AttentionOp op = output.op;
  ExprRef offset = getOwnOffset(view, op);
  if (!offset || !view.getContext().isProvablyNonNegative(offset))
    return nullptr;
  SmallVector<ExprRef> indices;
  for (AffineExpr expr : op.getValueMap().getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    indices.push_back(
        dim == op.getKeyDim()
            ? view.getContext().add(output.loops[op.getQueryDim()], offset)
            : output.loops[dim]);
  }
  return view.access(op.getValue(), indices);
}

bool xsa::matchWithDigits(TensorView &view, ArrayRef<ExprRef> start,
                          llvm::function_ref<bool(ArrayRef<ExprRef>)> attempt) {
  ExprContext &ctx = view.getContext();
  for (unsigned rounds = 0; rounds < 16; ++rounds) {
    unsigned splits = ctx.getNumSplits();
    SmallVector<ExprRef> indices;
    for (ExprRef index : start)
      indices.push_back(ctx.refine(index));
    bool matched = attempt(indices);
    if (splits == ctx.getNumSplits())
      return matched;
  }
  return false;
}

bool xsa::matchWithDigits(TensorView &view, Value root,
                          llvm::function_ref<bool(ArrayRef<ExprRef>)> attempt) {
  return matchWithDigits(view, ArrayRef(view.rootVars(root)), attempt);
}

SmallVector<int64_t> xsa::collectPieceCounts(AttentionOp op) {
  // More are not worth to be looked at one by one.
  constexpr int64_t maxPieces = 64;
  SmallVector<int64_t> counts;
  auto add = [&](RankedTensorType piece, RankedTensorType whole, unsigned dim) {
    int64_t size = whole.getDimSize(dim), part = piece.getDimSize(dim);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(part) ||
        part == 0 || part == size || size % part != 0 ||
        size / part > maxPieces || llvm::is_contained(counts, size / part))
      return;
    counts.push_back(size / part);
  };
  for (Operation *user : collectUsers(op)) {
    if (auto concat = dyn_cast<tensor::ConcatOp>(user))
      add(cast<RankedTensorType>(concat.getInputs()[0].getType()),
          concat.getResultType(), concat.getDim());
    auto insert = dyn_cast<tensor::InsertSliceOp>(user);
    if (insert &&
        insert.getSourceType().getRank() == insert.getDestType().getRank())
      for (unsigned dim : llvm::seq<unsigned>(insert.getDestType().getRank()))
        add(insert.getSourceType(), insert.getDestType(), dim);
  }
  return counts;
}
