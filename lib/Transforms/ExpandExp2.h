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

#ifndef XSA_LIB_TRANSFORMS_EXPANDEXP2_H
#define XSA_LIB_TRANSFORMS_EXPANDEXP2_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace xsa {

/// What is known of 2^x, and how it may be computed.
struct Exp2Form {
  /// x is at most 127, so that nothing overflows.
  bool bounded = false;
  /// A relative error of 1.1e-4 is small enough.
  bool rough = false;
  /// The processor has AVX-512 (F and DQ).
  bool avx512 = false;
};

/// 2^x for a vector of f32 or f64, to 2 units in the last place unless it may
/// be rough. 0 for -inf, infinity from the overflow bound on, NaN for NaN;
/// results below the smallest normal number are 0 or lose digits.
mlir::Value buildExp2(mlir::ImplicitLocOpBuilder &builder, mlir::Value x,
                      Exp2Form form);

} // namespace xsa

#endif // XSA_LIB_TRANSFORMS_EXPANDEXP2_H
