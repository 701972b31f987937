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

#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"
#include "xsa/Conversion/LinalgToCPULoops/Passes.h"
#include "xsa/Conversion/SCFToXSARuntime/Passes.h"
#include "xsa/Conversion/TMTensorToLinalg/TMTensorToLinalg.h"
#include "xsa/Conversion/XSAToLinalg/XSAToLinalg.h"
#include "xsa/Dialect/XSA/Transforms/Passes.h"
#include "xsa/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace xsa;

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Attention to loops over tiles; what remains of the dialect to linalg.
static void addAttention(OpPassManager &pm, const LowerToCPUOptions &options) {
  pm.addNestedPass<func::FuncOp>(createVerifyDynamicSizes());
  TileAttentionOptions tileOptions;
  tileOptions.vectorBits = options.vectorBits;
  pm.addNestedPass<func::FuncOp>(createTileAttention(tileOptions));
  VectorizeTilesOptions vectorOptions;
  vectorOptions.vectorBits = options.vectorBits;
  pm.addNestedPass<func::FuncOp>(createVectorizeTiles(vectorOptions));
  pm.addNestedPass<func::FuncOp>(createConvertXSAToLinalg());
}

/// Tensors: one function, element-wise chains fused. Code needs the bytes of
/// every constant.
static void addTensorSteps(OpPassManager &pm,
                           const LowerToCPUOptions &options) {
  CheckResourcesOptions resourceOptions;
  resourceOptions.requireData = true;
  pm.addPass(createCheckResources(resourceOptions));
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createPrepareEntryPointsPass());
  pm.addPass(createConvertTMTensorToLinalg());
  addAttention(pm, options);
  pm.addPass(createConvertElementwiseToLinalgPass());
  addCleanup(pm);
  pm.addNestedPass<func::FuncOp>(createFuseElementwisePass());
  addCleanup(pm);
}

/// Tensors to buffers that are freed where they are last used; results belong
/// to the caller.
static void addBufferization(OpPassManager &pm) {
  pm.addPass(createCheckBufferizablePass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  options.allowReturnAllocsFromLoops = true;
  options.bufferAlignment = 64;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  addCleanup(pm);
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addPass(createConvertBufferizationToMemRefPass());
}

/// Buffers to loops: vectors and threads.
static void addLoops(OpPassManager &pm, const LowerToCPUOptions &options) {
  pm.addNestedPass<func::FuncOp>(createCheckBuffersPass());
  pm.addNestedPass<func::FuncOp>(createExpandDynamicReshapesPass());
  ConvertLinalgToCPULoopsPassOptions loopOptions;
  loopOptions.vectorBits = options.vectorBits;
  loopOptions.parallelWork = options.parallelWork;
  pm.addNestedPass<func::FuncOp>(
      createConvertLinalgToCPULoopsPass(loopOptions));
  addCleanup(pm);
  pm.addPass(createConvertSCFParallelToXSARuntimePass());
  pm.addPass(createLegalizeScalarsPass());
}

/// Loops to the LLVM dialect.
static void addLLVM(OpPassManager &pm, bool launchesKernels) {
  // Before vectors: a view that is folded into a transfer can leave it with a
  // dimension that is not the last, which only loops over elements can do.
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  pm.addPass(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertMathToFuncs());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertAssertToXSARuntimePass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  if (launchesKernels)
    pm.addPass(createGpuToLLVMConversionPass());
  else
    pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCheckLoweredPass());
}

void xsa::buildTensorsToBuffersPipeline(OpPassManager &pm,
                                        const LowerToCPUOptions &options) {
  addTensorSteps(pm, options);
  addBufferization(pm);
}

void xsa::buildBuffersToLLVMPipeline(OpPassManager &pm,
                                     const LowerToCPUOptions &options,
                                     bool launchesKernels) {
  addLoops(pm, options);
  addLLVM(pm, launchesKernels);
}

void xsa::buildLowerToCPUPipeline(OpPassManager &pm,
                                  const LowerToCPUOptions &options) {
  buildTensorsToBuffersPipeline(pm, options);
  buildBuffersToLLVMPipeline(pm, options, /*launchesKernels=*/false);
}

void xsa::registerLowerToCPUPipeline() {
  PassPipelineRegistration<LowerToCPUOptions>(
      "xsa-lower-to-cpu-pipeline",
      "lowers whole models to the LLVM dialect for the host's processor",
      buildLowerToCPUPipeline);
}
