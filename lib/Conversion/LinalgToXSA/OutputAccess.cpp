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

#include "OutputAccess.h"

#include "xsa/Analysis/TokenAxis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

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

SmallVector<Value> xsa::collectSums(AttentionOp op) {
  llvm::SetVector<Operation *> reached;
  reached.insert(op);
  SmallVector<Value> sums;
  for (unsigned i = 0; i < reached.size() && i < 200; ++i)
    for (Operation *user : reached[i]->getUsers()) {
      auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
      bool keepsElements =
          linalgOp ? linalgOp.getNumReductionLoops() == 0
                   : isa_and_nonnull<tensor::TensorDialect>(user->getDialect());
      if (user->getNumResults() != 1 || !keepsElements || !reached.insert(user))
        continue;
      if (linalgOp && subtractsOrAdds(user))
        sums.push_back(user->getResult(0));
    }
  llvm::sort(sums, [](Value a, Value b) {
    Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
    return x->getBlock() == y->getBlock() && y->isBeforeInBlock(x);
  });
  return sums;
}

void xsa::collectAttentions(MatchContext &match, ExprRef e,
                            SmallVectorImpl<ExprRef> &accesses,
                            unsigned depth) {
  if (depth > 16)
    return;
  ExprRef inner = match.look(e);
  if (inner->is(ExprKind::Access)) {
    if (inner->getValue().getDefiningOp<AttentionOp>() &&
        !llvm::is_contained(accesses, inner))
      accesses.push_back(inner);
    return;
  }
  if (inner->is(ExprKind::Apply))
    for (ExprRef operand : inner->getOperands())
      collectAttentions(match, operand, accesses, depth + 1);
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

ExprRef xsa::getOwnRow(MatchContext &match, const OutputAccess &output) {
  AttentionOp op = output.op;
  ExprRef offset = getOwnOffset(match.view, op);
  if (!offset || !match.ctx.isProvablyNonNegative(offset))
    return nullptr;
  SmallVector<ExprRef> indices;
  for (AffineExpr expr : op.getValueMap().getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    indices.push_back(
        dim == op.getKeyDim()
            ? match.ctx.add(output.loops[op.getQueryDim()], offset)
            : output.loops[dim]);
  }
  return match.view.access(op.getValue(), indices);
}

bool xsa::matchWithDigits(MatchContext &match, Value root,
                          llvm::function_ref<bool(ArrayRef<ExprRef>)> attempt) {
  SmallVector<ExprRef> vars = match.view.rootVars(root);
  for (unsigned rounds = 0; rounds < 16; ++rounds) {
    unsigned splits = match.ctx.getNumSplits();
    SmallVector<ExprRef> indices;
    for (ExprRef var : vars)
      indices.push_back(match.ctx.refine(var));
    bool matched = attempt(indices);
    if (splits == match.ctx.getNumSplits())
      return matched;
  }
  return false;
}
