//===- TensorExprDetail.h - Inside of the expression graph ------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the files that implement ExprContext share: the key of a node, the
// working form of a polynomial, and the meaning of float operations.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_ANALYSIS_TENSOREXPRDETAIL_H
#define XSA_LIB_ANALYSIS_TENSOREXPRDETAIL_H

#include "xsa/Analysis/TensorExpr.h"

#include <cmath>

namespace xsa {

/// Everything by which nodes differ.
struct ExprContext::Key {
  Key(ExprKind kind, mlir::Type type) : kind(kind), type(type) {}

  ExprKind kind;
  ExprOp op = ExprOp::None;
  mlir::Type type;
  unsigned index = 0;
  double number = 0;
  mlir::Value value;
  mlir::Attribute attribute;
  llvm::ArrayRef<ExprRef> operands;
  llvm::ArrayRef<ExprRef> vars;
  llvm::ArrayRef<PolyTerm> terms;
};

/// A sum of products under construction.
class ExprContext::PolyBuilder {
public:
  using Atoms = llvm::SmallVector<ExprRef, 2>;

  void add(int64_t coeff, llvm::ArrayRef<ExprRef> atoms);
  void add(ExprRef e, int64_t factor = 1);
  /// Adds `a * b`.
  void addProduct(const PolyTerm &a, const PolyTerm &b);

  llvm::SmallVector<std::pair<Atoms, int64_t>, 4> terms;
  /// Set when a coefficient left 64 bits.
  bool overflowed = false;
};

namespace detail {
/// All integers that can hold a size count as one unbounded type.
mlir::Type normalizeType(mlir::Type type);

/// Whether a double that was computed from integers is exact: what is rounded
/// is 2^53 at least. False for NaN.
inline bool isExactInteger(double x) {
  return std::fabs(x) < 9007199254740992.0;
}

std::optional<double> evaluateFloatOp(ExprOp op, llvm::ArrayRef<double> x);
bool evaluateCmpF(unsigned predicate, double a, double b);

/// A float rounded down, and one converted to an integer, as arithmetic on
/// integers; null if it is not.
ExprRef simplifyFloor(ExprContext &ctx, mlir::Type type, ExprRef e);
ExprRef simplifyToInteger(ExprContext &ctx, ExprRef e);
} // namespace detail

} // namespace xsa

#endif // XSA_LIB_ANALYSIS_TENSOREXPRDETAIL_H
