//===- BuildAttempt.h - Operations that may have to go again ----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that is not raised still runs; one that is raised wrongly does not.
// So what was built for a match is verified before it replaces anything, and
// taken away if it is not valid.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOXSA_BUILDATTEMPT_H
#define XSA_LIB_CONVERSION_LINALGTOXSA_BUILDATTEMPT_H

#include "xsa/Analysis/TensorView.h"

#include "mlir/IR/PatternMatch.h"

namespace xsa {

/// What is built right before an operation, from construction on.
class BuildAttempt {
public:
  BuildAttempt(mlir::RewriterBase &rewriter, TensorView &view,
               mlir::Operation *end)
      : rewriter(rewriter), view(view), end(end), previous(end->getPrevNode()) {
    rewriter.setInsertionPoint(end);
  }

  /// Why one of the operations does not verify; empty if all do. Nothing is
  /// reported.
  std::string findFault();

  /// Erases them, and what `view` knows of them. Nothing else may use them.
  void undo();

private:
  mlir::RewriterBase &rewriter;
  TensorView &view;
  mlir::Operation *end, *previous;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_BUILDATTEMPT_H
