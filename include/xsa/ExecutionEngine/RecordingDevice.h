//===- RecordingDevice.h - Kernel launches written to files -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that runs nothing: it notes what compiled code asks of it, so that
// xsa-replay can do the same on a machine that has a GPU and nothing else.
//
// Where data comes from and goes to is seen from the data itself. Arguments of
// the call hold markers, and so does whatever is "copied back" from the device;
// contents that the host has changed match no marker and are refused.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EXECUTIONENGINE_RECORDINGDEVICE_H
#define XSA_EXECUTIONENGINE_RECORDINGDEVICE_H

#include "xsa/ExecutionEngine/Array.h"
#include "xsa/ExecutionEngine/Device.h"

#include "mlir/IR/BuiltinTypes.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace xsa {
namespace runtime {

class RecordingDevice : public Device {
public:
  /// Takes kernels as PTX, or as bitcode.
  RecordingDevice(ImageFormat format, std::string chip);
  ~RecordingDevice() override;

  /// Marked arguments for the call that is to be recorded. An error where a
  /// type has dynamic sizes.
  llvm::Expected<std::vector<Array>>
  makeArguments(llvm::ArrayRef<mlir::Type> types);

  /// Writes `launches.json` and the kernels to a folder, which is made if it is
  /// not there. `results` are those of the call.
  llvm::Error write(llvm::StringRef folder, llvm::ArrayRef<Array> results);

  ImageFormat getImageFormat() const override { return format; }
  llvm::Expected<void *> loadModule(llvm::StringRef image) override;
  llvm::Expected<void *> getFunction(void *module,
                                     llvm::StringRef name) override;
  llvm::Error launch(void *function, const LaunchShape &shape,
                     llvm::ArrayRef<void *> parameters) override;
  llvm::Error synchronize() override { return llvm::Error::success(); }
  llvm::Expected<void *> allocate(uint64_t numBytes) override;
  llvm::Error release(void *address) override;
  llvm::Error copy(void *to, const void *from, uint64_t numBytes) override;
  llvm::Error fill(void *to, uint32_t element, unsigned elementBytes,
                   uint64_t count) override;

private:
  struct Image;
  struct Function;

  /// Memory that a replay allocates.
  struct Buffer {
    uint64_t numBytes;
    /// What it holds before the first launch: an argument of the call.
    std::optional<unsigned> argument;
    /// What it holds after the last: a result of the call.
    std::optional<unsigned> result;
  };

  /// Memory as the host's code sees it. It gets a buffer when it is first used:
  /// contents that come back to the device stay in the one they were in.
  struct Allocation {
    uint64_t numBytes;
    std::optional<unsigned> buffer;
  };

  /// Contents of the host's memory that are known by their marker.
  struct Contents {
    uint64_t marker;
    uint64_t numBytes;
    /// The argument that it is.
    std::optional<unsigned> argument;
    /// The buffer that has it too.
    std::optional<unsigned> buffer;
  };

  /// A pointer into a buffer, or a number.
  struct Parameter {
    std::optional<unsigned> buffer;
    int64_t value;
    unsigned numBytes;
  };

  struct Launch {
    const Function *function;
    LaunchShape shape;
    std::vector<Parameter> parameters;
  };

  void mark(void *data, Contents contents);
  /// The contents that memory of the host holds.
  llvm::Expected<Contents *> identify(const void *data, uint64_t numBytes);
  /// The live allocation around an address.
  std::pair<const uint64_t, Allocation> *find(uint64_t address);
  llvm::Error copyToDevice(uint64_t to, const void *from, uint64_t numBytes);
  llvm::Error copyToHost(void *to, uint64_t from, uint64_t numBytes);
  unsigned getBuffer(Allocation &allocation);
  llvm::Expected<Parameter> readParameter(const void *data, unsigned numBytes);
  void printManifest(llvm::raw_ostream &os) const;

  ImageFormat format;
  std::string chip;
  std::vector<std::unique_ptr<Image>> images;
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;
  std::vector<Contents> contents;
  /// Live allocations by their address.
  std::map<uint64_t, Allocation> allocations;
  uint64_t nextAddress;
  uint64_t nextMarker = 1;
};

} // namespace runtime
} // namespace xsa

#endif // XSA_EXECUTIONENGINE_RECORDINGDEVICE_H
