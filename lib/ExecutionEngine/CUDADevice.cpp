//===- CUDADevice.cpp - The GPU of this machine ---------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CUDA driver API, looked up when it is asked for: neither building nor
// running on another target needs CUDA. Declarations are those of cuda.h.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/Device.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace llvm;
using namespace xsa::runtime;

Device::~Device() = default;

namespace {
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUhandle = void *;

/// The functions used, under the names that the driver exports.
struct Driver {
  CUresult (*cuInit)(unsigned);
  CUresult (*cuGetErrorString)(CUresult, const char **);
  CUresult (*cuDeviceGet)(CUdevice *, int);
  CUresult (*cuDevicePrimaryCtxRetain)(CUhandle *, CUdevice);
  CUresult (*cuDevicePrimaryCtxRelease)(CUdevice);
  CUresult (*cuCtxSetCurrent)(CUhandle);
  CUresult (*cuCtxSynchronize)();
  CUresult (*cuModuleLoadData)(CUhandle *, const void *);
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

  Error load();
};

class CUDADevice : public Device {
public:
  ~CUDADevice() override {
    if (context)
      driver.cuDevicePrimaryCtxRelease(device);
  }

  Error initialize();

  ImageFormat getImageFormat() const override { return ImageFormat::Binary; }
  Expected<void *> loadModule(StringRef image) override;
  Expected<void *> getFunction(void *module, StringRef name) override;
  Error launch(void *function, const LaunchShape &shape,
               ArrayRef<void *> parameters) override;
  Error synchronize() override;
  Expected<void *> allocate(uint64_t numBytes) override;
  Error release(void *address) override;
  Error copy(void *to, const void *from, uint64_t numBytes) override;
  Error fill(void *to, uint32_t element, unsigned elementBytes,
             uint64_t count) override;

private:
  /// The error of a driver call, if it is one.
  Error check(CUresult result, const char *what);
  /// The context is current per thread of the host.
  Error enter() {
    return check(driver.cuCtxSetCurrent(context), "select the GPU");
  }

  Driver driver{};
  CUdevice device = 0;
  CUhandle context = nullptr;
};
} // namespace

Error Driver::load() {
  std::string problem;
  sys::DynamicLibrary library =
      sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1", &problem);
  if (!library.isValid())
    return createStringError(
        "the target 'cuda' needs the NVIDIA driver, which was not "
        "found: " +
        problem);
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *name) {
    void *address = library.getAddressOfSymbol(name);
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    if (!address)
      missing = name;
  };
  find(cuInit, "cuInit");
  find(cuGetErrorString, "cuGetErrorString");
  find(cuDeviceGet, "cuDeviceGet");
  find(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2");
  find(cuCtxSetCurrent, "cuCtxSetCurrent");
  find(cuCtxSynchronize, "cuCtxSynchronize");
  find(cuModuleLoadData, "cuModuleLoadData");
  find(cuModuleGetFunction, "cuModuleGetFunction");
  find(cuFuncSetAttribute, "cuFuncSetAttribute");
  find(cuLaunchKernel, "cuLaunchKernel");
  find(cuMemAlloc, "cuMemAlloc_v2");
  find(cuMemFree, "cuMemFree_v2");
  find(cuMemcpy, "cuMemcpy");
  find(cuMemsetD8, "cuMemsetD8_v2");
  find(cuMemsetD16, "cuMemsetD16_v2");
  find(cuMemsetD32, "cuMemsetD32_v2");
  if (missing)
    return createStringError("the NVIDIA driver has no function '" +
                             Twine(missing) + "'");
  return Error::success();
}

Error CUDADevice::check(CUresult result, const char *what) {
  if (result == 0)
    return Error::success();
  const char *text = nullptr;
  driver.cuGetErrorString(result, &text);
  return createStringError("the NVIDIA driver could not " + Twine(what) + ": " +
                           (text ? text : "unknown error") + " (" +
                           Twine(result) + ")");
}

Error CUDADevice::initialize() {
  if (Error error = driver.load())
    return error;
  if (Error error = check(driver.cuInit(0), "start"))
    return error;
  if (Error error = check(driver.cuDeviceGet(&device, 0), "find a GPU"))
    return error;
  return check(driver.cuDevicePrimaryCtxRetain(&context, device),
               "use the GPU");
}

Expected<void *> CUDADevice::loadModule(StringRef image) {
  CUhandle module = nullptr;
  if (Error error = enter())
    return error;
  if (Error error = check(driver.cuModuleLoadData(&module, image.data()),
                          "load a kernel image"))
    return error;
  return module;
}

Expected<void *> CUDADevice::getFunction(void *module, StringRef name) {
  CUhandle function = nullptr;
  if (Error error = enter())
    return error;
  if (Error error = check(
          driver.cuModuleGetFunction(&function, module, name.str().c_str()),
          "find a kernel"))
    return error;
  return function;
}

Error CUDADevice::launch(void *function, const LaunchShape &shape,
                         ArrayRef<void *> parameters) {
  constexpr int kMaxDynamicSharedBytes = 8;
  constexpr uint64_t kWithoutAsking = 48 * 1024;
  for (uint64_t size : {shape.grid[0], shape.grid[1], shape.grid[2]})
    if (size > UINT32_MAX)
      return createStringError("a grid of " + Twine(size) +
                               " blocks is too large");
  if (Error error = enter())
    return error;
  if (shape.dynamicSharedBytes > kWithoutAsking)
    if (Error error =
            check(driver.cuFuncSetAttribute(function, kMaxDynamicSharedBytes,
                                            int(shape.dynamicSharedBytes)),
                  "reserve shared memory"))
      return error;
  return check(
      driver.cuLaunchKernel(function, shape.grid[0], shape.grid[1],
                            shape.grid[2], shape.block[0], shape.block[1],
                            shape.block[2], shape.dynamicSharedBytes, nullptr,
                            const_cast<void **>(parameters.data()), nullptr),
      "launch a kernel");
}

Error CUDADevice::synchronize() {
  if (Error error = enter())
    return error;
  return check(driver.cuCtxSynchronize(), "finish its work");
}

Expected<void *> CUDADevice::allocate(uint64_t numBytes) {
  CUdeviceptr address = 0;
  if (Error error = enter())
    return error;
  if (Error error =
          check(driver.cuMemAlloc(&address, std::max<uint64_t>(numBytes, 1)),
                "allocate memory"))
    return error;
  return reinterpret_cast<void *>(address);
}

Error CUDADevice::release(void *address) {
  if (Error error = enter())
    return error;
  return check(driver.cuMemFree(reinterpret_cast<CUdeviceptr>(address)),
               "free memory");
}

Error CUDADevice::copy(void *to, const void *from, uint64_t numBytes) {
  if (Error error = enter())
    return error;
  return check(driver.cuMemcpy(reinterpret_cast<CUdeviceptr>(to),
                               reinterpret_cast<CUdeviceptr>(from), numBytes),
               "copy memory");
}

Error CUDADevice::fill(void *to, uint32_t element, unsigned elementBytes,
                       uint64_t count) {
  if (Error error = enter())
    return error;
  auto address = reinterpret_cast<CUdeviceptr>(to);
  CUresult result = elementBytes == 1
                        ? driver.cuMemsetD8(address, uint8_t(element), count)
                    : elementBytes == 2
                        ? driver.cuMemsetD16(address, uint16_t(element), count)
                        : driver.cuMemsetD32(address, element, count);
  return check(result, "fill memory");
}

Expected<std::unique_ptr<Device>> xsa::runtime::createCUDADevice() {
  auto device = std::make_unique<CUDADevice>();
  if (Error error = device->initialize())
    return error;
  return std::unique_ptr<Device>(std::move(device));
}
