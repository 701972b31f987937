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

#include "xsa/Analysis/TensorReads.h"
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

/// Whether a value is a product of two others, element by element, perhaps
/// rearranged.
static bool isProductOfTwo(Value value) {
  constexpr unsigned maxSteps = 4;
  for (unsigned step = 0; step < maxSteps; ++step) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      llvm::SetVector<Value> tensors = collectReadTensors(linalgOp);
      if (tensors.size() >= 2)
        return linalgOp.getNumReductionLoops() == 0 &&
               op->walk([](arith::MulFOp) {
                   return WalkResult::interrupt();
                 }).wasInterrupted();
      if (tensors.empty())
        return false;
      value = tensors.front();
    } else if (op->getNumOperands() > 0) {
      value = op->getOperand(0);
    } else {
      return false;
    }
  }
  return false;
}

/// Sums of products: what the second product of attention can be, also where
/// one operation multiplies and another adds up.
static SmallVector<linalg::LinalgOp> collectContractions(Operation *root) {
  SmallVector<linalg::LinalgOp> contractions;
  root->walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() == 0 || op->getNumResults() != 1)
      return;
    llvm::SetVector<Value> tensors = collectReadTensors(op);
    if (tensors.size() >= 2 ||
        (tensors.size() == 1 && isProductOfTwo(tensors.front())))
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
  RaiseAttentionPass(const RaiseAttentionOptions &options,
                     std::shared_ptr<AttentionReport> account)
      : Base(options), account(std::move(account)) {}

  void runOnOperation() override {
    std::vector<AttentionEntry> refused;
    raiseAttentions(refused);
    IRRewriter rewriter(&getContext());
    raiseExclusions(getOperation(), rewriter);
    keepAccount(std::move(refused));
  }

private:
  void raiseAttentions(std::vector<AttentionEntry> &refused);
  void keepAccount(std::vector<AttentionEntry> refused);

  std::shared_ptr<AttentionReport> account;
};
} // namespace

static AttentionEntry refuse(linalg::LinalgOp op, const std::string &reason) {
  op->emitRemark("attention left alone: ") << reason;
  AttentionEntry entry(op.getLoc());
  entry.decision = AttentionDecision::Refused;
  entry.operation = op->getName().getStringRef().str();
  entry.reason = reason;
  return entry;
}

void RaiseAttentionPass::raiseAttentions(std::vector<AttentionEntry> &refused) {
  ExprContext ctx(&getContext());
  TensorView view(ctx);
  view.learnSizes(getOperation());
  ConstantEvaluator evaluator(view);
  IRRewriter rewriter(&getContext());
  SmallVector<Operation *> replaced;
  llvm::DenseSet<Operation *> raised;
  for (linalg::LinalgOp op : collectContractions(getOperation())) {
    MatchContext match(view, evaluator, strict);
    AttentionMatch result;
    MatchOutcome outcome = matchAttention(match, op->getResult(0), result);
    if (outcome == MatchOutcome::NotAttention)
      continue;
    if (outcome == MatchOutcome::Refused) {
      refused.push_back(refuse(op, match.reason));
      continue;
    }
    std::string escape =
        findEscape(view, result.probabilities, result.root, op, raised);
    FailureOr<AttentionOp> attention = buildAttention(rewriter, match, result);
    if (failed(attention)) {
      refused.push_back(refuse(op, match.reason));
      continue;
    }
    if (!escape.empty())
      (*attention)->setAttr("xsa.escape", rewriter.getStringAttr(escape));
    raised.insert(op);
    replaced.push_back(result.root.getDefiningOp());
    view.forget();
  }
  eraseDead(replaced);
}

void RaiseAttentionPass::keepAccount(std::vector<AttentionEntry> refused) {
  FunctionReport function{getFunctionName(getOperation()),
                          describeAttentions(getOperation())};
  llvm::append_range(function.entries, refused);
  if (account)
    account->update(getOperation(), function.entries);
  numFound += function.entries.size();
  numRaised += function.countRaised();
  numExclusive += function.count(AttentionDecision::ExclusiveInModel);
  numRefused += function.count(AttentionDecision::Refused);
  if (report)
    printReport(function, llvm::errs());
}

std::unique_ptr<Pass>
xsa::createRaiseAttention(const RaiseAttentionOptions &options,
                          std::shared_ptr<AttentionReport> report) {
  return std::make_unique<RaiseAttentionPass>(options, std::move(report));
}
