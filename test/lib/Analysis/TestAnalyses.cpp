//===- TestAnalyses.cpp - Prints what the analyses find -------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matcher shows only whether the analyses suffice for it. These passes show
// what they say about each value that a function returns.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/ConstantEvaluator.h"
#include "xsa/Analysis/TokenAxis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace xsa;

namespace {
/// What all passes need, and a visit of each returned value. On modules, since
/// functions are visited by several threads and would print at the same time.
template <typename DerivedT>
class TestPass : public PassWrapper<DerivedT, OperationPass<ModuleOp>> {
public:
  void runOnOperation() override {
    for (auto function : this->getOperation().template getOps<func::FuncOp>())
      visitFunction(function);
  }

private:
  void visitFunction(func::FuncOp function) {
    ExprContext ctx(function.getContext());
    TensorView view(ctx);
    view.learnSizes(function);
    ConstantEvaluator evaluator(view);
    llvm::outs() << "@" << function.getName() << "\n";
    function.walk([&](func::ReturnOp op) {
      for (Value value : op.getOperands())
        static_cast<DerivedT *>(this)->visit(view, evaluator, value);
    });
  }
};

/// Prints each value as an expression of its indices.
class TestTensorExpr : public TestPass<TestTensorExpr> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestTensorExpr)

  StringRef getArgument() const override { return "test-tensor-expr"; }
  StringRef getDescription() const override {
    return "print returned tensors as expressions of their indices";
  }

  void visit(TensorView &view, ConstantEvaluator &evaluator, Value value) {
    // A variable that splits into digits is seen again as those.
    SmallVector<ExprRef> indices = view.rootVars(value);
    ExprRef e = nullptr;
    for (unsigned splits = ~0u; splits != view.getContext().getNumSplits();) {
      splits = view.getContext().getNumSplits();
      e = evaluator.resolve(view.access(value, indices));
    }
    llvm::outs() << "  [";
    llvm::interleaveComma(indices, llvm::outs(), [&](ExprRef index) {
      llvm::outs() << *view.getContext().refine(index);
    });
    llvm::outs() << "] -> " << *e << "\n";
  }
};

/// Prints the elements of each value that depends on no input.
class TestConstantEvaluator : public TestPass<TestConstantEvaluator> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestConstantEvaluator)

  StringRef getArgument() const override { return "test-constant-evaluator"; }
  StringRef getDescription() const override {
    return "print the elements of returned tensors that are constant";
  }

  void visit(TensorView &, ConstantEvaluator &evaluator, Value value) {
    const ConstantTensor *tensor = evaluator.get(value);
    if (!tensor) {
      llvm::outs() << "  not constant\n";
      return;
    }
    llvm::outs() << "  ";
    llvm::interleaveComma(tensor->data, llvm::outs(), [](double x) {
      llvm::outs() << llvm::format("%g", x);
    });
    llvm::outs() << "\n";
  }
};

/// Prints what the rows of each value, its first dimension, are read from.
class TestTokenAxis : public TestPass<TestTokenAxis> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestTokenAxis)

  StringRef getArgument() const override { return "test-token-axis"; }
  StringRef getDescription() const override {
    return "print what rows of returned tensors are read from";
  }

  void visit(TensorView &view, ConstantEvaluator &evaluator, Value value) {
    TokenAxisAnalysis analysis(view, evaluator);
    SmallVector<ExprRef> indices = view.rootVars(value);
    indices[0] = analysis.rowVar(view.extent(value, 0));
    ExprRef row = indices[0];
    llvm::outs() << "  row " << *row << ":";
    for (ExprRef root : analysis.getRoots(view.access(value, indices)))
      llvm::outs() << " " << *root;
    llvm::outs() << "\n";
  }
};
} // namespace

namespace xsa::test {
void registerTestAnalyses() {
  PassRegistration<TestTensorExpr>();
  PassRegistration<TestConstantEvaluator>();
  PassRegistration<TestTokenAxis>();
}
} // namespace xsa::test
