//===- CheckLowered.cpp - Reports what a lowering left behind -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without them, an operation that no pattern knows is first noticed by
// bufferization, which does not say its name, or by the translation to LLVM IR,
// which speaks of missing interfaces.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace xsa {
#define GEN_PASS_DEF_CHECKBUFFERIZABLEPASS
#define GEN_PASS_DEF_CHECKLOWEREDPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

static void emitNoLowering(Operation *op) {
  op->emitError("cannot be compiled for the cpu: there is no lowering for '")
      << op->getName() << "' of the dialect '"
      << op->getName().getDialectNamespace() << "'";
}

namespace {
struct CheckBufferizable
    : public xsa::impl::CheckBufferizablePassBase<CheckBufferizable> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) {
      auto isTensor = [](Type type) { return isa<TensorType>(type); };
      bool hasTensors = llvm::any_of(op->getOperandTypes(), isTensor) ||
                        llvm::any_of(op->getResultTypes(), isTensor);
      if (!hasTensors ||
          isa<bufferization::BufferizableOpInterface, FunctionOpInterface>(op))
        return WalkResult::advance();
      emitNoLowering(op);
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

struct CheckLowered : public xsa::impl::CheckLoweredPassBase<CheckLowered> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) {
      if (isa<ModuleOp, LLVM::LLVMFuncOp, gpu::BinaryOp, gpu::LaunchFuncOp>(
              op) ||
          isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
        return WalkResult::advance();
      // A leftover cast is only the trace of an operation that was not lowered.
      if (isa<UnrealizedConversionCastOp>(op))
        return WalkResult::advance();
      emitNoLowering(op);
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
