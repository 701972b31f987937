//===- Layouts.h - The layout of a tile, on its operation -------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the steps after xsa-assign-layouts rely on, and how they see that it has
// run.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_LAYOUTS_H
#define XSA_LIB_CONVERSION_TILESTONVVM_LAYOUTS_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace xsa {

/// The layout of the tile that `op` makes or stores, in a kernel for which
/// `verifyLayouts` succeeds.
TileLayout layoutOf(mlir::Operation *op);

/// An error at the kernel if a tile in it has no layout.
mlir::LogicalResult verifyLayouts(mlir::gpu::GPUFuncOp kernel);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_LAYOUTS_H
