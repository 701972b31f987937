//===- ConstantEvaluator.h - Values of constant tensors ---------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters compute masks and positions in long detours that depend on no
// input. What no symbolic rule understands is computed here, element by
// element, and then read as numbers.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_ANALYSIS_CONSTANTEVALUATOR_H
#define XSA_ANALYSIS_CONSTANTEVALUATOR_H

#include "xsa/Analysis/TensorView.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <memory>
#include <vector>

namespace xsa {

/// Elements in row-major order. Integers and bools are held as doubles; values
/// that a double does not hold exactly are not evaluated.
struct ConstantTensor {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> data;

  std::optional<double> at(llvm::ArrayRef<int64_t> indices) const;
  /// The one value that all elements have.
  std::optional<double> getUniform() const;
  /// Reads the elements of a constant; false if some have no exact double.
  bool read(mlir::ElementsAttr attribute);
};

/// The elements (i, j) with i - left <= j <= i + right.
struct Band {
  std::optional<int64_t> left, right;
};

/// The band that the non-zero elements of a table form, if they form one.
std::optional<Band> readBand(llvm::ArrayRef<double> table, int64_t numRows,
                             int64_t numKeys);

class ConstantEvaluator {
public:
  /// Tensors of more than `maxElements` are not evaluated. While it lives, it
  /// reads positions for `view`.
  explicit ConstantEvaluator(TensorView &view, int64_t maxElements = 1 << 22);
  ~ConstantEvaluator() { view.setPositionReader(nullptr); }
  ConstantEvaluator(const ConstantEvaluator &) = delete;

  /// Null if the value depends on an input, or is too large.
  const ConstantTensor *get(mlir::Value value);

  using Environment = llvm::DenseMap<ExprRef, int64_t>;
  std::optional<double> evaluate(ExprRef e, Environment &environment);

  /// `e` for all values of `vars`, the last one running fastest.
  std::optional<std::vector<double>> tabulate(ExprRef e,
                                              llvm::ArrayRef<ExprRef> vars);

  /// An access to a constant tensor as an expression of the indices: where the
  /// elements are all the same, an affine function, two values of which one
  /// fills a band, or repeated along a dimension.
  ExprRef simplifyAccess(ExprRef access);

  /// A position that depends on no input as a function of the variables in it,
  /// where it grows evenly with each of their digits: h / 2, h % 2. Of
  /// conditions, those that always or never hold.
  ExprRef readPosition(ExprRef e);

  /// Peels everything elementwise; what remains are accesses to values that
  /// reduce or are not understood. Constant tensors become expressions.
  ExprRef resolve(ExprRef e);

private:
  ExprRef resolveUncached(ExprRef e, unsigned depth);
  ExprRef resolve(ExprRef e, unsigned depth);
  std::unique_ptr<ConstantTensor> compute(mlir::Value value);
  std::unique_ptr<ConstantTensor> computeScan(mlir::Operation *op);
  std::optional<double> evaluateUnchecked(ExprRef e, Environment &environment);
  std::optional<double> evaluatePoly(ExprRef e, Environment &environment);
  std::optional<double> evaluateReduce(ExprRef e, Environment &environment);
  std::optional<double> evaluateApply(ExprRef e, Environment &environment);

  TensorView &view;
  int64_t maxElements;
  llvm::DenseMap<mlir::Value, std::unique_ptr<ConstantTensor>> known;
  llvm::DenseMap<ExprRef, ExprRef> resolved, positions;
};

} // namespace xsa

#endif // XSA_ANALYSIS_CONSTANTEVALUATOR_H
