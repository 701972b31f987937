//===- HeadsAsRows.h - Grouped heads in place of query rows -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoding has one query row per head or a few, and with grouped heads several
// heads that read the same keys. As rows of one tile they read them once.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_TRANSFORMS_HEADSASROWS_H
#define XSA_DIALECT_XSA_TRANSFORMS_HEADSASROWS_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/PatternMatch.h"

namespace xsa {

/// What is to become of the rows.
enum class HeadUse {
  /// All of the attention, sinks and exclusion too.
  Whole,
  /// Its parts on ranges of keys, which have neither.
  Ranges
};

/// The dimension of heads that can take the place of the query rows of `op`, as
/// `useHeadsAsRows` says.
std::optional<unsigned> findHeadsForRows(AttentionOp op, HeadUse use);

/// Exchanges, in place, the query rows of an attention on tensors that has just
/// one with a dimension of heads that share keys and values, if there is such a
/// dimension and where the row stands among the keys does not matter.
void useHeadsAsRows(mlir::RewriterBase &rewriter, AttentionOp op);

/// The dimension of heads that `packHeads` can join with several query rows:
/// both are of known extents and stand side by side, heads first, in every
/// operand that has either. Only for ranges of keys: an own value has rows, but
/// no heads.
std::optional<unsigned> findHeadsToPack(AttentionOp op);

/// Joins `heads`, as `findHeadsToPack` gives it, with the query rows: the rows
/// of one head follow on those of another, in views of the same operands. Where
/// a row stands then depends on the number of rows that each head had. Returns
/// views of the results as they were before.
llvm::SmallVector<mlir::Value> packHeads(mlir::RewriterBase &rewriter,
                                         AttentionOp op, unsigned heads);

} // namespace xsa

#endif // XSA_DIALECT_XSA_TRANSFORMS_HEADSASROWS_H
