//===- ExclusionMatch.h - What was recognised as exclusion ------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expands an expression into a sum of products and reads the projection onto a
// value out of it.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOXSA_EXCLUSIONMATCH_H
#define XSA_LIB_CONVERSION_LINALGTOXSA_EXCLUSIONMATCH_H

#include "AttentionMatch.h"

namespace xsa {

struct ExclusionMatch {
  /// What is changed, before and after.
  mlir::Value root;
  llvm::SmallVector<ExprRef> rootIndices;
  ExprRef input = nullptr;
  /// What is projected on.
  ExprRef value = nullptr;
  /// The variables that the dot product runs over.
  llvm::SmallVector<ExprRef> columns;
  Denominator denominator = Denominator::Raw;
  double eps = 0;
  double strength = 1;
  /// Further strength: factors to powers.
  llvm::SmallVector<std::pair<ExprRef, int>> strengthFactors;
  /// What else is added, such as a residual; null if there is nothing.
  ExprRef added = nullptr;
};

/// Matches `z = y - a (y . v) / n(v) v` at `result.root`. `containsInput` tells
/// sums that are part of the pattern from those that compute v. With `withMore`
/// something else may be added.
bool matchExclusion(MatchContext &match,
                    llvm::function_ref<bool(ExprRef)> containsInput,
                    ExclusionMatch &result, bool withMore = false);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_EXCLUSIONMATCH_H
