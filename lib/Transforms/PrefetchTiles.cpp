//===- PrefetchTiles.cpp - Tiles in the cache before they are read --------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processors foresee what a program reads next in few rows of arrays at a time.
// Tiles have short pieces of many rows, and the loop that takes one after the
// other knows which come next: while it works on a tile it asks for the lines
// of the next one.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace xsa {
#define GEN_PASS_DEF_PREFETCHTILESPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

/// Arrays up to this size stay in a second-level cache.
static constexpr int64_t kCachedBytes = 256 * 1024;

/// Larger tiles would push what is at work out of the caches.
static constexpr int64_t kMaxTileBytes = 16 * 1024;

static constexpr int64_t kLineBytes = 64;

/// As a locality hint.
static constexpr unsigned kSecondLevelCache = 2;

/// Bytes of an element, of which a bool has one.
static int64_t getElementBytes(MemRefType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Whether `view` is part of an array that caches do not hold.
static bool isPartOfLargeArray(Value view) {
  while (auto op = view.getDefiningOp<ViewLikeOpInterface>())
    view = op.getViewSource();
  auto type = dyn_cast<MemRefType>(view.getType());
  if (!type || !type.getElementType().isIntOrFloat())
    return false;
  return !type.hasStaticShape() ||
         type.getNumElements() * getElementBytes(type) > kCachedBytes;
}

static bool isTile(memref::SubViewOp view) {
  MemRefType type = view.getType();
  return type.getRank() == 2 && type.hasStaticShape() &&
         type.isLastDimUnitStride() && isPartOfLargeArray(view.getSource()) &&
         type.getNumElements() * getElementBytes(type) <= kMaxTileBytes;
}

namespace {
enum class Access { None, Read, Written };
} // namespace

/// How elements of `tile` are used, other than by tiles of it.
static Access getAccess(Value tile) {
  Access access = Access::None;
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    Access here = Access::None;
    if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(user))
      here = getAccess(user->getResult(0));
    else if (auto op = dyn_cast<linalg::LinalgOp>(user))
      here = op.isDpsInit(&use) ? Access::Written : Access::Read;
    else if (isa<vector::TransferWriteOp>(user))
      here = Access::Written;
    else if (isa<vector::TransferReadOp>(user))
      here = Access::Read;
    access = std::max(access, here);
  }
  return access;
}

/// The innermost loop that moves `tile`; null if none does.
static scf::ForOp findMovingLoop(memref::SubViewOp tile) {
  for (auto loop = tile->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    for (Value offset : tile.getOffsets()) {
      auto apply = offset.getDefiningOp<affine::AffineApplyOp>();
      if (offset == loop.getInductionVar() ||
          (apply &&
           llvm::is_contained(apply.getMapOperands(), loop.getInductionVar())))
        return loop;
    }
  return nullptr;
}

/// The tile of the next iteration of `loop`; in the last one, the same tile.
static Value buildNextTile(OpBuilder &builder, memref::SubViewOp tile,
                           scf::ForOp loop) {
  Location loc = tile.getLoc();
  Value position = loop.getInductionVar();
  Value next = arith::AddIOp::create(builder, loc, position, loop.getStep());
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       next, loop.getUpperBound());
  IRMapping mapping;
  mapping.map(position,
              arith::SelectOp::create(builder, loc, exists, next, position));
  for (Value offset : tile.getOffsets())
    if (auto apply = offset.getDefiningOp<affine::AffineApplyOp>())
      builder.clone(*apply, mapping);
  return builder.clone(*tile, mapping)->getResult(0);
}

namespace {
/// Loops around each other. An iteration of the innermost asks for some lines:
/// if all were asked for at once, they and the work would wait for each other.
struct Host {
  SmallVector<scf::ForOp> loops;
  SmallVector<int64_t> trips;
  int64_t iterations = 1;
};
} // namespace

/// The most iterations that `loop` may have. A last tile of rows has fewer than
/// others, and asks for as many lines less.
static std::optional<int64_t> getMaxTripCount(scf::ForOp loop) {
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!begin || !step)
    return std::nullopt;
  FailureOr<int64_t> end = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, loop.getUpperBound(),
      /*stopCondition=*/nullptr, /*closedUB=*/true);
  if (failed(end) || *begin >= *end)
    return std::nullopt;
  return llvm::divideCeil(*end - *begin, *step);
}

/// Among `ops` and in the loops there, finds the loops that have most
/// iterations, but no more than `lines`.
static void findHost(llvm::iterator_range<Block::iterator> ops, int64_t lines,
                     const Host &outer, Host &best) {
  for (Operation &op : ops) {
    auto loop = dyn_cast<scf::ForOp>(op);
    std::optional<int64_t> trips = loop ? getMaxTripCount(loop) : std::nullopt;
    if (!trips || outer.iterations * *trips > lines)
      continue;
    Host host = outer;
    host.loops.push_back(loop);
    host.trips.push_back(*trips);
    host.iterations *= *trips;
    if (host.iterations > best.iterations)
      best = host;
    findHost(llvm::make_range(loop.getBody()->begin(), loop.getBody()->end()),
             lines, host, best);
  }
}

namespace {
/// A tile that the next iteration of `movingLoop` has another of.
struct MovingTile {
  memref::SubViewOp view;
  Access access;
  scf::ForOp movingLoop;
  int64_t elementsOfLine, linesOfRow, lines;
  Host host;
};
} // namespace

static std::optional<MovingTile> findMovingTile(memref::SubViewOp view) {
  if (!isTile(view))
    return std::nullopt;
  MovingTile tile;
  tile.view = view;
  tile.access = getAccess(view);
  tile.movingLoop = findMovingLoop(view);
  if (tile.access == Access::None || !tile.movingLoop)
    return std::nullopt;
  MemRefType type = view.getType();
  tile.elementsOfLine =
      std::max<int64_t>(kLineBytes / getElementBytes(type), 1);
  tile.linesOfRow = llvm::divideCeil(type.getDimSize(1), tile.elementsOfLine);
  tile.lines = type.getDimSize(0) * tile.linesOfRow;
  auto behind =
      llvm::make_range(std::next(view->getIterator()), view->getBlock()->end());
  findHost(behind, tile.lines, Host(), tile.host);
  return tile;
}

/// Asks for the tile that comes after `tile`.
static void emitPrefetches(MovingTile &tile) {
  ImplicitLocOpBuilder b(tile.view.getLoc(), tile.view.getContext());
  b.setInsertionPointAfter(tile.view);
  Value next = buildNextTile(b, tile.view, tile.movingLoop);
  Host &host = tile.host;
  if (!host.loops.empty())
    b.setInsertionPointToStart(host.loops.back().getBody());
  int64_t linesOfIteration = llvm::divideCeil(tile.lines, host.iterations);
  auto loop =
      scf::ForOp::create(b, arith::ConstantIndexOp::create(b, 0),
                         arith::ConstantIndexOp::create(b, linesOfIteration),
                         arith::ConstantIndexOp::create(b, 1));
  b.setInsertionPointToStart(loop.getBody());

  // The number of the line: iterations before this one, and lines of this one.
  AffineExpr iterations = b.getAffineConstantExpr(0);
  SmallVector<OpFoldResult> positions;
  for (auto [hostLoop, trips] : llvm::zip_equal(host.loops, host.trips)) {
    AffineExpr position = b.getAffineDimExpr(positions.size()) -
                          *getConstantIntValue(hostLoop.getLowerBound());
    iterations = iterations * trips +
                 position.floorDiv(*getConstantIntValue(hostLoop.getStep()));
    positions.push_back(hostLoop.getInductionVar());
  }
  AffineExpr line =
      iterations * linesOfIteration + b.getAffineDimExpr(positions.size());
  positions.push_back(loop.getInductionVar());
  // Iterations that no line is left for ask for the last one again.
  AffineMap lines = AffineMap::get(
      positions.size(), 0, {line, b.getAffineConstantExpr(tile.lines - 1)},
      b.getContext());
  if (tile.lines % host.iterations == 0)
    lines = lines.getSubMap({0});
  OpFoldResult number =
      affine::makeComposedFoldedAffineMin(b, b.getLoc(), lines, positions);
  auto apply = [&](AffineExpr expr) -> Value {
    return getValueOrCreateConstantIndexOp(
        b, b.getLoc(),
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, {number}));
  };
  AffineExpr d0 = b.getAffineDimExpr(0);
  Value row = apply(d0.floorDiv(tile.linesOfRow));
  Value column = apply(d0 % tile.linesOfRow * tile.elementsOfLine);
  memref::PrefetchOp::create(b, next, ValueRange{row, column},
                             /*isWrite=*/tile.access == Access::Written,
                             /*localityHint=*/kSecondLevelCache,
                             /*isDataCache=*/true);
}

namespace {
struct PrefetchTiles : public xsa::impl::PrefetchTilesPassBase<PrefetchTiles> {
  void runOnOperation() override {
    SmallVector<MovingTile> tiles;
    getOperation()->walk([&](memref::SubViewOp view) {
      if (std::optional<MovingTile> tile = findMovingTile(view))
        tiles.push_back(std::move(*tile));
    });
    for (MovingTile &tile : tiles)
      emitPrefetches(tile);
  }
};
} // namespace
