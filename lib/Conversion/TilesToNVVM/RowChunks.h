//===- RowChunks.h - Rows from and to global memory -------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels without products move rows between global memory and registers
// directly, in accesses as wide as the rows are known to be aligned.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_ROWCHUNKS_H
#define XSA_LIB_CONVERSION_TILESTONVVM_ROWCHUNKS_H

#include "Fragments.h"

namespace xsa {

/// The values of `fragment`, a tile in chunks of rows, from global memory; the
/// padding of the read where the memory has no such element.
void buildChunkLoads(ThreadBuilder &b, mlir::vector::TransferReadOp op,
                     Fragment &fragment);

/// Stores the part of a tile in chunks of rows that exists in memory.
void buildChunkStores(ThreadBuilder &b, mlir::vector::TransferWriteOp op,
                      const Fragment &fragment);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_ROWCHUNKS_H
