//===- BuildAttempt.cpp - Operations that may have to go again ------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BuildAttempt.h.
//
//===----------------------------------------------------------------------===//

#include "BuildAttempt.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace xsa;

/// Whether what an operation reads is computed before it, by structure alone:
/// between blocks of one region it is taken to be.
static bool readsEarlierValues(Operation *op) {
  return !op->walk([](Operation *inner) {
              for (Value operand : inner->getOperands()) {
                Operation *def = operand.getDefiningOp();
                Block *block = operand.getParentBlock();
                if (!block->getParent()->isAncestor(inner->getParentRegion()))
                  return WalkResult::interrupt();
                Operation *user = block->findAncestorOpInBlock(*inner);
                if (def && user && (def == user || !def->isBeforeInBlock(user)))
                  return WalkResult::interrupt();
              }
              return WalkResult::advance();
            }).wasInterrupted();
}

std::string BuildAttempt::findFault() {
  std::string fault;
  // Other functions are raised at the same time: their diagnostics pass.
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler handler(end->getContext(),
                                  [&](Diagnostic &diagnostic) -> LogicalResult {
                                    if (llvm::get_threadid() != thread)
                                      return failure();
                                    if (fault.empty())
                                      fault = diagnostic.str();
                                    return success();
                                  });
  for (Operation *op = end->getPrevNode(); op != previous;
       op = op->getPrevNode()) {
    if (failed(verify(op)) && fault.empty())
      fault = "it would not be a valid operation";
    if (fault.empty() && !readsEarlierValues(op))
      fault = "it would need a value that is computed later";
  }
  return fault;
}

void BuildAttempt::undo() {
  while (end->getPrevNode() != previous) {
    view.forget(end->getPrevNode());
    rewriter.eraseOp(end->getPrevNode());
  }
  view.forget();
}
