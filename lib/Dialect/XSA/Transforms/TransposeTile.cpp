//===- TransposeTile.cpp - Copies that exchange two dimensions ------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles keep query rows in their last dimension, models mostly in another. The
// copy between them reads squares along one dimension, exchanges elements
// between registers, and writes along the other. Elements of 16 bits do so in
// pairs.
//
//===----------------------------------------------------------------------===//

#include "TileBody.h"
#include "TileVectorizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace xsa;

/// Transposes a square whose rows are vectors: for each bit of the position,
/// the blocks off the diagonal change places.
static SmallVector<Value> transposeSquare(ImplicitLocOpBuilder &b,
                                          SmallVector<Value> rows) {
  int64_t n = rows.size();
  for (int64_t block = n / 2; block >= 1; block /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < n; ++lane) {
      bool isHigh = lane & block;
      low.push_back(isHigh ? n + (lane ^ block) : lane);
      high.push_back(isHigh ? n + lane : lane | block);
    }
    for (int64_t i = 0; i < n; ++i) {
      if (i & block)
        continue;
      Value a = rows[i], c = rows[i | block];
      rows[i] = vector::ShuffleOp::create(b, a, c, low);
      rows[i | block] = vector::ShuffleOp::create(b, a, c, high);
    }
  }
  return rows;
}

/// Whether `op` writes x[j, i] converted to [i, j], with nothing else read.
static bool isTransposition(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics() || op.getNumLoops() != 2 ||
      op.getNumReductionLoops() != 0 || !hasVectorForm(op) ||
      !op.getBody()->getArguments().back().use_empty() ||
      llvm::any_of(*op.getBody(), llvm::IsaPred<linalg::IndexOp>))
    return false;
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  AffineMap from = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  auto isPlain = [](Value value) {
    return getElementTypeOrSelf(value.getType()).isIntOrFloat();
  };
  return isPlain(op.getDpsInits().front()) &&
         isPlain(op.getDpsInputs().front()) && to.isPermutation() &&
         from.isPermutation() && to != from;
}

namespace {
class Transposer {
public:
  Transposer(OpBuilder &builder, linalg::GenericOp op,
             const VectorTarget &target)
      : b(op.getLoc(), builder), op(op), source(op.getDpsInputs().front()),
        fromType(getElementTypeOrSelf(source.getType())),
        toType(getElementTypeOrSelf(op.getDpsInits().front().getType())),
        side(target.vectorBits /
             std::max(32u, getShuffledType().getIntOrFloatBitWidth())),
        columnsOfBlock(movesPairs() ? 2 * side : side) {}

  Value build();

private:
  /// Elements change places in the wider type.
  Type getShuffledType() const {
    return fromType.getIntOrFloatBitWidth() > toType.getIntOrFloatBitWidth()
               ? fromType
               : toType;
  }
  bool movesPairs();
  Value convert(Value vector);
  SmallVector<Value> transpose(SmallVector<Value> rows);
  SmallVector<Value> transposePairs(ArrayRef<Value> rows);
  Value wholeBlocks(Value size, int64_t block);
  Value emitBlock(Value row, Value column, Value destination);
  Value emitElements(Value rowBegin, Value rowEnd, Value columnBegin,
                     Value columnEnd, Value destination);

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  Value source;
  Type fromType, toType;
  /// Blocks are squares, or as many pairs of columns as rows.
  int64_t side, columnsOfBlock;
};
} // namespace

/// Elements of 16 bits move in pairs, as fast as others of 32.
bool Transposer::movesPairs() {
  int64_t columns =
      cast<RankedTensorType>(op.getDpsInits().front().getType()).getDimSize(1);
  return fromType == toType && fromType.getIntOrFloatBitWidth() == 16 &&
         (ShapedType::isDynamic(columns) || columns >= 2 * side);
}

Value Transposer::convert(Value vector) {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  return buildTileBody(b, op, {vector, Value()}, {}, /*lane=*/0, lanes,
                       /*contracts=*/false)
      .front();
}

/// Bools change places as bytes: processors that hold them as bits of a mask
/// cannot shuffle those.
SmallVector<Value> Transposer::transpose(SmallVector<Value> rows) {
  auto type = cast<VectorType>(rows.front().getType());
  if (!type.getElementType().isInteger(1))
    return transposeSquare(b, rows);
  VectorType bytes = type.clone(b.getI8Type());
  for (Value &row : rows)
    row = arith::ExtUIOp::create(b, bytes, row);
  rows = transposeSquare(b, rows);
  for (Value &row : rows)
    row = arith::TruncIOp::create(b, type, row);
  return rows;
}

/// The same for pairs of rows: each pair is one row of a square.
SmallVector<Value> Transposer::transposePairs(ArrayRef<Value> rows) {
  VectorType wide = VectorType::get({side}, b.getI32Type());
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < side; ++i) {
    Value both = vector::InterleaveOp::create(b, rows[2 * i], rows[2 * i + 1]);
    pairs.push_back(vector::BitCastOp::create(b, wide, both));
  }
  pairs = transposeSquare(b, pairs);
  for (Value &pair : pairs)
    pair =
        vector::BitCastOp::create(b, VectorType::get({2 * side}, toType), pair);
  return pairs;
}

/// The part of a size that blocks cover.
Value Transposer::wholeBlocks(Value size, int64_t block) {
  Value rest =
      arith::RemUIOp::create(b, size, arith::ConstantIndexOp::create(b, block));
  return b.createOrFold<arith::SubIOp>(size, rest);
}

/// The block of the destination that begins at (row, column).
Value Transposer::emitBlock(Value row, Value column, Value destination) {
  auto offset = [&](Value base, int64_t distance) {
    return b.createOrFold<arith::AddIOp>(
        base, arith::ConstantIndexOp::create(b, distance));
  };
  bool convertsFirst = getShuffledType() == toType;
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < columnsOfBlock; ++i) {
    Value vector = vector::TransferReadOp::create(
        b, VectorType::get({side}, fromType), source,
        ValueRange{offset(column, i), row},
        /*padding=*/std::nullopt, ArrayRef<bool>{true});
    vectors.push_back(convertsFirst ? convert(vector) : vector);
  }
  vectors = movesPairs() ? transposePairs(vectors) : transpose(vectors);
  for (auto [i, vector] : llvm::enumerate(vectors))
    destination = vector::TransferWriteOp::create(
                      b, convertsFirst ? vector : convert(vector), destination,
                      ValueRange{offset(row, i), column}, ArrayRef<bool>{true})
                      .getResult();
  return destination;
}

Value Transposer::emitElements(Value rowBegin, Value rowEnd, Value columnBegin,
                               Value columnEnd, Value destination) {
  return buildTileLoop(
      b, columnBegin, columnEnd, 1, destination,
      [&](Value column, Value outer) {
        return buildTileLoop(
            b, rowBegin, rowEnd, 1, outer, [&](Value row, Value inner) {
              IRMapping mapping;
              mapping.map(
                  op.getBody()->getArgument(0),
                  tensor::ExtractOp::create(b, source, ValueRange{column, row})
                      .getResult());
              for (Operation &nested : op.getBody()->without_terminator())
                b.clone(nested, mapping);
              Value element = mapping.lookupOrDefault(
                  op.getBody()->getTerminator()->getOperand(0));
              return tensor::InsertOp::create(b, element, inner,
                                              ValueRange{row, column})
                  .getResult();
            });
      });
}

Value Transposer::build() {
  Value destination = op.getDpsInits().front();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value rows = getTileDim(b, destination, 0);
  Value columns = getTileDim(b, destination, 1);
  auto shape = cast<RankedTensorType>(destination.getType()).getShape();
  if (llvm::any_of(shape, [&](int64_t size) {
        return !ShapedType::isDynamic(size) && size < side;
      }))
    return emitElements(zero, rows, zero, columns, destination);
  Value wholeRows = wholeBlocks(rows, side);
  Value wholeColumns = wholeBlocks(columns, columnsOfBlock);
  destination = buildTileLoop(b, zero, wholeColumns, columnsOfBlock,
                              destination, [&](Value column, Value outer) {
                                return buildTileLoop(
                                    b, zero, wholeRows, side, outer,
                                    [&](Value row, Value inner) {
                                      return emitBlock(row, column, inner);
                                    });
                              });
  // What blocks leave: the last rows, then the last columns.
  destination = emitElements(wholeRows, rows, zero, wholeColumns, destination);
  return emitElements(zero, rows, wholeColumns, columns, destination);
}

FailureOr<Value> xsa::vectorizeTransposition(OpBuilder &builder,
                                             linalg::GenericOp op,
                                             const VectorTarget &target) {
  if (!isTransposition(op))
    return failure();
  return Transposer(builder, op, target).build();
}
