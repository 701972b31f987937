//===- OperandBuilder.h - Expressions as operands ---------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand of attention is an expression over the domain's variables. Where
// it is an existing tensor seen through index arithmetic, that tensor is used
// with reshapes and slices that move nothing; else one linalg.generic computes
// it.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOXSA_OPERANDBUILDER_H
#define XSA_LIB_CONVERSION_LINALGTOXSA_OPERANDBUILDER_H

#include "xsa/Analysis/TensorView.h"

#include "mlir/IR/PatternMatch.h"

namespace xsa {

/// A dimension of the domain: the digits that it is made of, none if its size
/// is 1.
struct Axis {
  llvm::SmallVector<ExprRef> digits;
  ExprRef size = nullptr;
};

/// A tensor and the axis that each of its dimensions runs along.
struct Operand {
  mlir::Value value;
  llvm::SmallVector<unsigned> axes;
};

class OperandBuilder {
public:
  /// Dimensions as the digits that they are numbers of.
  using Dims = llvm::SmallVector<llvm::SmallVector<ExprRef>>;

  OperandBuilder(mlir::OpBuilder &builder, mlir::Location loc, TensorView &view,
                 llvm::ArrayRef<Axis> axes)
      : builder(builder), loc(loc), view(view), ctx(view.getContext()),
        axes(axes.begin(), axes.end()) {}

  /// A tensor that holds `e` for all values of the axes that it depends on, and
  /// of `required`.
  mlir::FailureOr<Operand> build(ExprRef e, llvm::ArrayRef<unsigned> required);

  /// A tensor that holds `e`, with the given numbers as dimensions; each digit
  /// must be an axis of its own.
  mlir::FailureOr<mlir::Value> buildInOrder(ExprRef e, const Dims &dims);

  /// Sees all that `build` would: variables are split where that needs it.
  static void look(TensorView &view, ExprRef e);

  mlir::OpFoldResult size(ExprRef extent);
  mlir::Value sizeValue(ExprRef extent);

  /// Reshapes a tensor whose dimensions are the numbers `from` into one whose
  /// dimensions are the numbers `to`; both list the same digits in one order.
  mlir::Value regroup(mlir::Value value, const Dims &from, const Dims &to);

  /// The same where the digits come in another order.
  mlir::Value rearrange(mlir::Value value, const Dims &from, const Dims &to);

private:
  mlir::FailureOr<Operand> buildView(ExprRef access,
                                     llvm::ArrayRef<unsigned> needed);
  mlir::FailureOr<Operand> buildGeneric(ExprRef e,
                                        llvm::ArrayRef<unsigned> needed);
  llvm::SmallVector<unsigned> neededAxes(ExprRef e,
                                         llvm::ArrayRef<unsigned> required);
  std::optional<unsigned> axisOf(ExprRef digit) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  TensorView &view;
  ExprContext &ctx;
  llvm::SmallVector<Axis> axes;
};

/// `e` by the values that depend on the fewest variables: what is repeated
/// along an axis only seems to depend on it.
ExprRef withoutRepeats(TensorView &view, ExprRef e, unsigned depth = 0);

/// `value` with dimensions in another order.
mlir::Value transpose(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, llvm::ArrayRef<int64_t> permutation);

/// Computes expressions with scalar operations.
class ExprEmitter {
public:
  ExprEmitter(mlir::OpBuilder &builder, mlir::Location loc, TensorView &view,
              OperandBuilder &sizes)
      : builder(builder), loc(loc), view(view), sizes(sizes) {}

  /// Gives a value to a node, such as a block argument to an access.
  void set(ExprRef e, mlir::Value value) { values[e] = value; }

  /// Null if some node has no scalar form (a reduction).
  mlir::Value emit(ExprRef e);
  static bool canEmit(ExprRef e);

private:
  mlir::Value emitPoly(ExprRef e);
  mlir::Value emitAccess(ExprRef e);
  mlir::Value emitApply(ExprRef e);
  mlir::Value emitOther(ExprRef e, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value emitInteger(int64_t i);
  mlir::Value emitIndex(ExprRef e);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  TensorView &view;
  OperandBuilder &sizes;
  llvm::DenseMap<ExprRef, mlir::Value> values;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_OPERANDBUILDER_H
