//===- GlobalWrites.cpp - Fragments to global memory ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions beyond the end have no store: nothing there belongs to the block.
//
//===----------------------------------------------------------------------===//

#include "GlobalWrites.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace xsa;

void xsa::writeGlobal(ThreadBuilder &b, vector::TransferWriteOp op,
                      const Fragment &fragment) {
  GlobalTile tile = b.globalTile(op.getBase(), op.getIndices());
  FragmentShape shape(fragment.type, fragment.layout, b.getPlan());
  AffineMap map = op.getPermutationMap();
  OpBuilder::InsertionGuard guard(b);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.lanePair,
                                        b.constant(0));
  auto store = [&](Value value, Value row, Value column) {
    SmallVector<Value, 2> along{row, column}, positions(map.getNumDims());
    Value exists = shape.spansColumns() ? Value() : isFirst;
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
      positions[map.getDimPosition(dim)] = along[dim];
      if (op.isDimInBounds(dim))
        continue;
      Value inside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, along[dim],
                                b.extent(tile, map.getDimPosition(dim),
                                         fragment.type.getDimSize(dim)));
      exists = exists ? arith::AndIOp::create(b, exists, inside).getResult()
                      : inside;
    }
    OpBuilder::InsertionGuard guard(b);
    if (exists) {
      auto guarded = scf::IfOp::create(b, exists, /*withElseRegion=*/false);
      b.setInsertionPointToStart(guarded.thenBlock());
    }
    Value pointer = positions.size() == 1
                        ? b.pointer(tile, positions[0], Value())
                        : b.pointer(tile, positions[0], positions[1]);
    LLVM::StoreOp::create(b, value, pointer, tile.elementBytes());
  };
  for (int64_t number = 0; number < shape.size(); ++number) {
    FragmentIndex index = shape.at(number);
    Value row = shape.row(b, index), column = shape.column(b, index);
    Value value = fragment.values[number];
    if (!shape.packed) {
      store(value, row, column);
      continue;
    }
    for (int64_t side = 0; side < shape.width; ++side) {
      Value element = vector::ExtractOp::create(b, value, side);
      store(element, row, b.add(column, side));
    }
  }
}
