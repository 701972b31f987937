//===- FuseElementwise.cpp - Fuses element-wise chains --------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Importers write one operation per element-wise step, each with a buffer of
// its own. Fusing them saves the buffers; fusing without limits would compute
// the same function many times.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace xsa {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

/// Whether repeating the body costs next to nothing.
static bool isCheap(linalg::GenericOp op) {
  return !op.getBody()
              ->walk([](Operation *inner) {
                bool isDear =
                    isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp,
                        arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                        tensor::ExtractOp>(inner) ||
                    isa_and_nonnull<math::MathDialect>(inner->getDialect());
                return isDear ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

static bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || !producer->hasOneUse())
    return false;
  bool isContraction =
      consumer.getNumReductionLoops() > 0 && consumer.getNumDpsInputs() > 1;
  if (isContraction)
    return false;
  // A permutation: each element is used by one iteration.
  return isCheap(producer) ||
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

namespace {
/// Decomposes a linalg operation that is several loop nests.
struct DecomposeSoftmax : public OpRewritePattern<linalg::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "does not decompose");
    rewriter.replaceOp(op, *results);
    return success();
  }
};

struct FuseElementwise
    : public xsa::impl::FuseElementwisePassBase<FuseElementwise> {
  using Base::Base;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet decompose(context);
    decompose.add<DecomposeSoftmax>(context);
    tensor::populateDecomposeTensorConcatPatterns(decompose);
    linalg::populateDecomposePadPatterns(decompose);
    if (failed(applyPatternsGreedily(getOperation(), std::move(decompose))))
      return signalPassFailure();

    RewritePatternSet fuse(context);
    linalg::populateElementwiseOpsFusionPatterns(fuse, shouldFuse);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(fuse);
    linalg::populateEraseUnnecessaryInputsPatterns(fuse);
    linalg::GenericOp::getCanonicalizationPatterns(fuse, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(fuse, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(fuse, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(fuse);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    if (failed(applyPatternsGreedily(getOperation(), std::move(fuse), config)))
      return signalPassFailure();
  }
};
} // namespace
