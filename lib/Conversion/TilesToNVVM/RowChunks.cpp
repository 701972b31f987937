//===- RowChunks.cpp - Rows from and to global memory ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chunk exists as a whole or not at all, because it divides the length of a
// row. Loads of chunks that do not exist go to the last one instead, which a
// neighbour loads anyway: without branches, all loads of a thread are on their
// way at the same time.
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
  /// Where the access at element `first` of the chunk begins. With `clamp`, a
  /// chunk that exists stands in for one that does not.
  Value pointer(FragmentIndex index, int64_t first, bool clamp);

private:
  /// Position of the chunk along a dimension of the tile.
  Value position(FragmentIndex index, unsigned dim) {
    return dim == 0 ? shape.row(b, index) : shape.column(b, index);
  }
  bool mayBeMissing(unsigned dim);
  Value limit(unsigned dim) {
    return b.extent(tile, map.getDimPosition(dim), type.getDimSize(dim));
  }

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
  if (map.getDimPosition(1) + 1 == map.getNumDims() && shape.spansColumns())
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
    Value at = position(index, dim), end = limit(dim);
    Value holds = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, end);
    condition = condition ? arith::AndIOp::create(b, condition, holds) : holds;
  }
  return condition;
}

Value ChunkAccess::pointer(FragmentIndex index, int64_t first, bool clamp) {
  SmallVector<Value, 2> positions(2);
  for (unsigned dim : {0, 1}) {
    Value at = position(index, dim);
    if (clamp && mayBeMissing(dim)) {
      int64_t length = dim == 1 ? b.getPlan().getChunk() : 1;
      at = arith::MinSIOp::create(b, at, b.add(limit(dim), -length));
    }
    positions[map.getDimPosition(dim)] = at;
  }
  return b.advance(b.pointer(tile, positions[0], positions[1]), tile,
                   map.getDimPosition(1), first);
}

/// The elements of a vector, or of pairs, or single, one after the other.
static Value elementAt(ThreadBuilder &b, Value value, int64_t position) {
  if (!isa<VectorType>(value.getType()))
    return value;
  return vector::ExtractOp::create(b, value, position);
}

void xsa::buildChunkLoads(ThreadBuilder &b, vector::TransferReadOp op,
                          Fragment &fragment) {
  FragmentShape shape(fragment.type, fragment.layout, b.getPlan());
  ChunkAccess access(b, op.getBase(), op.getIndices(), op.getPermutationMap(),
                     fragment.type, shape);
  int64_t perValue = shape.packed ? 2 : 1;
  for (int64_t number = 0; number < shape.size(); number += shape.sides) {
    FragmentIndex index = shape.at(number);
    Value exists = access.exists(index);
    SmallVector<Value> elements;
    for (int64_t first = 0; first < shape.sides * perValue;
         first += access.width()) {
      Value loaded = LLVM::LoadOp::create(
          b, access.accessType(), access.pointer(index, first, /*clamp=*/true),
          access.bytes());
      for (int64_t element = 0; element < access.width(); ++element) {
        Value value = elementAt(b, loaded, element);
        if (exists)
          value = arith::SelectOp::create(b, exists, value, op.getPadding());
        elements.push_back(value);
      }
    }
    for (ArrayRef<Value> rest = elements; !rest.empty();
         rest = rest.drop_front(perValue)) {
      Value value = rest.front();
      if (shape.packed)
        value = vector::FromElementsOp::create(
            b, cast<VectorType>(shape.valueType()), rest.take_front(2));
      fragment.values.push_back(value);
    }
  }
}

void xsa::buildChunkStores(ThreadBuilder &b, vector::TransferWriteOp op,
                           const Fragment &fragment) {
  FragmentShape shape(fragment.type, fragment.layout, b.getPlan());
  ChunkAccess access(b, op.getBase(), op.getIndices(), op.getPermutationMap(),
                     fragment.type, shape);
  int64_t perValue = shape.packed ? 2 : 1;
  for (int64_t number = 0; number < shape.size(); number += shape.sides) {
    FragmentIndex index = shape.at(number);
    OpBuilder::InsertionGuard guard(b);
    if (Value exists = access.exists(index)) {
      auto guarded = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
      b.setInsertionPointToStart(guarded.thenBlock());
    }
    for (int64_t first = 0; first < shape.sides * perValue;
         first += access.width()) {
      SmallVector<Value> elements;
      for (int64_t element = first; element < first + access.width(); ++element)
        elements.push_back(
            elementAt(b, fragment.values[number + element / perValue],
                      element % perValue));
      Value stored = elements.front();
      if (access.width() > 1)
        stored = vector::FromElementsOp::create(
            b, cast<VectorType>(access.accessType()), elements);
      LLVM::StoreOp::create(b, stored,
                            access.pointer(index, first, /*clamp=*/false),
                            access.bytes());
    }
  }
}
