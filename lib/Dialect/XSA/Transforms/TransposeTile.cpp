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
// pairs, and bools by four, as words of 32 bits that shifts and masks take
// apart again: what is first in memory is in the lower bits. A bf16 in the
// upper bits of a word is that number in f32.
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

/// Transposes squares beside each other whose rows are vectors: for each bit of
/// the position, the blocks off the diagonals change places.
static SmallVector<Value> transposeSquares(ImplicitLocOpBuilder &b,
                                           SmallVector<Value> rows) {
  int64_t n = rows.size();
  int64_t lanes = cast<VectorType>(rows.front().getType()).getNumElements();
  for (int64_t block = n / 2; block >= 1; block /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool isHigh = lane & block;
      low.push_back(isHigh ? lanes + (lane ^ block) : lane);
      high.push_back(isHigh ? lanes + lane : lane | block);
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

/// Whether `op` does nothing but widen bf16 to f32.
static bool widensBF16(linalg::GenericOp op) {
  Block *body = op.getBody();
  auto widen =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
  return widen && widen.getIn() == body->getArgument(0) &&
         widen.getIn().getType().isBF16() && widen.getType().isF32();
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
      : b(op.getLoc(), builder), op(op), source(op.getDpsInputOperand(0)),
        fromType(getElementTypeOrSelf(source->get().getType())),
        toType(getElementTypeOrSelf(op.getDpsInits().front().getType())) {
    chooseBlocks(target.vectorBits);
  }

  Value build();

private:
  void chooseBlocks(int64_t vectorBits);
  Value read(Value row, Value column, int64_t lanes);
  Value convert(Value vector);
  VectorType getWordType() { return VectorType::get({side}, b.getI32Type()); }
  Value splatWord(uint32_t value);
  Value widenBools(Value bools);
  SmallVector<Value> transpose(SmallVector<Value> rows);
  SmallVector<Value> transposeLanes(ArrayRef<Value> rows);
  void takeApart(Value word, SmallVector<Value> &rows);
  SmallVector<Value> transposeWords(ArrayRef<Value> rows);
  SmallVector<Value> transposePairs(ArrayRef<Value> rows);
  Value wholeBlocks(Value size, int64_t block);
  Value emitBlock(Value row, Value column, int64_t rows, Value destination);
  Value emitRows(Value begin, Value end, int64_t rows, Value columns,
                 Value destination);
  Value emitElements(Value rowBegin, Value rowEnd, Value columnBegin,
                     Value columnEnd, Value destination);

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  OpOperand *source;
  Type fromType, toType;
  /// Elements change places as the destination has them.
  bool convertsFirst = false;
  /// Elements of 16 bits move in pairs, as fast as others of 32.
  bool movesPairs = false;
  /// Rows of the destination, of which a lane moves an element each. Bools move
  /// by four, and bf16 that become f32 by two.
  int64_t rowsOfLane = 1;
  /// Blocks are squares, or as many pairs of columns as rows.
  int64_t side, columnsOfBlock;
};
} // namespace

void Transposer::chooseBlocks(int64_t vectorBits) {
  int64_t columns =
      cast<RankedTensorType>(op.getDpsInits().front().getType()).getDimSize(1);
  unsigned fromWidth = fromType.getIntOrFloatBitWidth();
  unsigned toWidth = toType.getIntOrFloatBitWidth();
  if (fromType.isInteger(1) && toWidth <= 8)
    rowsOfLane = 4;
  else if (widensBF16(op))
    rowsOfLane = 2;
  movesPairs = fromWidth == 16 && toWidth <= 32 && rowsOfLane == 1 &&
               (ShapedType::isDynamic(columns) || columns >= vectorBits / 16);
  // Else the wider type changes places.
  convertsFirst = !movesPairs && fromWidth <= toWidth;
  side = vectorBits / std::max(32u, convertsFirst ? toWidth : fromWidth);
  columnsOfBlock = movesPairs ? 2 * side : side;
}

/// The source's elements that belong to a column, for rows from `row` on.
Value Transposer::read(Value row, Value column, int64_t lanes) {
  AffineMap to = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<Value> loops(2);
  loops[to.getDimPosition(0)] = row;
  loops[to.getDimPosition(1)] = column;
  return readTileOperand(b, op, source, source->get(), loops,
                         to.getDimPosition(0), lanes);
}

/// Elements of the source as the destination has them.
Value Transposer::convert(Value vector) {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  return buildTileBody(b, op, {vector, Value()}, {}, /*lane=*/0, lanes,
                       /*contracts=*/false)
      .front();
}

Value Transposer::splatWord(uint32_t value) {
  TypedAttr attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
  return arith::ConstantOp::create(b,
                                   DenseElementsAttr::get(getWordType(), attr));
}

/// Bools change places as bytes: processors that hold them as bits of a mask
/// cannot shuffle those.
Value Transposer::widenBools(Value bools) {
  auto type = cast<VectorType>(bools.getType());
  return arith::ExtUIOp::create(b, type.clone(b.getI8Type()), bools);
}

SmallVector<Value> Transposer::transpose(SmallVector<Value> rows) {
  auto type = cast<VectorType>(rows.front().getType());
  if (!type.getElementType().isInteger(1))
    return transposeSquares(b, rows);
  for (Value &row : rows)
    row = widenBools(row);
  rows = transposeSquares(b, rows);
  for (Value &row : rows)
    row = arith::TruncIOp::create(b, type, row);
  return rows;
}

/// Appends what a lane of `word` holds of each row, as the destination has it.
void Transposer::takeApart(Value word, SmallVector<Value> &rows) {
  if (fromType.isBF16()) {
    Value lower = arith::ShLIOp::create(b, word, splatWord(16));
    Value upper = arith::AndIOp::create(b, word, splatWord(0xffff0000));
    for (Value bits : {lower, upper})
      rows.push_back(
          arith::BitcastOp::create(b, VectorType::get({side}, toType), bits));
    return;
  }
  for (int64_t i = 0; i < rowsOfLane; ++i) {
    // All bits of a byte: of just the one that counts, LLVM would make a
    // shift and a conversion instead of a test.
    Value byte =
        arith::AndIOp::create(b, word, splatWord(uint32_t(0xff) << 8 * i));
    rows.push_back(convert(arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                                 byte, splatWord(0))));
  }
}

/// The same for rows that are longer than there are of them, so that each lane
/// moves elements of several rows of the destination. Also converts.
SmallVector<Value> Transposer::transposeLanes(ArrayRef<Value> rows) {
  SmallVector<Value> words, transposed;
  for (Value row : rows)
    words.push_back(vector::BitCastOp::create(
        b, getWordType(), fromType.isInteger(1) ? widenBools(row) : row));
  for (Value word : transposeSquares(b, words))
    takeApart(word, transposed);
  return transposed;
}

/// Half of the rows, every other one, with two neighbouring elements in each
/// lane: the squares of the first and of the second half of them side by side.
SmallVector<Value> Transposer::transposeWords(ArrayRef<Value> rows) {
  auto word = [&](int64_t i) -> Value {
    return vector::BitCastOp::create(
        b, VectorType::get({side / 2}, b.getI32Type()), rows[2 * i]);
  };
  auto both = llvm::to_vector(llvm::seq<int64_t>(0, side));
  SmallVector<Value> words;
  for (int64_t i = 0; i < side / 2; ++i) {
    Value first = word(i), second = word(i + side / 2);
    words.push_back(vector::ShuffleOp::create(b, first, second, both));
  }
  return transposeSquares(b, words);
}

/// The same for rows of 16-bit elements, of which two go to each lane: the even
/// rows change places as words of two elements, and so do the odd ones. Then
/// the lower and the upper halves of both are beside each other.
SmallVector<Value> Transposer::transposePairs(ArrayRef<Value> rows) {
  Value half = splatWord(16), lower = splatWord(0xffff),
        upper = splatWord(0xffff0000);
  SmallVector<Value> transposed;
  auto add = [&](Value moved, Value kept) {
    transposed.push_back(
        vector::BitCastOp::create(b, VectorType::get({2 * side}, fromType),
                                  arith::OrIOp::create(b, moved, kept)));
  };
  SmallVector<Value> evenRows = transposeWords(rows);
  SmallVector<Value> oddRows = transposeWords(rows.drop_front());
  for (auto [even, odd] : llvm::zip_equal(evenRows, oddRows)) {
    Value lowOfOdd = arith::ShLIOp::create(b, odd, half);
    add(lowOfOdd, arith::AndIOp::create(b, even, lower));
    Value highOfEven = arith::ShRUIOp::create(b, even, half);
    add(highOfEven, arith::AndIOp::create(b, odd, upper));
  }
  return transposed;
}

/// The part of a size that blocks cover.
Value Transposer::wholeBlocks(Value size, int64_t block) {
  Value rest =
      arith::RemUIOp::create(b, size, arith::ConstantIndexOp::create(b, block));
  return b.createOrFold<arith::SubIOp>(size, rest);
}

/// The block of the destination that begins at (row, column): a square, or more
/// rows than that where lanes move elements of several.
Value Transposer::emitBlock(Value row, Value column, int64_t rows,
                            Value destination) {
  auto offset = [&](Value base, int64_t distance) {
    return b.createOrFold<arith::AddIOp>(
        base, arith::ConstantIndexOp::create(b, distance));
  };
  auto convertAll = [&](SmallVector<Value> &vectors) {
    for (Value &vector : vectors)
      vector = convert(vector);
  };
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < columnsOfBlock; ++i)
    vectors.push_back(read(row, offset(column, i), rows));
  if (rows > side) {
    vectors = transposeLanes(vectors);
  } else if (convertsFirst) {
    convertAll(vectors);
    vectors = transpose(vectors);
  } else {
    vectors = movesPairs ? transposePairs(vectors) : transpose(vectors);
    convertAll(vectors);
  }
  for (auto [i, vector] : llvm::enumerate(vectors))
    destination = vector::TransferWriteOp::create(
                      b, vector, destination,
                      ValueRange{offset(row, i), column}, ArrayRef<bool>{true})
                      .getResult();
  return destination;
}

/// The blocks of `rows` rows each between two of the destination's rows.
Value Transposer::emitRows(Value begin, Value end, int64_t rows, Value columns,
                           Value destination) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return buildTileLoop(b, zero, columns, columnsOfBlock, destination,
                       [&](Value column, Value outer) {
                         return buildTileLoop(b, begin, end, rows, outer,
                                              [&](Value row, Value inner) {
                                                return emitBlock(row, column,
                                                                 rows, inner);
                                              });
                       });
}

Value Transposer::emitElements(Value rowBegin, Value rowEnd, Value columnBegin,
                               Value columnEnd, Value destination) {
  return buildTileLoop(
      b, columnBegin, columnEnd, 1, destination,
      [&](Value column, Value outer) {
        return buildTileLoop(
            b, rowBegin, rowEnd, 1, outer, [&](Value row, Value inner) {
              return writeLanes(b, convert(read(row, column, /*lanes=*/1)),
                                inner, {row, column});
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
  Value wholeColumns = wholeBlocks(columns, columnsOfBlock);
  Value tallRows = zero;
  int64_t tall = rowsOfLane * side;
  if (rowsOfLane > 1 && (ShapedType::isDynamic(shape[0]) || shape[0] >= tall)) {
    tallRows = wholeBlocks(rows, tall);
    destination = emitRows(zero, tallRows, tall, wholeColumns, destination);
  }
  Value wholeRows = wholeBlocks(rows, side);
  destination = emitRows(tallRows, wholeRows, side, wholeColumns, destination);
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
