//===- MmaSync.cpp - Products by mma.sync.m16n8k16 ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 16-bit operands from shared memory by ldmatrix, four 8 x 8 matrices at a
// time; f32 accumulators. PTX ISA, "Matrix fragments for mma.m16n8k16 with
// floating point type", and ldmatrix.
//
//===----------------------------------------------------------------------===//

#include "../MatrixUnit.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace xsa;

namespace {
using Registers = SmallVector<Value, 4>;

class MmaSync : public MatrixUnit {
public:
  void loadLeft(ThreadBuilder &b, ProductOperand &operand) const override;
  LogicalResult multiply(ThreadBuilder &b, ProductOperand &left,
                         ProductOperand &right,
                         Fragment &accumulator) const override;
  void sumRows(ThreadBuilder &b, const Fragment &left,
               Fragment &sums) const override;

private:
  Registers left(ThreadBuilder &b, const ProductOperand &operand,
                 int64_t rowBlock, int64_t sumBlock) const;
  Registers right(ThreadBuilder &b, const ProductOperand &operand,
                  int64_t sumBlock, int64_t columnPair) const;
};
} // namespace

/// Loads a block of 16 x 16 elements at `row`, `column` of shared memory as
/// four matrices; `rowBit` as in ThreadBuilder::matrixOffset. `lane rows` may
/// start at a warp's first row.
static Registers loadMatrices(ThreadBuilder &b, const SharedTile &tile,
                              Value firstRow, int64_t row, int64_t column,
                              unsigned rowBit, bool transposed) {
  int64_t chunk = column / 8, span = tile.swizzleSpan();
  Value offset = b.matrixOffset(tile, rowBit, chunk & (span - 1));
  if (firstRow)
    offset = b.add(offset, b.multiply(firstRow, tile.rowBytes()));
  Value pointer =
      b.pointer(tile, offset, row * tile.rowBytes() + (chunk & -span) * 16);
  Type i32 = b.getI32Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Value loaded = NVVM::LdMatrixOp::create(b, type, pointer, 4,
                                          transposed ? NVVM::MMALayout::col
                                                     : NVVM::MMALayout::row,
                                          shape, NVVM::LdStMatrixEltType::B16);
  Registers registers;
  for (int64_t number = 0; number < 4; ++number)
    registers.push_back(LLVM::ExtractValueOp::create(b, loaded, number));
  return registers;
}

/// First row of the warp.
static Value warpRow(ThreadBuilder &b, int64_t rowsPerWarp) {
  return b.atEntry([&] { return b.multiply(b.warp, rowsPerWarp); });
}

static Value asRegister(ThreadBuilder &b, Value pair) {
  return LLVM::BitcastOp::create(b, b.getI32Type(), pair);
}

Registers MmaSync::left(ThreadBuilder &b, const ProductOperand &operand,
                        int64_t rowBlock, int64_t sumBlock) const {
  const Fragment &fragment = operand.fragment;
  int64_t warps = b.getPlan().getWarps();
  if (fragment.layout == TileLayout::Accumulator) {
    // An accumulator of two neighbouring column blocks is an operand.
    FragmentShape shape(fragment.type, fragment.layout, b.getPlan());
    Registers registers;
    for (int64_t side = 0; side < 2; ++side)
      for (int64_t half = 0; half < 2; ++half)
        registers.push_back(
            asRegister(b, fragment.values[shape.numberOf(
                              {rowBlock, half, 2 * sumBlock + side, 0})]));
    return registers;
  }
  int64_t sums = fragment.type.getDimSize(operand.sumsOverLast ? 1 : 0) / 16;
  if (!fragment.values.empty()) {
    auto first = fragment.values.begin() + (rowBlock * sums + sumBlock) * 4;
    return Registers(first, first + 4);
  }
  int64_t rows = fragment.type.getDimSize(operand.sumsOverLast ? 0 : 1) / warps;
  if (operand.sumsOverNeighbours())
    return loadMatrices(b, *fragment.shared, warpRow(b, rows), rowBlock * 16,
                        sumBlock * 16, /*rowBit=*/0, /*transposed=*/false);
  // The rows of the operand are neighbours in memory: the warp's are not at a
  // multiple of the exchanged span, so their chunk is added by hand.
  SharedTile tile = *fragment.shared;
  Value row = b.atEntry([&] {
    Value bit = arith::ShRUIOp::create(b, b.lane, b.constant(4));
    Value within = arith::AndIOp::create(b, b.lane, b.constant(7));
    return b.add(within, b.multiply(bit, 8));
  });
  Value bit = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, b.lane, b.constant(3)), b.constant(1));
  Value column =
      b.add(b.add(warpRow(b, rows), rowBlock * 16), b.multiply(bit, 8));
  Value offset = b.elementOffset(tile, row, column);
  Value pointer = b.pointer(tile, offset, sumBlock * 16 * tile.rowBytes());
  Type i32 = b.getI32Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  Value loaded = NVVM::LdMatrixOp::create(
      b, type, pointer, 4, NVVM::MMALayout::col,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
  Registers registers;
  for (int64_t number = 0; number < 4; ++number)
    registers.push_back(LLVM::ExtractValueOp::create(b, loaded, number));
  return registers;
}

/// Two blocks of 8 columns, two registers each.
Registers MmaSync::right(ThreadBuilder &b, const ProductOperand &operand,
                         int64_t sumBlock, int64_t columnPair) const {
  if (operand.sumsOverNeighbours())
    return loadMatrices(b, *operand.fragment.shared, Value(), columnPair * 16,
                        sumBlock * 16, /*rowBit=*/1, /*transposed=*/false);
  return loadMatrices(b, *operand.fragment.shared, Value(), sumBlock * 16,
                      columnPair * 16, /*rowBit=*/0, /*transposed=*/true);
}

void MmaSync::loadLeft(ThreadBuilder &b, ProductOperand &operand) const {
  Fragment &fragment = operand.fragment;
  int64_t rows = fragment.type.getDimSize(operand.sumsOverLast ? 0 : 1);
  int64_t sums = fragment.type.getDimSize(operand.sumsOverLast ? 1 : 0);
  SmallVector<Value> values;
  for (int64_t row = 0; row < rows / b.getPlan().getWarps() / 16; ++row)
    for (int64_t sum = 0; sum < sums / 16; ++sum)
      llvm::append_range(values, left(b, operand, row, sum));
  fragment.values = values;
}

static Value multiplyBlock(ThreadBuilder &b, Type elementType, ValueRange left,
                           ValueRange right, ValueRange accumulator) {
  bool isHalf = elementType.isF16();
  auto operands = [&](ValueRange registers) {
    SmallVector<Value> values(registers);
    if (isHalf)
      for (Value &value : values)
        value = LLVM::BitcastOp::create(b, VectorType::get(2, b.getF16Type()),
                                        value);
    return values;
  };
  Type f32 = b.getF32Type();
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {f32, f32, f32, f32});
  NVVM::MMATypes kind = isHalf ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  return NVVM::MmaOp::create(b, type, operands(left), operands(right),
                             accumulator, ArrayRef<int64_t>{16, 8, 16},
                             std::nullopt, std::nullopt,
                             std::array<NVVM::MMATypes, 2>{kind, kind},
                             std::array<NVVM::MMALayout, 2>{
                                 NVVM::MMALayout::row, NVVM::MMALayout::col});
}

LogicalResult MmaSync::multiply(ThreadBuilder &b, ProductOperand &lhs,
                                ProductOperand &rhs,
                                Fragment &accumulator) const {
  if (!rhs.fragment.shared)
    return emitError(b.getLoc(), "right operand of a product is not read from "
                                 "memory");
  Type elementType = rhs.fragment.type.getElementType();
  FragmentShape shape(accumulator.type, accumulator.layout, b.getPlan());
  int64_t sums = rhs.fragment.type.getDimSize(rhs.sumsOverLast ? 1 : 0) / 16;
  for (int64_t sum = 0; sum < sums; ++sum) {
    SmallVector<Registers> rows;
    for (int64_t row = 0; row < shape.rowBlocks; ++row)
      rows.push_back(left(b, lhs, row, sum));
    for (int64_t pair = 0; pair < shape.columnBlocks / 2; ++pair) {
      Registers columns = right(b, rhs, sum, pair);
      for (int64_t side = 0; side < 2; ++side)
        for (int64_t row = 0; row < shape.rowBlocks; ++row) {
          auto values =
              MutableArrayRef<Value>(accumulator.values)
                  .slice(shape.numberOf({row, 0, 2 * pair + side, 0}), 4);
          Value product = multiplyBlock(
              b, elementType, rows[row],
              ArrayRef<Value>(columns).slice(2 * side, 2), values);
          for (int64_t number = 0; number < 4; ++number)
            values[number] = LLVM::ExtractValueOp::create(b, product, number);
        }
    }
  }
  return success();
}

/// All columns of the product with ones are the sums.
void MmaSync::sumRows(ThreadBuilder &b, const Fragment &left,
                      Fragment &sums) const {
  Type elementType = left.type.getElementType();
  // A pair of ones.
  Value one = b.constant(elementType.isF16() ? 0x3c003c00 : 0x3f803f80);
  FragmentShape shape(sums.type, sums.layout, b.getPlan());
  ProductOperand operand;
  operand.fragment = left;
  for (int64_t row = 0; row < shape.rowBlocks; ++row) {
    Value &upper = sums.values[shape.numberOf({row, 0, 0, 0})];
    Value &lower = sums.values[shape.numberOf({row, 1, 0, 0})];
    SmallVector<Value> accumulator{upper, upper, lower, lower};
    for (int64_t sum = 0; sum < left.type.getDimSize(1) / 16; ++sum) {
      Value product =
          multiplyBlock(b, elementType, this->left(b, operand, row, sum),
                        {one, one}, accumulator);
      for (int64_t number = 0; number < 4; ++number)
        accumulator[number] = LLVM::ExtractValueOp::create(b, product, number);
    }
    upper = accumulator[0];
    lower = accumulator[2];
  }
}

bool xsa::sumsByProduct(vector::MultiDimReductionOp op, KernelAttr plan) {
  auto wide = op.getSource().getDefiningOp<arith::ExtFOp>();
  return wide && plan.getUnit() == MatrixKind::MmaSync &&
         op.getKind() == vector::CombiningKind::ADD &&
         op.getSourceVectorType().getRank() == 2 && op.isReducedDim(1) &&
         !op.isReducedDim(0) &&
         getElementTypeOrSelf(wide.getIn()).getIntOrFloatBitWidth() == 16 &&
         op.getSourceVectorType().getElementType().isF32();
}

std::unique_ptr<MatrixUnit> xsa::createMmaSyncUnit() {
  return std::make_unique<MmaSync>();
}
