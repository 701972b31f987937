//===- GlobalReads.h - Fragments from global memory -------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks, biases and what there is per row are used once, where they are read:
// they do not pass through shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_GLOBALREADS_H
#define XSA_LIB_CONVERSION_TILESTONVVM_GLOBALREADS_H

#include "Fragments.h"

namespace xsa {

/// The values of a thread, each pair of columns by one load where memory has
/// them side by side and aligned.
void readGlobal(ThreadBuilder &b, mlir::vector::TransferReadOp op,
                Fragment &fragment);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_GLOBALREADS_H
