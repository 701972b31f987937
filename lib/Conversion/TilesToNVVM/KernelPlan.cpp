//===- KernelPlan.cpp - Tile sizes and their cost -------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts instructions, registers and bytes of the kernel that the other files
// of this folder make. The figures are a proxy: they rank choices, they do not
// predict time.
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"

#include "xsa/Support/Chip.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace xsa;

FailureOr<ChipLimits> ChipLimits::of(StringRef name) {
  std::optional<Chip> chip = findChip(name);
  if (!chip)
    return failure();
  constexpr int64_t kib = 1024;
  // CUDA C++ Programming Guide, technical specifications per compute
  // capability; SMs of A100, H100, B200 and of large consumer parts.
  switch (chip->capability) {
  case 80:
  case 87:
    return ChipLimits{163 * kib, 164 * kib, 65536, 255, 108};
  case 90:
    return ChipLimits{227 * kib, 228 * kib, 65536, 255, 132};
  case 100:
  case 101:
  case 103:
  case 110:
    return ChipLimits{227 * kib, 228 * kib, 65536, 255, 148};
  default:
    return ChipLimits{99 * kib, 100 * kib, 65536, 255, 128};
  }
}

/// 16 x 8 accumulators give a thread four values.
static int64_t perThread(int64_t rowsPerWarp, int64_t columns) {
  return rowsPerWarp * columns / 32;
}

int64_t KernelPlan::copiesPerThread(const AttentionShape &shape) const {
  // Threads side by side on a row are a power of two.
  auto perRow = [&](int64_t depth) {
    return int64_t(llvm::PowerOf2Ceil(depth * shape.elementBytes / 16));
  };
  return keyTile * (perRow(shape.keyDepth) + perRow(shape.valueDepth)) /
         (32 * warps);
}

int64_t KernelPlan::tileRegisters(const AttentionShape &shape) const {
  int64_t output = perThread(rowsPerWarp(), shape.valueDepth);
  int64_t scores = perThread(rowsPerWarp(), keyTile);
  int64_t query =
      queryInRegisters ? perThread(rowsPerWarp(), shape.keyDepth) / 2 : 0;
  // Maxima and sums, addresses, operands on their way.
  int64_t rest = rowsPerWarp() / 8 * 3 + 48;
  // Threads that are beyond the end of a row or of the keys have to know it.
  bool endsInPass = !llvm::isPowerOf2_64(shape.keyDepth * shape.elementBytes) ||
                    !llvm::isPowerOf2_64(shape.valueDepth * shape.elementBytes);
  if (endsInPass && keysEndInTile(shape))
    rest += 48;
  return output + scores + query + rest;
}

int64_t KernelPlan::registers(const AttentionShape &shape) const {
  int64_t rows = rowsPerWarp() / 8;
  int64_t scores = perThread(rowsPerWarp(), keyTile);
  // Pointers to rows, and pairs of elements on their way from there.
  int64_t more = shape.scoreOperands * (2 * rows + scores / 2);
  more += shape.rowNumbers * rows + shape.runtimeNumbers * 2;
  // A query that is not in registers has four steps of its product on the way.
  if (!queryInRegisters)
    more += perThread(rowsPerWarp(), 64) / 2;
  // Two tiles of keys are no loop: the assembler overlaps them, and holds the
  // weights of one beside the scores of the other.
  if (shape.keys && *shape.keys > keyTile && *shape.keys <= 2 * keyTile)
    more += scores + scores / 2;
  // Parts of long sums are added up beside the scores.
  if (shape.unit == MatrixKind::Fma)
    more += scores;
  return tileRegisters(shape) + more;
}

/// The tiles on the diagonal are the last ones, and nothing takes their place.
/// They hold all rows if the first row of a tile of rows is that of a tile of
/// keys, or the other way round, and if every tile of keys on the diagonal has
/// a key that exists; those without one are not visited.
bool KernelPlan::ownInStages(const AttentionShape &shape) const {
  if (!shape.ownOnDiagonal || (stages * keyTile) % queryTile != 0)
    return false;
  if (keyTile % queryTile == 0)
    return true;
  return queryTile % keyTile == 0 && shape.rows &&
         llvm::alignTo(*shape.rows, keyTile) % queryTile == 0;
}

int64_t KernelPlan::sharedBytes(const AttentionShape &shape) const {
  int64_t query = queryTile * shape.keyDepth * shape.elementBytes;
  int64_t keys = keyTile * (shape.keyDepth + shape.valueDepth) *
                 shape.elementBytes * stages;
  int64_t own = ownInStages(shape)
                    ? 0
                    : queryTile * shape.valueDepth * shape.ownValueBytes;
  return queryInRegisters ? std::max(query, own) + keys
                          : std::max(query + keys, own);
}

double KernelPlan::slotsPerScore(const AttentionShape &shape) const {
  double rows = rowsPerWarp();
  double products = rows * keyTile * (shape.keyDepth + shape.valueDepth) / 2048;
  double loads = keyTile * (shape.keyDepth + shape.valueDepth) / 256.0;
  if (!queryInRegisters)
    loads += rows * shape.keyDepth / 256.0;
  if (shape.unit == MatrixKind::Fma) {
    products *= 64;
    // Four elements of a key or of a row of the query, two of a value, and a
    // weight from another lane.
    loads = keyTile * (shape.keyDepth / 16.0 + shape.valueDepth / 8.0) +
            rows * (shape.keyDepth + 4 * keyTile) / 32.0;
  }
  // Maximum, fused multiply-add, exponential, sum, half of a conversion.
  double softmax = 4.5 * perThread(rows, keyTile);
  double rescale = perThread(rows, shape.valueDepth) + 9 * rows / 8;
  double copies = 2.0 * copiesPerThread(shape);
  double loop = 24;
  return (2 * products + loads + softmax + rescale + copies + loop) /
         perThread(rows, keyTile);
}

int64_t KernelPlan::occupancy(const AttentionShape &shape,
                              const ChipLimits &chip) const {
  int64_t perThread = std::min(this->registers(shape), chip.registersPerThread);
  int64_t registers = llvm::alignTo(perThread, 8) * warps * 32;
  return std::min(chip.registersPerSM / registers,
                  chip.sharedBytesPerSM / (sharedBytes(shape) + 1024));
}

/// What the assembler needs beyond the estimate of registers.
static constexpr int64_t kRegisterMargin = 24;

static bool fits(const KernelPlan &plan, const AttentionShape &shape,
                 const ChipLimits &chip) {
  // Where the last tile is not filled, copies of keys and of values share what
  // says how much of them exists; with more of them that spills.
  constexpr int64_t maxCopies = 32;
  return plan.tileRegisters(shape) + kRegisterMargin <=
             chip.registersPerThread &&
         (plan.copiesPerThread(shape) <= maxCopies ||
          !plan.keysEndInTile(shape)) &&
         plan.sharedBytes(shape) <= chip.sharedBytesPerBlock &&
         plan.occupancy(shape, chip) >= 1;
}

/// Time in arbitrary units: slots per score, on how well the chip is filled.
static double costOf(const KernelPlan &plan, const AttentionShape &shape,
                     const ChipLimits &chip) {
  double cost = plan.slotsPerScore(shape);
  // One warp per scheduler hides little; eight hide what there is.
  double warps = std::min<double>(plan.occupancy(shape, chip) * plan.warps, 8);
  cost *= 1.0 + 0.4 * (8 - warps) / 8;
  // Keys and values are read once per tile of rows, from the level-2 cache.
  cost *= 1.0 + 8.0 / plan.queryTile;
  if (shape.rows) {
    int64_t tiles = llvm::divideCeil(*shape.rows, plan.queryTile);
    cost *= double(tiles * plan.queryTile) / std::max<int64_t>(*shape.rows, 1);
    if (shape.heads) {
      double slots = double(chip.numSMs) * plan.occupancy(shape, chip);
      double blocks = double(tiles) * *shape.heads;
      cost *= std::max(1.0, std::min(slots / blocks, 4.0));
    }
  }
  if (shape.keys)
    cost *= double(llvm::alignTo(*shape.keys, plan.keyTile)) /
            std::max<int64_t>(*shape.keys, 1);
  return cost;
}

SmallVector<KernelPlan> xsa::rankPlans(const AttentionShape &shape,
                                       const ChipLimits &chip,
                                       const PlanOverrides &overrides) {
  SmallVector<KernelPlan> plans;
  auto choices = [](int64_t fixed, std::initializer_list<int64_t> values) {
    return fixed ? SmallVector<int64_t>{fixed} : SmallVector<int64_t>(values);
  };
  for (int64_t warps : choices(overrides.warps, {8, 4, 2, 1}))
    for (int64_t queryTile : choices(overrides.queryTile, {128, 64, 32, 16}))
      for (int64_t keyTile : choices(overrides.keyTile, {128, 64, 32, 16}))
        for (int64_t stages : choices(overrides.stages, {2}))
          for (bool queryInRegisters : {true, false}) {
            KernelPlan plan{queryTile, keyTile, warps, stages,
                            queryInRegisters};
            // A thread that multiplies by itself would need whole rows.
            if (queryInRegisters && shape.unit == MatrixKind::Fma)
              continue;
            if (queryTile % (16 * warps) != 0 || plan.rowsPerWarp() > 32 ||
                !fits(plan, shape, chip))
              continue;
            plan.cost = costOf(plan, shape, chip);
            plans.push_back(plan);
          }
  // Registers that may be missing are worse than any cost.
  auto rankOf = [&](const KernelPlan &plan) {
    int64_t wanted = plan.registers(shape) + kRegisterMargin;
    return std::make_pair(
        std::max<int64_t>(wanted - chip.registersPerThread, 0), plan.cost);
  };
  llvm::stable_sort(plans, [&](const KernelPlan &lhs, const KernelPlan &rhs) {
    return rankOf(lhs) < rankOf(rhs);
  });
  return plans;
}

std::optional<KernelPlan> xsa::choosePlan(const AttentionShape &shape,
                                          const ChipLimits &chip,
                                          const PlanOverrides &overrides) {
  SmallVector<KernelPlan> plans = rankPlans(shape, chip, overrides);
  return plans.empty() ? std::nullopt : std::optional(plans.front());
}

//===----------------------------------------------------------------------===//
// Kernels that multiply no matrices
//===----------------------------------------------------------------------===//

int64_t RowPlan::elementsPerRow(const RowShape &shape) const {
  return llvm::divideCeil(shape.depth, rowThreads * chunk) * chunk;
}

int64_t RowPlan::registers(const RowShape &shape) const {
  // A row and its own values, in f32; addresses, sums.
  return 2 * elementsPerRow(shape) * rowsPerThread + 40;
}

/// Blocks of a plan, if the extents are known.
static std::optional<int64_t> blocksOf(const RowPlan &plan,
                                       const RowShape &shape) {
  if (!shape.rows || !shape.batches)
    return std::nullopt;
  return llvm::divideCeil(*shape.rows, plan.rows()) * *shape.batches;
}

std::optional<RowPlan> xsa::chooseRowPlan(const RowShape &shape,
                                          const ChipLimits &chip) {
  constexpr int64_t accessBytes = 16, sectorBytes = 32;
  // What a thread has on its way, in elements: two accesses of 16 bytes.
  constexpr int64_t elementsInFlight = 16;
  // What registers hold of a row and of its own values.
  int64_t maxElementsPerRow = shape.contiguous ? 64 : 96;
  RowPlan plan{4, 1, 1, 1};
  if (shape.contiguous) {
    plan.chunk = std::gcd(shape.depth, accessBytes / shape.elementBytes);
    plan.rowThreads = std::min<int64_t>(
        llvm::PowerOf2Ceil(llvm::divideCeil(shape.depth, plan.chunk)), 32);
  } else {
    // As many rows side by side as fill a sector.
    plan.rowThreads = 32 / (sectorBytes / shape.elementBytes);
    while (plan.rowThreads > 1 && plan.rowThreads > shape.depth)
      plan.rowThreads /= 2;
    while (plan.rowThreads < 32 &&
           plan.elementsPerRow(shape) > maxElementsPerRow)
      plan.rowThreads *= 2;
  }
  if (plan.elementsPerRow(shape) > maxElementsPerRow ||
      plan.registers(shape) > chip.registersPerThread)
    return std::nullopt;
  while (plan.rowsPerThread < 8 &&
         2 * plan.rowsPerThread * plan.elementsPerRow(shape) <=
             elementsInFlight)
    plan.rowsPerThread *= 2;
  // Fewer rows in a block where the chip would not be filled, or the block.
  auto isTooLarge = [&] {
    std::optional<int64_t> blocks = blocksOf(plan, shape);
    return (blocks && *blocks < 2 * chip.numSMs) ||
           (shape.rows && *shape.rows <= plan.rows() / 2);
  };
  while (plan.rowsPerThread > 1 && isTooLarge())
    plan.rowsPerThread /= 2;
  while (plan.warps > 2 && isTooLarge())
    plan.warps /= 2;
  return plan;
}
