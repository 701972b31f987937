//===- Fragments.cpp - What a thread has of a tile ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type":
// the accumulator.
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace xsa;

FragmentShape::FragmentShape(VectorType type, TileLayout layout,
                             KernelAttr plan)
    : plan(plan) {
  if (type.getRank() == 2) {
    rows = type.getDimSize(0);
    columns = type.getDimSize(1);
  } else if (layout == TileLayout::Column) {
    columns = type.getDimSize(0);
  } else {
    rows = type.getDimSize(0);
  }
  elementType = type.getElementType();
  rowsPerWarp = rows / plan.getWarps();
  if (layout == TileLayout::Warp) {
    // Element i + 32 n is in lane i, in every warp.
    rowBlocks = llvm::divideCeil(rows, 32);
    halves = columnBlocks = sides = 1;
    return;
  }
  if (plan.getUnit() == MatrixKind::None)
    shapeAsChunks();
  else
    shapeAsAccumulator();
  packed = width > 1;
}

void FragmentShape::shapeAsAccumulator() {
  rowBlocks = rows == 1 ? 1 : rowsPerWarp / 16;
  halves = rows == 1 ? 1 : 2;
  columnBlocks = columns == 1 ? 1 : columns / 8;
  bool isNarrow =
      isa<FloatType>(elementType) && elementType.getIntOrFloatBitWidth() == 16;
  width = isNarrow && columns > 1 ? 2 : 1;
  sides = columns == 1 ? 1 : 2 / width;
}

void FragmentShape::shapeAsChunks() {
  int64_t rowsAtOnce = 32 / plan.getRowThreads();
  rowBlocks = rows == 1 ? 1 : rowsPerWarp / rowsAtOnce;
  halves = 1;
  int64_t columnsAtOnce = plan.getRowThreads() * plan.getChunk();
  columnBlocks = columns == 1 ? 1 : llvm::divideCeil(columns, columnsAtOnce);
  width = columns == 1 ? 1 : plan.getChunk();
  sides = 1;
}

FragmentIndex FragmentShape::at(int64_t number) const {
  FragmentIndex index;
  index.side = number % sides * width;
  number /= sides;
  index.half = number % halves;
  number /= halves;
  index.columnBlock = number % columnBlocks;
  index.rowBlock = number / columnBlocks;
  return index;
}

int64_t FragmentShape::numberOf(FragmentIndex index) const {
  int64_t rowBlock = rowBlocks == 1 ? 0 : index.rowBlock;
  int64_t half = halves == 1 ? 0 : index.half;
  int64_t columnBlock = columnBlocks == 1 ? 0 : index.columnBlock;
  int64_t side = sides == 1 ? 0 : index.side / width;
  return ((rowBlock * columnBlocks + columnBlock) * halves + half) * sides +
         side;
}

Type FragmentShape::valueType() const {
  Type type = elementType;
  if (type.isIndex())
    type = IntegerType::get(type.getContext(), 32);
  return packed ? VectorType::get(width, type) : type;
}

Position FragmentShape::rowPosition(ThreadBuilder &b,
                                    FragmentIndex index) const {
  if (!spansRows())
    return {};
  int64_t rowsAtOnce = 32 / plan.getRowThreads();
  int64_t inWarp = (index.rowBlock * halves + index.half) * rowsAtOnce;
  int64_t warpBits = (plan.getWarps() - 1) * rowsPerWarp;
  if (llvm::isPowerOf2_64(rowsPerWarp))
    return {b.firstRow(rowsPerWarp), warpBits | (rowsAtOnce - 1), inWarp};
  return {b.atEntry([&] { return b.add(b.firstRow(rowsPerWarp), inWarp); }),
          ~int64_t(0), 0};
}

Position FragmentShape::columnPosition(ThreadBuilder &b,
                                       FragmentIndex index) const {
  if (!spansColumns())
    return {};
  int64_t columnsAtOnce = plan.getRowThreads() * plan.getChunk();
  return {b.firstColumn(), columnsAtOnce - plan.getChunk(),
          index.columnBlock * columnsAtOnce + index.side};
}

static Value asValue(ThreadBuilder &b, Position position) {
  if (!position.thread)
    return b.constant(position.constant);
  return b.add(position.thread, position.constant);
}

Value FragmentShape::row(ThreadBuilder &b, FragmentIndex index) const {
  return asValue(b, rowPosition(b, index));
}

Value FragmentShape::column(ThreadBuilder &b, FragmentIndex index) const {
  return asValue(b, columnPosition(b, index));
}
