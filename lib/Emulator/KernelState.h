//===- KernelState.h - A compiled module ------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What loading a module leaves for its launches.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_KERNELSTATE_H
#define XSA_LIB_EMULATOR_KERNELSTATE_H

#include "GlobalMemory.h"
#include "Site.h"
#include "xsa/Emulator/Emulator.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <memory>
#include <string>
#include <vector>

namespace xsa {
namespace emulator {

struct Kernel {
  std::string name;
  /// See `KernelModule::getParameterTypes`.
  std::vector<std::string> parameterTypes;
  /// What its local variables take on a thread's stack.
  uint64_t localBytes = 0;
  /// Loads its parameters from the addresses it is given.
  void (*entry)(void **) = nullptr;
};

/// A variable in shared memory.
struct SharedVariable {
  std::string name;
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// A variable in global or constant memory, by its reserved address.
struct DeviceVariable {
  std::string name;
  DeviceAddress address = 0;
};

struct KernelModule::State {
  explicit State(std::shared_ptr<GlobalMemory> memory)
      : memory(std::move(memory)) {}
  ~State() {
    for (const DeviceVariable &variable : deviceVariables)
      memory->unbind(variable.address);
  }

  std::shared_ptr<GlobalMemory> memory;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<Site> sites;
  std::vector<Kernel> kernels;
  std::vector<SharedVariable> sharedVariables;
  std::vector<DeviceVariable> deviceVariables;
  uint64_t staticSharedBytes = 0;
  uint64_t sharedAlignment = 16;
  /// Copies that can land early or late make two runs differ.
  bool hasAsyncCopies = false;
};

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_KERNELSTATE_H
