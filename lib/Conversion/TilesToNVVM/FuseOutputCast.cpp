//===- FuseOutputCast.cpp - Round once, in the kernel ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Importers write attention in the accumulator type and convert its output
// afterwards. Left alone that is a pass over memory of its own.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/TilesToNVVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace xsa {
#define GEN_PASS_DEF_FUSEOUTPUTCAST
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// Whether `op` does nothing but narrow its only input, in place.
static bool isCast(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return false;
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  auto cast = yield.getOperand(0).getDefiningOp<arith::TruncFOp>();
  return cast && cast.getIn() == op.getBody()->getArgument(0);
}

namespace {
/// cast(reshape(attention)) -> reshape(attention in the narrow type).
struct NarrowOutput : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !isCast(op))
      return rewriter.notifyMatchFailure(op, "not a narrowing cast");
    Value input = op.getDpsInputs()[0];
    Operation *reshape = input.getDefiningOp();
    if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            reshape))
      reshape = nullptr;
    Value wide = reshape ? reshape->getOperand(0) : input;
    auto attention = wide.getDefiningOp<AttentionOp>();
    if (!attention || wide != attention->getResult(0) || !wide.hasOneUse() ||
        !input.hasOneUse())
      return rewriter.notifyMatchFailure(op, "input is not a lone output");
    if (!attention.getOutput().getDefiningOp<tensor::EmptyOp>())
      return rewriter.notifyMatchFailure(op, "the destination is given");

    Type narrow = getElementTypeOrSelf(op.getResult(0));
    rewriter.setInsertionPoint(attention);
    Value init = tensor::EmptyOp::create(
        rewriter, attention.getLoc(),
        tensor::getMixedSizes(rewriter, attention.getLoc(),
                              attention.getOutput()),
        narrow);
    rewriter.modifyOpInPlace(attention, [&] {
      attention.getOutputMutable().assign(init);
      wide.setType(init.getType());
    });
    if (!reshape) {
      rewriter.replaceOp(op, wide);
      return success();
    }
    rewriter.modifyOpInPlace(reshape, [&] {
      auto type = cast<RankedTensorType>(reshape->getResult(0).getType());
      reshape->getResult(0).setType(
          RankedTensorType::get(type.getShape(), narrow));
    });
    rewriter.replaceOp(op, reshape->getResult(0));
    return success();
  }
};

struct FuseOutputCast : public xsa::impl::FuseOutputCastBase<FuseOutputCast> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<NarrowOutput>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation().emitError("narrowing outputs did not end");
      signalPassFailure();
    }
  }
};
} // namespace
