//===- ExprUnifier.h - Equality of expressions up to renaming ---*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum below a softmax runs over its own variable: it is the sum of these
// exponentials if the two become equal when that variable is renamed. The
// unifier finds the renaming, peeling values only as far as they differ.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_ANALYSIS_EXPRUNIFIER_H
#define XSA_ANALYSIS_EXPRUNIFIER_H

#include "xsa/Analysis/TensorView.h"

#include "llvm/ADT/DenseSet.h"

namespace xsa {

class ExprUnifier {
public:
  /// `bindable` are variables of the first argument of `unify`. Float casts
  /// are transparent.
  ExprUnifier(TensorView &view, llvm::ArrayRef<ExprRef> bindable)
      : view(&view), bindable(bindable.begin(), bindable.end()) {}

  bool unify(ExprRef a, ExprRef b);

  /// What a bindable variable was found to stand for; null if it is free.
  ExprRef lookup(ExprRef var) const { return bindings.lookup(var); }

  /// Whether the variables `from` run through the same values as `to` when
  /// bound as found.
  bool isBijection(llvm::ArrayRef<ExprRef> from,
                   llvm::ArrayRef<ExprRef> to) const;

private:
  bool unifyUncached(ExprRef a, ExprRef b);
  bool unifyIntegers(ExprRef a, ExprRef b);
  bool unifyAccesses(ExprRef a, ExprRef b);
  bool unifyApply(ExprRef a, ExprRef b);
  bool unifyReduce(ExprRef a, ExprRef b);
  bool unifyLists(llvm::ArrayRef<ExprRef> a, llvm::ArrayRef<ExprRef> b);
  bool bind(ExprRef var, ExprRef value);
  /// Takes bindings back, and what was found equal under them.
  void restore(ExprContext::Substitution before);

  TensorView *view;
  llvm::SmallVector<ExprRef> bindable;
  ExprContext::Substitution bindings;
  llvm::DenseSet<std::pair<ExprRef, ExprRef>> known;
  unsigned budget = 2000;
};

} // namespace xsa

#endif // XSA_ANALYSIS_EXPRUNIFIER_H
