//===- ImportToLinalg.cpp - The pipeline that reads importers' output -----===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order matters: bad input is refused before anything reads it, functions
// are inlined before their contents are converted, and nothing canonicalizes
// TOSA while resources can be seen.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"
#include "xsa/Conversion/TMTensorToLinalg/TMTensorToLinalg.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void xsa::populateImportToLinalgPipeline(OpPassManager &pm) {
  pm.addPass(createCheckImportable());
  pm.addPass(createCheckResources());

  // The inliner would canonicalize callees, TOSA included, by default.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());

  pm.addPass(createImportTosa());
  pm.addPass(createImportGlobals());
  ConvertTMTensorToLinalgOptions attentionOnly;
  attentionOnly.attentionOnly = true;
  pm.addPass(createConvertTMTensorToLinalg(attentionOnly));

  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSimplifyScatters());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSymbolDCEPass());
}

void xsa::registerImportToLinalgPipeline() {
  PassPipelineRegistration<>(
      "xsa-import-to-linalg",
      "bring what importers write (TOSA, tm_tensor, private functions, "
      "ml_program globals) to linalg on tensors",
      populateImportToLinalgPipeline);
}
