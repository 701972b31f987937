//===- LowerToCPU.cpp - The pipeline to the host's processor --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps in order, each with its reason. Their order matters more than their
// content: attention is tiled while it is one operation, fusion works on
// tensors, threads and vectors are decided on buffers with structure, and
// assertions are lowered where blocks can be split.
//
//===----------------------------------------------------------------------===//

#include "xsa/Pipelines/LowerToCPU.h"

#include "HostSteps.h"

#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"
#include "xsa/Conversion/LinalgToCPULoops/Passes.h"
#include "xsa/Conversion/SCFToXSARuntime/Passes.h"
#include "xsa/Conversion/TMTensorToLinalg/TMTensorToLinalg.h"
#include "xsa/Conversion/XSAToLinalg/XSAToLinalg.h"
#include "xsa/Dialect/XSA/Transforms/Passes.h"
#include "xsa/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace xsa;

void xsa::addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Attention to loops over tiles; what remains of the dialect to linalg.
void xsa::addHostAttention(OpPassManager &pm,
                           const LowerToCPUOptions &options) {
  TileAttentionOptions tileOptions;
  tileOptions.vectorBits = options.vectorBits;
  tileOptions.bf16Dot = options.bf16Dot;
  pm.addNestedPass<func::FuncOp>(createTileAttention(tileOptions));
  VectorizeTilesOptions vectorOptions;
  vectorOptions.vectorBits = options.vectorBits;
  pm.addNestedPass<func::FuncOp>(createVectorizeTiles(vectorOptions));
  pm.addNestedPass<func::FuncOp>(createConvertXSAToLinalg());
}

/// Tensors: one function, nothing but linalg and attention. Code needs the
/// bytes of every constant.
void xsa::addImportSteps(OpPassManager &pm) {
  pm.addPass(createCheckRegisteredPass());
  CheckResourcesOptions resourceOptions;
  resourceOptions.requireData = true;
  pm.addPass(createCheckResources(resourceOptions));
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createPrepareEntryPointsPass());
  pm.addPass(createConvertTMTensorToLinalg());
  pm.addNestedPass<func::FuncOp>(createVerifyDynamicSizes());
  pm.addNestedPass<func::FuncOp>(createCheckRuntimeValuesPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addNestedPass<func::FuncOp>(createFuseOutputCast());
}

/// Element-wise chains become single loops.
void xsa::addElementwiseFusion(OpPassManager &pm) {
  addCleanup(pm);
  pm.addNestedPass<func::FuncOp>(createFuseElementwisePass());
  addCleanup(pm);
}

/// Tensors to buffers that are freed where they are last used; results belong
/// to the caller.
void xsa::addBufferization(OpPassManager &pm,
                           function_ref<void(OpPassManager &)> onBuffers) {
  pm.addPass(createCheckBufferizablePass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  options.allowReturnAllocsFromLoops = true;
  options.bufferAlignment = 64;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  if (!onBuffers)
    addCleanup(pm);
  // Upstream's buffer-deallocation-pipeline without its canonicalizations.
  pm.addPass(memref::createExpandReallocPass({/*emitDeallocs=*/false}));
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  // The simplification asks an analysis of its start about values that its own
  // folding makes, and crashes: nothing must be left to fold. No pattern has
  // this label.
  pm.addPass(createCanonicalizerPass(GreedyRewriteConfig(),
                                     /*disabledPatterns=*/{},
                                     /*enabledPatterns=*/{"none"}));
  pm.addPass(bufferization::createBufferDeallocationSimplificationPass());
  pm.addPass(bufferization::createLowerDeallocationsPass());
  if (onBuffers)
    onBuffers(pm);
  addCleanup(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
}

/// Buffers to loops: vectors and threads.
void xsa::addHostLoops(OpPassManager &pm, const LowerToCPUOptions &options) {
  pm.addNestedPass<func::FuncOp>(createCheckBuffersPass());
  pm.addNestedPass<func::FuncOp>(createExpandDynamicReshapesPass());
  pm.addNestedPass<func::FuncOp>(createPrefetchTilesPass());
  ConvertLinalgToCPULoopsPassOptions loopOptions;
  loopOptions.vectorBits = options.vectorBits;
  loopOptions.parallelWork = options.parallelWork;
  loopOptions.bf16Dot = options.bf16Dot;
  pm.addNestedPass<func::FuncOp>(
      createConvertLinalgToCPULoopsPass(loopOptions));
  addCleanup(pm);
  pm.addPass(createConvertSCFParallelToXSARuntimePass());
  pm.addNestedPass<func::FuncOp>(createKeepMatrixTilesPass());
  pm.addPass(createLegalizeScalarsPass());
}

/// Loops to the LLVM dialect.
void xsa::addHostLLVM(OpPassManager &pm, const LowerToCPUOptions &options,
                      bool launchesKernels) {
  // Before vectors: a view that is folded into a transfer can leave it with a
  // dimension that is not the last, which only loops over elements can do.
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  pm.addPass(createLowerBoolVectorsPass());
  pm.addNestedPass<func::FuncOp>(createSplitVectorsPass());
  LowerVectorMathPassOptions mathOptions;
  mathOptions.avx512 = options.avx512;
  pm.addNestedPass<func::FuncOp>(createLowerVectorMathPass(mathOptions));
  pm.addPass(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertMathToFuncs());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertAssertToXSARuntimePass());
  // Two of the dialects are instructions that loops may have been made of.
  ConvertVectorToLLVMPassOptions vectorOptions;
  vectorOptions.amx = true;
  vectorOptions.x86Vector = true;
  pm.addPass(createConvertVectorToLLVMPass(vectorOptions));
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  if (launchesKernels)
    pm.addPass(createGpuToLLVMConversionPass());
  else
    pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCheckLoweredPass());
}

void xsa::buildLowerToCPUPipeline(OpPassManager &pm,
                                  const LowerToCPUOptions &options) {
  addImportSteps(pm);
  addHostAttention(pm, options);
  addElementwiseFusion(pm);
  addBufferization(pm);
  addHostLoops(pm, options);
  addHostLLVM(pm, options, /*launchesKernels=*/false);
}

void xsa::registerLowerToCPUPipeline() {
  PassPipelineRegistration<LowerToCPUOptions>(
      "xsa-lower-to-cpu-pipeline",
      "lower whole models to the LLVM dialect for the host's processor",
      buildLowerToCPUPipeline);
}
