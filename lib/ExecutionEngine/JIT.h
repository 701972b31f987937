//===- JIT.h - From the LLVM dialect to callable code -----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The processor to compile for, LLVM's optimizations and MLIR's execution
// engine, set up for this project.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EXECUTIONENGINE_JIT_H
#define XSA_LIB_EXECUTIONENGINE_JIT_H

#include "ExternalConstants.h"
#include "xsa/ExecutionEngine/CompiledModule.h"
#include "xsa/Support/BF16Dot.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "llvm/Target/TargetMachine.h"

namespace xsa {

/// This machine's processor with its features, or what the options say. Names
/// that LLVM does not know, and instructions that this machine lacks, are
/// errors.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CompileOptions &options);

/// Width of the widest vector registers of a target.
int64_t getVectorBits(llvm::TargetMachine &machine);

/// Whether a target has AVX-512 F and DQ.
bool hasAVX512(llvm::TargetMachine &machine);

/// The instruction of a target for sums of products of bf16, if this process
/// may use it. Where that is AMX, the kernel has been asked for it.
BF16Dot getBF16Dot(llvm::TargetMachine &machine, const CompileOptions &options);

/// Reports the first symbol that the module uses and that neither it nor the
/// runtime nor this process defines.
mlir::LogicalResult checkSymbols(mlir::ModuleOp module);

/// Optimizes and compiles a module in the LLVM dialect, linked to the runtime
/// and to its constants.
llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>>
createEngine(mlir::ModuleOp module, const ExternalConstants &constants,
             std::unique_ptr<llvm::TargetMachine> machine, unsigned optLevel);

} // namespace xsa

#endif // XSA_LIB_EXECUTIONENGINE_JIT_H
