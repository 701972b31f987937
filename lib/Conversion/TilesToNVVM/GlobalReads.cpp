//===- GlobalReads.cpp - Fragments from global memory ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions beyond the end read the last elements that exist and take the
// padding instead: a load needs no branch.
//
//===----------------------------------------------------------------------===//

#include "GlobalReads.h"

#include "KnownDivisor.h"

using namespace mlir;
using namespace xsa;

namespace {
class GlobalReader {
public:
  GlobalReader(ThreadBuilder &b, vector::TransferReadOp op, Fragment &fragment)
      : b(b), op(op), fragment(fragment),
        shape(fragment.type, fragment.layout, b.getPlan()),
        tile(b.globalTile(op.getBase(), op.getIndices())),
        map(op.getPermutationMap()) {}

  void readVector();
  void readTile();

private:
  bool isPerColumn() { return fragment.layout == TileLayout::Column; }
  /// A warp may be longer than the vector, and so may the lanes of a row.
  bool exceedsVector() {
    return fragment.layout == TileLayout::Warp ||
           (isPerColumn() && b.getPlan().getUnit() == MatrixKind::None);
  }
  bool readsPairs();
  SmallVector<Value> load(Value row, Value column, int64_t count);
  Value convert(Value element);

  ThreadBuilder &b;
  vector::TransferReadOp op;
  Fragment &fragment;
  FragmentShape shape;
  GlobalTile tile;
  AffineMap map;
};
} // namespace

/// Whether the two columns of a pair are neighbours in memory, exist both or
/// not at all, and are aligned as a pair.
bool GlobalReader::readsPairs() {
  unsigned columns = map.getNumResults() - 1;
  if (!shape.spansColumns() || tile.alignment % 2 != 0 ||
      map.getDimPosition(columns) + 1 != map.getNumDims())
    return false;
  return (op.isDimInBounds(columns) && !exceedsVector()) ||
         knownDivisor(tile.sizes.back()) % 2 == 0;
}

/// An element as memory has it, as the value of a thread.
Value GlobalReader::convert(Value element) {
  if (shape.elementType.isInteger(1))
    return arith::TruncIOp::create(b, b.getI1Type(), element);
  if (shape.elementType.isIndex())
    return b.narrow(arith::IndexCastOp::create(b, b.getIndexType(), element));
  return element;
}

/// `count` neighbours from a position on.
SmallVector<Value> GlobalReader::load(Value row, Value column, int64_t count) {
  SmallVector<Value, 2> along{row, column};
  if (fragment.type.getRank() == 1)
    along = {isPerColumn() ? column : row};
  SmallVector<Value, 2> positions(map.getNumDims());
  Value exists;
  for (auto [dim, position] : llvm::enumerate(along)) {
    unsigned memoryDim = map.getDimPosition(dim);
    positions[memoryDim] = position;
    if (op.isDimInBounds(dim) && !exceedsVector())
      continue;
    Value size = b.extent(tile, memoryDim, fragment.type.getDimSize(dim));
    Value inside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, position, size);
    exists =
        exists ? arith::AndIOp::create(b, exists, inside).getResult() : inside;
    int64_t together = position == column ? count : 1;
    positions[memoryDim] =
        arith::MinSIOp::create(b, position, b.add(size, -together));
  }
  Value pointer = b.pointer(tile, positions[0],
                            positions.size() == 1 ? Value() : positions[1]);
  Type type = shape.elementType;
  if (!type.isIntOrFloat() || type.isInteger(1))
    type = b.getIntegerType(tile.elementBytes() * 8);
  Type loadType = count == 1 ? type : VectorType::get(count, type);
  Value loaded =
      LLVM::LoadOp::create(b, loadType, pointer, count * tile.elementBytes());
  SmallVector<Value> values;
  for (int64_t number = 0; number < count; ++number) {
    Value element = loaded;
    if (count > 1)
      element = vector::ExtractOp::create(b, loaded, number);
    element = convert(element);
    if (exists) {
      Value padding = op.getPadding();
      if (padding.getType().isIndex())
        padding = b.narrow(padding);
      element = arith::SelectOp::create(b, exists, element, padding);
    }
    values.push_back(element);
  }
  return values;
}

/// For a warp as a whole: lane i has the elements i + 32 n.
void GlobalReader::readVector() {
  for (int64_t first = 0; first < fragment.type.getDimSize(0); first += 32)
    llvm::append_range(fragment.values, load(b.add(b.lane, first), Value(), 1));
}

void GlobalReader::readTile() {
  bool pairs = readsPairs();
  for (int64_t number = 0; number < shape.size();) {
    FragmentIndex index = shape.at(number);
    Value row = shape.row(b, index), column = shape.column(b, index);
    // Of a packed value, or of the two sides of a column block.
    int64_t count = shape.width * shape.sides;
    SmallVector<Value> values;
    if (pairs && count == 2)
      values = load(row, column, count);
    else
      for (int64_t side = 0; side < count; ++side)
        llvm::append_range(values, load(row, b.add(column, side), 1));
    if (shape.packed)
      values = {vector::FromElementsOp::create(
          b, cast<VectorType>(shape.valueType()), values)};
    number += values.size();
    llvm::append_range(fragment.values, values);
  }
}

void xsa::readGlobal(ThreadBuilder &b, vector::TransferReadOp op,
                     Fragment &fragment) {
  GlobalReader reader(b, op, fragment);
  if (fragment.layout == TileLayout::Warp)
    reader.readVector();
  else
    reader.readTile();
}
