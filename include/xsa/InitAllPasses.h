//===- InitAllPasses.h - Registration of passes and pipelines ---*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call that registers every pass and pipeline with the command line.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_INITALLPASSES_H
#define XSA_INITALLPASSES_H

#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"
#include "xsa/Conversion/LinalgToCPULoops/Passes.h"
#include "xsa/Conversion/LinalgToXSA/LinalgToXSA.h"
#include "xsa/Conversion/SCFToXSARuntime/Passes.h"
#include "xsa/Conversion/TMTensorToLinalg/TMTensorToLinalg.h"
#include "xsa/Conversion/TilesToNVVM/Passes.h"
#include "xsa/Conversion/XSAToLinalg/XSAToLinalg.h"
#include "xsa/Dialect/XSA/Transforms/Passes.h"
#include "xsa/Pipelines/ConvertAttention.h"
#include "xsa/Pipelines/LowerToCPU.h"
#include "xsa/Pipelines/LowerToNVVM.h"
#include "xsa/Transforms/Passes.h"

namespace xsa {

inline void registerAllPasses() {
  registerImportToLinalgPasses();
  registerImportToLinalgPipeline();
  registerTMTensorToLinalgPasses();
  registerXSAToLinalgPasses();
  registerXSALinalgToCPULoopsPasses();
  registerXSALinalgToXSAPasses();
  registerXSASCFToXSARuntimePasses();
  registerXSALoweringTransformsPasses();
  registerXSATransformsPasses();
  registerXSATilesToNVVMPasses();
  registerAttentionPipelines();
  registerLowerToCPUPipeline();
  registerLowerToNVVMPipeline();
}

} // namespace xsa

#endif // XSA_INITALLPASSES_H
