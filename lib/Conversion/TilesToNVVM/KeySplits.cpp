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

/// In keys that a block goes through in the time: what it does besides, and the
/// launch of another kernel.
static constexpr int64_t kBesides = 64, kLaunch = 256;

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

KeySplits::KeySplits(const KernelPlan &ranges, const AttentionShape &shape,
                     const KernelPlan &whole, const ChipLimits &chip)
    : queryTile(ranges.queryTile), wholeQueryTile(whole.queryTile),
      keyTile(ranges.keyTile),
      slots(chip.numSMs * std::min<int64_t>(ranges.occupancy(shape, chip), 2)) {
}

/// Time in keys that a block goes through, as often as blocks have to take
/// turns.
template <typename Number>
Number KeySplits::timeOfWhole(const SplitSizes<Number> &sizes) const {
  Number blocks =
      ceilDiv(sizes.rows, wholeQueryTile) * sizes.groups * sizes.headsPerTile;
  return ceilDiv(blocks, slots) *
         (ceilDiv(sizes.keys, keyTile) * keyTile + kBesides);
}

/// The same where a block has a range. Partial results are written and read in
/// f32; another kernel goes from one range to the next.
template <typename Number>
Number KeySplits::timeOfSplit(Number splits,
                              const SplitSizes<Number> &sizes) const {
  Number blocks =
      ceilDiv(sizes.rows * sizes.headsPerTile, queryTile) * sizes.groups;
  Number keys = ceilDiv(ceilDiv(sizes.keys, splits), keyTile) * keyTile;
  return ceilDiv(blocks * splits, slots) * (keys + (kBesides + 2 * queryTile)) +
         (splits * 2 + kLaunch);
}

/// No range is without keys.
template <typename Number> Number KeySplits::most(Number keys) const {
  return least(ceilDiv(keys, keyTile), kMaxSplits);
}

int64_t KeySplits::choose(const SplitSizes<int64_t> &sizes) const {
  if (sizes.rows > kMaxSplitRows)
    return 0;
  int64_t best = 0, bestTime = timeOfWhole(sizes);
  for (int64_t splits = 1; splits <= most(sizes.keys); ++splits) {
    int64_t time = timeOfSplit(splits, sizes);
    if (time >= bestTime)
      continue;
    best = splits;
    bestTime = time;
  }
  return best;
}

Value KeySplits::build(ImplicitLocOpBuilder &b,
                       const SplitSizes<OpFoldResult> &sizes) const {
  SplitSizes<HostNumber> known{
      {b, sizes.rows}, sizes.headsPerTile, {b, sizes.groups}, {b, sizes.keys}};
  HostNumber zero(b, b.getIndexAttr(0)), one(b, b.getIndexAttr(1));
  Value areFew =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ule, known.rows.value,
                            one.constant(kMaxSplitRows).value);
  // Up to and without the end.
  Value end = arith::SelectOp::create(b, areFew, (most(known.keys) + 1).value,
                                      one.value);
  Value whole = timeOfWhole(known).value;
  auto loop = scf::ForOp::create(
      b, one.value, end, one.value, ValueRange{zero.value, whole},
      [&](OpBuilder &builder, Location loc, Value splits, ValueRange best) {
        ImplicitLocOpBuilder inner(loc, builder);
        auto here = [&](const HostNumber &number) {
          return HostNumber(inner, number.value);
        };
        Value time = timeOfSplit(HostNumber(inner, splits),
                                 {here(known.rows), known.headsPerTile,
                                  here(known.groups), here(known.keys)})
                         .value;
        Value isLess = arith::CmpIOp::create(inner, arith::CmpIPredicate::ult,
                                             time, best[1]);
        Value next = arith::SelectOp::create(inner, isLess, splits, best[0]);
        Value nextTime = arith::SelectOp::create(inner, isLess, time, best[1]);
        scf::YieldOp::create(inner, ValueRange{next, nextTime});
      });
  return loop.getResult(0);
}
