//===- TensorReads.h - Which operations read a tensor -----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are not all that an operation reads: bodies read tensors at computed
// positions, as importers write gathers and broadcasts of unknown sizes. Nor
// are users all its readers: loops and branches hand values on. Walks along the
// uses of tensors ask here.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_ANALYSIS_TENSORREADS_H
#define XSA_ANALYSIS_TENSORREADS_H

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace xsa {

/// What an operation reads: operands, and what its body uses from outside.
llvm::SetVector<mlir::Value> collectReadValues(mlir::Operation *op);

/// The tensors whose elements a structured operation computes with: not those
/// that it only has the sizes of.
llvm::SetVector<mlir::Value> collectReadTensors(mlir::linalg::LinalgOp op);

/// The operations that read a value. What is read within the body of an
/// operation on tensors, that operation reads; what a loop or a branch hands
/// on, those read that read it in its regions and behind it.
llvm::SetVector<mlir::Operation *> collectReaders(mlir::Value value);

/// The operations that read any result of `op`.
llvm::SetVector<mlir::Operation *> collectReaders(mlir::Operation *op);

} // namespace xsa

#endif // XSA_ANALYSIS_TENSORREADS_H
