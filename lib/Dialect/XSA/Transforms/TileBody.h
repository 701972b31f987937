//===- TileBody.h - The body of a tile operation on vectors -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a linalg.generic computes for one element, computed for a vector of
// them, with the forms that processors are good at in place of those that they
// are not.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEBODY_H
#define XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace xsa {

/// Whether every operation of the body has a form on vectors.
bool hasVectorForm(mlir::linalg::GenericOp op);

/// The value that the body yields, a vector of `lanes`. `args` are elements or
/// vectors; parts of the body that are the same for all lanes stay scalar.
/// `indices` are the positions of the loops, `lane` the one that is a vector.
/// With `contracts`, products and sums may become one multiply-add.
mlir::Value buildTileBody(mlir::ImplicitLocOpBuilder &b,
                          mlir::linalg::GenericOp op,
                          llvm::ArrayRef<mlir::Value> args,
                          llvm::ArrayRef<mlir::Value> indices, unsigned lane,
                          int64_t lanes, bool contracts);

/// The operation that combines a term with the sum so far, if the body is of
/// that form and the operation has a neutral element.
mlir::Operation *findCombiner(mlir::linalg::GenericOp op);

/// The neutral element of a combiner, and two of its results combined.
mlir::Value buildNeutral(mlir::ImplicitLocOpBuilder &b,
                         mlir::Operation *combiner, int64_t lanes);
mlir::Value combine(mlir::ImplicitLocOpBuilder &b, mlir::Operation *combiner,
                    mlir::Value lhs, mlir::Value rhs);

} // namespace xsa

#endif // XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEBODY_H
