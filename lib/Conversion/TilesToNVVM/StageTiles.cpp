//===- StageTiles.cpp - Tiles through shared memory -----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over tiles of keys waits for the copies of its tile, then starts those
// of the tile that comes `stages - 1` iterations later, then computes. One
// barrier per iteration serves both: the copies have landed for everyone, and
// nobody reads the stage any more that is overwritten next. Loops that follow
// each other continue the same stream, so the last iterations of one start the
// copies of the next.
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"
#include "Layouts.h"
#include "StageBuilder.h"

#include "xsa/Conversion/TilesToNVVM/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace xsa {
#define GEN_PASS_DEF_STAGETILES
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

static int64_t bytesOf(vector::TransferReadOp read) {
  VectorType type = read.getVectorType();
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

namespace {
class TileStager : private StageBuilder {
public:
  explicit TileStager(gpu::GPUFuncOp kernel)
      : StageBuilder(kernel),
        plan(kernel->getAttrOfType<KernelAttr>(kKernelAttrName)),
        ownInStages(kernel->hasAttr(kOwnInStagesAttrName)) {}

  /// Returns the bytes of shared memory that the kernel needs.
  FailureOr<int64_t> stage();

private:
  using Reads = SmallVector<vector::TransferReadOp>;

  LogicalResult collect();
  Reads readsOf(Block *block, TileLayout layout);
  bool isChain();

  bool copiesOwnRows() { return !ownRows.empty() && !ownInStages; }

  // Parts of the kernel.
  LogicalResult stageLoops();
  void makeBuffers();
  void stageBeforeLoops();
  void stageAfterLoops();
  void stageQuery();
  void stageOwnRows();
  LogicalResult findOwnRowsInStages();
  void readOwnRows();
  void readAgainAfterSums(vector::TransferReadOp read);
  void startStream();
  void continueStream(unsigned number);
  void copyKeys(Value position, Value stage);
  void stageLoneReads();
  void stageStores();

  KernelAttr plan;
  bool ownInStages;

  Reads queries, ownRows;
  SmallVector<scf::ForOp> loops;
  /// Per loop, the tiles of keys and values it reads.
  SmallVector<Reads> keys;
  SmallVector<Value> queryBuffers, ownBuffers, keyBuffers;
  /// Where among the blocks of rows of its buffer an own tile lies, null:
  /// first.
  SmallVector<Value> ownPlaces;
  /// The end of the last loop, and the stage of the first tile.
  Value end, firstStage;
};
} // namespace

//===----------------------------------------------------------------------===//
// What there is to stage
//===----------------------------------------------------------------------===//

TileStager::Reads TileStager::readsOf(Block *block, TileLayout layout) {
  Reads reads;
  for (auto read : block->getOps<vector::TransferReadOp>())
    if (layoutOf(read) == layout && read.getVectorType().getRank() == 2)
      reads.push_back(read);
  return reads;
}

/// Whether the loops walk over one range with the same tiles.
bool TileStager::isChain() {
  for (unsigned number = 1; number < loops.size(); ++number) {
    if (!isEqualConstantIntOrValue(loops[number - 1].getUpperBound(),
                                   loops[number].getLowerBound()) ||
        !isEqualConstantIntOrValue(loops[number - 1].getStep(),
                                   loops[number].getStep()) ||
        keys[number].size() != keys.front().size())
      return false;
    for (auto [lhs, rhs] : llvm::zip_equal(keys.front(), keys[number]))
      if (memoryShape(lhs.getVectorType(), lhs.getPermutationMap()) !=
              memoryShape(rhs.getVectorType(), rhs.getPermutationMap()) ||
          lhs.getVectorType().getElementType() !=
              rhs.getVectorType().getElementType())
        return false;
  }
  return true;
}

LogicalResult TileStager::collect() {
  Block *entry = &kernel.getBody().front();
  for (auto loop : entry->getOps<scf::ForOp>()) {
    Reads reads = readsOf(loop.getBody(), TileLayout::Rhs);
    if (reads.empty())
      continue;
    loops.push_back(loop);
    keys.push_back(reads);
  }
  if (!isChain())
    return kernel.emitOpError("has loops over keys that do not follow on each "
                              "other");
  if (loops.empty())
    return success();
  queries = readsOf(entry, TileLayout::Lhs);
  for (vector::TransferReadOp read : readsOf(entry, TileLayout::Accumulator))
    if (loops.back()->isBeforeInBlock(read) &&
        read.getVectorType().getElementType().isFloat())
      ownRows.push_back(read);
  return success();
}

//===----------------------------------------------------------------------===//
// The stream of keys and values
//===----------------------------------------------------------------------===//

/// The stage after `stage`, round and round.
static Value nextStage(ImplicitLocOpBuilder &b, Value stage, int64_t stages) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  if (stages == 2)
    return arith::SubIOp::create(b, one, stage);
  Value next = arith::AddIOp::create(b, stage, one);
  Value last = arith::ConstantIndexOp::create(b, stages);
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, last);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return arith::SelectOp::create(b, wraps, zero, next);
}

/// Copies the tiles at `position`, if there are any, and closes their group.
void TileStager::copyKeys(Value position, Value stage) {
  Value exists =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, position, end);
  auto guarded = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    // The last loop knows best where the keys end.
    for (auto [read, buffer] : llvm::zip_equal(keys.back(), keyBuffers)) {
      IRMapping mapping;
      mapping.map(loops.back().getInductionVar(), position);
      copy(read, mapping, buffer, stage);
    }
  }
  commit();
}

/// The first tiles, and bounds that all loops see.
void TileStager::startStream() {
  end = loops.back().getUpperBound();
  if (std::optional<int64_t> constant = getConstantIntValue(end))
    end = index(*constant);
  Value position = loops.front().getLowerBound();
  int64_t step = *getConstantIntValue(loops.front().getStep());
  int64_t stages = plan.getStages();
  firstStage = index(0);
  // Own rows are found by their position, so that of a tile says its stage.
  if (ownInStages && getConstantIntValue(position) != 0) {
    Value tile = arith::DivUIOp::create(b, position, index(step));
    firstStage = arith::RemUIOp::create(b, tile, index(stages));
  }
  Value stage = firstStage;
  for (int64_t number = 0; number + 1 < stages; ++number) {
    if (number > 0) {
      position = arith::AddIOp::create(b, position, index(step));
      stage = nextStage(b, stage, stages);
    }
    copyKeys(position, stage);
  }
}

/// Gives a loop its stage, carried from iteration to iteration and from loop to
/// loop.
void TileStager::continueStream(unsigned number) {
  scf::ForOp loop = loops[number];
  int64_t stages = plan.getStages();
  b.setInsertionPoint(loop);
  Value first = number ? loops[number - 1].getResults().back() : firstStage;
  IRRewriter rewriter(b);
  auto replaced = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location loc,
          ArrayRef<BlockArgument> args) -> SmallVector<Value> {
        ImplicitLocOpBuilder inner(loc, builder);
        return {nextStage(inner, args.back(), stages)};
      }));
  loops[number] = replaced;
  keys[number] = readsOf(replaced.getBody(), TileLayout::Rhs);
  Value stage = replaced.getRegionIterArgs().back();

  b.setInsertionPointToStart(replaced.getBody());
  waitFor(stages - 2);
  Value ahead = arith::MulIOp::create(b, replaced.getStep(), index(stages - 1));
  Value position = arith::AddIOp::create(b, replaced.getInductionVar(), ahead);
  Value target;
  if (stages == 2) {
    target = arith::SubIOp::create(b, index(1), stage);
  } else {
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, stage, index(0));
    target = arith::SelectOp::create(b, isFirst, index(stages - 1),
                                     arith::SubIOp::create(b, stage, index(1)));
  }
  copyKeys(position, target);
}

//===----------------------------------------------------------------------===//
// Rows of the block
//===----------------------------------------------------------------------===//

/// The query, to registers now or from shared memory for every tile.
void TileStager::stageQuery() {
  for (auto [read, buffer] : llvm::zip_equal(queries, queryBuffers)) {
    if (plan.getQueryInRegisters()) {
      readFrom(buffer, index(0), read);
      continue;
    }
    // One read in each loop, where it is used.
    for (OpOperand &use : llvm::make_early_inc_range(read->getUses())) {
      Operation *user = use.getOwner();
      b.setInsertionPoint(user);
      auto copied = cast<vector::TransferReadOp>(b.clone(*read.getOperation()));
      use.set(copied);
      readFrom(buffer, index(0), copied);
    }
    read.erase();
  }
}

/// Rows that only the epilogue needs take the place of the query where that is
/// in registers, and travel while the loops run.
void TileStager::stageOwnRows() {
  for (auto [read, buffer] : llvm::zip_equal(ownRows, ownBuffers))
    copy(read, IRMapping(), buffer, index(0));
  commit();
}

/// The row at which `read` begins in `buffer`, of which it reads a part or the
/// whole; null if it does not.
static Value rowIn(ImplicitLocOpBuilder &b, vector::TransferReadOp read,
                   Value buffer) {
  unsigned rows = read.getPermutationMap().getDimPosition(0);
  if (read.getBase() == buffer)
    return read.getIndices()[rows];
  auto view = read.getBase().getDefiningOp<memref::SubViewOp>();
  if (!view || view.getSource() != buffer || view.getDroppedDims().any())
    return Value();
  return getValueOrCreateConstantIndexOp(b, b.getLoc(),
                                         view.getMixedOffsets()[rows]);
}

/// Own rows that lie in the stages of the values: the row at position p is the
/// row p modulo (stages x keys) of their buffer, seen as one tile.
/// `own_in_stages` says that after the loops it still holds them.
LogicalResult TileStager::findOwnRowsInStages() {
  vector::TransferReadOp values = keys.front().back();
  Value stages = keyBuffers.back();
  Value all = values.getBase();
  if (auto view = all.getDefiningOp<memref::SubViewOp>())
    all = view.getSource();
  auto type = cast<MemRefType>(stages.getType());
  int64_t offset = *getConstantIntValue(
      stages.getDefiningOp<memref::ViewOp>().getByteShift());
  for (vector::TransferReadOp own : ownRows) {
    int64_t rows = own.getVectorType().getDimSize(0);
    int64_t blocks = type.getDimSize(0) * type.getDimSize(1) / rows;
    b.setInsertionPoint(own);
    Value row = rowIn(b, own, all);
    if (!row || own.getVectorType().getDimSize(1) != type.getDimSize(2) ||
        own.getVectorType().getElementType() != type.getElementType())
      return own.emitOpError("is not of the values that the kernel visits");
    ownBuffers.push_back(makeBuffer(offset, own, blocks));
    Value block = arith::DivUIOp::create(b, row, index(rows));
    ownPlaces.push_back(arith::RemUIOp::create(b, block, index(blocks)));
  }
  return success();
}

/// A large tile does not fit into registers next to the output. It is read for
/// the sums over its rows, and once more for what follows from them.
void TileStager::readAgainAfterSums(vector::TransferReadOp read) {
  Operation *wide = read;
  if (read->hasOneUse() && isa<arith::ExtFOp>(*read->user_begin()))
    wide = *read->user_begin();
  Block *block = read->getBlock();
  SetVector<Operation *> slice;
  getForwardSlice(wide, &slice);
  Operation *sum = nullptr;
  for (Operation *op : slice)
    if (isa<vector::MultiDimReductionOp>(op) && op->getBlock() == block &&
        (!sum || sum->isBeforeInBlock(op)))
      sum = op;
  auto isLate = [&](Operation *op) {
    return sum && op->getBlock() == block && sum->isBeforeInBlock(op);
  };
  Operation *first = nullptr;
  for (Operation *user : wide->getUsers())
    if (isLate(user) && (!first || user->isBeforeInBlock(first)))
      first = user;
  if (!first)
    return;
  b.setInsertionPoint(first);
  // Or the compiler would keep what it has read.
  Value allLanes = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  NVVM::SyncWarpOp::create(b, allLanes);
  IRMapping mapping;
  Operation *again = b.clone(*read.getOperation(), mapping);
  if (wide != read.getOperation())
    again = b.clone(*wide, mapping);
  wide->getResult(0).replaceUsesWithIf(
      again->getResult(0),
      [&](OpOperand &use) { return isLate(use.getOwner()); });
}

/// Own rows from shared memory, for the epilogue.
void TileStager::readOwnRows() {
  for (auto [read, buffer, place] :
       llvm::zip_equal(ownRows, ownBuffers, ownPlaces)) {
    b.setInsertionPoint(read);
    readAgainAfterSums(readFrom(buffer, place ? place : index(0), read));
  }
}

/// Tiles for a product outside the loops are copied where they are used.
void TileStager::stageLoneReads() {
  Block *entry = &kernel.getBody().front();
  Reads lone = readsOf(entry, TileLayout::Rhs);
  if (loops.empty())
    llvm::append_range(lone, readsOf(entry, TileLayout::Lhs));
  for (vector::TransferReadOp read : lone) {
    if (isa<memref::ViewOp>(read.getBase().getDefiningOp()))
      continue;
    Value buffer = makeBuffer(getSharedBytes(), read, 1);
    b.setInsertionPoint(read);
    copy(read, IRMapping(), buffer, index(0));
    commit();
    waitFor(0);
    readFrom(buffer, index(0), read);
  }
}

/// Outputs pass through shared memory on their way out.
void TileStager::stageStores() {
  SmallVector<vector::TransferWriteOp> writes;
  kernel.walk([&](vector::TransferWriteOp write) {
    if (layoutOf(write) == TileLayout::Accumulator &&
        write.getVectorType().getRank() == 2)
      writes.push_back(write);
  });
  for (vector::TransferWriteOp write : writes) {
    VectorType type = write.getVectorType();
    AffineMap map = write.getPermutationMap();
    SmallVector<int64_t> shape = memoryShape(type, map);
    SmallVector<int64_t> bufferShape = shape;
    bufferShape.insert(bufferShape.begin(), 1);
    Value buffer = makeBuffer(0, bufferShape, type.getElementType());
    b.setInsertionPoint(write);
    gpu::BarrierOp::create(b);
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : map.getResults())
      exprs.push_back(
          b.getAffineDimExpr(cast<AffineDimExpr>(expr).getPosition() + 1));
    SmallVector<Value> zeros(shape.size() + 1, index(0));
    auto stored = vector::TransferWriteOp::create(
        b, write.getVector(), buffer, zeros,
        AffineMap::get(zeros.size(), 0, exprs, b.getContext()),
        ArrayRef<bool>(SmallVector<bool>(shape.size(), true)));
    stored->setDiscardableAttr(kLayoutAttrName,
                               write->getDiscardableAttr(kLayoutAttrName));
    gpu::BarrierOp::create(b);
    auto layout = TileLayoutAttr::get(b.getContext(), TileLayout::Copy);
    Value padding =
        arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
    auto loaded = vector::TransferReadOp::create(
        b, VectorType::get(shape, type.getElementType()), buffer, zeros,
        padding, SmallVector<bool>(shape.size(), true));
    loaded->setDiscardableAttr(kLayoutAttrName, layout);
    SmallVector<bool> inBounds(shape.size());
    for (auto [position, expr] : llvm::enumerate(map.getResults()))
      inBounds[cast<AffineDimExpr>(expr).getPosition()] =
          write.isDimInBounds(position);
    auto out = vector::TransferWriteOp::create(
        b, loaded, write.getBase(), write.getIndices(),
        b.getMultiDimIdentityMap(shape.size()), ArrayRef<bool>(inBounds));
    out->setDiscardableAttr(kLayoutAttrName, layout);
    write.erase();
  }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Query and own rows first, the stages of keys and values after them.
void TileStager::makeBuffers() {
  int64_t offset = 0, ownOffset = 0;
  for (vector::TransferReadOp read : queries) {
    queryBuffers.push_back(makeBuffer(offset, read, 1));
    offset += bytesOf(read);
  }
  if (copiesOwnRows())
    for (vector::TransferReadOp read : ownRows) {
      ownBuffers.push_back(makeBuffer(ownOffset, read, 1));
      ownPlaces.push_back(Value());
      ownOffset += bytesOf(read);
    }
  if (plan.getQueryInRegisters())
    offset = std::max(offset, ownOffset);
  for (vector::TransferReadOp read : keys.front()) {
    keyBuffers.push_back(makeBuffer(offset, read, plan.getStages()));
    offset += bytesOf(read) * plan.getStages();
  }
}

/// What has to be there before the loops, and on its way.
void TileStager::stageBeforeLoops() {
  b.setInsertionPoint(loops.front());
  for (auto [read, buffer] : llvm::zip_equal(queries, queryBuffers))
    copy(read, IRMapping(), buffer, index(0));
  commit();
  startStream();
  if (plan.getQueryInRegisters())
    waitFor(plan.getStages() - 1);
  stageQuery();
  if (plan.getQueryInRegisters() && copiesOwnRows()) {
    // All threads have their query: its place is free.
    b.setInsertionPoint(loops.front());
    gpu::BarrierOp::create(b);
    stageOwnRows();
  }
}

/// Tiles of keys have all been waited for where they were used; the query and
/// own rows have not if there was no tile.
void TileStager::stageAfterLoops() {
  b.setInsertionPointAfter(loops.back());
  if (!plan.getQueryInRegisters() && copiesOwnRows()) {
    waitFor(0);
    stageOwnRows();
  }
  if (!plan.getQueryInRegisters() || copiesOwnRows())
    waitFor(0);
}

LogicalResult TileStager::stageLoops() {
  makeBuffers();
  stageBeforeLoops();
  for (unsigned number = 0; number < loops.size(); ++number)
    continueStream(number);
  stageAfterLoops();
  if (ownInStages && failed(findOwnRowsInStages()))
    return failure();
  for (auto [number, loop] : llvm::enumerate(keys))
    for (auto [read, buffer] : llvm::zip_equal(loop, keyBuffers)) {
      b.setInsertionPoint(read);
      readFrom(buffer, loops[number].getRegionIterArgs().back(), read);
    }
  readOwnRows();
  return success();
}

FailureOr<int64_t> TileStager::stage() {
  if (failed(collect()))
    return failure();
  if (!loops.empty() && failed(stageLoops()))
    return failure();
  stageLoneReads();
  stageStores();
  return getSharedBytes();
}

namespace {
struct StageTiles : public xsa::impl::StageTilesBase<StageTiles> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTableCollection symbols;
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      if (kernel->hasAttr(kKernelAttrName))
        kernels.push_back(kernel);
    });
    DenseMap<Operation *, int64_t> bytes;
    for (gpu::GPUFuncOp kernel : kernels) {
      if (failed(verifyLayouts(kernel)))
        return signalPassFailure();
      FailureOr<int64_t> shared = TileStager(kernel).stage();
      if (failed(shared))
        return signalPassFailure();
      bytes[kernel] = *shared;
    }
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernelAttr());
      auto found = bytes.find(kernel);
      if (!kernel || found == bytes.end())
        return;
      OpBuilder builder(launch);
      launch.getDynamicSharedMemorySizeMutable().assign(
          arith::ConstantOp::create(builder, launch.getLoc(),
                                    builder.getI32IntegerAttr(found->second)));
    });
  }
};
} // namespace
