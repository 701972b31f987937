//===- AttentionPlan.h - Kernels of an attention ----------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the cost model is asked about an attention: its shape, and whether its
// keys are split into ranges.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_ATTENTIONPLAN_H
#define XSA_LIB_CONVERSION_TILESTONVVM_ATTENTIONPLAN_H

#include "KeySplits.h"

namespace xsa {

int64_t getKeyDepth(AttentionOp op);
int64_t getValueDepth(AttentionOp op);

/// What the cost model knows of `op`, which is on tensors.
AttentionShape shapeOf(AttentionOp op);

/// The tiles of a kernel on ranges of keys.
struct RangePlan {
  AttentionShape shape;
  KernelPlan plan;
  /// The heads whose rows are those of a tile, if they are several.
  std::optional<unsigned> heads;
  int64_t headsPerTile = 1;
  /// If those have several rows: how many.
  int64_t rowsPerHead = 0;
};

/// Sizes of the two kernels that an attention with its keys in ranges is.
struct SplitPlan {
  RangePlan ranges;
  RowPlan merge;
  /// How many ranges: by the rule where the number is not known.
  KeySplits rule;
  std::optional<int64_t> splits;

  /// None where the keys are not split, which `keySplits` decides where it is
  /// not 0.
  static std::optional<SplitPlan>
  choose(AttentionOp op, const KernelPlan &whole, const ChipLimits &limits,
         const PlanOverrides &sizes, int64_t keySplits);
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_ATTENTIONPLAN_H
