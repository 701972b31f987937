//===- PairsToAMX.cpp - Contractions in pairs on AMX tiles ----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where four registers hold the right operand's tiles for two tiles of columns,
// they do for all rows, which pass by 16 at a time: two tiles of sums, and the
// left operand's two. Else a block is up to 2 x 2 tiles of sums, with two tiles
// of each operand in the other four registers.
//
// All tiles are 16 rows of 64 bytes: LLVM gives each register one shape in a
// function, and a second shape would not leave eight of the first. So what is
// smaller at an edge passes through a tile in memory that is zero elsewhere.
//
//===----------------------------------------------------------------------===//

#include "ContractionInPairs.h"
#include "xsa/Support/StackScope.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace xsa;

/// Rows of a tile; also the f32 and the pairs of bf16 in one of its rows.
static constexpr int64_t kTileSize = 16;

namespace {
class AMXEmitter : public PairEmitter {
public:
  AMXEmitter(OpBuilder &builder, PairContraction &contraction,
             const CPULoopOptions &options)
      : PairEmitter(builder, contraction, options),
        sumType(
            amx::TileType::get({kTileSize, kTileSize}, builder.getF32Type())),
        pairType(amx::TileType::get({kTileSize, 2 * kTileSize},
                                    builder.getBF16Type())) {}

private:
  ArrayRef<int64_t> getRowSteps() override {
    static constexpr int64_t kSteps[] = {2 * kTileSize, kTileSize};
    return kSteps;
  }
  int64_t getSpeedup() override { return 16; }
  bool takesAllRows() override;
  void emitBlock(const PairBlock &block) override;

  void emitAllRows(const PairBlock &block);
  SmallVector<Value> emitStep(const PairBlock &block, Value numPairs,
                              ValueRange sums);
  Value loadTile(const Factor &factor, unsigned rowDim, int64_t row,
                 int64_t column, Value numRows, Value numElements);
  Value loadSum(int64_t row, int64_t column, const PairBlock &block);
  void storeSum(Value sum, int64_t row, int64_t column, const PairBlock &block);
  Value countElements(Value numPairs);
  Value getStride(const Factor &factor, unsigned dim);
  Value getMemory(amx::TileType type);
  void forEachRow(Value from, Value to, function_ref<void(Value)> body);

  amx::TileType sumType, pairType;
  /// By where it is taken and what it holds.
  llvm::DenseMap<std::pair<Block *, Type>, Value> memory;
};
} // namespace

/// How many elements further the next index of a dimension is.
Value AMXEmitter::getStride(const Factor &factor, unsigned dim) {
  unsigned position = llvm::find(factor.dims, dim) - factor.dims.begin();
  auto type = cast<MemRefType>(factor.buffer.getType());
  int64_t stride = type.getStridesAndOffset().first[position];
  if (ShapedType::isStatic(stride))
    return getConstant(stride);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, factor.buffer);
  return metadata.getStrides()[position];
}

/// Memory for one tile, which holds it just until it is read.
Value AMXEmitter::getMemory(amx::TileType type) {
  OpBuilder head = getStackHead(builder.getInsertionBlock()->getParent());
  Value &tile = memory[{head.getInsertionBlock(), type}];
  if (tile)
    return tile;
  return tile = memref::AllocaOp::create(
             head, loc, MemRefType::get(type.getShape(), type.getElementType()),
             head.getI64IntegerAttr(64));
}

void AMXEmitter::forEachRow(Value from, Value to,
                            function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, loc, from, to, getConstant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// The tile whose rows run along `rowDim`; `numRows` and `numElements` of it
/// exist, all where they are null.
Value AMXEmitter::loadTile(const Factor &factor, unsigned rowDim, int64_t row,
                           int64_t column, Value numRows, Value numElements) {
  amx::TileType type = &factor == &c.result ? sumType : pairType;
  SmallVector<Value> indices = getIndices(factor, row, column);
  if (!numRows && !numElements)
    return amx::TileLoadOp::create(builder, loc, type, factor.buffer, indices,
                                   getStride(factor, rowDim));

  Value tile = getMemory(type);
  int64_t lanes = type.getShape()[1];
  Value size = getConstant(kTileSize), zero = getConstant(0);
  unsigned position = llvm::find(factor.dims, rowDim) - factor.dims.begin();
  // One loop whose masks are empty for rows that do not exist: one that fills
  // these with zero would be a call of memset, which leaves no tile in place.
  forEachRow(zero, size, [&](Value r) {
    SmallVector<Value> source = indices;
    source[position] = arith::AddIOp::create(builder, loc, source[position], r);
    Value count = numElements ? numElements : getConstant(lanes);
    if (numRows) {
      Value exists = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, r, numRows);
      count = arith::SelectOp::create(builder, loc, exists, count, zero);
    }
    storeVector(builder, loc,
                loadVector(builder, loc, factor.buffer, source, lanes,
                           createMask(lanes, count)),
                tile, {r, zero}, nullptr);
  });
  return amx::TileLoadOp::create(builder, loc, type, tile,
                                 ValueRange{zero, zero}, Value());
}

Value AMXEmitter::loadSum(int64_t row, int64_t column, const PairBlock &block) {
  if (c.startsAtZero)
    return amx::TileZeroOp::create(builder, loc, sumType);
  return loadTile(c.result, c.row, row, column, block.numRows,
                  block.numColumns);
}

void AMXEmitter::storeSum(Value sum, int64_t row, int64_t column,
                          const PairBlock &block) {
  SmallVector<Value> indices = getIndices(c.result, row, column);
  if (!block.numRows && !block.numColumns) {
    amx::TileStoreOp::create(builder, loc, c.result.buffer, indices, sum,
                             getStride(c.result, c.row));
    return;
  }
  Value tile = getMemory(sumType);
  Value size = getConstant(kTileSize), zero = getConstant(0);
  amx::TileStoreOp::create(builder, loc, tile, ValueRange{zero, zero}, sum,
                           Value());
  unsigned position = llvm::find(c.result.dims, c.row) - c.result.dims.begin();
  Value mask = createMask(kTileSize, block.numColumns);
  forEachRow(zero, block.numRows ? block.numRows : size, [&](Value r) {
    SmallVector<Value> target = indices;
    target[position] = arith::AddIOp::create(builder, loc, target[position], r);
    storeVector(builder, loc,
                loadVector(builder, loc, tile, {r, zero}, kTileSize, nullptr),
                c.result.buffer, target, mask);
  });
}

/// The elements of so many pairs; all, where that is null.
Value AMXEmitter::countElements(Value numPairs) {
  if (!numPairs)
    return nullptr;
  return arith::MulIOp::create(builder, loc, numPairs, getConstant(2));
}

/// Sixteen pairs, or as many as `numPairs` says, at where the pairs stand. Each
/// tile is brought in where it is first multiplied: what comes before need not
/// wait for it.
SmallVector<Value> AMXEmitter::emitStep(const PairBlock &block, Value numPairs,
                                        ValueRange sums) {
  SmallVector<Value> rhs, next;
  for (int64_t i = 0; i < block.rows; i += kTileSize) {
    Value a =
        loadTile(c.lhs, c.row, i, 0, block.numRows, countElements(numPairs));
    for (int64_t j = 0; j < block.columns; j += kTileSize) {
      if (i == 0)
        rhs.push_back(loadTile(c.rhs, c.pair, 0, j, numPairs,
                               countElements(block.numColumns)));
      next.push_back(amx::TileMulFOp::create(
          builder, loc, sumType, a, rhs[j / kTileSize], sums[next.size()]));
    }
  }
  return next;
}

/// Whether two tiles of columns take at most four tiles of the right operand.
bool AMXEmitter::takesAllRows() {
  std::optional<int64_t> numPairs = getStaticTripCount(c.ranges[c.pair]);
  return numPairs && *numPairs <= 2 * kTileSize &&
         getConstantIntValue(c.ranges[c.pair].lower);
}

void AMXEmitter::emitAllRows(const PairBlock &block) {
  struct Step {
    Value pair, numPairs;
    SmallVector<Value> rhs;
  };
  SmallVector<Step> steps;
  int64_t first = *getConstantIntValue(c.ranges[c.pair].lower);
  int64_t numPairs = *getStaticTripCount(c.ranges[c.pair]);
  for (int64_t at = 0; at < numPairs; at += kTileSize) {
    Step &step = steps.emplace_back();
    step.pair = ivs[c.pair] = getConstant(first + at);
    if (numPairs - at < kTileSize)
      step.numPairs = getConstant(numPairs - at);
    for (int64_t j = 0; j < block.columns; j += kTileSize)
      step.rhs.push_back(loadTile(c.rhs, c.pair, 0, j, step.numPairs,
                                  countElements(block.numColumns)));
  }

  for (auto [part, isEdge] :
       splitRange(builder, loc, c.ranges[c.row], {kTileSize}, kTileSize)) {
    auto bound = [&](OpFoldResult value) {
      return getValueOrCreateConstantIndexOp(builder, loc, value);
    };
    auto loop = scf::ForOp::create(builder, loc, bound(part.lower),
                                   bound(part.upper), getConstant(part.step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ivs[c.row] = loop.getInductionVar();
    PairBlock rows = block;
    if (isEdge)
      rows.numRows = countRest(c.row);
    SmallVector<Value> sums;
    for (int64_t j = 0; j < block.columns; j += kTileSize)
      sums.push_back(loadSum(0, j, rows));
    for (const Step &step : steps) {
      ivs[c.pair] = step.pair;
      Value lhs = loadTile(c.lhs, c.row, 0, 0, rows.numRows,
                           countElements(step.numPairs));
      for (auto [sum, rhs] : llvm::zip_equal(sums, step.rhs))
        sum = amx::TileMulFOp::create(builder, loc, sumType, lhs, rhs, sum);
    }
    for (auto [j, sum] : llvm::enumerate(sums))
      storeSum(sum, 0, j * kTileSize, rows);
  }
}

void AMXEmitter::emitBlock(const PairBlock &block) {
  if (!block.rows)
    return emitAllRows(block);
  SmallVector<Value> sums;
  for (int64_t i = 0; i < block.rows; i += kTileSize)
    for (int64_t j = 0; j < block.columns; j += kTileSize)
      sums.push_back(loadSum(i, j, block));

  const LoopDim &pairs = c.ranges[c.pair];
  for (auto [part, isEdge] :
       splitRange(builder, loc, pairs, {kTileSize}, kTileSize)) {
    auto bound = [&](OpFoldResult value) {
      return getValueOrCreateConstantIndexOp(builder, loc, value);
    };
    auto loop =
        scf::ForOp::create(builder, loc, bound(part.lower), bound(part.upper),
                           bound(builder.getIndexAttr(part.step)), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ivs[c.pair] = loop.getInductionVar();
    Value numPairs;
    if (isEdge)
      numPairs = arith::SubIOp::create(builder, loc, bound(pairs.upper),
                                       loop.getInductionVar());
    scf::YieldOp::create(builder, loc,
                         emitStep(block, numPairs, loop.getRegionIterArgs()));
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  }

  auto sum = sums.begin();
  for (int64_t i = 0; i < block.rows; i += kTileSize)
    for (int64_t j = 0; j < block.columns; j += kTileSize)
      storeSum(*sum++, i, j, block);
}

std::unique_ptr<PairEmitter>
xsa::createAMXEmitter(OpBuilder &builder, PairContraction &contraction,
                      const CPULoopOptions &options) {
  return std::make_unique<AMXEmitter>(builder, contraction, options);
}
