//===- VectorizeTiles.cpp - Tiles of rows to vectors ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiled attention keeps one value per query row in the last dimension of its
// tiles. Here that dimension becomes a vector, one operation after the other;
// what has another form becomes loops over elements. Then values per row are
// kept in registers from one operation to the next.
//
//===----------------------------------------------------------------------===//

#include "TermPairs.h"
#include "TileBody.h"
#include "TileVectorizer.h"

#include "xsa/Dialect/XSA/Transforms/Passes.h"
#include "xsa/Dialect/XSA/Transforms/TileAttention.h"
#include "xsa/Support/PassOptions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace xsa {
#define GEN_PASS_DEF_VECTORIZETILES
#include "xsa/Dialect/XSA/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Fills row by row.
static LogicalResult vectorizeFill(RewriterBase &rewriter, linalg::FillOp op,
                                   const VectorTarget &target) {
  auto type = dyn_cast<RankedTensorType>(op.output().getType());
  if (!type || type.getRank() == 0 || type.getRank() > 2 ||
      ShapedType::isDynamic(type.getShape().back()) ||
      !type.getElementType().isIntOrFloat())
    return failure();
  int64_t lanes = type.getShape().back();
  if (!target.isOneVector(lanes, type.getElementType()))
    return failure();
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value value = broadcastLanes(b, op.value(), lanes);
  auto write = [&](ValueRange indices, Value destination) {
    return vector::TransferWriteOp::create(b, value, destination, indices,
                                           ArrayRef<bool>{true})
        .getResult();
  };
  Value filled =
      type.getRank() == 1
          ? write(zero, op.output())
          : buildTileLoop(b, zero, getTileDim(b, op.output(), 0), 1,
                          op.output(), [&](Value row, Value destination) {
                            return write({row, zero}, destination);
                          });
  rewriter.replaceOp(op, filled);
  return success();
}

/// Makes the scratch tensors of tiles allocations. They lie outside the loops
/// over keys and hold one thing each; as `tensor.empty`, equal ones would be
/// merged, and bufferization would have to make new ones inside the loops.
static void allocateScratch(RewriterBase &rewriter,
                            ArrayRef<linalg::LinalgOp> tileOps) {
  llvm::SetVector<tensor::EmptyOp> scratch;
  for (linalg::LinalgOp op : tileOps)
    for (Value init : op.getDpsInits())
      if (auto empty = init.getDefiningOp<tensor::EmptyOp>())
        scratch.insert(empty);
  for (tensor::EmptyOp empty : scratch) {
    rewriter.setInsertionPoint(empty);
    rewriter.replaceOpWithNewOp<bufferization::AllocTensorOp>(
        empty, empty.getType(), empty.getDynamicSizes());
  }
}

/// The result of `op` on vectors, with `change` made to it, if there is one.
static FailureOr<Value> buildVectors(RewriterBase &rewriter,
                                     linalg::GenericOp op,
                                     const VectorTarget &target,
                                     linalg::GenericOp change = {}) {
  FailureOr<TileLoops> loops = analyzeTile(op, target);
  if (succeeded(loops))
    return vectorizeTile(rewriter, op, *loops, target, change);
  FailureOr<Value> value = vectorizeLaneSum(rewriter, op, target, change);
  if (succeeded(value) || change)
    return value;
  return vectorizeTransposition(rewriter, op, target);
}

static void vectorize(RewriterBase &rewriter, linalg::GenericOp op,
                      const VectorTarget &target,
                      llvm::function_ref<void()> count) {
  rewriter.setInsertionPoint(op);
  if (isContractionOfPairs(op))
    return;
  FailureOr<SmallVector<Value>> pairs = vectorizePairs(rewriter, op, target);
  if (succeeded(pairs)) {
    rewriter.replaceOp(op, *pairs);
    return count();
  }
  FailureOr<Value> value = buildVectors(rewriter, op, target);
  if (succeeded(value)) {
    rewriter.replaceOp(op, *value);
    return count();
  }
  if (op.getNumDpsInits() == 1 && op.hasPureTensorSemantics())
    rewriter.replaceOp(op, scalarizeTile(rewriter, op));
}

/// Whether a contraction that is lowered on buffers starts from `fill`.
static bool startsContractionOfPairs(linalg::FillOp fill) {
  return llvm::any_of(fill->getUsers(), [](Operation *user) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    return generic && isContractionOfPairs(generic);
  });
}

/// `change` and the sum before it as one; failure, and nothing built, where the
/// sum has no form on vectors.
static LogicalResult vectorizeChange(RewriterBase &rewriter,
                                     linalg::GenericOp sum,
                                     linalg::GenericOp change,
                                     const VectorTarget &target) {
  rewriter.setInsertionPoint(change);
  FailureOr<Value> value = buildVectors(rewriter, sum, target, change);
  if (failed(value))
    return failure();
  rewriter.replaceOp(change, *value);
  rewriter.eraseOp(sum);
  return success();
}

/// Folds reads of what was just written, so that values per row pass from step
/// to step as vectors, then lets the loops over keys carry them.
static LogicalResult keepInRegisters(RewriterBase &rewriter, Operation *root) {
  RewritePatternSet patterns(root->getContext());
  vector::TransferReadOp::getCanonicalizationPatterns(patterns,
                                                      root->getContext());
  vector::TransferWriteOp::getCanonicalizationPatterns(patterns,
                                                       root->getContext());
  populatePolynomialApproximateTanhPattern(patterns);
  if (failed(applyPatternsGreedily(root, std::move(patterns))))
    return failure();
  DominanceInfo dominance(root);
  eliminateCommonSubExpressions(rewriter, dominance, root);
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    (void)hoistLoopInvariantSubsets(rewriter, loop);
  return success();
}

/// Whether each element of the result of `op` takes a few multiplications and
/// additions, and every reader takes each once, in vectors: computing it there
/// spares a pass over the tile.
static bool canInline(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() ||
      op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() ||
      !op.getBody()->getArguments().back().use_empty() ||
      !llvm::all_of(op.getBody()->without_terminator(),
                    llvm::IsaPred<arith::AddFOp, arith::ExtFOp, arith::MulFOp,
                                  arith::SubFOp, arith::TruncFOp>))
    return false;
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned lane = to.getDimPosition(to.getNumResults() - 1);
  for (OpOperand *input : op.getDpsInputOperands())
    if (classifyAccess(input->get(), op.getMatchingIndexingMap(input), lane) ==
        TileAccess::Unsupported)
      return false;
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    return user && user->hasAttr(kTileAttrName) && user.isDpsInput(&use) &&
           user.getNumLoops() == to.getNumResults();
  });
}

namespace {
struct VectorizeTiles : public xsa::impl::VectorizeTilesBase<VectorizeTiles> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(checkVectorBits(context, vectorBits)))
      return failure();
    return checkOption(context, "block-rows", blockRows, 0, 64);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    VectorTarget target{vectorBits, blockRows};
    SmallVector<linalg::LinalgOp> tileOps;
    SmallVector<linalg::GenericOp> generics;
    SmallVector<linalg::FillOp> fills;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!op->hasAttr(kTileAttrName))
        return;
      tileOps.push_back(op);
      if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
        generics.push_back(generic);
      else if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
        fills.push_back(fill);
    });
    llvm::SmallSetVector<linalg::GenericOp, 8> inlined;
    for (linalg::GenericOp op : generics) {
      if (!canInline(op))
        continue;
      op->setAttr(kInlinedAttrName, rewriter.getUnitAttr());
      inlined.insert(op);
    }
    allocateScratch(rewriter, tileOps);
    // What changes the init of a contraction goes with the contraction, and so
    // does what changes its result.
    llvm::SmallSetVector<linalg::GenericOp, 8> fused;
    for (linalg::GenericOp op : generics)
      if (findFusingContraction(op, target))
        fused.insert(op);
    llvm::SmallPtrSet<Operation *, 16> changes;
    for (linalg::GenericOp op : generics) {
      linalg::GenericOp sum = fused.contains(op) ? nullptr : findChangedSum(op);
      if (sum && succeeded(vectorizeChange(rewriter, sum, op, target))) {
        changes.insert({sum, op});
        numVectorized += 2;
      }
    }
    for (linalg::GenericOp op : generics)
      if (!fused.contains(op) && !changes.contains(op) && !inlined.contains(op))
        vectorize(rewriter, op, target, [&] { ++numVectorized; });
    for (linalg::GenericOp op : fused)
      rewriter.eraseOp(op);
    // Readers first; what has another reader is there for it.
    for (linalg::GenericOp op : llvm::reverse(inlined)) {
      op->removeAttr(kInlinedAttrName);
      if (op->use_empty())
        rewriter.eraseOp(op);
      else
        vectorize(rewriter, op, target, [&] { ++numVectorized; });
    }
    // Fills last: what reads them takes their constant.
    for (linalg::FillOp op : fills) {
      if (op->use_empty())
        rewriter.eraseOp(op);
      else if (!startsContractionOfPairs(op))
        (void)vectorizeFill(rewriter, op, target);
    }
    if (!generics.empty() && failed(keepInRegisters(rewriter, getOperation())))
      signalPassFailure();
  }
};
} // namespace
