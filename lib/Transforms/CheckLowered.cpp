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
// which speaks of missing interfaces. A buffer that is too large for any memory
// is not noticed at all.
//
//===----------------------------------------------------------------------===//

#include "xsa/Support/ByteSize.h"
#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace xsa {
#define GEN_PASS_DEF_CHECKBUFFERIZABLEPASS
#define GEN_PASS_DEF_CHECKLOWEREDPASS
#define GEN_PASS_DEF_CHECKREGISTEREDPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

static void emitNoLowering(Operation *op) {
  op->emitError("cannot be compiled for the cpu: there is no lowering for '")
      << op->getName() << "' of the dialect '"
      << op->getName().getDialectNamespace() << "'";
}

static bool isTooLarge(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return false;
  constexpr unsigned kIndexBits = 64;
  Type element = shaped.getElementType();
  unsigned bits =
      element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : kIndexBits;
  return !xsa::getNumBytes(shaped.getShape(), llvm::divideCeil(bits, 8));
}

static LogicalResult checkSizes(TypeRange types, Operation *op, StringRef what,
                                StringRef owner) {
  for (auto [i, type] : llvm::enumerate(types))
    if (isTooLarge(type))
      return op->emitError()
             << what << " " << i << " of '" << owner << "' is of type " << type
             << ", whose size in bytes does not fit in 64 bits";
  return success();
}

static LogicalResult checkSizes(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return checkSizes(op->getResultTypes(), op, "result",
                      op->getName().getStringRef());
  if (failed(checkSizes(function.getArgumentTypes(), op, "argument",
                        function.getName())))
    return failure();
  return checkSizes(function.getResultTypes(), op, "result",
                    function.getName());
}

namespace {
struct CheckRegistered
    : public xsa::impl::CheckRegisteredPassBase<CheckRegistered> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (op->isRegistered())
        return WalkResult::advance();
      emitNoLowering(op);
      signalPassFailure();
      return WalkResult::interrupt();
    });
    markAllAnalysesPreserved();
  }
};

struct CheckBufferizable
    : public xsa::impl::CheckBufferizablePassBase<CheckBufferizable> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) {
      if (failed(checkSizes(op)))
        return WalkResult::interrupt();
      if (isa<ModuleOp>(op) && op->getParentOp()) {
        op->emitError("cannot be compiled for the cpu: expected functions, got "
                      "a module inside a module");
        return WalkResult::interrupt();
      }
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
