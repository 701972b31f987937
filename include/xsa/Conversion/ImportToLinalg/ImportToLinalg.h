//===- ImportToLinalg.h - Reading importers' output -------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that bring a model, as an importer wrote it, to linalg on
// tensors, and the pipeline that runs them.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_IMPORTTOLINALG_IMPORTTOLINALG_H
#define XSA_CONVERSION_IMPORTTOLINALG_IMPORTTOLINALG_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace xsa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "xsa/Conversion/ImportToLinalg/Passes.h.inc"

/// Adds the steps of `--xsa-import-to-linalg` to a pass manager on modules.
/// After it the module is linalg on tensors; `tm_tensor` scans, scatters, sorts
/// and top-k selections remain, for analyses that evaluate them and for
/// `--convert-tm-tensor-to-linalg`, which lowering pipelines run later.
void populateImportToLinalgPipeline(mlir::OpPassManager &pm);

/// Registers `--xsa-import-to-linalg`.
void registerImportToLinalgPipeline();

} // namespace xsa

#endif // XSA_CONVERSION_IMPORTTOLINALG_IMPORTTOLINALG_H
