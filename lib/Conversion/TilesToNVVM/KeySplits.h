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

/// The rule for kernels with one plan on one chip.
class KeySplits {
public:
  KeySplits(const KernelPlan &plan, const AttentionShape &shape,
            const ChipLimits &chip);

  /// The number of ranges, 1 where a split does not pay, of an attention of
  /// `rows` rows in each of `heads` heads.
  int64_t choose(int64_t rows, int64_t heads, int64_t keys) const;

  /// The same, computed by the host.
  mlir::Value build(mlir::ImplicitLocOpBuilder &builder,
                    mlir::OpFoldResult rows, mlir::OpFoldResult heads,
                    mlir::OpFoldResult keys) const;

private:
  template <typename Number> Number blocks(Number rows, Number heads) const;
  template <typename Number>
  Number timeOfWhole(Number blocks, Number keys) const;
  template <typename Number>
  Number timeOfSplit(Number splits, Number blocks, Number keys) const;
  template <typename Number> Number most(Number keys) const;

  int64_t queryTile, keyTile;
  /// Blocks that the chip runs at a time.
  int64_t slots;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_KEYSPLITS_H
