//===- TensorView.h - Reads IR as tensor expressions ------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at a tensor as an expression, one operation at a time: `access` makes a
// leaf, `peel` replaces it by what its defining operation computes. Nothing is
// read before somebody asks, so a model is never expanded as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_ANALYSIS_TENSORVIEW_H
#define XSA_ANALYSIS_TENSORVIEW_H

#include "xsa/Analysis/TensorExpr.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/AffineExpr.h"

#include <functional>
#include <optional>

namespace mlir::scf {
class IfOp;
} // namespace mlir::scf

namespace xsa {

/// An operation of torch-mlir that combines elements with all before them along
/// a dimension, such as a running sum: `tm_tensor.scan`.
struct RunningCombination {
  mlir::Value input;
  mlir::Value start;
  unsigned dim;
  /// Whether an element takes part in its own result.
  bool isInclusive;
  /// Combines two elements.
  mlir::Operation *step;

  /// Nothing if `op` is another operation, or combines in several steps.
  static std::optional<RunningCombination> of(mlir::Operation *op);
};

class TensorView {
public:
  explicit TensorView(ExprContext &ctx) : ctx(ctx) {}

  ExprContext &getContext() const { return ctx; }

  /// The scalar that `value` holds at `indices`; splat constants are folded.
  ExprRef access(mlir::Value value, llvm::ArrayRef<ExprRef> indices);

  /// What the operation that defines an access computes, in terms of accesses
  /// to its operands. Null if it is not understood.
  ExprRef peel(ExprRef access);

  /// Peels as long as the operation only rearranges elements, or casts floats.
  ExprRef peelLayout(ExprRef e, bool throughCasts = true);

  /// Peels accesses and float casts: what `e` is computed by.
  ExprRef look(ExprRef e);

  /// Whether a value depends on variables, also if all that it is computed by
  /// is looked at: what is repeated along one only seems to.
  bool dependsOn(ExprRef e, llvm::ArrayRef<ExprRef> vars);

  /// The reduction of `body` over `vars`. Where `body` is computed by such a
  /// reduction itself, as partial sums are, it is one over the variables of
  /// both.
  ExprRef reduce(ExprOp op, llvm::ArrayRef<ExprRef> vars, ExprRef body);

  /// Size of a dimension, and the integer that a scalar value holds.
  ExprRef extent(mlir::Value value, unsigned dim);
  llvm::SmallVector<ExprRef> extents(mlir::Value value);
  ExprRef scalar(mlir::Value value);

  /// Learns which dynamic sizes below `root` are equal, from assertions and
  /// from structured operations that are only defined if they are. To be called
  /// before anything is read.
  void learnSizes(mlir::Operation *root);

  /// Forgets what was peeled: to be called when operands were replaced.
  void forget() { peeled.clear(); }

  /// Forgets an operation that is about to be erased: another one may come to
  /// stand at its address.
  void forget(mlir::Operation *op);

  /// The variable of a reduction dimension of `op`, refined.
  ExprRef reductionVar(mlir::Operation *op, unsigned dim, ExprRef extent);

  /// Who reads positions at which tensors are gathered as functions of the
  /// indices, such as heads that are repeated by a list of their numbers, and
  /// conditions on them. Returns what it was given where it knows nothing
  /// better.
  using PositionReader = std::function<ExprRef(ExprRef)>;
  void setPositionReader(PositionReader reader) {
    readPosition = std::move(reader);
  }

  /// Fresh, refined variables for each dimension of a value.
  llvm::SmallVector<ExprRef> rootVars(mlir::Value value);

private:
  using Scope = llvm::DenseMap<mlir::Value, ExprRef>;

  bool dependsOn(ExprRef e, llvm::ArrayRef<ExprRef> vars,
                 llvm::SmallPtrSetImpl<ExprRef> &independent, unsigned depth);
  ExprRef peelUncached(ExprRef access);
  ExprRef peelLinalg(mlir::linalg::LinalgOp op, unsigned result,
                     llvm::ArrayRef<ExprRef> indices);
  ExprRef peelReduction(mlir::linalg::LinalgOp op, unsigned result,
                        llvm::ArrayRef<ExprRef> loops,
                        llvm::ArrayRef<ExprRef> indices, Scope &scope,
                        llvm::ArrayRef<ExprRef> vars);
  ExprRef peelSoftmax(mlir::Operation *op, llvm::ArrayRef<ExprRef> indices);
  ExprRef peelScan(mlir::Operation *op, llvm::ArrayRef<ExprRef> indices);
  ExprRef peelTensorOp(mlir::Operation *op, llvm::ArrayRef<ExprRef> indices);
  ExprRef peelConcat(mlir::Operation *op, llvm::ArrayRef<ExprRef> indices);
  ExprRef peelPad(mlir::Operation *op, llvm::ArrayRef<ExprRef> indices);
  ExprRef peelInsertSlice(mlir::Operation *op, llvm::ArrayRef<ExprRef> indices);
  ExprRef evaluate(mlir::Value value, Scope &scope,
                   llvm::ArrayRef<ExprRef> loops);
  ExprRef evaluateChoice(mlir::scf::IfOp choice, unsigned number, Scope &scope,
                         llvm::ArrayRef<ExprRef> loops);
  ExprRef evaluateOp(mlir::Operation *op, llvm::ArrayRef<ExprRef> operands,
                     llvm::ArrayRef<ExprRef> loops);
  ExprRef evaluateInteger(mlir::Operation *op, llvm::ArrayRef<ExprRef> x);
  ExprRef evaluateConstant(mlir::Value value);
  ExprRef evaluateAffine(mlir::AffineExpr expr, llvm::ArrayRef<ExprRef> dims,
                         llvm::ArrayRef<ExprRef> symbols);
  /// Peels all accesses in an expression of sizes.
  ExprRef peelWhole(ExprRef e, unsigned depth = 0);
  ExprRef foldResult(mlir::OpFoldResult value);
  ExprRef symbol(mlir::Value value, unsigned dim);
  bool learnEqual(ExprRef a, ExprRef b);
  bool learnFrom(mlir::Operation *op);
  ExprRef extentUncached(mlir::Value value, unsigned dim);

  ExprContext &ctx;
  PositionReader readPosition;
  llvm::DenseMap<ExprRef, ExprRef> peeled;
  unsigned peeledAtSplit = 0;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, ExprRef> reductionVars;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, ExprRef> extentCache;
  Scope outerScope;
  llvm::DenseMap<ExprRef, ExprRef> sameSize;
};

} // namespace xsa

#endif // XSA_ANALYSIS_TENSORVIEW_H
