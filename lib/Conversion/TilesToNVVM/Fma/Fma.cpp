//===- Fma.cpp - Products in f32 by fused multiply-adds -------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For inputs in f32, exactly: no tensor instruction multiplies f32.
// Accumulators lie as those of mma.sync, so that everything around the products
// is the same; a thread multiplies its rows by its columns. Computed left
// operands (weights) are spread over the four lanes of a row, which hand them
// on by shuffles.
//
//===----------------------------------------------------------------------===//

#include "../MatrixUnit.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace xsa;

namespace {
class Fma : public MatrixUnit {
public:
  /// Registers would not hold whole rows.
  void loadLeft(ThreadBuilder &b, ProductOperand &operand) const override {}
  LogicalResult multiply(ThreadBuilder &b, ProductOperand &left,
                         ProductOperand &right,
                         Fragment &accumulator) const override;

private:
  Value load(ThreadBuilder &b, const ProductOperand &operand, Value position,
             Value sum) const;
  SmallVector<Value> left(ThreadBuilder &b, const ProductOperand &operand,
                          const FragmentShape &shape, int64_t sum) const;
};
} // namespace

/// The element at `position` along the kept dimension and `sum` along the
/// summed one.
Value Fma::load(ThreadBuilder &b, const ProductOperand &operand, Value position,
                Value sum) const {
  const SharedTile &tile = *operand.fragment.shared;
  bool neighbours = operand.sumsOverNeighbours();
  Value row = neighbours ? position : sum, column = neighbours ? sum : position;
  Value pointer = b.pointer(tile, b.elementOffset(tile, row, column), 0);
  return LLVM::LoadOp::create(b, b.getF32Type(), pointer, 4);
}

/// The elements of the thread's rows at `sum`.
SmallVector<Value> Fma::left(ThreadBuilder &b, const ProductOperand &operand,
                             const FragmentShape &shape, int64_t sum) const {
  SmallVector<Value> values;
  const Fragment &fragment = operand.fragment;
  FragmentShape source(fragment.type, TileLayout::Accumulator, b.getPlan());
  for (int64_t row = 0; row < shape.rowBlocks; ++row)
    for (int64_t half = 0; half < 2; ++half) {
      if (fragment.shared) {
        values.push_back(
            load(b, operand, shape.row(b, {row, half, 0, 0}), b.constant(sum)));
        continue;
      }
      Value own =
          fragment.values[source.numberOf({row, half, sum / 8, sum % 2})];
      // From the lane of the row that has the column: 0x1c1f keeps to fours.
      values.push_back(NVVM::ShflOp::create(
          b, b.getF32Type(), b.constant(-1), own, b.constant(sum % 8 / 2),
          b.constant(0x1c1f), NVVM::ShflKind::idx, UnitAttr()));
    }
  return values;
}

LogicalResult Fma::multiply(ThreadBuilder &b, ProductOperand &lhs,
                            ProductOperand &rhs, Fragment &accumulator) const {
  if (!rhs.fragment.shared)
    return emitError(b.getLoc(), "right operand of a product is not read from "
                                 "memory");
  FragmentShape shape(accumulator.type, accumulator.layout, b.getPlan());
  int64_t sums = rhs.fragment.type.getDimSize(rhs.sumsOverLast ? 1 : 0);
  for (int64_t sum = 0; sum < sums; ++sum) {
    SmallVector<Value> rows = left(b, lhs, shape, sum);
    for (int64_t block = 0; block < shape.columnBlocks; ++block)
      for (int64_t side = 0; side < 2; ++side) {
        Value column =
            load(b, rhs, shape.column(b, {0, 0, block, side}), b.constant(sum));
        for (int64_t row = 0; row < shape.rowBlocks; ++row)
          for (int64_t half = 0; half < 2; ++half) {
            Value &value =
                accumulator.values[shape.numberOf({row, half, block, side})];
            value = math::FmaOp::create(b, rows[2 * row + half], column, value);
          }
      }
  }
  return success();
}

std::unique_ptr<MatrixUnit> xsa::createFmaUnit() {
  return std::make_unique<Fma>();
}
