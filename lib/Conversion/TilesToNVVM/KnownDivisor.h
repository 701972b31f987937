//===- KnownDivisor.h - What a position is a multiple of --------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How wide a load may be depends on where tiles begin, which is seldom a
// constant, but a multiple of one by the way it is computed.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_KNOWNDIVISOR_H
#define XSA_LIB_CONVERSION_TILESTONVVM_KNOWNDIVISOR_H

#include "mlir/IR/OpDefinition.h"

namespace xsa {

/// A number that divides `value` in every execution; 0 if the value is 0.
int64_t knownDivisor(mlir::OpFoldResult value);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_KNOWNDIVISOR_H
