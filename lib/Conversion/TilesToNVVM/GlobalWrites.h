//===- GlobalWrites.h - Fragments to global memory --------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What there is per row goes straight to its place; tiles pass through shared
// memory, so that whole rows are stored.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_GLOBALWRITES_H
#define XSA_LIB_CONVERSION_TILESTONVVM_GLOBALWRITES_H

#include "Fragments.h"

namespace xsa {

/// Rows that exist, one lane of four for a value per row.
void writeGlobal(ThreadBuilder &b, mlir::vector::TransferWriteOp op,
                 const Fragment &fragment);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_GLOBALWRITES_H
