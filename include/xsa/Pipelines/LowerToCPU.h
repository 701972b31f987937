//===- LowerToCPU.h - The pipeline to the host's processor ------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--xsa-lower-to-cpu-pipeline`: whole models from linalg on tensors, attention
// included, to the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_PIPELINES_LOWERTOCPU_H
#define XSA_PIPELINES_LOWERTOCPU_H

#include "xsa/Support/BF16Dot.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace xsa {

struct LowerToCPUOptions : public mlir::PassPipelineOptions<LowerToCPUOptions> {
  Option<int64_t> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("width in bits of the vector registers to fill"),
      llvm::cl::init(256)};
  Option<int64_t> parallelWork{
      *this, "parallel-work",
      llvm::cl::desc(
          "number of scalar operations that is worth another thread"),
      llvm::cl::init(65536)};
  Option<BF16Dot> bf16Dot{
      *this, "bf16-dot",
      llvm::cl::desc("instruction for sums of products of bf16"),
      llvm::cl::init(BF16Dot::None), getBF16DotValues()};
  Option<bool> avx512{*this, "avx512",
                      llvm::cl::desc("the processor has AVX-512 (F and DQ)"),
                      llvm::cl::init(false)};
};

/// Adds the whole pipeline to a pass manager on a module.
void buildLowerToCPUPipeline(mlir::OpPassManager &pm,
                             const LowerToCPUOptions &options);

void registerLowerToCPUPipeline();

} // namespace xsa

#endif // XSA_PIPELINES_LOWERTOCPU_H
