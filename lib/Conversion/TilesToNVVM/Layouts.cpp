//===- Layouts.cpp - The layout of a tile, on its operation ---------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Layouts.h. Loops and constants take the layout that others give them.
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "xsa/Conversion/TilesToNVVM/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace xsa;

TileLayout xsa::layoutOf(Operation *op) {
  return op->getAttrOfType<TileLayoutAttr>(kLayoutAttrName).getValue();
}

static bool needsLayout(Operation *op) {
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return !matchPattern(write.getVector(), m_Constant());
  return op->getNumResults() == 1 &&
         isa<VectorType>(op->getResult(0).getType()) &&
         !op->hasTrait<OpTrait::ConstantLike>() && !isa<scf::ForOp>(op);
}

LogicalResult xsa::verifyLayouts(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (!needsLayout(op) || op->getAttrOfType<TileLayoutAttr>(kLayoutAttrName))
      return WalkResult::advance();
    InFlightDiagnostic error =
        kernel.emitOpError("has a tile without a layout: expected "
                           "xsa-assign-layouts to have run before");
    error.attachNote(op->getLoc()) << "'" << op->getName() << "' makes it";
    return error;
  });
  return failure(result.wasInterrupted());
}
