//===- Passes.h - From linalg on buffers to CPU loops -----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes.td says what the pass does.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_LINALGTOCPULOOPS_PASSES_H
#define XSA_CONVERSION_LINALGTOCPULOOPS_PASSES_H

#include "xsa/Support/BF16Dot.h"

#include "mlir/Pass/Pass.h"

namespace xsa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "xsa/Conversion/LinalgToCPULoops/Passes.h.inc"

} // namespace xsa

#endif // XSA_CONVERSION_LINALGTOCPULOOPS_PASSES_H
