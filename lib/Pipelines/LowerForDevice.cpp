//===- LowerForDevice.cpp - The pipeline to host and GPU ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipeline to NVIDIA GPUs, as the execution engine wants it: nothing is
// strict, and the host's code is for this host.
//
//===----------------------------------------------------------------------===//

#include "xsa/Pipelines/LowerForDevice.h"

#include "xsa/Pipelines/LowerToNVVM.h"

using namespace mlir;
using namespace xsa;

void xsa::buildLowerForDevicePipeline(OpPassManager &pm,
                                      const LowerForDeviceOptions &options) {
  LowerToNVVMOptions nvvm;
  nvvm.chip = options.chip;
  nvvm.format = options.format;
  nvvm.vectorBits = options.vectorBits;
  nvvm.bf16Dot = options.bf16Dot;
  nvvm.avx512 = options.avx512;
  buildLowerToNVVMPipeline(pm, nvvm);
}
