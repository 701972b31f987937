//===- GPURuntime.cpp - MLIR's GPU runtime on a device --------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's lowering of the gpu dialect calls these `mgpu` functions. Compiled
// code announces its kernels when it is initialized, before it is known which
// device a call will have.
//
//===----------------------------------------------------------------------===//

#include "RuntimeCall.h"
#include "xsa/ExecutionEngine/ParallelRuntime.h"

#include <cstring>
#include <map>
#include <mutex>

using namespace llvm;
using namespace xsa::runtime;

/// Ends the call if something went wrong.
static void check(Error error) {
  if (!error)
    return;
  recordFailure(std::move(error));
  leaveCompiledCode();
}

static void require(bool condition, const char *message) {
  if (condition)
    return;
  recordFailure(createStringError(message));
  leaveCompiledCode();
}

static Device &getDevice() {
  Device *device = getCurrentDevice();
  require(device, "kernels are to be launched, but the call has no device");
  return *device;
}

//===----------------------------------------------------------------------===//
// Modules and kernels
//===----------------------------------------------------------------------===//

namespace {
/// A kernel image in compiled code, and what devices have made of it.
struct Image {
  StringRef bytes;
  std::mutex mutex;
  std::map<Device *, void *> loaded;
};
} // namespace

/// Images that code announces while it is initialized; null at other times.
static thread_local SmallVectorImpl<Image *> *announced = nullptr;

static void *loadModule(void *data, size_t numBytes) {
  auto *image = new Image();
  image->bytes = StringRef(static_cast<const char *>(data), numBytes);
  if (announced)
    announced->push_back(image);
  return image;
}

/// PTX is announced without its length; a zero ends it.
static void *loadAssembly(void *data, int /*optLevel*/) {
  return loadModule(data, std::strlen(static_cast<const char *>(data)));
}

static void unloadModule(void *module) { delete static_cast<Image *>(module); }

static Expected<void *> load(Device &device, Image &image) {
  std::lock_guard<std::mutex> lock(image.mutex);
  void *&module = image.loaded[&device];
  if (!module) {
    Expected<void *> loaded = device.loadModule(image.bytes);
    if (!loaded)
      return loaded;
    module = *loaded;
  }
  return module;
}

static Expected<void *> findFunction(Device &device, Image &image,
                                     const char *name) {
  Expected<void *> module = load(device, image);
  if (!module)
    return module;
  return device.getFunction(*module, name);
}

Error xsa::runtime::loadKernels(Device &device,
                                function_ref<void()> initialize) {
  SmallVector<Image *> images;
  announced = &images;
  initialize();
  announced = nullptr;
  for (Image *image : images) {
    Expected<void *> module = load(device, *image);
    if (!module)
      return module.takeError();
  }
  return Error::success();
}

static void *getFunction(void *module, const char *name) {
  void *function = nullptr;
  Device &device = getDevice();
  check([&]() -> Error {
    Expected<void *> found =
        findFunction(device, *static_cast<Image *>(module), name);
    if (!found)
      return found.takeError();
    function = *found;
    return Error::success();
  }());
  return function;
}

static void launchKernel(void *function, intptr_t gridX, intptr_t gridY,
                         intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                         intptr_t blockZ, int32_t dynamicSharedBytes, void *,
                         void **parameters, void **, size_t numParameters) {
  auto toSize = [](intptr_t size) { return size < 0 ? 0 : uint64_t(size); };
  Device::LaunchShape shape{{toSize(gridX), toSize(gridY), toSize(gridZ)},
                            {toSize(blockX), toSize(blockY), toSize(blockZ)},
                            uint32_t(dynamicSharedBytes)};
  // Arrays of size 0 need no block, which drivers refuse.
  if (!shape.grid[0] || !shape.grid[1] || !shape.grid[2])
    return;
  check(getDevice().launch(function, shape,
                           ArrayRef<void *>(parameters, numParameters)));
}

//===----------------------------------------------------------------------===//
// Streams and events: all work is in order anyway
//===----------------------------------------------------------------------===//

static void *createNothing() { return nullptr; }
static void ignore(void *) {}
static void ignoreTwo(void *, void *) {}
static void synchronize(void *) { check(getDevice().synchronize()); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void *allocate(uint64_t numBytes, void *, bool isHostShared) {
  require(!isHostShared, "memory shared by host and device is not available");
  void *address = nullptr;
  Device &device = getDevice();
  check([&]() -> Error {
    Expected<void *> allocated = device.allocate(numBytes);
    if (!allocated)
      return allocated.takeError();
    address = *allocated;
    return Error::success();
  }());
  addDeviceAllocation(address);
  return address;
}

static void release(void *address, void *) {
  if (!address)
    return;
  removeDeviceAllocation(address);
  check(getDevice().release(address));
}

static void copyMemory(void *to, void *from, size_t numBytes, void *) {
  if (numBytes)
    check(getDevice().copy(to, from, numBytes));
}

static void fill32(void *to, unsigned value, size_t count, void *) {
  check(getDevice().fill(to, value, 4, count));
}
static void fill16(void *to, unsigned short value, size_t count, void *) {
  check(getDevice().fill(to, value, 2, count));
}

void xsa::runtime::forEachGPUSymbol(
    function_ref<void(StringRef, void *)> bind) {
  auto address = [](auto *function) {
    return reinterpret_cast<void *>(function);
  };
  bind("mgpuModuleLoad", address(loadModule));
  bind("mgpuModuleLoadJIT", address(loadAssembly));
  bind("mgpuModuleUnload", address(unloadModule));
  bind("mgpuModuleGetFunction", address(getFunction));
  bind("mgpuLaunchKernel", address(launchKernel));
  bind("mgpuStreamCreate", address(createNothing));
  bind("mgpuStreamDestroy", address(ignore));
  bind("mgpuStreamSynchronize", address(synchronize));
  bind("mgpuStreamWaitEvent", address(ignoreTwo));
  bind("mgpuEventCreate", address(createNothing));
  bind("mgpuEventDestroy", address(ignore));
  bind("mgpuEventSynchronize", address(synchronize));
  bind("mgpuEventRecord", address(ignoreTwo));
  bind("mgpuMemAlloc", address(allocate));
  bind("mgpuMemFree", address(release));
  bind("mgpuMemcpy", address(copyMemory));
  bind("mgpuMemset32", address(fill32));
  bind("mgpuMemset16", address(fill16));
}
