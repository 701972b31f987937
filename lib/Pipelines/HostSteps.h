//===- HostSteps.h - Steps that targets share -------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the target, the parts of a model that are not attention run on the
// host. These are the steps of the CPU pipeline, in its order.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_PIPELINES_HOSTSTEPS_H
#define XSA_LIB_PIPELINES_HOSTSTEPS_H

#include "xsa/Pipelines/LowerToCPU.h"

namespace xsa {

void addCleanup(mlir::OpPassManager &pm);

void addImportSteps(mlir::OpPassManager &pm);

void addHostAttention(mlir::OpPassManager &pm,
                      const LowerToCPUOptions &options);

void addElementwiseFusion(mlir::OpPassManager &pm);

/// `onBuffers` adds what is to run on the buffers as they are first made.
void addBufferization(
    mlir::OpPassManager &pm,
    llvm::function_ref<void(mlir::OpPassManager &)> onBuffers = {});

void addHostLoops(mlir::OpPassManager &pm, const LowerToCPUOptions &options);

void addHostLLVM(mlir::OpPassManager &pm, const LowerToCPUOptions &options,
                 bool launchesKernels);

} // namespace xsa

#endif // XSA_LIB_PIPELINES_HOSTSTEPS_H
