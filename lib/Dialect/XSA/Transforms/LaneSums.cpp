//===- LaneSums.cpp - Sums whose terms lie one after another --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With rows in front, scores are sums along the depth of query and keys, and
// maxima run along keys: the vectors there are hold terms, not results. Each
// result of a block has a vector of partial sums; at the end of the terms the
// vectors of the block are added pair by pair into one that holds a result per
// lane.
//
//===----------------------------------------------------------------------===//

#include "TileBody.h"
#include "TileVectorizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace xsa;

namespace {
/// The loops of such an operation. `inner` is the last dimension of the result,
/// `outer` the one before it, if there is one.
struct LaneSumLoops {
  unsigned term, inner;
  std::optional<unsigned> outer;
};
} // namespace

/// Whether each operand has its terms in a row or does not depend on them, and
/// nothing else stands in the way of vectors.
static FailureOr<LaneSumLoops> analyzeLaneSum(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() ||
      op.getNumReductionLoops() != 1 || !findCombiner(op) || !hasVectorForm(op))
    return failure();
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  AffineMap initMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned rank = initMap.getNumResults();
  if (!initMap.isProjectedPermutation() || rank == 0 || rank > 2 ||
      op.getNumLoops() != rank + 1)
    return failure();
  LaneSumLoops loops;
  loops.term = reductions.front();
  loops.inner = initMap.getDimPosition(rank - 1);
  if (rank == 2)
    loops.outer = initMap.getDimPosition(0);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation() ||
        classifyAccess(operand.get(), map, loops.term) ==
            TileAccess::Unsupported)
      return failure();
  }
  return loops;
}

namespace {
class LaneSumBuilder {
public:
  LaneSumBuilder(OpBuilder &builder, linalg::GenericOp op, LaneSumLoops loops,
                 const VectorTarget &target, linalg::GenericOp change);

  Value build();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value lhs, int64_t rhs) {
    return rhs == 0 ? lhs : arith::AddIOp::create(b, lhs, constant(rhs));
  }
  Value wholeParts(Value size, int64_t part);
  Value emitRows(Value begin, Value end, int64_t numOuter, Value destination);
  Value emitBlock(int64_t numOuter, int64_t numInner, Value destination);
  SmallVector<Value> sumTerms(Value begin, Value end, int64_t width,
                              int64_t numOuter, int64_t numInner);
  Value addLanes(SmallVector<Value> sums);
  Value fold(Value vector, int64_t groups);
  Value combineParts(Value lhs, Value rhs) {
    return combine(b, combiner, lhs, rhs);
  }

  ImplicitLocOpBuilder b;
  linalg::GenericOp op, change;
  LaneSumLoops loops;
  Operation *combiner;
  /// Terms of a vector, and the most results of a block.
  int64_t lanes;
  /// Where each loop stands.
  SmallVector<Value> indices;
};
} // namespace

LaneSumBuilder::LaneSumBuilder(OpBuilder &builder, linalg::GenericOp op,
                               LaneSumLoops loops, const VectorTarget &target,
                               linalg::GenericOp change)
    : b(op.getLoc(), builder), op(op), change(change), loops(loops),
      combiner(findCombiner(op)),
      lanes(target.vectorBits / getElementTypeOrSelf(op.getDpsInits().front())
                                    .getIntOrFloatBitWidth()),
      indices(op.getNumLoops(), constant(0)) {}

/// The part of a size that parts of a fixed size fill.
Value LaneSumBuilder::wholeParts(Value size, int64_t part) {
  return b.createOrFold<arith::SubIOp>(
      size, b.createOrFold<arith::RemUIOp>(size, constant(part)));
}

/// A vector of `width` partial sums for each result of the block at the
/// current position, over the terms in [begin, end).
SmallVector<Value> LaneSumBuilder::sumTerms(Value begin, Value end,
                                            int64_t width, int64_t numOuter,
                                            int64_t numInner) {
  SmallVector<Value> starts(numOuter * numInner,
                            buildNeutral(b, combiner, width));
  SmallVector<Value> position(indices);
  auto loop = scf::ForOp::create(b, begin, end, constant(width), starts);
  setUnrolling(loop, 1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  indices[loops.term] = loop.getInductionVar();
  SmallVector<Value> next;
  for (auto [i, sum] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (loops.outer)
      indices[*loops.outer] = add(position[*loops.outer], i / numInner);
    indices[loops.inner] = add(position[loops.inner], i % numInner);
    next.push_back(buildTileElement(b, op, indices, loops.term, width, sum));
  }
  scf::YieldOp::create(b, next);
  indices = position;
  return SmallVector<Value>(loop.getResults());
}

/// Halves a vector of `groups` results with several partial sums each, by
/// combining the halves of each.
Value LaneSumBuilder::fold(Value vector, int64_t groups) {
  int64_t size = cast<VectorType>(vector.getType()).getNumElements();
  int64_t group = size / groups;
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < size; ++lane)
    (lane % group < group / 2 ? low : high).push_back(lane);
  return combineParts(vector::ShuffleOp::create(b, vector, vector, low),
                      vector::ShuffleOp::create(b, vector, vector, high));
}

/// One result per lane from a vector of partial sums per result. The number of
/// vectors is a power of two.
Value LaneSumBuilder::addLanes(SmallVector<Value> sums) {
  int64_t groups = 1;
  for (; sums.size() > 1; groups *= 2) {
    // Each pair becomes one vector: of every group, the first halves of both,
    // which then take in the second halves.
    size_t half = sums.size() / 2;
    int64_t size = cast<VectorType>(sums.front().getType()).getNumElements();
    int64_t group = size / groups;
    SmallVector<int64_t> low, high;
    for (int64_t begin = 0; begin < size; begin += group)
      for (int64_t from : {begin, size + begin})
        for (int64_t lane = 0; lane < group / 2; ++lane) {
          low.push_back(from + lane);
          high.push_back(from + group / 2 + lane);
        }
    for (size_t i = 0; i < half; ++i) {
      Value lhs = sums[i], rhs = sums[i + half];
      sums[i] = combineParts(vector::ShuffleOp::create(b, lhs, rhs, low),
                             vector::ShuffleOp::create(b, lhs, rhs, high));
    }
    sums.resize(half);
  }
  Value vector = sums.front();
  while (cast<VectorType>(vector.getType()).getNumElements() > groups)
    vector = fold(vector, groups);
  return vector;
}

/// The results of `numOuter` times `numInner` at the current position.
Value LaneSumBuilder::emitBlock(int64_t numOuter, int64_t numInner,
                                Value destination) {
  int64_t count = numOuter * numInner;
  int64_t padded = llvm::PowerOf2Ceil(count);
  Value terms = getLoopExtent(b, op, loops.term);
  Value whole = wholeParts(terms, lanes);
  SmallVector<Value> sums =
      sumTerms(constant(0), whole, lanes, numOuter, numInner);
  sums.resize(padded, buildNeutral(b, combiner, lanes));
  Value results = addLanes(sums);
  if (!isEqualConstantIntOrValue(whole, terms)) {
    // Terms that do not fill a vector are added one by one.
    SmallVector<Value> rest = sumTerms(whole, terms, 1, numOuter, numInner);
    for (Value &sum : rest)
      sum = vector::ExtractOp::create(b, sum, 0);
    rest.resize(padded, rest.front());
    Value vector = vector::FromElementsOp::create(
        b, cast<VectorType>(results.getType()), rest);
    results = combineParts(results, vector);
  }

  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  bool isFilled = init->get().getDefiningOp<linalg::FillOp>();
  SmallVector<Value> position(indices);
  for (int64_t i = 0; i < numOuter; ++i) {
    SmallVector<int64_t> row =
        llvm::to_vector(llvm::seq<int64_t>(i * numInner, (i + 1) * numInner));
    Value result = vector::ShuffleOp::create(b, results, results, row);
    if (loops.outer)
      indices[*loops.outer] = add(position[*loops.outer], i);
    // What the init held: a constant where it is filled.
    Value start =
        readTileOperand(b, op, init, isFilled ? init->get() : destination,
                        indices, loops.inner, numInner);
    result = combineParts(broadcastLanes(b, start, numInner), result);
    result = buildTileChange(b, op, change, indices, numInner, result);
    destination =
        writeLanes(b, result, destination, getAccessIndices(map, indices));
  }
  indices = position;
  return destination;
}

/// Outer rows from the current one on, `numOuter` together; inner ones in
/// blocks that make a vector of results.
Value LaneSumBuilder::emitRows(Value begin, Value end, int64_t numOuter,
                               Value destination) {
  auto inner = [&](Value from, Value to, int64_t count, Value carried) {
    return buildTileLoop(b, from, to, count, carried,
                         [&](Value index, Value destination) {
                           indices[loops.inner] = index;
                           return emitBlock(numOuter, count, destination);
                         });
  };
  return buildTileLoop(
      b, begin, end, numOuter, destination, [&](Value row, Value carried) {
        if (loops.outer)
          indices[*loops.outer] = row;
        Value size = getLoopExtent(b, op, loops.inner);
        int64_t count = std::max<int64_t>(lanes / numOuter, 1);
        if (std::optional<int64_t> known = getConstantIntValue(size))
          count = std::clamp<int64_t>(*known, 1, count);
        Value whole = wholeParts(size, count);
        carried = inner(constant(0), whole, count, carried);
        return inner(whole, size, 1, carried);
      });
}

Value LaneSumBuilder::build() {
  Value destination = op.getDpsInits().front();
  if (auto fill = destination.getDefiningOp<linalg::FillOp>())
    destination = fill.output();
  if (!loops.outer)
    return emitRows(constant(0), constant(1), 1, destination);
  Value size = getLoopExtent(b, op, *loops.outer);
  std::optional<int64_t> known = getConstantIntValue(size);
  int64_t together = known ? std::clamp<int64_t>(*known, 1, lanes) : 1;
  Value whole = wholeParts(size, together);
  destination = emitRows(constant(0), whole, together, destination);
  return emitRows(whole, size, 1, destination);
}

/// The result of `op` as one vector of terms, combined, if it has one result
/// and its terms fit.
static FailureOr<Value> combineAllTerms(OpBuilder &builder,
                                        linalg::GenericOp op,
                                        const VectorTarget &target) {
  Operation *combiner = findCombiner(op);
  if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() ||
      op.getNumLoops() != 1 || op.getNumReductionLoops() != 1 || !combiner ||
      !hasVectorForm(op))
    return failure();
  OpOperand *init = op.getDpsInitOperand(0);
  int64_t terms = op.getStaticLoopRanges().front();
  if (op.getMatchingIndexingMap(init).getNumResults() != 0 ||
      ShapedType::isDynamic(terms) ||
      terms > target.getMaxLanes(builder.getF32Type()))
    return failure();
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingIndexingMap(input).isProjectedPermutation())
      return failure();
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value vector = buildTileElement(b, op, zero, /*lane=*/0, terms,
                                  buildNeutral(b, combiner, terms));
  Value start = readTileOperand(b, op, init, init->get(), zero, 0, terms);
  Value result = combine(b, combiner, start, combineLanes(b, combiner, vector));
  Value destination = init->get();
  if (auto fill = destination.getDefiningOp<linalg::FillOp>())
    destination = fill.output();
  return tensor::InsertOp::create(b, result, destination, ValueRange())
      .getResult();
}

FailureOr<Value> xsa::vectorizeLaneSum(OpBuilder &builder, linalg::GenericOp op,
                                       const VectorTarget &target,
                                       linalg::GenericOp change) {
  if (!change)
    if (FailureOr<Value> all = combineAllTerms(builder, op, target);
        succeeded(all))
      return all;
  FailureOr<LaneSumLoops> loops = analyzeLaneSum(op);
  if (failed(loops))
    return failure();
  return LaneSumBuilder(builder, op, *loops, target, change).build();
}
