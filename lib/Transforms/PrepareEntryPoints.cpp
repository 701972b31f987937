//===- PrepareEntryPoints.cpp - The contract with the caller --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bufferization takes a function's arguments for writable and lets two results
// share a buffer unless it is told otherwise; callers expect neither.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace xsa {
#define GEN_PASS_DEF_PREPAREENTRYPOINTSPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using bufferization::BufferizationDialect;

/// The tensor whose buffer `value` may be a view of, through reshapes, casts
/// and slices.
static Value getViewSource(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ReshapeOp, tensor::ExtractSliceOp>(def))
      break;
    value = def->getOperand(0);
  }
  return value;
}

/// Copies a result that would share its buffer with an earlier one.
static void separateResults(func::ReturnOp op) {
  llvm::SmallPtrSet<Value, 8> seen;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        seen.insert(getViewSource(operand.get())).second)
      continue;
    auto type = cast<RankedTensorType>(operand.get().getType());
    Value copy = bufferization::AllocTensorOp::create(
        builder, op.getLoc(), type, /*dynamicSizes=*/ValueRange(),
        operand.get());
    operand.set(copy);
  }
}

namespace {
struct PrepareEntryPoints
    : public xsa::impl::PrepareEntryPointsPassBase<PrepareEntryPoints> {
  using Base::Base;

  void runOnOperation() override {
    UnitAttr unit = UnitAttr::get(&getContext());
    BoolAttr no = BoolAttr::get(&getContext(), false);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), unit);
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (isa<TensorType>(function.getArgument(i).getType()))
          function.setArgAttr(i, BufferizationDialect::kWritableAttrName, no);
      function.walk(separateResults);
    }
  }
};
} // namespace
