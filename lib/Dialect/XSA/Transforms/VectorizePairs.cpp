//===- VectorizePairs.cpp - Tiles written in pairs of terms ---------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What instructions that multiply pairs of terms read is [pair, lane, 2]. It is
// computed for each member of a pair, on vectors of lanes, and two vectors are
// interleaved into what lies in memory one after another. Sums of the same
// terms are added up on the way.
//
//===----------------------------------------------------------------------===//

#include "TileBody.h"
#include "TileVectorizer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace xsa;

/// The loops of such an operation.
static constexpr unsigned kPair = 0, kLane = 1, kMember = 2;

/// Whether init number `i` has terms added to it.
static bool isSum(linalg::GenericOp op, unsigned i) {
  Value yielded = op.getBody()->getTerminator()->getOperand(i);
  auto add = yielded.getDefiningOp<arith::AddFOp>();
  Value sum = op.getMatchingBlockArgument(op.getDpsInitOperand(i));
  return add && sum.hasOneUse() && llvm::is_contained(add->getOperands(), sum);
}

/// Lanes of `op`; nothing if it has no such form.
static std::optional<int64_t> getLanes(linalg::GenericOp op) {
  if (op.getNumLoops() != 3 || !op.hasPureTensorSemantics() ||
      op.getNumDpsInits() == 0 || !hasVectorForm(op) ||
      op.getStaticLoopRanges()[kMember] != 2)
    return std::nullopt;
  MLIRContext *context = op.getContext();
  OpOperand *pairs = op.getDpsInitOperand(0);
  if (op.getMatchingIndexingMap(pairs) !=
          AffineMap::getMultiDimIdentityMap(3, context) ||
      !op.getMatchingBlockArgument(pairs).use_empty())
    return std::nullopt;
  AffineMap perLane =
      AffineMap::get(3, 0, {getAffineDimExpr(kLane, context)}, context);
  for (int64_t i = 1; i < op.getNumDpsInits(); ++i)
    if (op.getMatchingIndexingMap(op.getDpsInitOperand(i)) != perLane ||
        !isSum(op, i))
      return std::nullopt;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isProjectedPermutation() ||
        classifyAccess(input->get(), map, kLane) == TileAccess::Unsupported)
      return std::nullopt;
  }
  int64_t lanes = op.getStaticLoopRanges()[kLane];
  if (ShapedType::isDynamic(lanes))
    return std::nullopt;
  return lanes;
}

namespace {
class PairVectorizer {
public:
  PairVectorizer(OpBuilder &builder, linalg::GenericOp op)
      : b(op.getLoc(), builder), op(op) {}

  SmallVector<Value> vectorize(int64_t allLanes, int64_t maxLanes);

private:
  void vectorizeLanes(Value &rows, MutableArrayRef<Value> sums);
  SmallVector<Value> evaluate(Value pair, Value member, ValueRange sums);
  Value constant(int64_t value);
  Value round(Value wide);
  Value upperHalf(Value bits);
  void widenAgain(Value narrow);
  Value join(Value first, Value second);

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  /// The lanes at hand.
  Value firstLane;
  int64_t lanes = 1;
  SmallVector<Value> sharedInputs;
};
} // namespace

/// The f32 that `value` is as bf16.
static Value findWide(Value value) {
  auto narrowed = value.getDefiningOp<arith::TruncFOp>();
  if (!narrowed || !getElementTypeOrSelf(value.getType()).isBF16() ||
      !getElementTypeOrSelf(narrowed.getIn().getType()).isF32())
    return Value();
  return narrowed.getIn();
}

/// What the body yields for one member of a pair.
SmallVector<Value> PairVectorizer::evaluate(Value pair, Value member,
                                            ValueRange sums) {
  SmallVector<Value> indices{pair, firstLane, member};
  SmallVector<Value> args =
      readInputs(b, op, indices, kLane, lanes, sharedInputs);
  // The pairs are written, not read.
  args.push_back(Value());
  llvm::append_range(args, sums);
  SmallVector<Value> yielded = buildTileBody(b, op, args, indices, kLane, lanes,
                                             /*contracts=*/false);
  widenAgain(yielded.front());
  return yielded;
}

Value PairVectorizer::constant(int64_t value) {
  auto type = VectorType::get({lanes}, b.getI32Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, b.getI32IntegerAttr(value)));
}

/// A bf16 is the upper half of an f32: adding half of the last place rounds to
/// it (ties away from 0).
Value PairVectorizer::round(Value wide) {
  Value bits = arith::BitcastOp::create(
      b, VectorType::get({lanes}, b.getI32Type()), wide);
  return arith::AddIOp::create(b, bits, constant(0x8000));
}

Value PairVectorizer::upperHalf(Value bits) {
  return arith::AndIOp::create(b, bits, constant(int32_t(0xffff0000)));
}

/// What the body makes of a rounded number is of the number as `join` rounds
/// it.
void PairVectorizer::widenAgain(Value narrow) {
  Value wide = findWide(narrow);
  if (!wide)
    return;
  for (Operation *user : llvm::make_early_inc_range(narrow.getUsers()))
    if (auto widened = dyn_cast<arith::ExtFOp>(user);
        widened && widened.getType() == wide.getType()) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(widened);
      Value rounded =
          arith::BitcastOp::create(b, wide.getType(), upperHalf(round(wide)));
      widened.replaceAllUsesWith(rounded);
      widened.erase();
    }
}

/// The members of a pair beside each other, for all lanes. Where both were f32,
/// a mask and a shift put them together, which is less work than two
/// conversions and an exchange of lanes.
Value PairVectorizer::join(Value first, Value second) {
  Value low = findWide(first), high = findWide(second);
  if (!low || !high)
    return vector::InterleaveOp::create(b, first, second);
  Value lower = arith::ShRUIOp::create(b, round(low), constant(16));
  Value upper = upperHalf(round(high));
  return vector::BitCastOp::create(
      b, VectorType::get({2 * lanes}, b.getBF16Type()),
      arith::OrIOp::create(b, lower, upper));
}

/// Computes the lanes at hand; `rows` has a pair's members and columns one
/// after another.
void PairVectorizer::vectorizeLanes(Value &rows, MutableArrayRef<Value> sums) {
  // Each member has sums of its own, so that one need not wait for the other.
  SmallVector<Value> carried{rows};
  auto vectorType = [&](Value tensor) {
    return VectorType::get({lanes}, getElementTypeOrSelf(tensor.getType()));
  };
  for (Value sum : sums)
    carried.push_back(vector::TransferReadOp::create(
        b, vectorType(sum), sum, firstLane, /*padding=*/std::nullopt,
        ArrayRef<bool>{true}));
  for (Value sum : sums)
    carried.push_back(
        arith::ConstantOp::create(b, b.getZeroAttr(vectorType(sum))));

  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value two = arith::ConstantIndexOp::create(b, 2);
  Value column = b.createOrFold<arith::MulIOp>(firstLane, two);
  SmallVector<Value> start{zero, firstLane, zero};
  sharedInputs = readSharedInputs(b, op, start, kLane, lanes);
  auto loop = scf::ForOp::create(b, zero, getTileDim(b, rows, 0), one, carried);
  setUnrolling(loop, 1);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value pair = loop.getInductionVar();
    ValueRange args = loop.getRegionIterArgs();
    ValueRange current = args.drop_front();
    SmallVector<Value> members, next;
    for (int64_t i : {0, 1}) {
      SmallVector<Value> yielded =
          evaluate(pair, i == 0 ? zero : one,
                   current.slice(i * sums.size(), sums.size()));
      members.push_back(yielded.front());
      llvm::append_range(next, ArrayRef(yielded).drop_front());
    }
    Value written = vector::TransferWriteOp::create(
                        b, join(members[0], members[1]), args.front(),
                        ValueRange{pair, column}, ArrayRef<bool>{true})
                        .getResult();
    next.insert(next.begin(), written);
    scf::YieldOp::create(b, next);
  }

  rows = loop.getResult(0);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value total = arith::AddFOp::create(b, loop.getResult(1 + i),
                                        loop.getResult(1 + sums.size() + i));
    sum = vector::TransferWriteOp::create(b, total, sum, firstLane,
                                          ArrayRef<bool>{true})
              .getResult();
  }
}

SmallVector<Value> PairVectorizer::vectorize(int64_t allLanes,
                                             int64_t maxLanes) {
  Value pairs = op.getDpsInits().front();
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}};
  Value rows = tensor::CollapseShapeOp::create(b, pairs, groups);
  SmallVector<Value> sums(op.getDpsInits().drop_front());
  for (int64_t begin = 0; begin < allLanes; begin += lanes) {
    firstLane = arith::ConstantIndexOp::create(b, begin);
    lanes = std::min<int64_t>(maxLanes,
                              llvm::bit_floor<uint64_t>(allLanes - begin));
    vectorizeLanes(rows, sums);
  }
  SmallVector<Value> results{tensor::ExpandShapeOp::create(
      b, cast<RankedTensorType>(pairs.getType()), rows, groups,
      tensor::getMixedSizes(b, b.getLoc(), pairs))};
  llvm::append_range(results, sums);
  return results;
}

FailureOr<SmallVector<Value>> xsa::vectorizePairs(OpBuilder &builder,
                                                  linalg::GenericOp op,
                                                  const VectorTarget &target) {
  std::optional<int64_t> lanes = getLanes(op);
  if (!lanes)
    return failure();
  int64_t maxLanes = target.getMaxLanes(builder.getF32Type());
  return PairVectorizer(builder, op).vectorize(*lanes, maxLanes);
}
