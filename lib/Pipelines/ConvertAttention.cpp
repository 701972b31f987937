//===- ConvertAttention.cpp - Pipelines that raise attention --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Importing, raising, and the one step that changes the model's meaning.
//
//===----------------------------------------------------------------------===//

#include "xsa/Pipelines/ConvertAttention.h"

#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"
#include "xsa/Conversion/LinalgToXSA/LinalgToXSA.h"
#include "xsa/Dialect/XSA/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace xsa;

static void addRaising(OpPassManager &pm) {
  populateImportToLinalgPipeline(pm);
  pm.addNestedPass<func::FuncOp>(createRaiseAttention());
  pm.addPass(createCSEPass());
}

void xsa::buildRaiseAttentionToXSAPipeline(OpPassManager &pm,
                                           const RaiseAttentionToXSAOptions &) {
  addRaising(pm);
}

void xsa::buildConvertAttentionToXSAPipeline(
    OpPassManager &pm, const ConvertAttentionToXSAOptions &options) {
  addRaising(pm);
  MakeExclusiveOptions exclusive;
  exclusive.layers = options.layers;
  exclusive.denominator = options.denominator;
  exclusive.eps = options.eps;
  exclusive.strength = options.strength;
  exclusive.assumeSelf = options.assumeSelf;
  pm.addNestedPass<func::FuncOp>(createMakeExclusive(exclusive));
}

void xsa::registerAttentionPipelines() {
  PassPipelineRegistration<RaiseAttentionToXSAOptions>(
      "raise-attention-to-xsa",
      "find attention in an imported model and raise it to xsa.attention",
      buildRaiseAttentionToXSAPipeline);
  PassPipelineRegistration<ConvertAttentionToXSAOptions>(
      "convert-attention-to-xsa",
      "raise attention and make every proven self attention exclusive",
      buildConvertAttentionToXSAPipeline);
}
