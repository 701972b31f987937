//===- XSAToLinalg.h - Decomposition into linalg ----------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the pass that decomposes the XSA operations.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_XSATOLINALG_XSATOLINALG_H
#define XSA_CONVERSION_XSATOLINALG_XSATOLINALG_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Pass/Pass.h"

namespace xsa {

enum class XSAToLinalgMode { Full, ExcludeOnly };

/// Splits an exclusive attention on tensors into a plain one and an
/// `xsa.exclude` of its result; returns the latter. Fails, without changing
/// anything, if `op` is not exclusive or not on tensors.
mlir::FailureOr<ExcludeOp> splitExclusion(mlir::RewriterBase &rewriter,
                                          AttentionOp op);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "xsa/Conversion/XSAToLinalg/Passes.h.inc"

} // namespace xsa

#endif // XSA_CONVERSION_XSATOLINALG_XSATOLINALG_H
