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

#include "OutputAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

#include <array>

using namespace mlir;
using namespace xsa;

/// The operations that compute with the output, sums over it included.
static llvm::SetVector<Operation *> collectUsers(AttentionOp op) {
  llvm::SetVector<Operation *> reached;
  reached.insert(op);
  for (unsigned i = 0; i < reached.size() && i < 200; ++i)
    for (Operation *user : reached[i]->getUsers())
      if (isa<linalg::LinalgOp>(user) ||
          isa_and_nonnull<tensor::TensorDialect>(user->getDialect()))
        reached.insert(user);
  return reached;
}

namespace {
/// How the output is read by an expression.
struct OutputUse {
  bool byElement = false;
  bool inSum = false;
};

/// Looks in one sum for the product.
class ProductSearch {
public:
  ProductSearch(MatchContext &match, AttentionOp op,
                const llvm::SetVector<Operation *> &users, ExprRef ownRow,
                ArrayRef<ExprRef> otherVars)
      : match(match), op(op), users(users), ownRow(ownRow),
        otherVars(otherVars) {}

  bool find(ExprRef e, bool inSum = false, unsigned depth = 0);

private:
  static constexpr unsigned maxDepth = 24;

  bool mayReadOutput(ExprRef e) {
    return !e->is(ExprKind::Access) ||
           users.contains(e->getValue().getDefiningOp());
  }
  OutputUse getUse(ExprRef e, unsigned depth);
  bool readsOwnRow(ExprRef e, unsigned depth);

  MatchContext &match;
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
  ExprRef inner = match.look(e);
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
  ExprUnifier unifier(match.view, otherVars);
  bool reads = e->isFloat() && unifier.unify(e, ownRow);
  if (ExprRef inner = match.look(e); !reads && inner->is(ExprKind::Apply))
    reads = llvm::any_of(inner->getOperands(), [&](ExprRef operand) {
      return readsOwnRow(operand, depth + 1);
    });
  return ownRows[e] = reads;
}

bool ProductSearch::find(ExprRef e, bool inSum, unsigned depth) {
  if (!mayReadOutput(e) || depth > maxDepth ||
      !searched[inSum].insert(e).second)
    return false;
  ExprRef inner = match.look(e);
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

/// Where the output is a piece of size 1 in a concatenation: the whole size and
/// the position of the piece.
static SmallVector<std::pair<int64_t, int64_t>>
collectUnitPieces(const llvm::SetVector<Operation *> &users) {
  SmallVector<std::pair<int64_t, int64_t>> pieces;
  for (Operation *user : users) {
    auto concat = dyn_cast<tensor::ConcatOp>(user);
    if (!concat)
      continue;
    int64_t start = 0,
            size = concat.getResultType().getDimSize(concat.getDim());
    for (Value input : concat.getInputs()) {
      int64_t extent =
          cast<RankedTensorType>(input.getType()).getDimSize(concat.getDim());
      if (ShapedType::isDynamic(extent))
        break;
      if (extent == 1 && users.contains(input.getDefiningOp()))
        pieces.emplace_back(size, start);
      start += extent;
    }
  }
  return pieces;
}

static bool losesOwnValueAt(MatchContext &match, AttentionOp op,
                            const llvm::SetVector<Operation *> &users,
                            ExprRef sum) {
  SmallVector<ExprRef> accesses;
  collectAttentions(match, sum, accesses);
  return llvm::any_of(accesses, [&](ExprRef access) {
    OutputAccess output = getOutputAccess(access);
    ExprRef ownRow = output.op == op ? getOwnRow(match, output) : nullptr;
    if (!ownRow)
      return false;
    SmallVector<ExprRef> otherVars;
    for (ExprRef var : sum->getFreeVars())
      if (!access->dependsOn(var))
        otherVars.push_back(var);
    ProductSearch search(match, op, users, ownRow, otherVars);
    return search.find(sum);
  });
}

bool xsa::losesOwnValue(MatchContext &match, AttentionOp op) {
  if (op->getNumResults() == 0)
    return false;
  llvm::SetVector<Operation *> users = collectUsers(op);
  SmallVector<std::pair<int64_t, int64_t>> pieces = collectUnitPieces(users);
  return llvm::any_of(collectSums(op), [&](Value value) {
    return matchWithDigits(match, value, [&](ArrayRef<ExprRef> indices) {
      ExprRef sum = match.view.access(value, indices);
      if (losesOwnValueAt(match, op, users, sum))
        return true;
      // In one piece, the index along the concatenation is a number.
      for (auto [size, position] : pieces)
        for (ExprRef var : sum->getFreeVars())
          if (ExprContext::getInteger(var->getExtent()) == size &&
              losesOwnValueAt(match, op, users,
                              match.ctx.substitute(
                                  sum, {{var, match.ctx.integer(position)}})))
            return true;
      return false;
    });
  });
}
