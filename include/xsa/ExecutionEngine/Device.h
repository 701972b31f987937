//===- Device.h - Where kernels run -----------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled code needs of a GPU. The emulator is one implementation, the
// CUDA driver another; a host with streams and memory of its own can supply a
// third.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EXECUTIONENGINE_DEVICE_H
#define XSA_EXECUTIONENGINE_DEVICE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace llvm {
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace xsa {
namespace runtime {

/// Operations happen one after another, as if on a single stream.
class Device {
public:
  /// How kernels are handed over.
  enum class ImageFormat {
    /// LLVM bitcode for nvptx64.
    Bitcode,
    /// PTX.
    Assembly,
    /// Machine code for one chip.
    Binary
  };

  struct LaunchShape {
    std::array<uint64_t, 3> grid, block;
    uint64_t dynamicSharedBytes;
  };

  virtual ~Device();

  virtual ImageFormat getImageFormat() const = 0;

  /// The compute capability of the GPU, 90 for 9.0; none where kernels for any
  /// chip can be loaded.
  virtual std::optional<unsigned> getComputeCapability() const {
    return std::nullopt;
  }

  /// Modules and functions are valid as long as the device.
  virtual llvm::Expected<void *> loadModule(llvm::StringRef image) = 0;
  virtual llvm::Expected<void *> getFunction(void *module,
                                             llvm::StringRef name) = 0;
  /// `parameters` holds the address of each.
  virtual llvm::Error launch(void *function, const LaunchShape &shape,
                             llvm::ArrayRef<void *> parameters) = 0;
  virtual llvm::Error synchronize() = 0;

  virtual llvm::Expected<void *> allocate(uint64_t numBytes) = 0;
  virtual llvm::Error release(void *address) = 0;
  /// Either may be memory of the host.
  virtual llvm::Error copy(void *to, const void *from, uint64_t numBytes) = 0;
  /// Repeats an element of 1, 2 or 4 bytes.
  virtual llvm::Error fill(void *to, uint32_t element, unsigned elementBytes,
                           uint64_t count) = 0;

  /// A call of compiled code begins; statistics are those of the last call.
  virtual void beginCall() {}
  /// Writes an object per kernel launch, where the device knows anything.
  virtual void writeKernelStats(llvm::json::OStream &) const {}
};

/// The GPU of this machine, through the driver that is found at run time.
llvm::Expected<std::unique_ptr<Device>> createCUDADevice();

} // namespace runtime
} // namespace xsa

#endif // XSA_EXECUTIONENGINE_DEVICE_H
