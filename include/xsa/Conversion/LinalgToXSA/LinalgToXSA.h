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

#include "xsa/Analysis/AttentionReport.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace xsa {

#define GEN_PASS_DECL_RAISEATTENTION
#include "xsa/Conversion/LinalgToXSA/Passes.h.inc"

/// The pass, with its decisions added to `report`.
std::unique_ptr<mlir::Pass>
createRaiseAttention(const RaiseAttentionOptions &options,
                     std::shared_ptr<AttentionReport> report);

#define GEN_PASS_REGISTRATION
#include "xsa/Conversion/LinalgToXSA/Passes.h.inc"

} // namespace xsa

#endif // XSA_CONVERSION_LINALGTOXSA_LINALGTOXSA_H
