//===- BF16Dot.h - Instructions for sums of bf16 products -------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processors that multiply pairs of bf16 and add them in f32 want operands in
// another layout. Tiling, loops and the execution engine agree on which
// instruction it is for.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_SUPPORT_BF16DOT_H
#define XSA_SUPPORT_BF16DOT_H

#include "llvm/Support/CommandLine.h"

namespace xsa {

/// What sums products of bf16 in pairs.
enum class BF16Dot { None, AVX512, AMX };

/// The values of an option `bf16-dot`.
inline llvm::cl::ValuesClass getBF16DotValues() {
  return llvm::cl::values(
      clEnumValN(BF16Dot::None, "none", "nothing: products are f32"),
      clEnumValN(BF16Dot::AVX512, "avx512", "vdpbf16ps of AVX-512 BF16"),
      clEnumValN(BF16Dot::AMX, "amx", "tdpbf16ps of AMX"));
}

} // namespace xsa

#endif // XSA_SUPPORT_BF16DOT_H
