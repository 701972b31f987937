//===- ExpandExp2.h - 2^x in vector arithmetic ------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Left to the code generator, an exponential of a vector becomes one library
// call per element, which costs more than the rest of a softmax.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_TRANSFORMS_EXPANDEXP2_H
#define XSA_LIB_DIALECT_XSA_TRANSFORMS_EXPANDEXP2_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace xsa {

/// 2^x for a vector (or scalar) of f32 or f64, to 2 units in the last place.
/// 0 for -inf, infinity from the overflow bound on, NaN for NaN; results below
/// the smallest normal number are 0 or lose digits. Cheaper where x is known to
/// be 0 at most.
mlir::Value buildExp2(mlir::ImplicitLocOpBuilder &builder, mlir::Value x,
                      bool isBounded = false);

} // namespace xsa

#endif // XSA_LIB_DIALECT_XSA_TRANSFORMS_EXPANDEXP2_H
