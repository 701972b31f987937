//===- CUDADriver.h - The CUDA driver API, found at run time ----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver is looked up when it is asked for: neither building nor running on
// another target needs CUDA. Shared by xsa-run and by xsa-replay, which travels
// without MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EXECUTIONENGINE_CUDADRIVER_H
#define XSA_EXECUTIONENGINE_CUDADRIVER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace xsa {
namespace cuda {

// As in cuda.h.
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUhandle = void *;

/// Attributes of a device, with their numbers in cuda.h.
enum CUdeviceAttribute : int {
  kMultiprocessorCount = 16,
  kL2CacheBytes = 38,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxSharedBytesPerBlock = 97,
};

/// The functions used, under their names in cuda.h. All other members say what
/// went wrong, in a text that is empty if nothing did.
struct Driver {
  CUresult (*cuInit)(unsigned);
  CUresult (*cuGetErrorString)(CUresult, const char **);
  CUresult (*cuDriverGetVersion)(int *);
  CUresult (*cuDeviceGetCount)(int *);
  CUresult (*cuDeviceGet)(CUdevice *, int);
  CUresult (*cuDeviceGetName)(char *, int, CUdevice);
  CUresult (*cuDeviceGetAttribute)(int *, int, CUdevice);
  CUresult (*cuDevicePrimaryCtxRetain)(CUhandle *, CUdevice);
  CUresult (*cuDevicePrimaryCtxRelease)(CUdevice);
  CUresult (*cuCtxSetCurrent)(CUhandle);
  CUresult (*cuCtxSynchronize)();
  CUresult (*cuModuleLoadData)(CUhandle *, const void *);
  CUresult (*cuModuleUnload)(CUhandle);
  CUresult (*cuModuleGetFunction)(CUhandle *, CUhandle, const char *);
  CUresult (*cuFuncSetAttribute)(CUhandle, int, int);
  CUresult (*cuLaunchKernel)(CUhandle, unsigned, unsigned, unsigned, unsigned,
                             unsigned, unsigned, unsigned, CUhandle, void **,
                             void **);
  CUresult (*cuMemAlloc)(CUdeviceptr *, size_t);
  CUresult (*cuMemFree)(CUdeviceptr);
  CUresult (*cuMemcpy)(CUdeviceptr, CUdeviceptr, size_t);
  CUresult (*cuMemsetD8)(CUdeviceptr, unsigned char, size_t);
  CUresult (*cuMemsetD16)(CUdeviceptr, unsigned short, size_t);
  CUresult (*cuMemsetD32)(CUdeviceptr, unsigned, size_t);
  CUresult (*cuEventCreate)(CUhandle *, unsigned);
  CUresult (*cuEventDestroy)(CUhandle);
  CUresult (*cuEventRecord)(CUhandle, CUhandle);
  CUresult (*cuEventSynchronize)(CUhandle);
  CUresult (*cuEventElapsedTime)(float *, CUhandle, CUhandle);

  /// Finds the driver and its functions.
  std::string load();

  /// `what` is what the call was to do: "allocate memory".
  std::string check(CUresult result, const std::string &what) const;

  /// Asks for the compute capability of a GPU: 90 is 9.0.
  std::string readCapability(unsigned &capability, CUdevice device) const;

  /// Launches on the default stream, with as much shared memory as it takes.
  std::string launch(CUhandle function, const std::array<uint64_t, 3> &grid,
                     const std::array<uint64_t, 3> &block,
                     uint64_t dynamicSharedBytes, void **parameters) const;
};

} // namespace cuda
} // namespace xsa

#endif // XSA_EXECUTIONENGINE_CUDADRIVER_H
