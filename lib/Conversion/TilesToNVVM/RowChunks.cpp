//===- RowChunks.cpp - Rows from and to global memory ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chunk exists as a whole or not at all, because it divides the length of a
// row. One that does not is not loaded. The assembler makes a predicate of such
// a condition, not a branch, so all loads of a thread are still on their way at
// the same time.
//
//===----------------------------------------------------------------------===//

#include "RowChunks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace xsa;

namespace {
/// The chunks that a thread has of a tile, as places in memory.
class ChunkAccess {
public:
  ChunkAccess(ThreadBuilder &b, Value buffer, ValueRange indices, AffineMap map,
              VectorType type, const FragmentShape &shape);

  /// Elements of one access; it divides a chunk.
  int64_t width() const { return elements; }
  int64_t bytes() const { return elements * tile.elementBytes(); }
  Type accessType() const {
    return elements == 1 ? tile.elementType
                         : VectorType::get(elements, tile.elementType);
  }

  /// Whether the chunk at `index` exists; null if it does for every thread.
  Value exists(FragmentIndex index);
  /// Where the access at element `first` of the chunk begins.
  Value pointer(FragmentIndex index, int64_t first);

private:
  /// Position of the chunk along a dimension of the tile.
  Value position(FragmentIndex index, unsigned dim) {
    return dim == 0 ? shape.row(b, index) : shape.column(b, index);
  }
  bool mayBeMissing(unsigned dim);

  ThreadBuilder &b;
  AffineMap map;
  VectorType type;
  const FragmentShape &shape;
  GlobalTile tile;
  int64_t elements = 1;
};
} // namespace

ChunkAccess::ChunkAccess(ThreadBuilder &b, Value buffer, ValueRange indices,
                         AffineMap map, VectorType type,
                         const FragmentShape &shape)
    : b(b), map(map), type(type), shape(shape),
      tile(b.globalTile(buffer, indices)) {
  // Elements of a chunk are neighbours where columns come last in memory.
  if (map.getDimPosition(1) + 1 == map.getNumDims() && shape.packed)
    elements = std::gcd(std::gcd(b.getPlan().getChunk(), tile.alignment),
                        16 / tile.elementBytes());
}

/// Whether memory ends before the threads do.
bool ChunkAccess::mayBeMissing(unsigned dim) {
  int64_t covered = type.getDimSize(dim);
  if (dim == 1 && shape.spansColumns())
    covered = shape.columnBlocks * b.getPlan().getRowThreads() *
              b.getPlan().getChunk();
  std::optional<int64_t> size =
      getConstantIntValue(tile.sizes[map.getDimPosition(dim)]);
  return !size || *size < covered;
}

Value ChunkAccess::exists(FragmentIndex index) {
  Value condition;
  for (unsigned dim : {0, 1}) {
    if (!mayBeMissing(dim))
      continue;
    Value at = position(index, dim);
    Value end = b.extent(tile, map.getDimPosition(dim), type.getDimSize(dim));
    Value holds = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, end);
    condition = condition ? arith::AndIOp::create(b, condition, holds) : holds;
  }
  return condition;
}

Value ChunkAccess::pointer(FragmentIndex index, int64_t first) {
  SmallVector<Value, 2> positions(2);
  for (unsigned dim : {0, 1})
    positions[map.getDimPosition(dim)] = position(index, dim);
  return b.advance(b.pointer(tile, positions[0], positions[1]), tile,
                   map.getDimPosition(1), first);
}

/// Elements `first` and on of a chunk, as many as an access has.
static Value takePart(ThreadBuilder &b, Value chunk, int64_t first,
                      const ChunkAccess &access) {
  if (access.width() == b.getPlan().getChunk())
    return chunk;
  if (access.width() == 1)
    return vector::ExtractOp::create(b, chunk, first);
  return vector::ExtractStridedSliceOp::create(
      b, chunk, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{access.width()},
      ArrayRef<int64_t>{1});
}

/// The chunk with `part` in place of its elements `first` and on.
static Value putPart(ThreadBuilder &b, Value part, Value chunk, int64_t first,
                     const ChunkAccess &access) {
  if (access.width() == b.getPlan().getChunk())
    return part;
  if (access.width() == 1)
    return vector::InsertOp::create(b, part, chunk, first);
  return vector::InsertStridedSliceOp::create(
      b, part, chunk, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{1});
}

void xsa::buildChunkLoads(ThreadBuilder &b, vector::TransferReadOp op,
                          Fragment &fragment) {
  FragmentShape shape(fragment.type, fragment.layout, b.getPlan());
  ChunkAccess access(b, op.getBase(), op.getIndices(), op.getPermutationMap(),
                     fragment.type, shape);
  Value padding = op.getPadding();
  if (shape.packed)
    padding = vector::BroadcastOp::create(b, shape.valueType(), padding);
  auto load = [&](FragmentIndex index) {
    Value chunk = padding;
    for (int64_t first = 0; first < shape.width; first += access.width()) {
      Value part = LLVM::LoadOp::create(
          b, access.accessType(), access.pointer(index, first), access.bytes());
      chunk = putPart(b, part, chunk, first, access);
    }
    return chunk;
  };
  for (int64_t number = 0; number < shape.size(); ++number) {
    FragmentIndex index = shape.at(number);
    Value exists = access.exists(index);
    if (!exists) {
      fragment.values.push_back(load(index));
      continue;
    }
    auto guarded = scf::IfOp::create(b, padding.getType(), exists,
                                     /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    scf::YieldOp::create(b, load(index));
    b.setInsertionPointToStart(guarded.elseBlock());
    scf::YieldOp::create(b, padding);
    fragment.values.push_back(guarded.getResult(0));
  }
}

void xsa::buildChunkStores(ThreadBuilder &b, vector::TransferWriteOp op,
                           const Fragment &fragment) {
  FragmentShape shape(fragment.type, fragment.layout, b.getPlan());
  ChunkAccess access(b, op.getBase(), op.getIndices(), op.getPermutationMap(),
                     fragment.type, shape);
  for (int64_t number = 0; number < shape.size(); ++number) {
    FragmentIndex index = shape.at(number);
    OpBuilder::InsertionGuard guard(b);
    if (Value exists = access.exists(index)) {
      auto guarded = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
      b.setInsertionPointToStart(guarded.thenBlock());
    }
    for (int64_t first = 0; first < shape.width; first += access.width()) {
      Value part = takePart(b, fragment.values[number], first, access);
      LLVM::StoreOp::create(b, part, access.pointer(index, first),
                            access.bytes());
    }
  }
}
