//===- TMTensorToLinalg.cpp - The pass that lowers tm_tensor --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the lowerings and reports what they leave. Folding is off: this pass
// changes tm_tensor operations and nothing else.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/TMTensorToLinalg/TMTensorToLinalg.h"
#include "xsa/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace xsa {
#define GEN_PASS_DEF_CONVERTTMTENSORTOLINALG
#include "xsa/Conversion/TMTensorToLinalg/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

namespace {
struct ConvertTMTensorToLinalgPass
    : public xsa::impl::ConvertTMTensorToLinalgBase<
          ConvertTMTensorToLinalgPass> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateTMTensorAttentionPatterns(patterns);
    if (!attentionOnly) {
      populateTMTensorScanPatterns(patterns);
      populateTMTensorScatterPatterns(patterns);
      populateTMTensorSortPatterns(patterns);
      populateTMTensorTopkPatterns(patterns);
    }
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config)) ||
        failed(checkAllLowered()))
      signalPassFailure();
  }

private:
  /// Only operations on memrefs are left.
  LogicalResult checkAllLowered() {
    WalkResult result = getOperation()->walk([&](Operation *op) {
      bool shouldBeGone =
          attentionOnly
              ? isa<tm_tensor::AttentionOp>(op)
              : isa<tm_tensor::AttentionOp, tm_tensor::ScanOp,
                    tm_tensor::ScatterOp, tm_tensor::SortOp, tm_tensor::TopkOp>(
                    op);
      if (!shouldBeGone)
        return WalkResult::advance();
      op->emitOpError("cannot be lowered: expected operands on tensors, got "
                      "memrefs");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
