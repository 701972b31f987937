//===- CheckLowered.cpp - Reports what a lowering left behind -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without it, an operation that no pattern knows is first noticed by the
// translation to LLVM IR, which speaks of missing interfaces.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace xsa {
#define GEN_PASS_DEF_CHECKLOWEREDPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

namespace {
struct CheckLowered : public xsa::impl::CheckLoweredPassBase<CheckLowered> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) {
      if (isa<ModuleOp, LLVM::LLVMFuncOp>(op) ||
          isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
        return WalkResult::advance();
      // A leftover cast is only the trace of an operation that was not lowered.
      if (isa<UnrealizedConversionCastOp>(op))
        return WalkResult::advance();
      op->emitError("cannot be compiled for the cpu: there is no lowering for '")
          << op->getName() << "' of the dialect '"
          << op->getName().getDialectNamespace() << "'";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([&](UnrealizedConversionCastOp op) {
      op.emitError("cannot be compiled for the cpu: no lowering from ")
          << op.getOperandTypes() << " to " << op.getResultTypes();
      signalPassFailure();
      return WalkResult::interrupt();
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
