//===- Passes.h - From loops and checks to the runtime ----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes.td says what the passes do. The functions that they call are those of
// xsa/ExecutionEngine/ParallelRuntime.h.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_SCFTOXSARUNTIME_PASSES_H
#define XSA_CONVERSION_SCFTOXSARUNTIME_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace xsa {

/// Attribute on parallel loops: iterations below which a thread does not pay.
inline constexpr llvm::StringLiteral kGrainAttrName = "xsa.grain";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "xsa/Conversion/SCFToXSARuntime/Passes.h.inc"

} // namespace xsa

#endif // XSA_CONVERSION_SCFTOXSARUNTIME_PASSES_H
