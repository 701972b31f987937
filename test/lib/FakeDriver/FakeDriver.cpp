//===- FakeDriver.cpp - A CUDA driver on the emulator ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 for tests of programs that use the driver: kernels, given as
// bitcode, run on the emulator, which checks launches, parameters and memory.
// The environment says what GPU there is:
//
//   FAKE_CAPABILITY    "90" is 9.0 (default 80)
//   FAKE_GPUS          how many (default 1)
//   FAKE_SHARED_BYTES  of a block at most (default 166912)
//   FAKE_REFUSALS      how many images are not loaded, as by an old driver
//
//===----------------------------------------------------------------------===//

#include "xsa/Emulator/Emulator.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/Endian.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace llvm;
using xsa::emulator::Emulator;
using xsa::emulator::KernelModule;

namespace {
constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kInvalidImage = 200;
constexpr int kNotFound = 500;
constexpr int kLaunchFailed = 719;

struct Function {
  KernelModule *module;
  std::string name;
  unsigned numParameters;
  uint32_t sharedBytes = 48 * 1024;
};
} // namespace

static Emulator &getEmulator() {
  static Emulator emulator;
  return emulator;
}

static std::vector<std::unique_ptr<Function>> &getFunctions() {
  static std::vector<std::unique_ptr<Function>> functions;
  return functions;
}

static unsigned getSetting(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? unsigned(std::atoi(text)) : otherwise;
}

/// What went wrong is printed; a driver would only give a number.
static int report(Error error, int code) {
  if (!error)
    return kSuccess;
  std::fprintf(stderr, "fake driver: %s\n", toString(std::move(error)).c_str());
  return code;
}

template <typename T>
static int report(Expected<T> value, T &result, int code) {
  if (!value)
    return report(value.takeError(), code);
  result = std::move(*value);
  return kSuccess;
}

#define EXPORT extern "C" __attribute__((visibility("default"))) int

EXPORT cuInit(unsigned) { return kSuccess; }
EXPORT cuGetErrorString(int code, const char **text) {
  *text = code == kInvalidImage ? "device kernel image is invalid" : "failed";
  return kSuccess;
}
EXPORT cuDriverGetVersion(int *version) {
  *version = 12080;
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

EXPORT cuDeviceGetCount(int *count) {
  *count = int(getSetting("FAKE_GPUS", 1));
  return kSuccess;
}
EXPORT cuDeviceGet(int *device, int number) {
  *device = number;
  return kSuccess;
}
EXPORT cuDeviceGetName(char *name, int size, int) {
  std::snprintf(name, size_t(size), "Emulator");
  return kSuccess;
}
EXPORT cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (attribute) {
  case 16:
    *value = 1;
    return kSuccess;
  case 38:
    *value = 4096;
    return kSuccess;
  case 75:
    *value = int(getSetting("FAKE_CAPABILITY", 80) / 10);
    return kSuccess;
  case 76:
    *value = int(getSetting("FAKE_CAPABILITY", 80) % 10);
    return kSuccess;
  case 97:
    *value = int(getSetting("FAKE_SHARED_BYTES", 166912));
    return kSuccess;
  default:
    return kInvalidValue;
  }
}
EXPORT cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &getEmulator();
  return kSuccess;
}
EXPORT cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
EXPORT cuCtxSetCurrent(void *context) {
  return context == &getEmulator() ? kSuccess : kInvalidValue;
}
EXPORT cuCtxSynchronize() { return kSuccess; }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Bitcode behind a header that tells its length.
static Expected<StringRef> getBitcode(const char *image) {
  if (identify_magic(StringRef(image, 4)) != file_magic::bitcode)
    return createStringError("an image is not bitcode");
  uint32_t offset = support::endian::read32le(image + 8);
  uint32_t size = support::endian::read32le(image + 12);
  return StringRef(image + offset, size);
}

EXPORT cuModuleLoadData(void **module, const void *image) {
  Expected<StringRef> bitcode = getBitcode(static_cast<const char *>(image));
  if (!bitcode)
    return report(bitcode.takeError(), kInvalidImage);
  static unsigned refusals = getSetting("FAKE_REFUSALS", 0);
  if (refusals) {
    --refusals;
    return kInvalidImage;
  }
  std::unique_ptr<KernelModule> loaded;
  int result = report(getEmulator().load(*bitcode), loaded, kInvalidImage);
  *module = loaded.release();
  return result;
}
EXPORT cuModuleUnload(void *module) {
  delete static_cast<KernelModule *>(module);
  return kSuccess;
}
EXPORT cuModuleGetFunction(void **function, void *module, const char *name) {
  auto *kernels = static_cast<KernelModule *>(module);
  auto types = kernels->getParameterTypes(name);
  if (!types)
    return kNotFound;
  getFunctions().push_back(std::make_unique<Function>(
      Function{kernels, name, unsigned(types->size())}));
  *function = getFunctions().back().get();
  return kSuccess;
}
EXPORT cuFuncSetAttribute(void *function, int attribute, int value) {
  constexpr int kMaxDynamicSharedBytes = 8;
  if (attribute != kMaxDynamicSharedBytes ||
      unsigned(value) > getSetting("FAKE_SHARED_BYTES", 166912))
    return kInvalidValue;
  static_cast<Function *>(function)->sharedBytes = uint32_t(value);
  return kSuccess;
}
EXPORT cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned sharedBytes, void *,
                      void **parameters, void **) {
  auto *kernel = static_cast<Function *>(function);
  if (!gridX || !gridY || !gridZ || gridY > 65535 || gridZ > 65535 || !blockX ||
      !blockY || !blockZ || blockX * blockY * blockZ > 1024 ||
      sharedBytes > kernel->sharedBytes)
    return kInvalidValue;
  xsa::emulator::LaunchShape shape{
      {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes};
  return report(
      getEmulator().launch(*kernel->module, kernel->name, shape,
                           ArrayRef(parameters, kernel->numParameters)),
      kLaunchFailed);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

EXPORT cuMemAlloc_v2(unsigned long long *address, size_t size) {
  uint64_t allocated = 0;
  int result = report(getEmulator().allocate(size), allocated, kInvalidValue);
  *address = allocated;
  return result;
}
EXPORT cuMemFree_v2(unsigned long long address) {
  return report(getEmulator().release(address), kInvalidValue);
}
EXPORT cuMemcpy(unsigned long long to, unsigned long long from, size_t size) {
  Emulator &emulator = getEmulator();
  auto *target = reinterpret_cast<void *>(to);
  auto *source = reinterpret_cast<const void *>(from);
  if (emulator.isDeviceAddress(target))
    return report(emulator.copyToDevice(to, source, size), kInvalidValue);
  return report(emulator.copyToHost(target, from, size), kInvalidValue);
}
EXPORT cuMemsetD8_v2(unsigned long long to, unsigned char value, size_t count) {
  return report(getEmulator().fill(to, value, 1, count), kInvalidValue);
}
EXPORT cuMemsetD16_v2(unsigned long long to, unsigned short value,
                      size_t count) {
  return report(getEmulator().fill(to, value, 2, count), kInvalidValue);
}
EXPORT cuMemsetD32_v2(unsigned long long to, unsigned value, size_t count) {
  return report(getEmulator().fill(to, value, 4, count), kInvalidValue);
}

//===----------------------------------------------------------------------===//
// Events: everything takes half a millisecond
//===----------------------------------------------------------------------===//

EXPORT cuEventCreate(void **event, unsigned) {
  *event = new int(0);
  return kSuccess;
}
EXPORT cuEventDestroy_v2(void *event) {
  delete static_cast<int *>(event);
  return kSuccess;
}
EXPORT cuEventRecord(void *event, void *) {
  ++*static_cast<int *>(event);
  return kSuccess;
}
EXPORT cuEventSynchronize(void *event) {
  return *static_cast<int *>(event) ? kSuccess : kInvalidValue;
}
EXPORT cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  *milliseconds = 0.5f;
  return *static_cast<int *>(begin) && *static_cast<int *>(end) ? kSuccess
                                                                : kInvalidValue;
}
