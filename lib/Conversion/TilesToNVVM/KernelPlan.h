//===- KernelPlan.h - Tile sizes and their cost -----------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model of the GPU kernels, all in one place: what a choice of tile
// sizes, warps and stages takes of a chip, and what an element of the score
// matrix then costs. Nothing else in the lowering chooses sizes.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_KERNELPLAN_H
#define XSA_LIB_CONVERSION_TILESTONVVM_KERNELPLAN_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Support/LogicalResult.h"

#include <optional>

namespace xsa {

/// Beside the plan of a kernel: after its loops own values are in the stages of
/// the values (UnitAttr).
inline constexpr llvm::StringLiteral kOwnInStagesAttrName = "xsa.own_in_stages";

/// What the model knows of a chip.
struct ChipLimits {
  int64_t sharedBytesPerBlock;
  int64_t sharedBytesPerSM;
  int64_t registersPerSM = 65536;
  int64_t registersPerThread = 255;
  int64_t numSMs;

  static mlir::FailureOr<ChipLimits> of(llvm::StringRef chip);
};

/// What the model knows of an attention. Dynamic extents are absent.
struct AttentionShape {
  MatrixKind unit;
  int64_t elementBytes;
  /// Depths, padded to what the matrix unit takes.
  int64_t keyDepth, valueDepth;
  std::optional<int64_t> rows, keys, heads;
  /// Rows that are loaded for the epilogue: bytes of an element, or 0.
  int64_t ownValueBytes = 0;
  /// Own values are the values at the rows' positions, and no row sees a key
  /// after its own.
  bool ownOnDiagonal = false;
  /// What loops over keys hold besides tiles: operands with an element for each
  /// score (masks, biases), numbers of each row (ends of windows and intervals,
  /// slopes, exact sums), numbers that are known when the kernel runs (extents,
  /// lengths, positions).
  int64_t scoreOperands = 0, rowNumbers = 0, runtimeNumbers = 0;
};

struct KernelPlan {
  int64_t queryTile = 0, keyTile = 0, warps = 0, stages = 0;
  bool queryInRegisters = true;
  /// Of an element of the score matrix that is wanted, in the units of the
  /// model.
  double cost = 0.0;

  int64_t rowsPerWarp() const { return queryTile / warps; }
  /// Whether own values are in shared memory after the last tile of keys.
  bool ownInStages(const AttentionShape &shape) const;
  /// Whether the last tile of keys may be one that is not filled.
  bool keysEndInTile(const AttentionShape &shape) const {
    return !shape.keys || *shape.keys % keyTile != 0;
  }
  /// Of 16 bytes of a tile of keys and values.
  int64_t copiesPerThread(const AttentionShape &shape) const;
  /// Estimates; the assembler has the last word. Those of tiles and of what
  /// every loop has are needed, of the rest some may wait their turn.
  int64_t tileRegisters(const AttentionShape &shape) const;
  int64_t registers(const AttentionShape &shape) const;
  int64_t sharedBytes(const AttentionShape &shape) const;
  /// Issue slots of a warp per 32 scores, tensor instructions included.
  double slotsPerScore(const AttentionShape &shape) const;
  /// Blocks that an SM holds at a time.
  int64_t occupancy(const AttentionShape &shape, const ChipLimits &chip) const;
};

/// Values other than 0 are taken as they are.
struct PlanOverrides {
  int64_t queryTile = 0, keyTile = 0, warps = 0, stages = 0;
};

/// The plans that fit the chip, the best first.
llvm::SmallVector<KernelPlan> rankPlans(const AttentionShape &shape,
                                        const ChipLimits &chip,
                                        const PlanOverrides &overrides);
/// The best of them; none if nothing fits.
std::optional<KernelPlan> choosePlan(const AttentionShape &shape,
                                     const ChipLimits &chip,
                                     const PlanOverrides &overrides);

//===----------------------------------------------------------------------===//
// Kernels that multiply no matrices
//===----------------------------------------------------------------------===//

/// What the model knows of an operation on rows. Dynamic extents are absent.
struct RowShape {
  /// Elements of a row, and bytes of the widest element.
  int64_t depth, elementBytes;
  /// Whether neighbours in a row are neighbours in memory; else rows are.
  bool contiguous = true;
  std::optional<int64_t> rows, batches;
};

struct RowPlan {
  int64_t warps, rowsPerThread, rowThreads, chunk;

  int64_t rows() const { return warps * (32 / rowThreads) * rowsPerThread; }
  /// Elements of a row that a thread holds.
  int64_t elementsPerRow(const RowShape &shape) const;
  int64_t registers(const RowShape &shape) const;
};

/// The plan with accesses of 16 bytes where rows allow them, and as many of
/// them on their way as registers do; none if nothing fits.
std::optional<RowPlan> chooseRowPlan(const RowShape &shape,
                                     const ChipLimits &chip);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_KERNELPLAN_H
