//===- OutputAccess.h - Where the output of attention is read ---*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows a raised attention, seen from its output: the sums it becomes
// part of, and the value row that belongs to an element of it.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_ANALYSIS_OUTPUTACCESS_H
#define XSA_ANALYSIS_OUTPUTACCESS_H

#include "xsa/Analysis/TensorView.h"
#include "xsa/Dialect/XSA/IR/XSA.h"

#include "llvm/ADT/SetVector.h"

namespace xsa {

/// An attention's domain as the indices at which its output is read.
struct OutputAccess {
  AttentionOp op;
  llvm::SmallVector<ExprRef> loops;
};

OutputAccess getOutputAccess(ExprRef access);

/// The element of the own value row that belongs to an element of the output.
/// Null if the position of the own value is not known.
ExprRef getOwnRow(TensorView &view, const OutputAccess &output);

/// The operation and those of linalg and tensor that use its output, directly
/// or not: as many as are near, with or without what is behind reductions.
llvm::SetVector<mlir::Operation *> collectUsers(AttentionOp op,
                                                bool beyondReductions = true);

/// Sums that an attention's output is an operand of, perhaps rearranged or
/// changed element by element.
struct OutputSums {
  /// Those of elements, the last one first.
  llvm::SmallVector<mlir::Value> elementwise;
  /// Those of products.
  llvm::SmallVector<mlir::Value> contractions;
};

OutputSums collectSums(AttentionOp op);

/// Accesses to outputs of attentions in an expression, not below reductions,
/// the outermost first.
llvm::SmallVector<ExprRef> collectAttentions(TensorView &view, ExprRef e);

/// Calls `attempt` with indices for `root`, again with digits for those that
/// were split by it, and gives its last answer.
bool matchWithDigits(TensorView &view, mlir::Value root,
                     llvm::function_ref<bool(llvm::ArrayRef<ExprRef>)> attempt);

/// The same for indices of which some may be numbers.
bool matchWithDigits(TensorView &view, llvm::ArrayRef<ExprRef> start,
                     llvm::function_ref<bool(llvm::ArrayRef<ExprRef>)> attempt);

/// How often attentions that are read by an elementwise sum are pieces of equal
/// size in a concatenation, such as the heads of a loop.
llvm::SmallVector<int64_t> collectPieceCounts(AttentionOp op);

/// Whether the model adds to the output its own value times something computed
/// from sums over the output: an exclusion, or nearly one.
bool losesOwnValue(TensorView &view, AttentionOp op);

} // namespace xsa

#endif // XSA_ANALYSIS_OUTPUTACCESS_H
