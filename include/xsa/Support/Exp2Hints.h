//===- Exp2Hints.h - What is known of an exponential ------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discardable attributes of `math.exp2`: what makes attention knows more about
// its exponentials than what later makes instructions of them could find out.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_SUPPORT_EXP2HINTS_H
#define XSA_SUPPORT_EXP2HINTS_H

#include "llvm/ADT/StringRef.h"

namespace xsa {

/// The argument is at most 127: f32 does not overflow.
inline constexpr llvm::StringLiteral kBoundedAttrName = "xsa.bounded";

/// A relative error of 1.1e-4 is small enough.
inline constexpr llvm::StringLiteral kRoughAttrName = "xsa.rough";

} // namespace xsa

#endif // XSA_SUPPORT_EXP2HINTS_H
