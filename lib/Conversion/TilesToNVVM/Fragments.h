//===- Fragments.h - What a thread has of a tile ----------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accumulator layout of the 16 x 8 tensor instructions, from which the
// others follow: a warp has whole rows, a lane rows laneRow and laneRow + 8 of
// each 16, and of each 8 columns the pair at 2 * lanePair.
//
// Kernels without products have their tiles in chunks of neighbours in a row
// instead, as wide as memory is read: of the chunks of a row, a lane has every
// rowThreads-th, beginning with number lanePair.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_FRAGMENTS_H
#define XSA_LIB_CONVERSION_TILESTONVVM_FRAGMENTS_H

#include "ThreadBuilder.h"

namespace xsa {

/// Where one value of a fragment lies in its tile: which of the lane's groups
/// of rows and columns, and where in the group. Along a dimension of extent 1
/// everything is 0.
struct FragmentIndex {
  int64_t rowBlock = 0, half = 0, columnBlock = 0, side = 0;
};

/// The values that a thread has of a tile. Pairs of columns of 16-bit floats
/// are one value, a vector<2>; so is a chunk of a row.
struct Fragment {
  mlir::VectorType type;
  TileLayout layout = TileLayout::Accumulator;
  llvm::SmallVector<mlir::Value> values;
  /// An operand that is still in shared memory has no values.
  std::optional<SharedTile> shared;
  mlir::AffineMap sharedMap;
};

/// The shape of fragments of one vector type.
class FragmentShape {
public:
  FragmentShape(mlir::VectorType type, TileLayout layout, KernelAttr plan);

  int64_t rowBlocks, halves, columnBlocks, sides;
  /// Neighbours in a row that are one value, a vector if there are several.
  int64_t width = 1;
  bool packed = false;

  bool spansRows() const { return rows > 1; }
  bool spansColumns() const { return columns > 1; }
  int64_t size() const { return rowBlocks * halves * columnBlocks * sides; }
  FragmentIndex at(int64_t number) const;
  /// The number of the value for an index of a shape this one broadcasts to.
  int64_t numberOf(FragmentIndex index) const;
  mlir::Type valueType() const;
  mlir::Type elementType;

  /// Position of a value (of its first element) in the tile, and as i32.
  Position rowPosition(ThreadBuilder &b, FragmentIndex index) const;
  Position columnPosition(ThreadBuilder &b, FragmentIndex index) const;
  mlir::Value row(ThreadBuilder &b, FragmentIndex index) const;
  mlir::Value column(ThreadBuilder &b, FragmentIndex index) const;

private:
  void shapeAsAccumulator();
  void shapeAsChunks();
  KernelAttr plan;
  int64_t rows = 1, columns = 1, rowsPerWarp;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_FRAGMENTS_H
