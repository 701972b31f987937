//===- LinalgToXSA.h - Raises attention to the XSA dialect ------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matcher's entry: a pass on functions.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_LINALGTOXSA_LINALGTOXSA_H
#define XSA_CONVERSION_LINALGTOXSA_LINALGTOXSA_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace xsa {

#define GEN_PASS_DECL_RAISEATTENTION
#include "xsa/Conversion/LinalgToXSA/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "xsa/Conversion/LinalgToXSA/Passes.h.inc"

} // namespace xsa

#endif // XSA_CONVERSION_LINALGTOXSA_LINALGTOXSA_H
