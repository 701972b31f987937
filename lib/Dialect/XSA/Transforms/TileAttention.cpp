//===- TileAttention.cpp - The pass that tiles attention ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outer loops come from the operation's TilingInterface and are parallel;
// the recurrence over keys inside them from expandAttentionTile.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/Transforms/TileAttention.h"
#include "SplitKeys.h"
#include "xsa/Dialect/XSA/Transforms/HeadsAsRows.h"
#include "xsa/Dialect/XSA/Transforms/LiftToTensors.h"
#include "xsa/Dialect/XSA/Transforms/Passes.h"
#include "xsa/Support/PassOptions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

namespace xsa {
#define GEN_PASS_DEF_TILEATTENTION
#include "xsa/Dialect/XSA/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// The static extent of a domain dimension, or a dynamic one.
static int64_t staticExtent(AffineMap map, Value shaped, unsigned dim,
                            MLIRContext *context) {
  auto position = map.getResultPosition(getAffineDimExpr(dim, context));
  return cast<ShapedType>(shaped.getType()).getDimSize(*position);
}

static int64_t numQueryRows(AttentionOp op) {
  return staticExtent(op.getQueryMap(), op.getQuery(), op.getQueryDim(),
                      op.getContext());
}

/// Second-level cache that a tile of rows may fill together with the tile of
/// keys that it is on: half of what small cores have.
static constexpr int64_t kCacheBudget = 256 * 1024;

/// More rows gain nothing, and leave less to share between threads.
static constexpr int64_t kMaxRows = 128;

/// Keys of a tile. With few rows the steps between the products weigh more, and
/// more keys at once spread them.
static constexpr int64_t kMaxKeys = 64;
static constexpr int64_t kMaxKeysOfFewRows = 256;

/// Elements of a row of query and output, or of a key and a value, where known.
static int64_t getDepth(AttentionOp op) {
  int64_t keyDepth = staticExtent(op.getKeyMap(), op.getKey(),
                                  op.getKeyDepthDim(), op.getContext());
  int64_t valueDepth = staticExtent(op.getValueMap(), op.getValue(),
                                    op.getValueDepthDim(), op.getContext());
  int64_t depth = 0;
  for (int64_t size : {keyDepth, valueDepth})
    depth += ShapedType::isDynamic(size) ? 128 : size;
  return depth;
}

/// Keys of a tile whose terms are in pairs, and the multiples that its blocks
/// begin and end at: two rows of matrix tiles, and as many terms as one takes.
static constexpr int64_t kMaxKeysInPairs = 64;
static constexpr int64_t kGrainInPairs = 32;

/// Blocks of rows are a multiple of the rows of a matrix tile.
static constexpr int64_t kRowsOfMatrixTile = 16;

/// Rows that share a tile of keys in pairs: more than otherwise, for values are
/// transposed once for all of them.
static constexpr int64_t kMaxRowsInPairs = 256;

/// Rows with a bias of their own that share a tile of keys. Each is read in
/// short pieces, and processors foresee the next ones of few rows. In pairs,
/// values are transposed for these rows only.
static constexpr int64_t kMaxRowsOfBias = 32;
static constexpr int64_t kMaxRowsOfBiasInPairs = 64;

/// Rows of a tile in a window: more leave few tiles of keys that all of them
/// see whole.
static int64_t getMaxRowsOfWindow(AttentionOp op) {
  constexpr int64_t least = 64, most = std::numeric_limits<int64_t>::max();
  std::optional<int64_t> left = op.getWindowLeft();
  std::optional<int64_t> right = op.getWindowRight();
  if (op.getCausal())
    right = 0;
  if (!left || !right)
    return most;
  return std::max(*left / 2 + *right / 2, least);
}

/// Bytes that are read for each score: of masks, biases and inputs of the score
/// region that have an element for each row and key.
static int64_t getBytesOfScore(AttentionOp op) {
  int64_t bytes = 0;
  for (OpOperand *operand : op.getShapedOperands()) {
    AffineMap map = op.getMapOf(*operand);
    Type type = getElementTypeOrSelf(operand->get().getType());
    if (map.isFunctionOfDim(op.getQueryDim()) &&
        map.isFunctionOfDim(op.getKeyDim()) && type.isIntOrFloat())
      bytes += llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  }
  return bytes;
}

/// Whether an operand has whole rows of `depthDim`, with other dimensions
/// between one of `keyDim` and the next.
static bool hasRowsApart(AffineMap map, Value operand, unsigned keyDim,
                         unsigned depthDim) {
  auto isDim = [&](AffineExpr expr, unsigned dim) {
    return expr == getAffineDimExpr(dim, map.getContext());
  };
  if (!isDim(map.getResults().back(), depthDim))
    return false;
  ArrayRef<int64_t> shape = cast<ShapedType>(operand.getType()).getShape();
  for (auto [expr, size] : llvm::drop_begin(
           llvm::reverse(llvm::zip_equal(map.getResults(), shape))))
    if (isDim(expr, keyDim) || size != 1)
      return !isDim(expr, keyDim);
  return false;
}

/// Whether `op` multiplies bf16 with sums in f32, in sizes that pairs have.
static bool canPairTerms(AttentionOp op) {
  auto isBF16 = [](Value operand) {
    return getElementTypeOrSelf(operand.getType()).isBF16();
  };
  int64_t keyDepth = staticExtent(op.getKeyMap(), op.getKey(),
                                  op.getKeyDepthDim(), op.getContext());
  int64_t valueDepth = staticExtent(op.getValueMap(), op.getValue(),
                                    op.getValueDepthDim(), op.getContext());
  return isBF16(op.getQuery()) && isBF16(op.getKey()) &&
         isBF16(op.getValue()) && op.getAccumulatorType().isF32() &&
         !ShapedType::isDynamic(keyDepth) && keyDepth % 2 == 0 &&
         !ShapedType::isDynamic(valueDepth);
}

/// Whether a result has more bits than weights in bf16: only there it shows if
/// their sum was taken before they were rounded, which takes less work.
static bool showsQuotient(AttentionOp op) {
  return op.getCoefficientOutput() ||
         !getElementTypeOrSelf(op.getOutput().getType()).isBF16();
}

/// Vectors of rows that are worked on together. Two, with a block of keys or
/// columns of the output, are enough independent sums to hide their latency.
/// `canHaveThree` take less time for the same work, as each element that is
/// broadcast is multiplied with more, but they may leave more of the last block
/// empty, and under a causal mask do more that no row sees.
static int64_t getVectorsOfBlock(AttentionOp op, int64_t rows, int64_t keys,
                                 int64_t lanes, bool canHaveThree) {
  if (rows == lanes)
    return 1;
  if (!canHaveThree)
    return 2;
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(keys))
    return 3;
  // Of the keys that a causal mask lets few rows of a block see, half for each
  // row, most are in tiles that are masked: measured, as three times as many.
  auto getWork = [&](int64_t block) {
    int64_t masked = op.getCausal() ? 3 * block : 0;
    return llvm::alignTo(rows, block) * (keys + masked);
  };
  // Measured: 3 % less.
  return getWork(3 * lanes) * 100 < getWork(2 * lanes) * 103 ? 3 : 2;
}

TilePolicy TilePolicy::forCPU(AttentionOp op, int64_t vectorBits,
                              bool hasBF16Dot) {
  TilePolicy policy;
  policy.exactKeys = true;
  policy.narrowPositions = true;
  policy.heavyTilesFirst = true;
  int64_t keys = staticExtent(op.getKeyMap(), op.getKey(), op.getKeyDim(),
                              op.getContext());
  auto getKeyTile = [&](int64_t most) {
    return ShapedType::isDynamic(keys)
               ? most
               : std::clamp<int64_t>(llvm::alignTo(keys, 8), 8, most);
  };
  int64_t bytes = op.getAccumulatorType().getWidth() / 8;
  int64_t lanes = vectorBits / 8 / bytes;
  int64_t rows = numQueryRows(op);
  if (!ShapedType::isDynamic(rows) && rows < lanes) {
    // Too few for the lanes of a vector: keys and values are read along their
    // depth instead, each once.
    policy.rowsInnermost = policy.widenKeys = false;
    policy.queryTile = std::max<int64_t>(rows, 1);
    policy.keyTile = getKeyTile(kMaxKeysOfFewRows);
    return policy;
  }
  policy.keyTile = getKeyTile(kMaxKeys);
  bool hasBiases = getBytesOfScore(op) > 1;
  int64_t maxRows = hasBiases ? kMaxRowsOfBias : kMaxRows;
  if (hasBF16Dot && canPairTerms(op)) {
    policy.termsInPairs = true;
    policy.widenInputs = false;
    policy.sumNarrowWeights = showsQuotient(op);
    policy.showExactSums = true;
    policy.keyGrain = kGrainInPairs;
    policy.keyTile =
        llvm::alignTo(getKeyTile(kMaxKeysInPairs), policy.keyGrain);
    maxRows = hasBiases ? kMaxRowsOfBiasInPairs : kMaxRowsInPairs;
  }

  // As many blocks as fit, with query and output, beside a tile of keys: each
  // spares the others a pass over keys and values.
  int64_t depth = std::max<int64_t>(getDepth(op), 1);
  int64_t fitting = kCacheBudget / (depth * bytes) - policy.keyTile;
  // A block in a short window sees few more keys than it has rows.
  int64_t maxRowsOfWindow = getMaxRowsOfWindow(op);
  bool canHaveThree = vectorBits >= 512 && !policy.termsInPairs && !hasBiases &&
                      fitting >= kMaxRows && maxRowsOfWindow >= 4 * kMaxRows;
  policy.rowBlock =
      getVectorsOfBlock(op, rows, keys, lanes, canHaveThree) * lanes;
  maxRows = std::min(maxRows, maxRowsOfWindow);
  int64_t maxBlocks = llvm::divideNearest(maxRows, policy.rowBlock);
  int64_t blocks = std::clamp<int64_t>(fitting / policy.rowBlock, 1, maxBlocks);
  if (!ShapedType::isDynamic(rows))
    blocks =
        std::clamp<int64_t>(llvm::divideCeil(rows, policy.rowBlock), 1, blocks);
  policy.queryTile = blocks * policy.rowBlock;
  // A single block reads each once.
  policy.packKeys =
      blocks > 1 && hasRowsApart(op.getKeyMap(), op.getKey(), op.getKeyDim(),
                                 op.getKeyDepthDim());
  policy.packValues =
      blocks > 1 && hasRowsApart(op.getValueMap(), op.getValue(),
                                 op.getKeyDim(), op.getValueDepthDim());
  return policy;
}

/// Whether the type of an operand has a size of 0.
static bool isKnownEmpty(AttentionOp op) {
  return llvm::any_of(op.getShapedOperands(), [](OpOperand *operand) {
    auto type = cast<ShapedType>(operand->get().getType());
    return llvm::is_contained(type.getShape(), 0);
  });
}

/// Runs the last dimension of the loop backwards.
static void reverseLastDimension(RewriterBase &rewriter, scf::ForallOp loop) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  Location loc = loop.getLoc();
  Value position = loop.getInductionVars().back();
  OpFoldResult end = loop.getMixedUpperBound().back();
  int64_t step = *getConstantIntValue(loop.getMixedStep().back());
  AffineExpr d0 = rewriter.getAffineDimExpr(0),
             d1 = rewriter.getAffineDimExpr(1);
  OpFoldResult reversed = affine::makeComposedFoldedAffineApply(
      rewriter, loc, (d0.ceilDiv(step) - 1) * step - d1,
      {end, OpFoldResult(position)});
  Value value = getValueOrCreateConstantIndexOp(rewriter, loc, reversed);
  rewriter.replaceAllUsesExcept(position, value, value.getDefiningOp());
}

/// The definition in place of an attention without elements: nothing has a tile
/// of them, as a slice of nothing does not verify, and the definition does no
/// more work than is left to do.
static LogicalResult decompose(RewriterBase &rewriter, AttentionOp op) {
  FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
  if (failed(results))
    return failure();
  rewriter.replaceOp(op, *results);
  return success();
}

/// Replaces `op` by parallel loops over leading dimensions and tiles of `rows`
/// rows; returns the operation inside them.
static FailureOr<AttentionOp> tileRows(RewriterBase &rewriter, AttentionOp op,
                                       int64_t rows) {
  // A tile as long as all rows keeps their number static.
  int64_t allRows = numQueryRows(op);
  if (!ShapedType::isDynamic(allRows) && allRows > 0)
    rows = std::min(rows, allRows);
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
  for (unsigned dim = 0; dim < op.getNumLeadingDims(); ++dim)
    sizes[dim] = rewriter.getIndexAttr(1);
  sizes[op.getQueryDim()] = rewriter.getIndexAttr(rows);

  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  rewriter.replaceOp(op, tiled->replacements);
  auto tile = cast<AttentionOp>(tiled->tiledOps.front());
  rewriter.setInsertionPoint(tile);
  return tile;
}

/// As `tileAttention`. With `ranges` the first leading dimension does not occur
/// in inputs: it numbers them, and a tile attends to the keys of its range.
static FailureOr<scf::ForallOp> tileRanges(RewriterBase &rewriter,
                                           AttentionOp op,
                                           const TilePolicy &policy,
                                           const KeyRanges *ranges) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "not on tensors");
  if (isKnownEmpty(op)) {
    if (failed(decompose(rewriter, op)))
      return failure();
    return scf::ForallOp();
  }
  bool heavyTilesFirst = policy.heavyTilesFirst && op.getCausal();
  FailureOr<AttentionOp> tile = tileRows(rewriter, op, policy.queryTile);
  if (failed(tile))
    return failure();
  auto loop = (*tile)->getParentOfType<scf::ForallOp>();
  if (heavyTilesFirst)
    reverseLastDimension(rewriter, loop);
  if (ranges)
    restrictToKeyRange(rewriter, *tile, loop.getInductionVars().front(),
                       *ranges);
  if (failed(expandAttentionTile(rewriter, *tile, policy)))
    return failure();
  return loop;
}

FailureOr<scf::ForallOp> xsa::tileAttention(RewriterBase &rewriter,
                                            AttentionOp op,
                                            const TilePolicy &policy) {
  return tileRanges(rewriter, op, policy, /*ranges=*/nullptr);
}

FailureOr<SplitAttention> xsa::splitAttention(RewriterBase &rewriter,
                                              AttentionOp op,
                                              const TilePolicy &policy,
                                              OpFoldResult splits,
                                              int64_t mergeTile) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "not on tensors");
  if (isKnownEmpty(op)) {
    if (failed(decompose(rewriter, op)))
      return failure();
    return SplitAttention();
  }
  rewriter.setInsertionPoint(op);
  KeyRanges ranges = KeyRanges::of(rewriter, op, splits, policy.keyTile);
  AttentionOp partial = buildPartialAttention(rewriter, op, splits);
  SmallVector<Value> results;
  if (policy.rowsPerHead)
    results = packHeads(rewriter, partial, *findHeadsToPack(partial));
  useHeadsAsRows(rewriter, partial);
  rewriter.setInsertionPoint(partial);
  SplitAttention split;
  FailureOr<scf::ForallOp> loop =
      tileRanges(rewriter, partial, policy, &ranges);
  if (failed(loop))
    return failure();
  split.ranges = *loop;

  rewriter.setInsertionPoint(op);
  FailureOr<AttentionOp> tile = tileRows(rewriter, op, mergeTile);
  if (failed(tile))
    return failure();
  split.merge = (*tile)->getParentOfType<scf::ForallOp>();
  TilePolicy mergePolicy = policy;
  mergePolicy.queryTile = mergeTile;
  mergePolicy.rowsPerHead = 0;
  if (results.empty())
    llvm::append_range(results, split.ranges.getResults());
  if (failed(expandMergeTile(
          rewriter, *tile, {results[0], results[1], results[2]}, mergePolicy)))
    return failure();
  // What only the ranges read.
  (void)runRegionDCE(rewriter, split.merge->getRegions());
  return split;
}

/// An input without a zero cannot be padded to a whole tile.
static LogicalResult checkScoreInputs(AttentionOp op) {
  Builder builder(op.getContext());
  for (Value input : op.getScoreInputs()) {
    Type type = getElementTypeOrSelf(input.getType());
    if (!type.isIntOrIndexOrFloat())
      return op.emitOpError("cannot be tiled with a score input of ")
             << type << " elements: expected integers, index or floats";
  }
  return success();
}

namespace {
struct TileAttention : public xsa::impl::TileAttentionBase<TileAttention> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(checkVectorBits(context, vectorBits)) ||
        failed(checkOption(context, "query-tile", queryTile, 0, 4096)) ||
        failed(checkOption(context, "row-block", rowBlock, 0, 4096)))
      return failure();
    return checkOption(context, "key-tile", keyTile, 0, 4096);
  }

  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (AttentionOp op : ops) {
      if (failed(tile(rewriter, op)))
        return signalPassFailure();
      ++numTiled;
    }
  }

private:
  LogicalResult tile(RewriterBase &rewriter, AttentionOp op) {
    if (failed(checkScoreInputs(op)))
      return failure();
    op = cast<AttentionOp>(liftToTensors(rewriter, op));
    useHeadsAsRows(rewriter, op);
    rewriter.setInsertionPoint(op);
    if (failed(tileAttention(rewriter, op, getPolicy(op))))
      return op.emitOpError("could not be tiled");
    return success();
  }

  TilePolicy getPolicy(AttentionOp op) {
    // Pairs of terms are made for rows that are innermost.
    TilePolicy policy = TilePolicy::forCPU(
        op, vectorBits, rowsInnermost && bf16Dot != BF16Dot::None);
    // Rows and keys of pairs fill the tiles of matrix instructions.
    auto roundUp = [&](int64_t size, int64_t multiple) -> int64_t {
      return policy.termsInPairs ? llvm::alignTo(size, multiple) : size;
    };
    if (queryTile != 0)
      policy.queryTile = roundUp(queryTile, kRowsOfMatrixTile);
    if (rowBlock != 0)
      policy.rowBlock = roundUp(rowBlock, kRowsOfMatrixTile);
    if (keyTile != 0)
      policy.keyTile = roundUp(keyTile, policy.keyGrain);
    policy.exactKeys = exactKeys;
    policy.powersOfTwo = powersOfTwo;
    policy.splitMaskedTiles = splitMaskedTiles;
    policy.rowsInnermost &= rowsInnermost;
    return policy;
  }
};
} // namespace
