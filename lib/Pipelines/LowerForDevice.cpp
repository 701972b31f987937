//===- LowerForDevice.cpp - The pipeline to host and GPU ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are compiled between the two halves of the host's pipeline: as soon
// as there are buffers, and before anything that would lower device code like
// code of the host.
//
//===----------------------------------------------------------------------===//

#include "xsa/Pipelines/LowerForDevice.h"

#include "xsa/Pipelines/LowerToCPU.h"
#include "xsa/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace xsa;

void xsa::buildCompileKernelsPipeline(OpPassManager &pm,
                                      const LowerForDeviceOptions &options) {
  pm.addPass(createStageKernelBuffersPass());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  GpuNVVMAttachTargetOptions target;
  target.chip = options.chip;
  target.features = "+ptx80";
  target.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(target));
  GpuModuleToBinaryPassOptions binary;
  binary.compilationTarget = options.format;
  pm.addPass(createGpuModuleToBinaryPass(binary));
}

void xsa::buildLowerForDevicePipeline(OpPassManager &pm,
                                      const LowerForDeviceOptions &options) {
  LowerToCPUOptions host;
  host.vectorBits = options.vectorBits;
  buildTensorsToBuffersPipeline(pm, host);
  buildCompileKernelsPipeline(pm, options);
  buildBuffersToLLVMPipeline(pm, host, /*launchesKernels=*/true);
}
