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
       op = op->getPrevNode())
    if (failed(verify(op)) && fault.empty())
      fault = "it would not be a valid operation";
  return fault;
}

void BuildAttempt::undo() {
  while (end->getPrevNode() != previous)
    rewriter.eraseOp(end->getPrevNode());
}
