//===- KeySplits.cpp - How many ranges keys are split into ----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rule on two kinds of numbers: those of the compiler, and those of the
// host that launches the kernels.
//
//===----------------------------------------------------------------------===//

#include "KeySplits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace xsa;

static constexpr int64_t kMaxSplits = 128;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static int64_t ceilDiv(int64_t lhs, int64_t rhs) {
  return llvm::divideCeil(lhs, rhs);
}

static int64_t least(int64_t lhs, int64_t rhs) { return std::min(lhs, rhs); }

namespace {
/// A number of the host, at least 0.
struct HostNumber {
  ImplicitLocOpBuilder *builder;
  Value value;

  HostNumber(ImplicitLocOpBuilder &builder, OpFoldResult number)
      : builder(&builder), value(getValueOrCreateConstantIndexOp(
                               builder, builder.getLoc(), number)) {}

  HostNumber constant(int64_t number) const {
    return {*builder, builder->getIndexAttr(number)};
  }
  template <typename OpTy> HostNumber apply(const HostNumber &other) const {
    return {*builder, OpTy::create(*builder, value, other.value).getResult()};
  }
};
} // namespace

static HostNumber operator+(const HostNumber &lhs, const HostNumber &rhs) {
  return lhs.apply<arith::AddIOp>(rhs);
}
static HostNumber operator*(const HostNumber &lhs, const HostNumber &rhs) {
  return lhs.apply<arith::MulIOp>(rhs);
}
static HostNumber operator+(const HostNumber &lhs, int64_t rhs) {
  return lhs + lhs.constant(rhs);
}
static HostNumber operator*(const HostNumber &lhs, int64_t rhs) {
  return lhs * lhs.constant(rhs);
}
static HostNumber ceilDiv(const HostNumber &lhs, const HostNumber &rhs) {
  return (lhs + rhs + -1).apply<arith::DivUIOp>(rhs);
}
static HostNumber ceilDiv(const HostNumber &lhs, int64_t rhs) {
  return ceilDiv(lhs, lhs.constant(rhs));
}
static HostNumber least(const HostNumber &lhs, int64_t rhs) {
  return lhs.apply<arith::MinUIOp>(lhs.constant(rhs));
}

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

KeySplits::KeySplits(const KernelPlan &plan, const AttentionShape &shape,
                     const ChipLimits &chip)
    : queryTile(plan.queryTile), keyTile(plan.keyTile),
      slots(chip.numSMs * std::min<int64_t>(plan.occupancy(shape, chip), 2)) {}

template <typename Number>
Number KeySplits::blocks(Number rows, Number heads) const {
  return ceilDiv(rows, queryTile) * heads;
}

/// Time in keys that a block goes through, as often as blocks have to take
/// turns. What it does besides is as much as a tile of keys.
template <typename Number>
Number KeySplits::timeOfWhole(Number blocks, Number keys) const {
  return ceilDiv(blocks, slots) * (ceilDiv(keys, keyTile) * keyTile + keyTile);
}

/// The same where a block has a range. Partial results are written and read in
/// f32; another kernel is launched, and goes from one range to the next.
template <typename Number>
Number KeySplits::timeOfSplit(Number splits, Number blocks, Number keys) const {
  Number range = ceilDiv(ceilDiv(keys, splits), keyTile) * keyTile;
  return ceilDiv(blocks * splits, slots) * (range + (keyTile + 2 * queryTile)) +
         (splits * 2 + 2 * keyTile);
}

/// No range is without keys.
template <typename Number> Number KeySplits::most(Number keys) const {
  return least(ceilDiv(keys, keyTile), kMaxSplits);
}

int64_t KeySplits::choose(int64_t rows, int64_t heads, int64_t keys) const {
  if (rows > kMaxSplitRows)
    return 1;
  int64_t blocks = this->blocks(rows, heads), best = 1;
  int64_t bestTime = timeOfWhole(blocks, keys);
  for (int64_t splits = 2; splits <= most(keys); ++splits) {
    int64_t time = timeOfSplit(splits, blocks, keys);
    if (time >= bestTime)
      continue;
    best = splits;
    bestTime = time;
  }
  return best;
}

Value KeySplits::build(ImplicitLocOpBuilder &b, OpFoldResult rows,
                       OpFoldResult heads, OpFoldResult keys) const {
  HostNumber numRows(b, rows), numKeys(b, keys);
  HostNumber blocks = this->blocks(numRows, HostNumber(b, heads));
  HostNumber one(b, b.getIndexAttr(1)), two(b, b.getIndexAttr(2));
  Value areFew =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ule, numRows.value,
                            one.constant(kMaxSplitRows).value);
  // Up to and without the end.
  Value end =
      arith::SelectOp::create(b, areFew, (most(numKeys) + 1).value, two.value);
  Value whole = timeOfWhole(blocks, numKeys).value;
  auto loop = scf::ForOp::create(
      b, two.value, end, one.value, ValueRange{one.value, whole},
      [&](OpBuilder &builder, Location loc, Value splits, ValueRange best) {
        ImplicitLocOpBuilder inner(loc, builder);
        auto here = [&](Value value) { return HostNumber(inner, value); };
        Value time =
            timeOfSplit(here(splits), here(blocks.value), here(numKeys.value))
                .value;
        Value isLess = arith::CmpIOp::create(inner, arith::CmpIPredicate::ult,
                                             time, best[1]);
        Value next = arith::SelectOp::create(inner, isLess, splits, best[0]);
        Value nextTime = arith::SelectOp::create(inner, isLess, time, best[1]);
        scf::YieldOp::create(inner, ValueRange{next, nextTime});
      });
  return loop.getResult(0);
}
