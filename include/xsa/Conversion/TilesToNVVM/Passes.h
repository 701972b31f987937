//===- Passes.h - From tiles to NVVM kernels --------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the steps between tiled attention and NVVM. What they do is written
// in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_TILESTONVVM_PASSES_H
#define XSA_CONVERSION_TILESTONVVM_PASSES_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace xsa {

/// On a loop over tiles, and on the kernel made of it: the plan (KernelAttr).
inline constexpr llvm::StringLiteral kKernelAttrName = "xsa.kernel";

/// On an operation whose result (or, for a store, operand) is a tile: its
/// layout (TileLayoutAttr).
inline constexpr llvm::StringLiteral kLayoutAttrName = "xsa.layout";

/// On an argument of a kernel: "read" or "write".
inline constexpr llvm::StringLiteral kAccessAttrName = "xsa.access";

/// On a store to shared memory of what was just read: the copy is asynchronous.
inline constexpr llvm::StringLiteral kAsyncAttrName = "xsa.async";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"

} // namespace xsa

#endif // XSA_CONVERSION_TILESTONVVM_PASSES_H
