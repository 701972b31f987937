//===- CUDADevice.cpp - The GPU of this machine ---------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver as a device, with its errors as errors of LLVM.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/CUDADriver.h"
#include "xsa/ExecutionEngine/Device.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace xsa::cuda;
using namespace xsa::runtime;

Device::~Device() = default;

namespace {
class CUDADevice : public Device {
public:
  ~CUDADevice() override {
    if (!context)
      return;
    driver.cuCtxSetCurrent(context);
    for (CUhandle module : modules)
      driver.cuModuleUnload(module);
    driver.cuDevicePrimaryCtxRelease(device);
  }

  Error initialize();

  ImageFormat getImageFormat() const override { return ImageFormat::Binary; }
  std::optional<unsigned> getComputeCapability() const override {
    return capability;
  }
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
  SmallVector<CUhandle> modules;
  unsigned capability = 0;
};
} // namespace

static Error toError(const std::string &problem) {
  return problem.empty() ? Error::success() : createStringError(problem);
}

Error CUDADevice::check(CUresult result, const char *what) {
  return toError(driver.check(result, what));
}

Error CUDADevice::initialize() {
  if (std::string problem = driver.load(); !problem.empty())
    return createStringError("the target 'cuda' cannot be used: " + problem);
  if (Error error = check(driver.cuInit(0), "start"))
    return error;
  if (Error error = check(driver.cuDeviceGet(&device, 0), "find a GPU"))
    return error;
  if (Error error = toError(driver.readCapability(capability, device)))
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
  modules.push_back(module);
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
  if (Error error = enter())
    return error;
  return toError(driver.launch(function, shape.grid, shape.block,
                               shape.dynamicSharedBytes,
                               const_cast<void **>(parameters.data())));
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
