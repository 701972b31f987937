//===- LowerToNVVM.cpp - The pipeline to NVIDIA GPUs ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention is tiled last among the steps on tensors, and becomes a kernel as
// soon as there are buffers: until its tiles are distributed to threads,
// nothing may take its loops apart.
//
//===----------------------------------------------------------------------===//

#include "xsa/Pipelines/LowerToNVVM.h"

#include "HostSteps.h"

#include "xsa/Conversion/TilesToNVVM/Passes.h"
#include "xsa/Support/Chip.h"
#include "xsa/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace xsa;

bool KernelFormatParser::parse(llvm::cl::Option &option, StringRef,
                               StringRef text, std::string &value) {
  value = text.str();
  if (llvm::is_contained({"mlir", "llvm", "isa", "bin", "fatbin"}, text))
    return false;
  return option.error("expected mlir, llvm, isa, bin or fatbin, got '" + text +
                      "'");
}

bool PTXVersionParser::parse(llvm::cl::Option &option, StringRef,
                             StringRef text, unsigned &value) {
  // There was no version 8.9.
  if (!text.getAsInteger(10, value) &&
      (value == 0 || (value >= 60 && value <= 88) || value == 90))
    return false;
  return option.error("expected a version of PTX from 60 to 90, got '" + text +
                      "'");
}

/// What the chip needs, and not a version before 8.0. Another version that is
/// asked for is taken where it is later.
static unsigned getPTXVersion(const LowerToNVVMOptions &options) {
  std::optional<Chip> chip = findChip(options.chip);
  return std::max({80u, unsigned(options.ptx), chip ? chip->ptx : 0u});
}

/// What becomes a kernel is tiled and vectorized; what does not stays for the
/// host's steps.
static void addTiles(OpPassManager &pm, const LowerToNVVMOptions &options) {
  TileAttentionForGPUOptions tile;
  tile.chip = options.chip;
  tile.queryTile = options.queryTile;
  tile.keyTile = options.keyTile;
  tile.warps = options.warps;
  tile.stages = options.stages;
  tile.keySplits = options.keySplits;
  tile.strict = options.strict;
  tile.printPlan = options.printPlan;
  tile.printChoices = options.printChoices;
  pm.addNestedPass<func::FuncOp>(createTileAttentionForGPU(tile));
  TileExcludeForGPUOptions exclude;
  exclude.chip = options.chip;
  exclude.strict = options.strict;
  exclude.printPlan = options.printPlan;
  pm.addNestedPass<func::FuncOp>(createTileExcludeForGPU(exclude));
  pm.addNestedPass<func::FuncOp>(createTilesToVectors());
}

/// Kernels on whole tiles to code of threads.
static void addKernels(OpPassManager &pm) {
  pm.addPass(createOutlineKernels());
  pm.addNestedPass<gpu::GPUModuleOp>(createCSEPass());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addNestedPass<gpu::GPUFuncOp>(createAssignLayouts());
  pm.addPass(createStageTiles());
  OpPassManager &threads = pm.nest<gpu::GPUModuleOp>();
  threads.addNestedPass<gpu::GPUFuncOp>(createDistributeTiles());
  threads.addPass(createCSEPass());
  threads.addPass(createCanonicalizerPass());
}

/// Code of threads to the LLVM dialect.
static void addDevice(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addNestedPass<gpu::GPUFuncOp>(createRecomputeAddresses());
  kernels.addPass(createSCFToControlFlowPass());
  // Before GPU operations: that step would make library calls of them.
  kernels.addPass(createConvertMathToLLVMPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createArithToLLVMConversionPass());
  kernels.addPass(createConvertIndexToLLVMPass());
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
}

/// Kernels in the LLVM dialect to what a GPU, or the emulator, loads.
static void addBinaries(OpPassManager &pm, const LowerToNVVMOptions &options) {
  GpuNVVMAttachTargetOptions target;
  target.chip = options.chip;
  target.features = "+ptx" + std::to_string(getPTXVersion(options));
  target.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(target));
  GpuModuleToBinaryPassOptions binary;
  binary.compilationTarget = options.format;
  pm.addPass(createGpuModuleToBinaryPass(binary));
}

void xsa::buildLowerToNVVMPipeline(OpPassManager &pm,
                                   const LowerToNVVMOptions &options) {
  LowerToCPUOptions host;
  host.vectorBits = options.vectorBits;
  host.bf16Dot = options.bf16Dot;
  host.avx512 = options.avx512;
  addImportSteps(pm);
  addElementwiseFusion(pm);
  addTiles(pm, options);
  addHostAttention(pm, host);
  addBufferization(pm, addKernels);
  bool binaries = options.format != "mlir";
  if (binaries)
    pm.addPass(createStageKernelBuffersPass());
  addDevice(pm);
  if (!binaries)
    return;
  addBinaries(pm, options);
  addHostLoops(pm, host);
  addHostLLVM(pm, host, /*launchesKernels=*/true);
}

void xsa::registerLowerToNVVMPipeline() {
  PassPipelineRegistration<LowerToNVVMOptions>(
      "xsa-lower-to-nvvm-pipeline",
      "lower each xsa.attention to one kernel for NVIDIA GPUs",
      buildLowerToNVVMPipeline);
}
