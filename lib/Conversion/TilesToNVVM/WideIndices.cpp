//===- WideIndices.cpp - 64 bits for indices of score regions -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most regions need a difference of positions, in 32 bits. Only where ranges,
// as upstream's operations infer them, do not exclude that an index is larger
// is the region computed in 64.
//
//===----------------------------------------------------------------------===//

#include "WideIndices.h"

#include "AttentionPlan.h"
#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;
using namespace xsa;

namespace {
/// Follows the operations of a score region and how large their integers get.
class IndexRanges {
public:
  explicit IndexRanges(AttentionOp op);
  /// Whether the next operation gives in 32 bits what it gives in 64.
  bool fits(Operation *op);

private:
  static ConstantIntRanges between(int64_t least, int64_t most) {
    return ConstantIntRanges::fromSigned(APInt(64, least, /*isSigned=*/true),
                                         APInt(64, most, /*isSigned=*/true));
  }
  const ConstantIntRanges &of(Value value);
  bool fits(Value value);
  bool readsMore(Operation *op);
  void infer(Operation *op);

  DenseMap<Value, ConstantIntRanges> ranges;
};
} // namespace

IndexRanges::IndexRanges(AttentionOp op) {
  ArrayRef<BlockArgument> arguments =
      op.getScoreRegion().front().getArguments();
  for (Value argument : arguments)
    ranges.try_emplace(
        argument,
        argument.getType().isIndex()
            ? between(1 - kMaxPosition, kMaxPosition - 1)
            : ConstantIntRanges::maxRange(
                  ConstantIntRanges::getStorageBitwidth(argument.getType())));
  // Nothing moves positions, so that they are numbers of rows and keys.
  if (op.getKeyStart() || op.getQueryStart() || op.getQueryOffset() ||
      op.getKeyLengths())
    return;
  AttentionShape shape = shapeOf(op);
  if (!shape.rows || !shape.keys)
    return;
  int64_t most = std::max(*shape.rows, *shape.keys);
  for (Value position : arguments.take_back(2))
    ranges.insert_or_assign(position, between(-most, most));
}

/// Of a value that may come from outside of the region, as constants do.
const ConstantIntRanges &IndexRanges::of(Value value) {
  auto known = ranges.find(value);
  if (known != ranges.end())
    return known->second;
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  APInt constant;
  return ranges
      .try_emplace(value, width && matchPattern(value, m_ConstantInt(&constant))
                              ? ConstantIntRanges::constant(constant)
                              : ConstantIntRanges::maxRange(width))
      .first->second;
}

/// Constants of positions are cut to what a position may be.
bool IndexRanges::fits(Value value) {
  if (!value.getType().isIndex())
    return true;
  const ConstantIntRanges &range = of(value);
  if (auto constant = getConstantIntValue(value))
    return std::abs(*constant) <= kMaxPosition;
  return range.smin().isSignedIntN(32) && range.smax().isSignedIntN(32);
}

/// Whether bits of an index beyond 32 change the result though it is small.
bool IndexRanges::readsMore(Operation *op) {
  if (!op->getNumOperands() || !op->getOperand(0).getType().isIndex())
    return false;
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) &&
      !of(op->getOperand(1)).umax().ult(32))
    return true;
  return isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp,
             arith::ShRUIOp>(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return of(operand).smin().isNegative();
         });
}

void IndexRanges::infer(Operation *op) {
  auto set = [&](Value value, const ConstantIntRanges &range) {
    ranges.insert_or_assign(value, range);
  };
  for (Value result : op->getResults())
    set(result, ConstantIntRanges::maxRange(
                    ConstantIntRanges::getStorageBitwidth(result.getType())));
  auto inferable = dyn_cast<InferIntRangeInterface>(op);
  if (!inferable)
    return;
  auto known = llvm::map_to_vector(op->getOperands(),
                                   [&](Value operand) { return of(operand); });
  inferable.inferResultRanges(known, set);
}

bool IndexRanges::fits(Operation *op) {
  infer(op);
  if (readsMore(op))
    return false;
  auto fitsValue = [&](Value value) { return fits(value); };
  return llvm::all_of(op->getOperands(), fitsValue) &&
         llvm::all_of(op->getResults(), fitsValue);
}

/// From an integer of any width to one of another.
static Value cast(OpBuilder &b, Location loc, Value x, Type type,
                  bool isSigned) {
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from == to)
    return x;
  if (from > to)
    return arith::TruncIOp::create(b, loc, type, x);
  if (isSigned)
    return arith::ExtSIOp::create(b, loc, type, x);
  return arith::ExtUIOp::create(b, loc, type, x);
}

/// `op` with i64 in place of index.
static void widen(RewriterBase &b, Operation *op, IRMapping &wide) {
  Type i64 = b.getI64Type();
  Location loc = op->getLoc();
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIndex() || wide.contains(operand))
      continue;
    if (auto constant = getConstantIntValue(operand))
      wide.map(operand, arith::ConstantIntOp::create(b, loc, i64, *constant));
    else
      wide.map(operand, arith::IndexCastOp::create(b, loc, i64, operand));
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    Type type = op->getResult(0).getType();
    wide.map(op->getResult(0),
             cast(b, loc, wide.lookupOrDefault(op->getOperand(0)),
                  type.isIndex() ? i64 : type, isa<arith::IndexCastOp>(op)));
    return;
  }
  if (isa<arith::ConstantIndexOp>(op))
    return;
  for (Value result : b.clone(*op, wide)->getResults())
    if (result.getType().isIndex())
      result.setType(i64);
}

void xsa::widenIndices(RewriterBase &rewriter, AttentionOp op) {
  if (!op.hasScoreRegion())
    return;
  Block &body = op.getScoreRegion().front();
  IndexRanges ranges(op);
  // Each operation is followed, as others need what it gives.
  bool fits = true;
  for (Operation &nested : body.without_terminator())
    fits &= ranges.fits(&nested);
  if (fits)
    return;

  SmallVector<Operation *> before = llvm::map_to_vector(
      body.without_terminator(), [](Operation &nested) { return &nested; });
  Operation *yield = body.getTerminator();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(yield);
  IRMapping wide;
  for (Operation *nested : before)
    widen(rewriter, nested, wide);
  rewriter.modifyOpInPlace(yield, [&] {
    for (OpOperand &operand : yield->getOpOperands())
      operand.set(wide.lookupOrDefault(operand.get()));
  });
  for (Operation *nested : llvm::reverse(before))
    rewriter.eraseOp(nested);
}
