//===- Copies.cpp - Tiles between global and shared memory ----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chunk is the widest vector that the rows of the global tile are aligned to.
// Of 4 bytes and more it is copied asynchronously; a chunk of 2 bytes goes
// through a register. Copies to shared memory fill up with zeros what a row has
// not, in the middle of a chunk too; chunks that go to global memory divide the
// rows there.
//
//===----------------------------------------------------------------------===//

#include "Copies.h"

#include "KnownDivisor.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace xsa;

namespace {
/// How the chunks of a tile are dealt to the threads.
class Dealer {
public:
  /// Rows end between chunks of at most `mostElements`, or anywhere in one.
  Dealer(ThreadBuilder &b, const GlobalTile &global, const SharedTile &shared,
         int64_t mostElements);

  /// A chunk of a thread: where it is in global and in shared memory, and in
  /// the tile, in rows and chunks beside those of the thread.
  struct Chunk {
    Value global, shared;
    int64_t firstRow, firstColumn;
  };
  void forEachChunk(function_ref<void(const Chunk &)> body);

  int64_t bytes() const { return chunk * global.elementBytes(); }
  /// Whether any of the chunk exists; null: always.
  Value exists(const Chunk &at);
  /// How many of its bytes exist; null: all, always.
  Value existingBytes(const Chunk &at);

private:
  Value sharedPointer(int64_t firstRow, int64_t firstColumn);
  bool coversTile(unsigned dim, int64_t extent) {
    std::optional<int64_t> size = getConstantIntValue(global.sizes[dim]);
    return size && *size >= extent;
  }

  ThreadBuilder &b;
  const GlobalTile &global;
  const SharedTile &shared;
  /// Elements of a chunk; chunks and rows that all threads do in one pass.
  int64_t chunk, columnsPerPass, rowsPerPass;
  /// i32, of the thread in each pass, in chunks and rows.
  Value row, column;
  Value rows, columns;
};
} // namespace

Dealer::Dealer(ThreadBuilder &b, const GlobalTile &global,
               const SharedTile &shared, int64_t mostElements)
    : b(b), global(global), shared(shared) {
  chunk = std::gcd(std::gcd(global.alignment, mostElements),
                   16 / global.elementBytes());
  int64_t perRow = llvm::PowerOf2Ceil(shared.columns / chunk);
  columnsPerPass =
      std::min<int64_t>(perRow, llvm::bit_floor(uint64_t(b.getNumThreads())));
  rowsPerPass = b.getNumThreads() / columnsPerPass;
  column = b.atEntry([&]() -> Value {
    return arith::AndIOp::create(b, b.thread, b.constant(columnsPerPass - 1));
  });
  row = b.atEntry([&]() -> Value {
    return arith::ShRUIOp::create(b, b.thread,
                                  b.constant(llvm::Log2_64(columnsPerPass)));
  });
  if (!coversTile(0, shared.rows))
    rows = b.extent(global, 0, shared.rows);
  if (!coversTile(1, shared.columns))
    columns = b.extent(global, 1, shared.columns);
}

Value Dealer::sharedPointer(int64_t firstRow, int64_t firstColumn) {
  // The exchange repeats every eight rows.
  int64_t repeated = firstRow & ~int64_t(7);
  Value offset = b.atEntry([&] {
    Value at = b.add(row, firstRow - repeated);
    return b.elementOffset(shared, at,
                           b.multiply(b.add(column, firstColumn), chunk));
  });
  return b.pointer(shared, offset, repeated * shared.rowBytes());
}

Value Dealer::exists(const Chunk &at) {
  Value condition;
  auto require = [&](Value position, Value bound) {
    Value holds =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, position, bound);
    condition = condition ? arith::AndIOp::create(b, condition, holds) : holds;
  };
  if (rows)
    require(b.add(row, at.firstRow), rows);
  if (columns)
    require(b.multiply(b.add(column, at.firstColumn), chunk), columns);
  return condition;
}

Value Dealer::existingBytes(const Chunk &at) {
  Value there = exists(at);
  if (!there)
    return Value();
  Value size = b.constant(bytes());
  if (columns && knownDivisor(global.sizes.back()) % chunk != 0) {
    Value first = b.multiply(b.add(column, at.firstColumn), chunk);
    Value rest = b.multiply(arith::SubIOp::create(b, columns, first),
                            global.elementBytes());
    size = arith::MinSIOp::create(b, rest, size);
  }
  return arith::SelectOp::create(b, there, size, b.constant(0));
}

void Dealer::forEachChunk(function_ref<void(const Chunk &)> body) {
  int64_t perRow = shared.columns / chunk;
  Value start = b.pointer(global, row, b.multiply(column, chunk));
  for (int64_t firstRow = 0; firstRow < shared.rows; firstRow += rowsPerPass)
    for (int64_t first = 0; first < perRow; first += columnsPerPass) {
      // Threads beyond the tile have nothing to do.
      Value inside;
      auto require = [&](Value position, int64_t bound) {
        Value holds = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                            position, b.constant(bound));
        inside = inside ? arith::AndIOp::create(b, inside, holds).getResult()
                        : holds;
      };
      if (firstRow + rowsPerPass > shared.rows)
        require(b.add(row, firstRow), shared.rows);
      if (first + columnsPerPass > perRow)
        require(b.add(column, first), perRow);
      OpBuilder::InsertionGuard guard(b);
      if (inside) {
        auto guarded = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
        b.setInsertionPointToStart(guarded.thenBlock());
      }
      Value from = b.advance(b.advance(start, global, 0, firstRow), global, 1,
                             first * chunk);
      body({from, sharedPointer(firstRow, first), firstRow, first});
    }
}

void xsa::buildCopyToShared(ThreadBuilder &b, const GlobalTile &from,
                            const SharedTile &to) {
  // A row that is known to end in a chunk is better copied by smaller ones.
  std::optional<int64_t> columns = getConstantIntValue(from.sizes.back());
  Dealer dealer(b, from, to, columns.value_or(0));
  int64_t bytes = dealer.bytes();
  dealer.forEachChunk([&](const Dealer::Chunk &chunk) {
    if (bytes >= 4) {
      NVVM::CpAsyncOp::create(b, chunk.shared, chunk.global, bytes,
                              bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                                          : NVVM::LoadCacheModifierKind::CA,
                              dealer.existingBytes(chunk));
      return;
    }
    Type type = b.getI16Type();
    auto load = [&]() -> Value {
      return LLVM::LoadOp::create(b, type, chunk.global, 2);
    };
    Value exists = dealer.exists(chunk);
    if (!exists) {
      LLVM::StoreOp::create(b, load(), chunk.shared, 2);
      return;
    }
    auto choice = scf::IfOp::create(b, TypeRange(type), exists,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      scf::YieldOp::create(b, load());
      b.setInsertionPointToStart(choice.elseBlock());
      Value zero = arith::ConstantOp::create(b, b.getI16IntegerAttr(0));
      scf::YieldOp::create(b, zero);
    }
    LLVM::StoreOp::create(b, choice.getResult(0), chunk.shared, 2);
  });
}

void xsa::buildCopyToGlobal(ThreadBuilder &b, const SharedTile &from,
                            const GlobalTile &to) {
  Dealer dealer(b, to, from, knownDivisor(to.sizes.back()));
  int64_t bytes = dealer.bytes();
  Type type = b.getI16Type();
  if (bytes == 4)
    type = b.getI32Type();
  else if (bytes > 4)
    type = VectorType::get(bytes / 4, b.getI32Type());
  dealer.forEachChunk([&](const Dealer::Chunk &chunk) {
    Value value = LLVM::LoadOp::create(b, type, chunk.shared, bytes);
    OpBuilder::InsertionGuard guard(b);
    if (Value exists = dealer.exists(chunk)) {
      auto guarded = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
      b.setInsertionPointToStart(guarded.thenBlock());
    }
    LLVM::StoreOp::create(b, value, chunk.global, bytes);
  });
}
