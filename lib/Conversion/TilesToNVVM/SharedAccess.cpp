//===- SharedAccess.cpp - Fragments and shared memory ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two columns that are neighbours in memory are one access; where rows are,
// two.
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

using namespace mlir;
using namespace xsa;

/// A pair of columns that memory has side by side.
static VectorType pairType(const FragmentShape &shape) {
  return VectorType::get(2, shape.elementType);
}

void xsa::readShared(ThreadBuilder &b, Fragment &fragment) {
  FragmentShape shape(fragment.type, fragment.layout, b.getPlan());
  bool rowsFirst = fragment.sharedMap.isIdentity();
  int64_t bytes = fragment.shared->elementBytes();
  auto load = [&](Type type, FragmentIndex index, int64_t size) -> Value {
    Position row = shape.rowPosition(b, index),
             column = shape.columnPosition(b, index);
    if (!rowsFirst)
      std::swap(row, column);
    return LLVM::LoadOp::create(b, type,
                                b.pointer(*fragment.shared, row, column), size);
  };
  for (int64_t number = 0; number < shape.size(); ++number) {
    FragmentIndex index = shape.at(number);
    if (!shape.packed && (shape.sides == 1 || !rowsFirst)) {
      fragment.values.push_back(load(shape.elementType, index, bytes));
      continue;
    }
    Value pair;
    if (rowsFirst) {
      pair = load(pairType(shape), index, 2 * bytes);
    } else {
      FragmentIndex second = index;
      second.side = 1;
      pair = vector::FromElementsOp::create(
          b, pairType(shape),
          ValueRange{load(shape.elementType, index, bytes),
                     load(shape.elementType, second, bytes)});
    }
    if (shape.packed) {
      fragment.values.push_back(pair);
      continue;
    }
    for (int64_t side : {0, 1})
      fragment.values.push_back(vector::ExtractOp::create(b, pair, side));
    ++number;
  }
}

void xsa::writeShared(ThreadBuilder &b, vector::TransferWriteOp op,
                      const Fragment &fragment) {
  SharedTile tile = b.sharedTile(op.getBase(), op.getIndices());
  FragmentShape shape(fragment.type, fragment.layout, b.getPlan());
  bool rowsFirst = op.getPermutationMap().getDimPosition(0) == 1;
  int64_t bytes = tile.elementBytes();
  auto store = [&](Value value, FragmentIndex index, int64_t size) {
    Position row = shape.rowPosition(b, index),
             column = shape.columnPosition(b, index);
    if (!rowsFirst)
      std::swap(row, column);
    LLVM::StoreOp::create(b, value, b.pointer(tile, row, column), size);
  };
  for (int64_t number = 0; number < shape.size(); ++number) {
    FragmentIndex index = shape.at(number);
    Value value = fragment.values[number];
    if (shape.packed && !rowsFirst) {
      FragmentIndex second = index;
      second.side = 1;
      store(vector::ExtractOp::create(b, value, 0), index, bytes);
      store(vector::ExtractOp::create(b, value, 1), second, bytes);
    } else if (shape.packed) {
      store(value, index, 2 * bytes);
    } else if (shape.sides == 2 && rowsFirst) {
      value = vector::FromElementsOp::create(
          b, pairType(shape), ValueRange{value, fragment.values[number + 1]});
      store(value, index, 2 * bytes);
      ++number;
    } else {
      store(value, index, bytes);
    }
  }
}
