//===- RaiseAttention.cpp - The pass that finds attention -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries each contraction of a function in program order. Work per contraction
// is bounded by the operations between it and its scores, so the pass is linear
// in the size of the model.
//
//===----------------------------------------------------------------------===//

#include "EscapedProbabilities.h"
#include "MatchAttention.h"
#include "RaiseExclusion.h"

#include "xsa/Conversion/LinalgToXSA/LinalgToXSA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace xsa {
#define GEN_PASS_DEF_RAISEATTENTION
#include "xsa/Conversion/LinalgToXSA/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// Sums of products: what the second product of attention can be.
static SmallVector<linalg::LinalgOp> collectContractions(Operation *root) {
  SmallVector<linalg::LinalgOp> contractions;
  root->walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() > 0 && op->getNumResults() == 1 &&
        op.getNumDpsInputs() >= 2)
      contractions.push_back(op);
  });
  return contractions;
}

/// Erases operations that only the raised attention kept alive.
void xsa::eraseDead(ArrayRef<Operation *> roots) {
  SmallVector<Operation *> worklist(roots);
  llvm::SmallPtrSet<Operation *, 32> erased;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (erased.contains(op) || !isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        worklist.push_back(def);
    op->walk([&](Operation *inner) {
      if (inner == op)
        return;
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp())
          if (!op->isProperAncestor(def))
            worklist.push_back(def);
    });
    erased.insert(op);
    op->erase();
  }
}

namespace {
class RaiseAttentionPass
    : public xsa::impl::RaiseAttentionBase<RaiseAttentionPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    Operation *function = getOperation();
    ExprContext ctx(&getContext());
    TensorView view(ctx);
    view.learnSizes(function);
    ConstantEvaluator evaluator(view);
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> replaced;
    for (linalg::LinalgOp op : collectContractions(function)) {
      MatchContext match(view, evaluator);
      AttentionMatch result;
      MatchOutcome outcome = matchAttention(match, op->getResult(0), result);
      if (outcome == MatchOutcome::NotAttention)
        continue;
      ++numFound;
      if (outcome == MatchOutcome::Matched) {
        std::string escape =
            findEscape(collectProbabilityOps(result.probabilities), op);
        FailureOr<AttentionOp> attention =
            buildAttention(rewriter, match, result);
        if (succeeded(attention)) {
          ++numRaised;
          if (!escape.empty())
            (*attention)->setAttr("xsa.escape", rewriter.getStringAttr(escape));
          replaced.push_back(result.root.getDefiningOp());
          view.forget();
          continue;
        }
        match.refuse("an operand cannot be expressed as a tensor");
      }
      ++numRefused;
      op->emitRemark("attention left alone: ") << match.reason;
    }
    eraseDead(replaced);
    numExclusive += raiseExclusions(function, rewriter);
  }
};
} // namespace
