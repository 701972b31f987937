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
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_FRAGMENTS_H
#define XSA_LIB_CONVERSION_TILESTONVVM_FRAGMENTS_H

#include "ThreadBuilder.h"

namespace xsa {

/// Where one value of a fragment lies in its tile. Along a dimension of extent
/// 1 everything is 0.
struct FragmentIndex {
  int64_t rowBlock = 0, half = 0, columnBlock = 0, side = 0;
};

/// The values that a thread has of a tile. Pairs of columns of 16-bit floats
/// are one value, a vector<2>.
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
  FragmentShape(mlir::VectorType type, TileLayout layout, int64_t warps);

  int64_t rowBlocks, halves, columnBlocks, sides;
  bool packed;

  bool spansRows() const { return halves == 2; }
  bool spansColumns() const { return columnBlocks > 1 || sides == 2 || packed; }
  int64_t size() const { return rowBlocks * halves * columnBlocks * sides; }
  FragmentIndex at(int64_t number) const;
  /// The number of the value for an index of a shape this one broadcasts to.
  int64_t numberOf(FragmentIndex index) const;
  mlir::Type valueType() const;
  mlir::Type elementType;

  /// i32 position of a value (of the first of a pair) in the tile.
  mlir::Value row(ThreadBuilder &b, FragmentIndex index) const;
  mlir::Value column(ThreadBuilder &b, FragmentIndex index) const;

private:
  int64_t rowsPerWarp;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_FRAGMENTS_H
