//===- EmulatedDevice.cpp - The emulator as a device ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of the emulator are no addresses of the host, so a copy's direction
// can be told from its operands.
//
//===----------------------------------------------------------------------===//

#include "xsa/Emulator/EmulatedDevice.h"

#include "xsa/Emulator/Emulator.h"
#include "xsa/Emulator/Stats.h"

#include "llvm/Support/JSON.h"

#include <mutex>
#include <vector>

using namespace llvm;
using namespace xsa::emulator;
using xsa::emulator::Emulator;
using xsa::runtime::Device;

namespace {
class EmulatedDevice : public Device {
public:
  ImageFormat getImageFormat() const override { return ImageFormat::Bitcode; }
  Expected<void *> loadModule(StringRef image) override;
  Expected<void *> getFunction(void *module, StringRef name) override;
  Error launch(void *function, const LaunchShape &shape,
               ArrayRef<void *> parameters) override;
  Error synchronize() override { return Error::success(); }
  Expected<void *> allocate(uint64_t numBytes) override;
  Error release(void *address) override;
  Error copy(void *to, const void *from, uint64_t numBytes) override;
  Error fill(void *to, uint32_t element, unsigned elementBytes,
             uint64_t count) override;
  void beginCall() override;
  void writeKernelStats(json::OStream &json) const override;

private:
  struct Function {
    KernelModule *module;
    std::string name;
  };

  static DeviceAddress toAddress(const void *pointer) {
    return reinterpret_cast<DeviceAddress>(pointer);
  }

  /// Calls of compiled code may come from several threads.
  mutable std::mutex mutex;
  Emulator emulator;
  std::vector<std::unique_ptr<KernelModule>> modules;
  std::vector<std::unique_ptr<Function>> functions;
};
} // namespace

Expected<void *> EmulatedDevice::loadModule(StringRef image) {
  std::lock_guard<std::mutex> lock(mutex);
  auto module = emulator.load(image);
  if (!module)
    return module.takeError();
  modules.push_back(std::move(*module));
  return modules.back().get();
}

Expected<void *> EmulatedDevice::getFunction(void *module, StringRef name) {
  std::lock_guard<std::mutex> lock(mutex);
  auto *kernels = static_cast<KernelModule *>(module);
  for (auto &function : functions)
    if (function->module == kernels && function->name == name)
      return function.get();
  functions.push_back(
      std::make_unique<Function>(Function{kernels, name.str()}));
  return functions.back().get();
}

Error EmulatedDevice::launch(void *function, const LaunchShape &shape,
                             ArrayRef<void *> parameters) {
  std::lock_guard<std::mutex> lock(mutex);
  auto *kernel = static_cast<Function *>(function);
  auto toDim3 = [](const std::array<uint64_t, 3> &sizes) {
    auto limit = [](uint64_t size) {
      return uint32_t(std::min<uint64_t>(size, UINT32_MAX));
    };
    return Dim3{limit(sizes[0]), limit(sizes[1]), limit(sizes[2])};
  };
  return emulator.launch(*kernel->module, kernel->name,
                         {toDim3(shape.grid), toDim3(shape.block),
                          uint32_t(shape.dynamicSharedBytes)},
                         parameters);
}

Expected<void *> EmulatedDevice::allocate(uint64_t numBytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto address = emulator.allocate(numBytes);
  if (!address)
    return address.takeError();
  return reinterpret_cast<void *>(*address);
}

Error EmulatedDevice::release(void *address) {
  std::lock_guard<std::mutex> lock(mutex);
  return emulator.release(toAddress(address));
}

Error EmulatedDevice::copy(void *to, const void *from, uint64_t numBytes) {
  std::lock_guard<std::mutex> lock(mutex);
  bool toDevice = emulator.isDeviceAddress(to);
  bool fromDevice = emulator.isDeviceAddress(from);
  if (toDevice && fromDevice)
    return emulator.copyOnDevice(toAddress(to), toAddress(from), numBytes);
  if (toDevice)
    return emulator.copyToDevice(toAddress(to), from, numBytes);
  if (fromDevice)
    return emulator.copyToHost(to, toAddress(from), numBytes);
  std::memcpy(to, from, numBytes);
  return Error::success();
}

Error EmulatedDevice::fill(void *to, uint32_t element, unsigned elementBytes,
                           uint64_t count) {
  std::lock_guard<std::mutex> lock(mutex);
  return emulator.fill(toAddress(to), element, elementBytes, count);
}

void EmulatedDevice::beginCall() {
  std::lock_guard<std::mutex> lock(mutex);
  emulator.clearStats();
}

void EmulatedDevice::writeKernelStats(json::OStream &json) const {
  std::lock_guard<std::mutex> lock(mutex);
  for (const KernelStats &stats : emulator.getStats())
    writeStats(json, stats);
}

std::unique_ptr<Device> xsa::emulator::createEmulatedDevice() {
  return std::make_unique<EmulatedDevice>();
}
