//===- FuseOutputCast.cpp - Round once, where outputs are written ---------===//
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

#include "xsa/Dialect/XSA/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace xsa {
#define GEN_PASS_DEF_FUSEOUTPUTCAST
#include "xsa/Dialect/XSA/Transforms/Passes.h.inc"
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

/// Gives `value`, a tensor, another element type.
static void setElementType(Value value, Type type) {
  value.setType(cast<RankedTensorType>(value.getType()).clone(type));
}

namespace {
/// cast(reshapes(attention)) -> reshapes(attention in the narrow type).
struct NarrowOutput : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !isCast(op))
      return rewriter.notifyMatchFailure(op, "not a narrowing cast");
    Value wide = op.getDpsInputs()[0];
    SmallVector<Operation *> reshapes;
    while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                           tensor::CastOp>(wide.getDefiningOp())) {
      reshapes.push_back(wide.getDefiningOp());
      Value source = reshapes.back()->getOperand(0);
      if (!wide.hasOneUse() || !isa<RankedTensorType>(source.getType()))
        return rewriter.notifyMatchFailure(op, "others read the wide output");
      wide = source;
    }
    Operation *producer = wide.getDefiningOp();
    if (!isa_and_nonnull<AttentionOp, ExcludeOp>(producer) ||
        wide != producer->getResult(0) || !wide.hasOneUse())
      return rewriter.notifyMatchFailure(op, "input is not a lone output");
    OpOperand &init =
        *cast<DestinationStyleOpInterface>(producer).getDpsInitOperand(0);
    auto given = init.get().getDefiningOp<tensor::EmptyOp>();
    if (!given)
      return rewriter.notifyMatchFailure(op, "the destination is given");

    Type narrow = getElementTypeOrSelf(op.getResult(0));
    rewriter.setInsertionPoint(producer);
    Value empty = tensor::EmptyOp::create(rewriter, producer->getLoc(),
                                          given.getMixedSizes(), narrow);
    rewriter.modifyOpInPlace(producer, [&] {
      init.set(empty);
      setElementType(wide, narrow);
    });
    for (Operation *reshape : reshapes)
      rewriter.modifyOpInPlace(
          reshape, [&] { setElementType(reshape->getResult(0), narrow); });
    rewriter.replaceOp(op, op.getDpsInputs()[0]);
    return success();
  }
};

struct FuseOutputCast : public xsa::impl::FuseOutputCastBase<FuseOutputCast> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<NarrowOutput>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError("narrowing outputs did not end");
      signalPassFailure();
    }
  }
};
} // namespace
