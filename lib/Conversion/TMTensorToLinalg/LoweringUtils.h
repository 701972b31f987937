//===- LoweringUtils.h - What the tm_tensor lowerings share -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every lowering copies an operation's region to where its elements are, and
// runs over index spaces with tensors carried along.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TMTENSORTOLINALG_LOWERINGUTILS_H
#define XSA_LIB_CONVERSION_TMTENSORTOLINALG_LOWERINGUTILS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace xsa::tm_tensor {

/// Copies the body of a one-block region to the insertion point with its
/// arguments replaced, and returns what it yields.
llvm::SmallVector<mlir::Value> inlineRegion(mlir::OpBuilder &builder,
                                            mlir::Region &region,
                                            mlir::ValueRange arguments);

/// Extents of a tensor as index values.
llvm::SmallVector<mlir::Value>
getExtents(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange indices,
    mlir::ValueRange carried)>;

/// Builds a loop nest over `extents`, outermost first, that carries values.
/// `body` is called once, inside, and returns the next carried values; the
/// final ones are returned. Without extents the body is built in place.
llvm::SmallVector<mlir::Value> buildLoopNest(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             mlir::ValueRange extents,
                                             mlir::ValueRange initial,
                                             LoopBody body);

/// Whether all operands are tensors, which the lowerings need.
bool isOnTensors(mlir::Operation *op);

} // namespace xsa::tm_tensor

#endif // XSA_LIB_CONVERSION_TMTENSORTOLINALG_LOWERINGUTILS_H
