//===- LowerForDevice.h - The pipeline to host and GPU ----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole models to the LLVM dialect of the host, with kernels inside as images
// for a GPU. What is not in kernels is lowered as it is for the host alone.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_PIPELINES_LOWERFORDEVICE_H
#define XSA_PIPELINES_LOWERFORDEVICE_H

#include "xsa/Support/BF16Dot.h"

#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <string>

namespace xsa {

struct LowerForDeviceOptions {
  /// Width of the host's vector registers.
  int64_t vectorBits = 256;
  /// The host's instruction for sums of products of bf16.
  BF16Dot bf16Dot = BF16Dot::None;
  /// Whether the host has AVX-512 (F and DQ).
  bool avx512 = false;
  std::string chip = "sm_80";
  /// What `gpu-module-to-binary` calls the form of kernels: `llvm` is bitcode
  /// for the emulator, `bin` machine code.
  std::string format = "llvm";
};

/// The whole pipeline on a module.
void buildLowerForDevicePipeline(mlir::OpPassManager &pm,
                                 const LowerForDeviceOptions &options);

} // namespace xsa

#endif // XSA_PIPELINES_LOWERFORDEVICE_H
