//===- AVX512.h - Instructions of AVX-512 on vectors ------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM has these as intrinsics for one register. Here they take vectors of
// several, and are as free of effects as what they are made from.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_TRANSFORMS_AVX512_H
#define XSA_LIB_TRANSFORMS_AVX512_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace xsa::avx512 {

/// Whether a vector of 32-bit elements is one or more whole registers.
bool fits(mlir::VectorType type);

/// x - floor(x) of f32; 0 at infinities.
mlir::Value buildFraction(mlir::ImplicitLocOpBuilder &builder, mlir::Value x);

/// x * 2^floor(y) of f32, for 1 <= x < 2; 0 where that is no normal number.
mlir::Value buildScale(mlir::ImplicitLocOpBuilder &builder, mlir::Value x,
                       mlir::Value y);

/// x | (y & z) of 32-bit integers.
mlir::Value buildOrAnd(mlir::ImplicitLocOpBuilder &builder, mlir::Value x,
                       mlir::Value y, mlir::Value z);

} // namespace xsa::avx512

#endif // XSA_LIB_TRANSFORMS_AVX512_H
