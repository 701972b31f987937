//===- ElementwiseOps.h - Arithmetic of single elements ---------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread computes for one element: the operation of the tile, or the
// instructions that a GPU has in its place.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_ELEMENTWISEOPS_H
#define XSA_LIB_CONVERSION_TILESTONVVM_ELEMENTWISEOPS_H

#include "ThreadBuilder.h"

namespace xsa {

/// `op` on elements (or pairs). `perRow` tells which operands are one value for
/// a whole row of the tile.
mlir::Value buildElement(ThreadBuilder &b, mlir::Operation *op,
                         mlir::ValueRange operands, mlir::Type type,
                         llvm::ArrayRef<bool> perRow);

/// Two f32 narrowed to a pair of 16-bit floats.
mlir::Value buildPair(ThreadBuilder &b, mlir::Value first, mlir::Value second,
                      mlir::Type type);

/// The operation that combines two values of a reduction.
mlir::Value buildCombined(ThreadBuilder &b, mlir::vector::CombiningKind kind,
                          mlir::Value lhs, mlir::Value rhs);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_ELEMENTWISEOPS_H
