//===- Passes.h - Passes around the lowering --------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes.td says what the passes do.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_TRANSFORMS_PASSES_H
#define XSA_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace xsa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "xsa/Transforms/Passes.h.inc"

} // namespace xsa

#endif // XSA_TRANSFORMS_PASSES_H
