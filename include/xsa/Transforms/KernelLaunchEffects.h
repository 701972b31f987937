//===- KernelLaunchEffects.h - What launches do to memory -------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream leaves open what `gpu.launch_func` does to memory, so that passes on
// buffers refuse functions that launch kernels.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_TRANSFORMS_KERNELLAUNCHEFFECTS_H
#define XSA_TRANSFORMS_KERNELLAUNCHEFFECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace xsa {

/// A launch reads and writes the buffers it is given, and frees none.
void registerKernelLaunchEffects(mlir::DialectRegistry &registry);

} // namespace xsa

#endif // XSA_TRANSFORMS_KERNELLAUNCHEFFECTS_H
