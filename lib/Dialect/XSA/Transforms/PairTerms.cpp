//===- PairTerms.cpp - Tiles written in pairs of terms --------------------===//
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

/// Lanes of the vectors that `op` becomes; nothing if it has no such form.
static std::optional<int64_t> getLanes(linalg::GenericOp op,
                                       const VectorTarget &target) {
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
  if (ShapedType::isDynamic(lanes) ||
      lanes > target.getMaxLanes(Float32Type::get(context)))
    return std::nullopt;
  return lanes;
}

namespace {
class PairVectorizer {
public:
  PairVectorizer(OpBuilder &builder, linalg::GenericOp op, int64_t lanes)
      : b(op.getLoc(), builder), op(op), lanes(lanes),
        zero(arith::ConstantIndexOp::create(b, 0)) {}

  SmallVector<Value> vectorize();

private:
  SmallVector<Value> evaluate(Value pair, Value member, ValueRange sums);
  Value join(Value first, Value second);

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  int64_t lanes;
  Value zero;
  SmallVector<Value> sharedInputs;
};
} // namespace

/// What the body yields for one member of a pair.
SmallVector<Value> PairVectorizer::evaluate(Value pair, Value member,
                                            ValueRange sums) {
  SmallVector<Value> indices{pair, zero, member};
  SmallVector<Value> args =
      readInputs(b, op, indices, kLane, lanes, sharedInputs);
  // The pairs are written, not read.
  args.push_back(Value());
  llvm::append_range(args, sums);
  return buildTileBody(b, op, args, indices, kLane, lanes,
                       /*contracts=*/false);
}

/// The f32 that `value` is as bf16.
static Value findWide(Value value) {
  auto narrowed = value.getDefiningOp<arith::TruncFOp>();
  if (!narrowed || !getElementTypeOrSelf(value.getType()).isBF16() ||
      !getElementTypeOrSelf(narrowed.getIn().getType()).isF32())
    return Value();
  return narrowed.getIn();
}

/// The members of a pair beside each other, for all lanes. A bf16 is the upper
/// half of an f32: where both were that, adding half of the last place rounds
/// them (ties away from 0), and a mask and a shift put them together. That is
/// less work than two conversions and an exchange of lanes.
Value PairVectorizer::join(Value first, Value second) {
  Value low = findWide(first), high = findWide(second);
  if (!low || !high)
    return vector::InterleaveOp::create(b, first, second);
  auto type = VectorType::get({lanes}, b.getI32Type());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, b.getI32IntegerAttr(value)));
  };
  auto round = [&](Value wide) -> Value {
    Value bits = arith::BitcastOp::create(b, type, wide);
    return arith::AddIOp::create(b, bits, constant(0x8000));
  };
  Value lower = arith::ShRUIOp::create(b, round(low), constant(16));
  Value upper =
      arith::AndIOp::create(b, round(high), constant(int32_t(0xffff0000)));
  return vector::BitCastOp::create(
      b, VectorType::get({2 * lanes}, b.getBF16Type()),
      arith::OrIOp::create(b, lower, upper));
}

SmallVector<Value> PairVectorizer::vectorize() {
  Value pairs = op.getDpsInits().front();
  Value numPairs = getTileDim(b, pairs, 0);
  // Members of a pair and columns lie one after another.
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}};
  Value rows = tensor::CollapseShapeOp::create(b, pairs, groups);

  // Each member has sums of its own, so that one need not wait for the other.
  SmallVector<Value> carried{rows};
  auto vectorType = [&](Value tensor) {
    return VectorType::get({lanes}, getElementTypeOrSelf(tensor.getType()));
  };
  ValueRange sums = op.getDpsInits().drop_front();
  for (Value sum : sums)
    carried.push_back(vector::TransferReadOp::create(
        b, vectorType(sum), sum, zero, /*padding=*/std::nullopt,
        ArrayRef<bool>{true}));
  for (Value sum : sums)
    carried.push_back(
        arith::ConstantOp::create(b, b.getZeroAttr(vectorType(sum))));

  sharedInputs =
      readSharedInputs(b, op, SmallVector<Value>(3, zero), kLane, lanes);
  auto loop = scf::ForOp::create(b, zero, numPairs,
                                 arith::ConstantIndexOp::create(b, 1), carried);
  setUnrolling(loop, 1);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value pair = loop.getInductionVar();
    ValueRange args = loop.getRegionIterArgs();
    ValueRange current = args.drop_front();
    SmallVector<Value> members, next;
    for (int64_t member : {0, 1}) {
      SmallVector<Value> yielded =
          evaluate(pair, arith::ConstantIndexOp::create(b, member),
                   current.slice(member * sums.size(), sums.size()));
      members.push_back(yielded.front());
      llvm::append_range(next, ArrayRef(yielded).drop_front());
    }
    Value written = vector::TransferWriteOp::create(
                        b, join(members[0], members[1]), args.front(),
                        ValueRange{pair, zero}, ArrayRef<bool>{true})
                        .getResult();
    next.insert(next.begin(), written);
    scf::YieldOp::create(b, next);
  }

  SmallVector<Value> results{tensor::ExpandShapeOp::create(
      b, cast<RankedTensorType>(pairs.getType()), loop.getResult(0), groups,
      tensor::getMixedSizes(b, b.getLoc(), pairs))};
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value total = arith::AddFOp::create(b, loop.getResult(1 + i),
                                        loop.getResult(1 + sums.size() + i));
    results.push_back(vector::TransferWriteOp::create(b, total, sum, zero,
                                                      ArrayRef<bool>{true})
                          .getResult());
  }
  return results;
}

FailureOr<SmallVector<Value>> xsa::vectorizePairs(OpBuilder &builder,
                                                  linalg::GenericOp op,
                                                  const VectorTarget &target) {
  std::optional<int64_t> lanes = getLanes(op, target);
  if (!lanes)
    return failure();
  return PairVectorizer(builder, op, *lanes).vectorize();
}
