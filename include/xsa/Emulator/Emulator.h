//===- Emulator.h - NVVM kernels on the CPU ---------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs GPU kernels, given as LLVM IR for nvptx64, on the host's processor and
// checks every access to memory on the way: the kernels of this project, and
// anybody else's that keep to the supported intrinsics. docs/emulator.md is the
// guide.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EMULATOR_EMULATOR_H
#define XSA_EMULATOR_EMULATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace xsa {
namespace emulator {

class GlobalMemory;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;

  uint64_t getCount() const { return uint64_t(x) * y * z; }
};

struct LaunchShape {
  Dim3 grid, block;
  uint32_t dynamicSharedBytes = 0;
};

/// What one launch did. Bytes and sectors (of 32 bytes) of global memory are
/// those that the lanes of a warp touch together with one instruction, each
/// counted once.
struct KernelStats {
  std::string name;
  LaunchShape shape;
  uint64_t mma = 0;
  uint64_t globalLoadBytes = 0;
  uint64_t globalStoreBytes = 0;
  uint64_t globalLoadSectors = 0;
  uint64_t globalStoreSectors = 0;
  uint64_t sharedBankConflicts = 0;
  /// Barriers of the whole block, counted per block.
  uint64_t barriers = 0;
};

/// An address in the emulated device's global memory. The host cannot use it.
using DeviceAddress = uint64_t;

/// The kernels of one module, compiled for the host.
class KernelModule {
public:
  struct State;

  explicit KernelModule(std::unique_ptr<State> state);
  ~KernelModule();

  /// Names of the kernels, in the order of the module.
  std::vector<std::string> getKernelNames() const;
  /// Of a kernel, as LLVM writes them, but `ptr` for pointers of all address
  /// spaces and `byval` for structures; none if there is no such kernel.
  std::optional<std::vector<std::string>>
  getParameterTypes(llvm::StringRef kernel) const;

  State &getState() const { return *state; }

private:
  std::unique_ptr<State> state;
};

/// A device: its memory, and the launches that work on it. Not for several
/// threads at a time.
class Emulator {
public:
  Emulator();
  ~Emulator();

  /// Memory that no kernel may read before it was written.
  llvm::Expected<DeviceAddress> allocate(uint64_t numBytes);
  llvm::Error release(DeviceAddress address);
  llvm::Error copyToDevice(DeviceAddress to, const void *from,
                           uint64_t numBytes);
  /// An error where bytes were never written.
  llvm::Error copyToHost(void *to, DeviceAddress from, uint64_t numBytes);
  llvm::Error copyOnDevice(DeviceAddress to, DeviceAddress from,
                           uint64_t numBytes);
  /// Repeats an element of 1, 2 or 4 bytes.
  llvm::Error fill(DeviceAddress to, uint32_t element, unsigned elementBytes,
                   uint64_t count);
  /// Whether an address lies in the device's address space at all.
  bool isDeviceAddress(const void *pointer) const;

  /// Takes a module for nvptx64 (`nvvm` intrinsics, `ptx_kernel` functions).
  llvm::Expected<std::unique_ptr<KernelModule>>
  load(std::unique_ptr<llvm::Module> module,
       std::unique_ptr<llvm::LLVMContext> context);
  /// Takes bitcode or textual LLVM IR.
  llvm::Expected<std::unique_ptr<KernelModule>> load(llvm::StringRef code);

  /// Runs a kernel to its end; `parameters` holds the address of each. The
  /// error names kernel, block, thread, instruction and address. After an error
  /// memory is as the kernel left it.
  llvm::Error launch(const KernelModule &module, llvm::StringRef kernel,
                     const LaunchShape &shape,
                     llvm::ArrayRef<void *> parameters);

  /// One entry per successful launch since the last `clearStats`.
  llvm::ArrayRef<KernelStats> getStats() const { return stats; }
  void clearStats() { stats.clear(); }

private:
  std::shared_ptr<GlobalMemory> memory;
  std::vector<KernelStats> stats;
};

} // namespace emulator
} // namespace xsa

#endif // XSA_EMULATOR_EMULATOR_H
