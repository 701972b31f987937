//===- OperandRules.h - What each operand's map may contain -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of operand shapes in the operations' documentation, as data: the
// verifier, the run-time verifier and the canonicalizations all read it.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_IR_OPERANDRULES_H
#define XSA_LIB_DIALECT_XSA_IR_OPERANDRULES_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "llvm/ADT/SmallBitVector.h"

namespace xsa::detail {

/// An operand, its name, its map, and which dimensions of the iteration domain
/// the map must and may contain.
struct OperandRule {
  llvm::StringRef name;
  mlir::OpOperand *operand;
  mlir::AffineMap map;
  llvm::SmallBitVector required;
  llvm::SmallBitVector allowed;

  /// Whether `other` would do in place of `map`.
  bool accepts(mlir::AffineMap other) const;
};

/// One rule per shaped operand. The lists of maps must have been verified.
llvm::SmallVector<OperandRule> getOperandRules(AttentionOp op);
llvm::SmallVector<OperandRule> getOperandRules(ExcludeOp op);

/// The name that a dimension has in the documentation.
std::string getDimensionName(AttentionOp op, unsigned dim);
std::string getDimensionName(ExcludeOp op, unsigned dim);

} // namespace xsa::detail

#endif // XSA_LIB_DIALECT_XSA_IR_OPERANDRULES_H
