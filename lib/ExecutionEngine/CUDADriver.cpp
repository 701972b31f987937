//===- CUDADriver.cpp - The CUDA driver API, found at run time ------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuda.h renames functions whose signature has changed; the names looked up
// here are those that the library exports.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/CUDADriver.h"

#include <dlfcn.h>
#include <type_traits>
#include <utility>

using namespace xsa::cuda;

std::string Driver::load() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    return std::string("the NVIDIA driver was not found: ") + dlerror();
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *name) {
    void *address = dlsym(library, name);
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    if (!address)
      missing = name;
  };
  find(cuInit, "cuInit");
  find(cuGetErrorString, "cuGetErrorString");
  find(cuDriverGetVersion, "cuDriverGetVersion");
  find(cuDeviceGetCount, "cuDeviceGetCount");
  find(cuDeviceGet, "cuDeviceGet");
  find(cuDeviceGetName, "cuDeviceGetName");
  find(cuDeviceGetAttribute, "cuDeviceGetAttribute");
  find(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  find(cuCtxSetCurrent, "cuCtxSetCurrent");
  find(cuCtxSynchronize, "cuCtxSynchronize");
  find(cuModuleLoadData, "cuModuleLoadData");
  find(cuModuleUnload, "cuModuleUnload");
  find(cuModuleGetFunction, "cuModuleGetFunction");
  find(cuFuncSetAttribute, "cuFuncSetAttribute");
  find(cuLaunchKernel, "cuLaunchKernel");
  find(cuMemAlloc, "cuMemAlloc_v2");
  find(cuMemFree, "cuMemFree_v2");
  find(cuMemcpy, "cuMemcpy");
  find(cuMemsetD8, "cuMemsetD8_v2");
  find(cuMemsetD16, "cuMemsetD16_v2");
  find(cuMemsetD32, "cuMemsetD32_v2");
  find(cuEventCreate, "cuEventCreate");
  find(cuEventDestroy, "cuEventDestroy_v2");
  find(cuEventRecord, "cuEventRecord");
  find(cuEventSynchronize, "cuEventSynchronize");
  find(cuEventElapsedTime, "cuEventElapsedTime");
  if (missing)
    return "the NVIDIA driver has no function '" + std::string(missing) + "'";
  return "";
}

std::string Driver::check(CUresult result, const std::string &what) const {
  if (result == 0)
    return "";
  const char *text = nullptr;
  cuGetErrorString(result, &text);
  return "the NVIDIA driver could not " + what + ": " +
         (text ? text : "unknown error") + " (" + std::to_string(result) + ")";
}

std::string Driver::readCapability(unsigned &capability,
                                   CUdevice device) const {
  int major = 0, minor = 0;
  for (auto [value, attribute] : {std::pair(&major, kComputeCapabilityMajor),
                                  std::pair(&minor, kComputeCapabilityMinor)})
    if (std::string problem = check(
            cuDeviceGetAttribute(value, attribute, device), "describe the GPU");
        !problem.empty())
      return problem;
  capability = unsigned(major * 10 + minor);
  return "";
}

std::string Driver::launch(CUhandle function,
                           const std::array<uint64_t, 3> &grid,
                           const std::array<uint64_t, 3> &block,
                           uint64_t dynamicSharedBytes,
                           void **parameters) const {
  constexpr int kMaxDynamicSharedBytes = 8;
  constexpr uint64_t kWithoutAsking = 48 * 1024;
  for (uint64_t size : grid)
    if (size > UINT32_MAX)
      return "a grid of " + std::to_string(size) + " blocks is too large";
  if (dynamicSharedBytes > kWithoutAsking) {
    std::string problem =
        check(cuFuncSetAttribute(function, kMaxDynamicSharedBytes,
                                 int(dynamicSharedBytes)),
              "reserve " + std::to_string(dynamicSharedBytes) +
                  " bytes of shared memory");
    if (!problem.empty())
      return problem;
  }
  return check(cuLaunchKernel(function, unsigned(grid[0]), unsigned(grid[1]),
                              unsigned(grid[2]), unsigned(block[0]),
                              unsigned(block[1]), unsigned(block[2]),
                              unsigned(dynamicSharedBytes), nullptr, parameters,
                              nullptr),
               "launch a kernel");
}
