//===- Replay.h - Recorded launches on a GPU --------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One GPU, and one case of a bundle on it: load, allocate, launch, time.
// Functions that return a text say what went wrong; it is empty if nothing did.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_TOOLS_REPLAY_REPLAY_H
#define XSA_TOOLS_REPLAY_REPLAY_H

#include "Bundle.h"

#include "xsa/ExecutionEngine/CUDADriver.h"

namespace xsa {
namespace replay {

struct GPU {
  cuda::Driver driver{};
  std::string name;
  /// 90 is 9.0.
  unsigned capability = 0;
  unsigned numMultiprocessors = 0;
  uint64_t cacheBytes = 0;
  uint64_t maxSharedBytes = 0;
  /// Of the kernel module, where the system tells, and the version of CUDA that
  /// the driver supports.
  std::string driverVersion, cudaVersion;

  /// Ends the program if there is no driver or no such device.
  static GPU open(unsigned number);
};

class Replay {
public:
  Replay(const GPU &gpu, const Bundle &bundle, const Case &which,
         const Choice &choice)
      : gpu(gpu), bundle(bundle), which(which),
        recording(which.recordings.at(choice.chip)),
        isMachineCode(choice.isMachineCode) {}
  ~Replay();
  Replay(const Replay &) = delete;

  std::string loadKernels();
  /// Allocates and fills buffers: those that no input is for with the bits of
  /// NaNs.
  std::string fillBuffers();
  std::string launch();
  std::string readOutput(std::string &bytes);
  /// Seconds of each of `repeat` runs, the cache cleared before each; 0 is as
  /// many as take half a second, within limits.
  std::string time(unsigned repeat, std::vector<double> &seconds);

private:
  /// A launch with its parameters where the driver wants them.
  struct Prepared {
    cuda::CUhandle function;
    std::vector<uint64_t> values;
    std::vector<void *> pointers;
  };

  std::string findFunction(const Launch &launch, cuda::CUhandle &function);
  std::string fillBuffer(const Buffer &buffer);
  void setParameters();
  std::string runOnce(double &seconds);

  const GPU &gpu;
  const Bundle &bundle;
  const Case &which;
  const Recording &recording;
  bool isMachineCode;
  /// By path; a module has several kernels.
  std::map<std::string, cuda::CUhandle> modules;
  std::vector<cuda::CUdeviceptr> buffers;
  std::vector<Prepared> launches;
  /// Written between runs.
  cuda::CUdeviceptr scratch = 0;
  cuda::CUhandle begin = nullptr, end = nullptr;
};

} // namespace replay
} // namespace xsa

#endif // XSA_TOOLS_REPLAY_REPLAY_H
