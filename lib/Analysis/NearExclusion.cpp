//===- NearExclusion.cpp - What is almost an exclusion --------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that takes the own value out of the output in a spelling that is not
// recognised must not be made exclusive once more. What gives such a spelling
// away is a product of the own value with a sum over the output, added to the
// output; norms, strengths and the order of things do not matter here.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/ExprUnifier.h"
#include "xsa/Analysis/OutputAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

#include <array>

using namespace mlir;
using namespace xsa;

namespace {
/// How the output is read by an expression.
struct OutputUse {
  bool byElement = false;
  bool inSum = false;
};

/// Looks in one sum for the product.
class ProductSearch {
public:
  ProductSearch(TensorView &view, AttentionOp op,
                const llvm::SetVector<Operation *> &users, ExprRef ownRow,
                ArrayRef<ExprRef> otherVars)
      : view(view), op(op), users(users), ownRow(ownRow), otherVars(otherVars) {
  }

  bool find(ExprRef e, bool inSum = false, unsigned depth = 0);

private:
  static constexpr unsigned maxDepth = 24;

  bool mayReadOutput(ExprRef e) {
    return !e->is(ExprKind::Access) ||
           users.contains(e->getValue().getDefiningOp());
  }
  OutputUse getUse(ExprRef e, unsigned depth);
  bool readsOwnRow(ExprRef e, unsigned depth);

  TensorView &view;
  AttentionOp op;
  const llvm::SetVector<Operation *> &users;
  ExprRef ownRow;
  /// Variables that the output does not depend on: where it is one part of a
  /// concatenation, they say which part.
  ArrayRef<ExprRef> otherVars;
  llvm::DenseMap<ExprRef, OutputUse> uses;
  llvm::DenseMap<ExprRef, bool> ownRows;
  /// Outside and inside of sums.
  std::array<llvm::DenseSet<ExprRef>, 2> searched;
};
} // namespace

OutputUse ProductSearch::getUse(ExprRef e, unsigned depth) {
  if (!mayReadOutput(e) || depth > maxDepth)
    return {};
  if (auto it = uses.find(e); it != uses.end())
    return it->second;
  ExprRef inner = view.look(e);
  OutputUse use;
  if (inner->is(ExprKind::Access)) {
    use.byElement = inner->getValue() == op->getResult(0);
  } else if (inner->is(ExprKind::Apply) || inner->is(ExprKind::Reduce)) {
    for (ExprRef operand : inner->getOperands()) {
      OutputUse part = getUse(operand, depth + 1);
      use.byElement |= part.byElement;
      use.inSum |= part.inSum;
    }
    if (inner->is(ExprKind::Reduce))
      use = {/*byElement=*/false, use.byElement || use.inSum};
  }
  return uses[e] = use;
}

bool ProductSearch::readsOwnRow(ExprRef e, unsigned depth) {
  if (depth > maxDepth)
    return false;
  if (auto it = ownRows.find(e); it != ownRows.end())
    return it->second;
  ExprUnifier unifier(view, otherVars);
  bool reads = e->isFloat() && unifier.unify(e, ownRow);
  ExprRef inner = view.look(e);
  bool isSum = inner->is(ExprKind::Reduce) && !inner->getBoundVars().empty();
  if (!reads && !isSum && !inner->is(ExprKind::Access))
    reads = llvm::any_of(inner->getOperands(), [&](ExprRef operand) {
      return readsOwnRow(operand, depth + 1);
    });
  return ownRows[e] = reads;
}

bool ProductSearch::find(ExprRef e, bool inSum, unsigned depth) {
  if (!mayReadOutput(e) || depth > maxDepth ||
      !searched[inSum].insert(e).second)
    return false;
  ExprRef inner = view.look(e);
  if (!inner->is(ExprKind::Apply) && !inner->is(ExprKind::Reduce))
    return false;
  if (inner->isApply(ExprOp::Mul) || inner->isApply(ExprOp::Div))
    for (unsigned side : {0, 1}) {
      // The output plus its own value, normalised as a whole, is none.
      ExprRef row = inner->getOperand(side), factor = inner->getOperand(!side);
      OutputUse use = getUse(factor, depth);
      if ((use.inSum || (inSum && use.byElement)) &&
          !getUse(row, depth).byElement && readsOwnRow(row, depth))
        return true;
    }
  inSum |= inner->is(ExprKind::Reduce);
  return llvm::any_of(inner->getOperands(), [&](ExprRef operand) {
    return find(operand, inSum, depth + 1);
  });
}

static bool losesOwnValueAt(TensorView &view, AttentionOp op,
                            const llvm::SetVector<Operation *> &users,
                            ExprRef sum) {
  ExprRef inner = view.look(sum);
  SmallVector<ExprRef> accesses = collectAttentions(
      view, inner->is(ExprKind::Reduce) ? inner->getBody() : sum);
  return llvm::any_of(accesses, [&](ExprRef access) {
    OutputAccess output = getOutputAccess(access);
    ExprRef ownRow = output.op == op ? getOwnRow(view, output) : nullptr;
    if (!ownRow)
      return false;
    SmallVector<ExprRef> otherVars;
    for (ExprRef var : sum->getFreeVars())
      if (!access->dependsOn(var))
        otherVars.push_back(var);
    ProductSearch search(view, op, users, ownRow, otherVars);
    return search.find(sum);
  });
}

bool xsa::losesOwnValue(TensorView &view, AttentionOp op) {
  if (op->getNumResults() == 0)
    return false;
  ExprContext &ctx = view.getContext();
  llvm::SetVector<Operation *> users = collectUsers(op);
  SmallVector<int64_t> pieceCounts = collectPieceCounts(op);
  auto losesItAt = [&](Value value) {
    return matchWithDigits(view, value, [&](ArrayRef<ExprRef> indices) {
      ExprRef sum = view.access(value, indices);
      if (losesOwnValueAt(view, op, users, sum))
        return true;
      // In one piece, the index along the concatenation is a number.
      for (ExprRef var : SmallVector<ExprRef>(sum->getFreeVars())) {
        auto extent = ExprContext::getInteger(var->getExtent());
        if (!extent || !llvm::is_contained(pieceCounts, *extent))
          continue;
        for (int64_t piece = 0; piece < *extent; ++piece)
          if (losesOwnValueAt(view, op, users,
                              ctx.substitute(sum, {{var, ctx.integer(piece)}})))
            return true;
      }
      return false;
    });
  };
  OutputSums sums = collectSums(op);
  return llvm::any_of(sums.elementwise, losesItAt) ||
         llvm::any_of(sums.contractions, losesItAt);
}
