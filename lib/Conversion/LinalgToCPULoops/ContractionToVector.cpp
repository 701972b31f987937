//===- ContractionToVector.cpp - Register tiles for contractions ----------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `out(p) += cast(lhs(p, r)) * cast(rhs(p, r))` with a tile of the result held
// in vector registers while the reduction runs. Two tiles are known:
//
// - along the result: rows x vectors, `acc[i][j] += broadcast(a[i]) * b[j]`,
//   where the innermost dimension of the result is innermost in the operand
//   that has it;
// - along the reduction: rows x columns of partial sums,
//   `acc[i][j] += a[i] * b[j]`, where the innermost reduction dimension is
//   innermost in both operands.
//
// Written as vectors in the loops at once, instead of by upstream's tiling and
// vectorisation, the result provably stays in registers, on any layout.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace xsa;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {
/// The tile: `rows` of dimension `rowDim` (if there is one) by `columns`, which
/// are whole vectors of dimension `vectorDim` in a tile along the result, and
/// single elements of `columnDim` in a tile along the reduction.
struct TileShape {
  bool alongReduction = false;
  unsigned vectorDim = 0;
  std::optional<unsigned> rowDim, columnDim;
  int64_t lanes = 1, rows = 1, columns = 1;
};

/// Emits the loops and tiles of one contraction.
class TileEmitter {
public:
  TileEmitter(OpBuilder &builder, Contraction &contraction,
              const CPULoopOptions &options)
      : builder(builder), c(contraction), options(options),
        loc(contraction.op.getLoc()) {}

  bool chooseTile();
  void emit();

private:
  bool chooseTileAlongResult();
  bool chooseTileAlongReduction();
  int64_t chooseLanes(std::optional<int64_t> size);
  void chooseRegisters(std::optional<unsigned> rowDim,
                       std::optional<unsigned> columnDim, int64_t columnStep);
  std::optional<int64_t> getSize(unsigned dim) {
    return getStaticTripCount(c.ranges[dim]);
  }

  void emitPart(LoopDim rows, LoopDim columns, bool masked);
  void emitTile(int64_t rows, int64_t columns, Value mask);
  SmallVector<Value> emitReduction(unsigned position, int64_t rows,
                                   int64_t columns, Value mask,
                                   ValueRange sums);
  SmallVector<Value> emitReductionVectors(int64_t rows, int64_t columns,
                                          ValueRange sums);
  SmallVector<Value> emitProducts(int64_t rows, int64_t columns, Value mask,
                                  ValueRange sums);
  Value loadFactor(Factor &factor, int64_t row, int64_t column, Value mask);
  Value loadResult(int64_t row, int64_t column, Value mask);
  void storeResult(int64_t row, int64_t column, Value mask, Value value);
  SmallVector<Value> getIndices(Factor &factor, int64_t row, int64_t column);
  Value multiplyAdd(Value a, Value b, Value sum);
  Value castToSum(Value value);

  OpBuilder &builder;
  Contraction &c;
  const CPULoopOptions &options;
  Location loc;

  TileShape tile;
  Type sumType;
  /// Where each dimension stands at the tile at hand.
  SmallVector<Value> ivs;
};
} // namespace

static Type getSumType(Type type) {
  // A sum in half precision would lose what the products still have.
  if (auto floatType = dyn_cast<FloatType>(type);
      floatType && floatType.getWidth() < 32)
    return Float32Type::get(type.getContext());
  return type;
}

/// As many lanes as a register has, fewer for a dimension that is shorter.
int64_t TileEmitter::chooseLanes(std::optional<int64_t> size) {
  int64_t lanes = std::max<int64_t>(1, options.vectorBits /
                                           sumType.getIntOrFloatBitWidth());
  if (size)
    lanes = std::min<int64_t>(lanes,
                              llvm::PowerOf2Ceil(std::max<int64_t>(*size, 1)));
  return lanes;
}

/// The largest number of steps up to `limit` that `size` is a multiple of; if
/// that is less than half of it, `limit` itself and a remainder.
static int64_t chooseCount(std::optional<int64_t> size, int64_t step,
                           int64_t limit) {
  if (!size)
    return limit;
  int64_t steps = llvm::divideCeil(std::max<int64_t>(*size, 1), step);
  if (steps <= limit)
    return steps;
  for (int64_t count = limit; 2 * count >= limit && count > 1; --count)
    if (*size % (count * step) == 0)
      return count;
  return limit;
}

/// Divides the vector registers (16 with AVX2, 32 with AVX-512) between the
/// sums and what is loaded for them.
void TileEmitter::chooseRegisters(std::optional<unsigned> rowDim,
                                  std::optional<unsigned> columnDim,
                                  int64_t columnStep) {
  bool wide = options.vectorBits >= 512;
  tile.rowDim = rowDim;
  tile.columnDim = columnDim;
  int64_t maxSums = wide ? 16 : 8;
  int64_t maxColumns = wide ? 4 : 2;
  if (columnDim)
    tile.columns = chooseCount(getSize(*columnDim), columnStep, maxColumns);
  if (rowDim)
    tile.rows = chooseCount(getSize(*rowDim), 1,
                            std::min<int64_t>(8, maxSums / tile.columns));
}

/// Along the result's innermost dimension `n`.
bool TileEmitter::chooseTileAlongResult() {
  if (c.result.dims.empty() || !c.result.dims.back())
    return false;
  unsigned n = *c.result.dims.back();
  if (!c.result.isContiguousAlong(n))
    return false;
  if (std::optional<int64_t> size = getSize(n); size && *size < 4)
    return false;
  bool anyVector = false;
  for (Factor &factor : c.factors) {
    if (factor.has(n) && !factor.isContiguousAlong(n))
      return false;
    anyVector |= factor.has(n);
  }
  if (!anyVector)
    return false;
  tile.vectorDim = n;
  tile.lanes = chooseLanes(getSize(n));
  // Rows share the vectors loaded from the operand that does not have them.
  std::optional<unsigned> rowDim;
  for (unsigned dim : c.parallel)
    if (dim != n && c.factors[0].has(dim) != c.factors[1].has(dim) &&
        (!rowDim || !getSize(dim) || *getSize(dim) > 1))
      rowDim = dim;
  chooseRegisters(rowDim, n, tile.lanes);
  return true;
}

/// Along the innermost reduction dimension.
bool TileEmitter::chooseTileAlongReduction() {
  std::optional<unsigned> k;
  for (unsigned dim : c.reductions)
    if (llvm::all_of(c.factors, [&](Factor &factor) {
          return factor.isContiguousAlong(dim);
        }))
      k = dim;
  if (!k)
    return false;
  if (std::optional<int64_t> size = getSize(*k); size && *size < 4)
    return false;
  tile.alongReduction = true;
  tile.vectorDim = *k;
  tile.lanes = chooseLanes(getSize(*k));
  std::optional<unsigned> owned[2];
  for (unsigned dim : c.parallel)
    for (unsigned f : {0, 1})
      if (c.factors[f].has(dim) && !c.factors[1 - f].has(dim))
        owned[f] = dim;
  chooseRegisters(owned[0], owned[1], 1);
  return true;
}

bool TileEmitter::chooseTile() {
  sumType = getSumType(getElementTypeOrSelf(c.result.buffer.getType()));
  return chooseTileAlongResult() || chooseTileAlongReduction();
}

//===----------------------------------------------------------------------===//
// Loops around the tiles
//===----------------------------------------------------------------------===//

void TileEmitter::emit() {
  ivs.resize(c.ranges.size());
  LoopDim one{builder.getIndexAttr(0), builder.getIndexAttr(1), 1};
  LoopDim columnRange = tile.columnDim ? c.ranges[*tile.columnDim] : one;
  LoopDim rowRange = tile.rowDim ? c.ranges[*tile.rowDim] : one;
  // Columns: whole tiles, then single vectors that are masked if need be.
  int64_t columnStep = tile.alongReduction ? 1 : tile.lanes;
  std::optional<int64_t> numColumns = getConstantIntValue(columnRange.upper);
  bool isMultiple = numColumns && *numColumns % columnStep == 0;
  for (RangePart columns : splitRange(builder, loc, columnRange,
                                      {tile.columns * columnStep}, columnStep))
    for (RangePart rows : splitRange(builder, loc, rowRange, {tile.rows}, 1))
      emitPart(rows.range, columns.range,
               columns.isRest && !isMultiple && !tile.alongReduction);
}

/// The loops over all parallel dimensions with the given parts of rows and
/// columns. Rows vary fastest, so that the columns' vectors stay in the cache.
void TileEmitter::emitPart(LoopDim rows, LoopDim columns, bool masked) {
  SmallVector<LoopDim> dims;
  SmallVector<std::optional<unsigned>> which;
  for (unsigned dim : c.parallel)
    if (dim != tile.rowDim && dim != tile.columnDim) {
      dims.push_back(c.ranges[dim]);
      which.push_back(dim);
    }
  dims.append({columns, rows});
  which.append({tile.columnDim, tile.rowDim});

  int64_t columnStep = tile.alongReduction ? 1 : tile.lanes;
  int64_t numRows = rows.step;
  int64_t numColumns = std::max<int64_t>(1, columns.step / columnStep);
  int64_t work = numRows * numColumns * columnStep;
  for (unsigned dim : c.reductions)
    work *= std::max<int64_t>(getSize(dim).value_or(64), 1);

  buildLoopNest(builder, c.op, dims, work, options,
                [&](OpBuilder &inner, ValueRange loopIvs) {
                  OpBuilder::InsertionGuard guard(builder);
                  builder.restoreInsertionPoint(inner.saveInsertionPoint());
                  for (auto [dim, iv] : llvm::zip_equal(which, loopIvs))
                    if (dim)
                      ivs[*dim] = iv;
                  Value mask;
                  if (masked) {
                    Value size = getValueOrCreateConstantIndexOp(
                        builder, loc, c.ranges[tile.vectorDim].upper);
                    Value rest = arith::SubIOp::create(builder, loc, size,
                                                       ivs[tile.vectorDim]);
                    mask = vector::CreateMaskOp::create(
                        builder, loc,
                        VectorType::get(tile.lanes, builder.getI1Type()), rest);
                  }
                  emitTile(numRows, numColumns, mask);
                });
}

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

SmallVector<Value> TileEmitter::getIndices(Factor &factor, int64_t row,
                                           int64_t column) {
  SmallVector<Value> indices;
  for (std::optional<unsigned> dim : factor.dims) {
    if (!dim) {
      indices.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
      continue;
    }
    int64_t offset = 0;
    if (dim == tile.rowDim)
      offset = row;
    else if (dim == tile.columnDim)
      offset = column * (tile.alongReduction ? 1 : tile.lanes);
    Value index = ivs[*dim];
    if (offset)
      index = arith::AddIOp::create(
          builder, loc, index,
          arith::ConstantIndexOp::create(builder, loc, offset));
    indices.push_back(index);
  }
  return indices;
}

/// A factor at a row or column of the tile: cast, and a vector in any case.
Value TileEmitter::loadFactor(Factor &factor, int64_t row, int64_t column,
                              Value mask) {
  SmallVector<Value> indices = getIndices(factor, row, column);
  bool isVector = factor.has(tile.vectorDim);
  Value value =
      isVector
          ? loadVector(builder, loc, factor.buffer, indices, tile.lanes, mask)
          : memref::LoadOp::create(builder, loc, factor.buffer, indices);
  auto castType = [&](Type element) -> Type {
    return isVector ? Type(VectorType::get(tile.lanes, element)) : element;
  };
  for (Operation *cast : factor.casts) {
    OperationState state(loc, cast->getName(), value,
                         castType(cast->getResult(0).getType()),
                         cast->getAttrs());
    value = builder.create(state)->getResult(0);
  }
  if (getElementTypeOrSelf(value.getType()) != sumType)
    value = arith::ExtFOp::create(builder, loc, castType(sumType), value);
  if (!isVector)
    value = vector::BroadcastOp::create(
        builder, loc, VectorType::get(tile.lanes, sumType), value);
  return value;
}

Value TileEmitter::multiplyAdd(Value a, Value b, Value sum) {
  if (isa<FloatType>(sumType))
    return vector::FMAOp::create(builder, loc, a, b, sum);
  Value product = arith::MulIOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, sum, product);
}

/// One step of the reduction for all sums of the tile.
SmallVector<Value> TileEmitter::emitProducts(int64_t rows, int64_t columns,
                                             Value mask, ValueRange sums) {
  SmallVector<Value> next;
  // What does not depend on the row is loaded once, likewise for columns.
  SmallVector<Value> byRow[2], byColumn[2];
  for (unsigned f : {0, 1}) {
    Factor &factor = c.factors[f];
    bool hasRow = tile.rowDim && factor.has(*tile.rowDim);
    bool hasColumn = tile.columnDim && factor.has(*tile.columnDim);
    if (hasRow && hasColumn)
      continue;
    if (hasRow)
      for (int64_t i = 0; i < rows; ++i)
        byRow[f].push_back(loadFactor(factor, i, 0, mask));
    else
      for (int64_t j = 0; j < (hasColumn ? columns : 1); ++j)
        byColumn[f].push_back(loadFactor(factor, 0, j, mask));
  }
  auto get = [&](unsigned f, int64_t i, int64_t j) {
    if (!byRow[f].empty())
      return byRow[f][i];
    if (!byColumn[f].empty())
      return byColumn[f][byColumn[f].size() == 1 ? 0 : j];
    return loadFactor(c.factors[f], i, j, mask);
  };
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      next.push_back(
          multiplyAdd(get(0, i, j), get(1, i, j), sums[i * columns + j]));
  return next;
}

/// Loops over the reduction dimensions from `position` on; the vector
/// dimension of a tile along the reduction comes last and in vectors.
SmallVector<Value> TileEmitter::emitReduction(unsigned position, int64_t rows,
                                              int64_t columns, Value mask,
                                              ValueRange sums) {
  SmallVector<unsigned> dims = c.reductions;
  if (tile.alongReduction)
    llvm::erase(dims, tile.vectorDim);
  if (position == dims.size())
    return tile.alongReduction ? emitReductionVectors(rows, columns, sums)
                               : emitProducts(rows, columns, mask, sums);
  LoopDim range = c.ranges[dims[position]];
  auto loop = scf::ForOp::create(
      builder, loc, getValueOrCreateConstantIndexOp(builder, loc, range.lower),
      getValueOrCreateConstantIndexOp(builder, loc, range.upper),
      arith::ConstantIndexOp::create(builder, loc, 1), sums);
  ivs[dims[position]] = loop.getInductionVar();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next = emitReduction(position + 1, rows, columns, mask,
                                          loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return loop.getResults();
}

/// Whole vectors along the reduction, then a masked one for the rest: lanes
/// that are masked off contribute 0 * 0.
SmallVector<Value> TileEmitter::emitReductionVectors(int64_t rows,
                                                     int64_t columns,
                                                     ValueRange sums) {
  LoopDim range = c.ranges[tile.vectorDim];
  SmallVector<Value> current(sums);
  for (auto [part, isRest] :
       splitRange(builder, loc, range, {tile.lanes}, tile.lanes)) {
    auto loop = scf::ForOp::create(
        builder, loc, getValueOrCreateConstantIndexOp(builder, loc, part.lower),
        getValueOrCreateConstantIndexOp(builder, loc, part.upper),
        arith::ConstantIndexOp::create(builder, loc, tile.lanes), current);
    ivs[tile.vectorDim] = loop.getInductionVar();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value mask;
    if (isRest) {
      Value upper = getValueOrCreateConstantIndexOp(builder, loc, range.upper);
      Value rest =
          arith::SubIOp::create(builder, loc, upper, loop.getInductionVar());
      mask = vector::CreateMaskOp::create(
          builder, loc, VectorType::get(tile.lanes, builder.getI1Type()), rest);
    }
    SmallVector<Value> next =
        emitProducts(rows, columns, mask, loop.getRegionIterArgs());
    scf::YieldOp::create(builder, loc, next);
    current.assign(loop.getResults().begin(), loop.getResults().end());
  }
  return current;
}

Value TileEmitter::castToSum(Value value) {
  if (getElementTypeOrSelf(value.getType()) == sumType)
    return value;
  Type type = sumType;
  if (auto vectorType = dyn_cast<VectorType>(value.getType()))
    type = vectorType.clone(sumType);
  return arith::ExtFOp::create(builder, loc, type, value);
}

Value TileEmitter::loadResult(int64_t row, int64_t column, Value mask) {
  SmallVector<Value> indices = getIndices(c.result, row, column);
  if (tile.alongReduction)
    return castToSum(
        memref::LoadOp::create(builder, loc, c.result.buffer, indices));
  return castToSum(
      loadVector(builder, loc, c.result.buffer, indices, tile.lanes, mask));
}

void TileEmitter::storeResult(int64_t row, int64_t column, Value mask,
                              Value value) {
  SmallVector<Value> indices = getIndices(c.result, row, column);
  Type element = getElementTypeOrSelf(c.result.buffer.getType());
  if (element != sumType) {
    Type type = element;
    if (auto vectorType = dyn_cast<VectorType>(value.getType()))
      type = vectorType.clone(element);
    value = arith::TruncFOp::create(builder, loc, type, value);
  }
  if (tile.alongReduction)
    memref::StoreOp::create(builder, loc, value, c.result.buffer, indices);
  else
    storeVector(builder, loc, value, c.result.buffer, indices, mask);
}

void TileEmitter::emitTile(int64_t rows, int64_t columns, Value mask) {
  auto sumVector = VectorType::get(tile.lanes, sumType);
  SmallVector<Value> sums;
  Value zero = arith::ConstantOp::create(builder, loc, sumVector,
                                         builder.getZeroAttr(sumVector));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      sums.push_back(tile.alongReduction ? zero : loadResult(i, j, mask));

  sums = emitReduction(0, rows, columns, mask, sums);

  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      Value sum = sums[i * columns + j];
      if (tile.alongReduction) {
        auto flags = isa<FloatType>(sumType) ? arith::FastMathFlags::reassoc
                                             : arith::FastMathFlags::none;
        sum = vector::ReductionOp::create(
            builder, loc, vector::CombiningKind::ADD, sum, flags);
        Value before = loadResult(i, j, mask);
        sum =
            isa<FloatType>(sumType)
                ? arith::AddFOp::create(builder, loc, before, sum).getResult()
                : arith::AddIOp::create(builder, loc, before, sum).getResult();
      }
      storeResult(i, j, mask, sum);
    }
}

bool xsa::emitContractionTiles(OpBuilder &builder, LinalgOp op,
                               const CPULoopOptions &options) {
  FailureOr<Contraction> contraction = readContraction(builder, op);
  if (failed(contraction))
    return false;
  TileEmitter emitter(builder, *contraction, options);
  if (!emitter.chooseTile())
    return false;
  emitter.emit();
  return true;
}
