//===- ThreadBuilder.h - Code of one thread ---------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that everything in a kernel's code starts from: which thread this
// is, where it stands in an accumulator, and addresses in shared memory, which
// are formed once, in 32 bits, at the entry of the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_THREADBUILDER_H
#define XSA_LIB_CONVERSION_TILESTONVVM_THREADBUILDER_H

#include "xsa/Conversion/TilesToNVVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>
#include <tuple>

namespace xsa {

/// Positions and extents stay below this; sums of two of them are still i32.
inline constexpr int64_t kMaxPosition = int64_t(1) << 30;

/// One stage of a tile in shared memory: rows of 16-byte chunks, in which the
/// chunk of a column is exchanged with another by the row, so that the same
/// column of eight rows lies in eight different banks.
struct SharedTile {
  mlir::Value base;
  /// Bytes from `base`: a constant, and where there are stages, an i32.
  int64_t offset = 0;
  mlir::Value stageOffset;
  int64_t rows = 0, columns = 0;
  mlir::Type elementType;

  int64_t elementBytes() const {
    return elementType.getIntOrFloatBitWidth() / 8;
  }
  int64_t rowBytes() const { return columns * elementBytes(); }
  /// Chunks within this (a power of two) are exchanged.
  int64_t swizzleSpan() const;
  /// So many rows in succession have the same exchange.
  int64_t swizzleRows() const { return 8 / swizzleSpan(); }
};

/// A position along a dimension of a tile: what depends on the thread (i32, at
/// the entry of the kernel, or null) and a constant that is added to it. Their
/// bits are apart: the constant has none of `threadBits`.
struct Position {
  mlir::Value thread;
  int64_t threadBits = 0;
  int64_t constant = 0;
};

/// A tile in global memory: a pointer, extents and strides in elements.
struct GlobalTile {
  mlir::Value base;
  llvm::SmallVector<mlir::OpFoldResult> sizes, strides;
  mlir::Type elementType;
  /// Every row starts at a multiple of so many elements.
  int64_t alignment = 1;

  /// In memory: an i1 has a byte, an index eight.
  int64_t elementBytes() const {
    return elementType.isIndex()
               ? 8
               : llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
  }
};

class ThreadBuilder : public mlir::ImplicitLocOpBuilder {
public:
  ThreadBuilder(mlir::gpu::GPUFuncOp kernel);

  mlir::gpu::GPUFuncOp getKernel() { return kernel; }
  KernelAttr getPlan() { return plan; }
  int64_t getNumThreads() { return plan.getWarps() * 32; }

  // All i32, at the entry of the kernel.
  mlir::Value thread, warp, lane;
  /// Row of the lane among those that a warp has side by side, and its place
  /// among the lanes of the row: of 8 rows, and of 4 pairs of columns, in an
  /// accumulator.
  mlir::Value laneRow, lanePair;
  /// The thread's first row of a tile in which each warp has so many, and its
  /// first column of an accumulator.
  mlir::Value firstRow(int64_t rowsPerWarp);
  mlir::Value firstColumn();

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantOp::create(*this, getI32IntegerAttr(value));
  }
  mlir::Value constantIndex(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(*this, value);
  }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, int64_t rhs);
  mlir::Value multiply(mlir::Value lhs, int64_t rhs);
  /// An index, kept within what positions and extents can be, as i32.
  mlir::Value narrow(mlir::Value index);

  /// Runs `build` at the entry of the kernel, so that its values can be used
  /// everywhere.
  template <typename Fn> mlir::Value atEntry(Fn &&build) {
    mlir::OpBuilder::InsertionGuard guard(*this);
    setInsertionPoint(entryEnd);
    return build();
  }

  // Shared memory.
  SharedTile sharedTile(mlir::Value buffer, mlir::ValueRange indices);
  /// Bytes of an element from the start of its tile, exchange included.
  mlir::Value elementOffset(const SharedTile &tile, mlir::Value row,
                            mlir::Value column);
  /// A pointer to an element of a stage. Elements whose exchange is the same
  /// share what is computed of the thread; the rest is an immediate.
  mlir::Value pointer(const SharedTile &tile, Position row, Position column);
  /// A pointer `bytes` (an i32, or null) and `constantBytes` into a stage.
  mlir::Value pointer(const SharedTile &tile, mlir::Value bytes,
                      int64_t constantBytes);
  /// Of the lane's row in a block of 16 x 16 elements (2 bytes each) that is
  /// loaded as four matrices; bit `rowBit` of the matrix number chooses the
  /// lower or upper eight rows, the other bit the chunk. `chunk` is that of the
  /// block, within the exchanged span.
  mlir::Value matrixOffset(const SharedTile &tile, unsigned rowBit,
                           int64_t chunk);

  // Global memory.
  GlobalTile globalTile(mlir::Value buffer, mlir::ValueRange indices);
  mlir::Value pointer(const GlobalTile &tile, mlir::Value row,
                      mlir::Value column);
  mlir::Value advance(mlir::Value pointer, const GlobalTile &tile, unsigned dim,
                      int64_t count);
  /// How much of a dimension exists, at most `limit`, as i32.
  mlir::Value extent(const GlobalTile &tile, unsigned dim, int64_t limit);

private:
  mlir::gpu::GPUFuncOp kernel;
  KernelAttr plan;
  mlir::Operation *entryEnd;
  std::map<int64_t, mlir::Value> firstRows;
  mlir::Value pairColumn;
  std::map<std::tuple<int64_t, int64_t, unsigned, int64_t>, mlir::Value>
      matrixOffsets;
  std::map<std::tuple<int64_t, int64_t, int64_t, void *, void *, int64_t>,
           mlir::Value>
      elementOffsets;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_THREADBUILDER_H
