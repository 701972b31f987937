//===- TokenAxis.h - Which rows belong to one token -------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exclusive attention is defined for self attention: the value row at the own
// position must belong to the query's token. This follows a row backwards
// through a model to what it was read from. Elementwise operations, gathers
// and parallel dimensions keep rows; a contraction or convolution over them
// makes new ones.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_ANALYSIS_TOKENAXIS_H
#define XSA_ANALYSIS_TOKENAXIS_H

#include "xsa/Analysis/ConstantEvaluator.h"
#include "xsa/Dialect/XSA/IR/XSA.h"

#include "llvm/ADT/DenseSet.h"

#include <string>

namespace xsa {

/// Where the own key of a query row stands: row `i` is key `i + offset`.
/// Null if it is not known.
ExprRef getOwnOffset(TensorView &view, AttentionOp op);

/// The rows of the value operand at the own positions: the operand itself where
/// every key is the own key of a query, else a slice.
mlir::Value getOwnRows(mlir::OpBuilder &builder, TensorView &view,
                       AttentionOp op);

/// The map of these rows: that of value, with the query's rows for keys.
mlir::AffineMap getOwnRowsMap(AttentionOp op);

class TokenAxisAnalysis {
public:
  TokenAxisAnalysis(TensorView &view, ConstantEvaluator &evaluator)
      : view(view), ctx(view.getContext()), evaluator(evaluator) {}

  /// Proves that the value row at the own offset belongs to the token of the
  /// query row. Otherwise says what stands against it. With `assumeSelf`,
  /// query and value that are function arguments are taken for one sequence.
  bool isSelfAttention(AttentionOp op, bool assumeSelf, std::string &reason);

  /// What roots are looked for: those that depend on the row, or all.
  enum class Follow { Rows, Everything };

  /// Accesses to the values that rows of `access` are read from.
  llvm::ArrayRef<ExprRef> getRoots(ExprRef access,
                                   Follow follow = Follow::Rows);

  /// The variable that stands for rows, or for a batch or head, in queries.
  ExprRef rowVar(ExprRef extent);
  ExprRef leadingVar(ExprRef extent, unsigned ordinal);

private:
  ExprRef canonicalize(ExprRef access);
  /// The accesses that an access reads rows from; nothing if it is a root.
  std::optional<llvm::SmallVector<ExprRef>> getSources(ExprRef access,
                                                       Follow follow);
  ExprRef resolveIndices(ExprRef access);
  void addAttentionSources(mlir::Operation *op, ExprRef access,
                           llvm::SmallVectorImpl<ExprRef> &sources);
  bool isRow(ExprRef var);
  bool isTracked(ExprRef var);
  bool dependsOnRow(ExprRef e);
  bool mixesRows(ExprRef access);
  void updateDigits();
  llvm::SmallVector<ExprRef> rowRoots(ExprRef access);
  bool compareRoots(llvm::ArrayRef<ExprRef> queryRoots,
                    llvm::ArrayRef<ExprRef> roots, ExprRef row,
                    llvm::StringRef name, std::string &reason);
  bool isOneToken(ExprRef query, ExprRef own, ExprRef other,
                  llvm::StringRef name, std::string &reason);
  bool differsBySequence(ExprRef e, llvm::ArrayRef<ExprRef> batch,
                         llvm::DenseMap<ExprRef, bool> &seen,
                         unsigned depth = 0);
  bool isOneSequence(ExprRef first, ExprRef own,
                     llvm::ArrayRef<ExprRef> queryRoots, std::string &reason);

  TensorView &view;
  ExprContext &ctx;
  ConstantEvaluator &evaluator;
  llvm::DenseMap<std::pair<ExprRef, unsigned>, ExprRef> leading, anonymous;
  llvm::DenseMap<ExprRef, ExprRef> rows;
  llvm::DenseSet<ExprRef> rowDigits, leadingDigits;
  unsigned digitsAtSplit = 0;
  /// Roots that were found, by what was looked for.
  llvm::DenseMap<ExprRef, llvm::SmallVector<ExprRef, 4>> known[2];
};

} // namespace xsa

#endif // XSA_ANALYSIS_TOKENAXIS_H
