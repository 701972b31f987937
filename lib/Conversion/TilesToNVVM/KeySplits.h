//===- KeySplits.h - How many ranges keys are split into --------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The keys of a few rows are split into ranges, each for a block of its own, so
// that there is work for the whole chip. How many pay depends on the number of
// rows, heads and keys, some of which may only be known when the model runs.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_KEYSPLITS_H
#define XSA_LIB_CONVERSION_TILESTONVVM_KEYSPLITS_H

#include "KernelPlan.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace xsa {

/// More rows keep a chip busy by themselves, and have more partial results.
inline constexpr int64_t kMaxSplitRows = 32;

/// What of an attention the number of ranges depends on. `Number` is an integer
/// of the compiler or of the host.
template <typename Number> struct SplitSizes {
  /// Query rows of a head, and heads that share keys: the rows of a tile are
  /// those of one head, or of so many.
  Number rows;
  int64_t headsPerTile;
  /// Groups of such heads.
  Number groups;
  Number keys;
};

/// The rule for kernels with one plan on one chip.
class KeySplits {
public:
  /// `ranges` is the plan where keys are split, `whole` where they are not.
  KeySplits(const KernelPlan &ranges, const AttentionShape &shape,
            const KernelPlan &whole, const ChipLimits &chip);

  /// The number of ranges; 0 where one kernel, in which each head has tiles of
  /// its own, takes less time.
  int64_t choose(const SplitSizes<int64_t> &sizes) const;

  /// The same, computed by the host.
  mlir::Value build(mlir::ImplicitLocOpBuilder &builder,
                    const SplitSizes<mlir::OpFoldResult> &sizes) const;

private:
  template <typename Number>
  Number timeOfWhole(const SplitSizes<Number> &sizes) const;
  template <typename Number>
  Number timeOfSplit(Number splits, const SplitSizes<Number> &sizes) const;
  template <typename Number> Number most(Number keys) const;

  int64_t queryTile, wholeQueryTile, keyTile;
  /// Blocks that the chip runs at a time.
  int64_t slots;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_KEYSPLITS_H
