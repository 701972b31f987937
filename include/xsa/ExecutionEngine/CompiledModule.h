//===- CompiledModule.h - A model as a callable function --------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers a module for the host's processor, compiles it in memory and calls it
// on arrays. Every way in which that can fail is an error with a text that
// names what was expected and what was found.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EXECUTIONENGINE_COMPILEDMODULE_H
#define XSA_EXECUTIONENGINE_COMPILEDMODULE_H

#include "xsa/ExecutionEngine/Array.h"
#include "xsa/ExecutionEngine/Device.h"
#include "xsa/ExecutionEngine/ParallelRuntime.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class Diagnostic;
class ExecutionEngine;
} // namespace mlir

namespace xsa {

/// More threads than this are taken for a mistake by what offers the choice.
inline constexpr unsigned kMaxThreads = 1024;

struct CompileOptions {
  std::string entry = "main";
  /// Threads of our own pool, the caller's included; 0 is one per core. Not
  /// used with a parallel-for of the host.
  unsigned numThreads = 0;
  /// The host's parallel-for, if it has one.
  runtime::ParallelFor parallelFor;
  /// Where attention runs, and kernels that the module launches itself; none
  /// for the host's processor. Has to live as long as the compiled module.
  runtime::Device *device = nullptr;
  /// The GPU that kernels are compiled for; empty is that of the device, or
  /// sm_80 where any will do.
  std::string chip;
  /// LLVM's optimization level.
  unsigned optLevel = 3;
  /// Processor and features to compile for ("znver4", "+avx2,..."); empty means
  /// those of this machine.
  std::string cpu, features;
  /// Receives each error that the compiler reports, with its location, for
  /// hosts that want more than the text of the returned error.
  std::function<void(mlir::Diagnostic &)> onError;
};

/// A compiled entry function. Calls may come from several threads. The context
/// of the module must live longer, since constants are used where it keeps
/// them.
class CompiledModule {
public:
  ~CompiledModule();

  /// Compiles `entry` of a module of linalg on tensors with XSA operations, as
  /// the raising pipelines leave it. The module is not changed. The dialects of
  /// xsa::registerAllDialects, and MLIR's with their extensions, must be
  /// registered in the context.
  static llvm::Expected<std::unique_ptr<CompiledModule>>
  compile(mlir::ModuleOp module, const CompileOptions &options = {});

  llvm::ArrayRef<mlir::RankedTensorType> getArgumentTypes() const {
    return argumentTypes;
  }
  llvm::ArrayRef<mlir::RankedTensorType> getResultTypes() const {
    return resultTypes;
  }

  /// The entry's argument types, or an error if there is no such function or
  /// its types cannot cross the boundary. Needs no compilation.
  static llvm::Expected<mlir::FunctionType> getEntryType(mlir::ModuleOp module,
                                                         llvm::StringRef entry);

  /// Calls the function. Arguments are used in place and not written; results
  /// own their memory, which is released with them and may outlive this object.
  llvm::Expected<std::vector<Array>>
  call(llvm::ArrayRef<ArrayView> arguments) const;

  /// Checks arguments as `call` does.
  llvm::Error checkArguments(llvm::ArrayRef<ArrayView> arguments) const;

private:
  CompiledModule();

  llvm::SmallVector<mlir::RankedTensorType> argumentTypes, resultTypes;
  /// Constants whose memory in the context is not as compiled code reads it.
  std::vector<Array> expandedConstants;
  std::unique_ptr<runtime::ThreadPool> threadPool;
  runtime::ParallelFor parallelFor;
  runtime::Device *device = nullptr;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  /// The entry behind the engine's packed interface.
  void (*entryPoint)(void **) = nullptr;
};

} // namespace xsa

#endif // XSA_EXECUTIONENGINE_COMPILEDMODULE_H
