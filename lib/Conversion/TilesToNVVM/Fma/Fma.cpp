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

#include <array>

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
  using Values = SmallVector<Value>;

  Values load(ThreadBuilder &b, const ProductOperand &operand,
              Position position, Position sum, bool alongSum) const;
  SmallVector<Values> left(ThreadBuilder &b, const ProductOperand &operand,
                           const FragmentShape &shape, int64_t sum) const;
  std::array<Values, 2> right(ThreadBuilder &b, const ProductOperand &operand,
                              const FragmentShape &shape, int64_t block,
                              int64_t sum) const;
};
} // namespace

/// Sums are taken in steps of a chunk of 16 bytes.
static constexpr int64_t kSums = 4;

/// Longer sums are added up in parts of this length: a sum rounds as often as
/// it has products, and each time by more, as it grows. With parts of n/k of n
/// products, the variance of the error is about 1/k of that of one sum, and an
/// addition for each part is all they cost.
static constexpr int64_t kPart = 32;

/// `before`, if there is one, and the sum of a step of products.
static Value add(ThreadBuilder &b, ValueRange lhs, ValueRange rhs,
                 Value before) {
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    before = before ? math::FmaOp::create(b, left, right, before).getResult()
                    : arith::MulFOp::create(b, left, right).getResult();
  return before;
}

/// Elements of the operand from `position` along the kept dimension and `sum`
/// along the summed one: a step of the sum, or a pair of columns.
Fma::Values Fma::load(ThreadBuilder &b, const ProductOperand &operand,
                      Position position, Position sum, bool alongSum) const {
  const SharedTile &tile = *operand.fragment.shared;
  bool neighbours = operand.sumsOverNeighbours();
  Position row = neighbours ? position : sum,
           column = neighbours ? sum : position;
  auto loadAt = [&](Position row, Position column, int64_t count) -> Value {
    Type type = b.getF32Type();
    if (count > 1)
      type = VectorType::get(count, type);
    return LLVM::LoadOp::create(b, type, b.pointer(tile, row, column),
                                4 * count);
  };
  Values values;
  if (alongSum && !neighbours) {
    for (int64_t number = 0; number < kSums; ++number) {
      Position next = row;
      next.constant += number;
      values.push_back(loadAt(next, column, 1));
    }
    return values;
  }
  int64_t count = alongSum ? kSums : 2;
  Value loaded = loadAt(row, column, count);
  for (int64_t number = 0; number < count; ++number)
    values.push_back(vector::ExtractOp::create(b, loaded, number));
  return values;
}

/// For each of the thread's rows, the elements of a step of the sum.
SmallVector<Fma::Values> Fma::left(ThreadBuilder &b,
                                   const ProductOperand &operand,
                                   const FragmentShape &shape,
                                   int64_t sum) const {
  SmallVector<Values> rows;
  const Fragment &fragment = operand.fragment;
  FragmentShape source(fragment.type, TileLayout::Accumulator, b.getPlan());
  for (int64_t row = 0; row < shape.rowBlocks; ++row)
    for (int64_t half = 0; half < 2; ++half) {
      if (fragment.shared) {
        rows.push_back(load(b, operand, shape.rowPosition(b, {row, half, 0, 0}),
                            {Value(), 0, sum}, /*alongSum=*/true));
        continue;
      }
      Values values;
      for (int64_t at = sum; at < sum + kSums; ++at) {
        Value own =
            fragment.values[source.numberOf({row, half, at / 8, at % 2})];
        // From the lane of the row that has the column: 0x1c1f keeps to fours.
        values.push_back(NVVM::ShflOp::create(
            b, b.getF32Type(), b.constant(-1), own, b.constant(at % 8 / 2),
            b.constant(0x1c1f), NVVM::ShflKind::idx, UnitAttr()));
      }
      rows.push_back(values);
    }
  return rows;
}

/// For the two columns of a block that the thread has, the elements of a step
/// of the sum.
std::array<Fma::Values, 2> Fma::right(ThreadBuilder &b,
                                      const ProductOperand &operand,
                                      const FragmentShape &shape, int64_t block,
                                      int64_t sum) const {
  std::array<Values, 2> columns;
  if (operand.sumsOverNeighbours()) {
    for (int64_t side = 0; side < 2; ++side)
      columns[side] =
          load(b, operand, shape.columnPosition(b, {0, 0, block, side}),
               {Value(), 0, sum}, /*alongSum=*/true);
    return columns;
  }
  for (int64_t at = sum; at < sum + kSums; ++at) {
    Values both = load(b, operand, shape.columnPosition(b, {0, 0, block, 0}),
                       {Value(), 0, at}, /*alongSum=*/false);
    for (int64_t side = 0; side < 2; ++side)
      columns[side].push_back(both[side]);
  }
  return columns;
}

LogicalResult Fma::multiply(ThreadBuilder &b, ProductOperand &lhs,
                            ProductOperand &rhs, Fragment &accumulator) const {
  if (!rhs.fragment.shared)
    return emitError(b.getLoc(), "right operand of a product is not read from "
                                 "memory");
  FragmentShape shape(accumulator.type, accumulator.layout, b.getPlan());
  int64_t sums = rhs.fragment.type.getDimSize(rhs.sumsOverLast ? 1 : 0);
  for (int64_t from = 0; from < sums; from += kPart) {
    // The first part goes on from what came before.
    Values part = accumulator.values;
    if (from > 0)
      part.assign(part.size(), Value());
    for (int64_t sum = from; sum < std::min(from + kPart, sums); sum += kSums) {
      SmallVector<Values> rows = left(b, lhs, shape, sum);
      // Loads stand where they are used: registers do not hold all columns.
      for (int64_t block = 0; block < shape.columnBlocks; ++block) {
        std::array<Values, 2> columns = right(b, rhs, shape, block, sum);
        for (auto [side, elements] : llvm::enumerate(columns))
          for (auto [row, factors] : llvm::enumerate(rows)) {
            FragmentIndex index{int64_t(row) / 2, int64_t(row) % 2, block,
                                int64_t(side)};
            Value &value = part[shape.numberOf(index)];
            value = add(b, factors, elements, value);
          }
      }
    }
    for (auto [value, sum] : llvm::zip_equal(accumulator.values, part))
      value = from > 0 ? arith::AddFOp::create(b, value, sum).getResult() : sum;
  }
  return success();
}

std::unique_ptr<MatrixUnit> xsa::createFmaUnit() {
  return std::make_unique<Fma>();
}
