//===- Copies.h - Tiles between global and shared memory --------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The threads of a block share out the chunks of a tile, neighbours in a row to
// neighbouring threads.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_COPIES_H
#define XSA_LIB_CONVERSION_TILESTONVVM_COPIES_H

#include "ThreadBuilder.h"

namespace xsa {

/// Starts the copy of a tile to shared memory; what does not exist becomes 0.
void buildCopyToShared(ThreadBuilder &b, const GlobalTile &from,
                       const SharedTile &to);

/// Copies the part of a tile that exists to global memory.
void buildCopyToGlobal(ThreadBuilder &b, const SharedTile &from,
                       const GlobalTile &to);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_COPIES_H
