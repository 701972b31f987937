//===- SharedAccess.h - Fragments and shared memory -------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accumulators go through shared memory on their way out, and own values come
// from it. Operands of products are loaded by the matrix unit itself.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_SHAREDACCESS_H
#define XSA_LIB_CONVERSION_TILESTONVVM_SHAREDACCESS_H

#include "Fragments.h"

namespace xsa {

/// An accumulator's elements from `fragment.shared`. Loads are as wide as a
/// pair of neighbours.
void readShared(ThreadBuilder &b, Fragment &fragment);

/// The values of a thread to their places, each pair of columns by one store
/// where memory has them side by side.
void writeShared(ThreadBuilder &b, mlir::vector::TransferWriteOp op,
                 const Fragment &fragment);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_SHAREDACCESS_H
