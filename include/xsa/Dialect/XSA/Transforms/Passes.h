//===- Passes.h - Passes on the XSA dialect ---------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the transformations of the dialect. What they do is written in
// Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_TRANSFORMS_PASSES_H
#define XSA_DIALECT_XSA_TRANSFORMS_PASSES_H

#include "xsa/Analysis/AttentionReport.h"
#include "xsa/Dialect/XSA/IR/XSA.h"
#include "xsa/Support/BF16Dot.h"
#include "xsa/Support/OptionalNumber.h"

#include "mlir/Pass/Pass.h"

namespace xsa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "xsa/Dialect/XSA/Transforms/Passes.h.inc"

/// The pass, with its decisions added to `report`.
std::unique_ptr<mlir::Pass>
createMakeExclusive(const MakeExclusiveOptions &options,
                    std::shared_ptr<AttentionReport> report);

} // namespace xsa

#endif // XSA_DIALECT_XSA_TRANSFORMS_PASSES_H
