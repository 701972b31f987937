//===- Replay.cpp - Recorded launches on a GPU ----------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything happens on the default stream, in order.
//
//===----------------------------------------------------------------------===//

#include "Replay.h"

#include <algorithm>
#include <cstdio>

using namespace xsa::replay;
using namespace xsa::cuda;

//===----------------------------------------------------------------------===//
// The GPU
//===----------------------------------------------------------------------===//

static void require(const std::string &problem) {
  if (!problem.empty())
    fail(problem);
}

/// "570.86.15", from "NVRM version: NVIDIA UNIX ...  570.86.15  Release ...".
static std::string readDriverVersion() {
  std::FILE *file = std::fopen("/proc/driver/nvidia/version", "r");
  if (!file)
    return "";
  char line[512] = "";
  bool hasLine = std::fgets(line, sizeof line, file);
  std::fclose(file);
  std::string text = hasLine ? line : "";
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find_first_of(" \n", start), text.size());
    std::string word = text.substr(start, end - start);
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
    start = end + 1;
  }
  return "";
}

GPU GPU::open(unsigned number) {
  GPU gpu;
  Driver &driver = gpu.driver;
  require(driver.load());
  require(driver.check(driver.cuInit(0), "start"));
  int count = 0;
  require(driver.check(driver.cuDeviceGetCount(&count), "count GPUs"));
  if (number >= unsigned(count))
    fail("there is no GPU " + std::to_string(number) + ": the driver has " +
         (count ? std::to_string(count) : std::string("none")));
  CUdevice device = 0;
  require(driver.check(driver.cuDeviceGet(&device, int(number)), "find a GPU"));
  CUhandle context = nullptr;
  require(driver.check(driver.cuDevicePrimaryCtxRetain(&context, device),
                       "use the GPU"));
  require(driver.check(driver.cuCtxSetCurrent(context), "select the GPU"));

  auto ask = [&](CUdeviceAttribute attribute) {
    int value = 0;
    require(driver.check(driver.cuDeviceGetAttribute(&value, attribute, device),
                         "describe the GPU"));
    return unsigned(value);
  };
  char name[256] = "";
  require(driver.check(driver.cuDeviceGetName(name, sizeof name, device),
                       "name the GPU"));
  gpu.name = name;
  require(driver.readCapability(gpu.capability, device));
  gpu.numMultiprocessors = ask(kMultiprocessorCount);
  gpu.cacheBytes = ask(kL2CacheBytes);
  gpu.maxSharedBytes = ask(kMaxSharedBytesPerBlock);
  int version = 0;
  require(
      driver.check(driver.cuDriverGetVersion(&version), "tell its version"));
  gpu.cudaVersion = std::to_string(version / 1000) + "." +
                    std::to_string(version % 1000 / 10);
  gpu.driverVersion = readDriverVersion();
  return gpu;
}

//===----------------------------------------------------------------------===//
// Preparing
//===----------------------------------------------------------------------===//

Replay::~Replay() {
  const Driver &driver = gpu.driver;
  for (CUhandle event : {begin, end})
    if (event)
      driver.cuEventDestroy(event);
  for (CUdeviceptr buffer : buffers)
    driver.cuMemFree(buffer);
  if (scratch)
    driver.cuMemFree(scratch);
  for (auto &[path, module] : modules)
    driver.cuModuleUnload(module);
}

std::string Replay::findFunction(const Launch &launch, CUhandle &function) {
  const Driver &driver = gpu.driver;
  const std::string &path = isMachineCode ? launch.cubin : launch.ptx;
  CUhandle &module = modules[path];
  if (!module) {
    std::string image = bundle.readFile(path);
    CUresult result = driver.cuModuleLoadData(&module, image.c_str());
    if (result) {
      modules.erase(path);
      return driver.check(result, "load '" + path + "'");
    }
  }
  return driver.check(
      driver.cuModuleGetFunction(&function, module, launch.kernel.c_str()),
      "find the kernel '" + launch.kernel + "'");
}

std::string Replay::loadKernels() {
  for (const Launch &launch : recording.launches) {
    if (launch.dynamicSharedBytes > gpu.maxSharedBytes)
      return "a block needs " + std::to_string(launch.dynamicSharedBytes) +
             " bytes of shared memory, and this GPU has " +
             std::to_string(gpu.maxSharedBytes);
    launches.push_back({});
    std::string problem = findFunction(launch, launches.back().function);
    if (!problem.empty())
      return problem;
  }
  return "";
}

std::string Replay::fillBuffer(const Buffer &buffer) {
  const Driver &driver = gpu.driver;
  CUdeviceptr address = 0;
  uint64_t numBytes = std::max<uint64_t>(buffer.numBytes, 1);
  std::string problem =
      driver.check(driver.cuMemAlloc(&address, numBytes),
                   "allocate " + std::to_string(numBytes) + " bytes");
  if (!problem.empty())
    return problem;
  buffers.push_back(address);
  if (!buffer.input)
    return driver.check(driver.cuMemsetD8(address, 0xff, numBytes),
                        "fill memory");
  const Input &input = which.inputs[*buffer.input];
  std::string bytes = generate(input.type, input.numElements, input.seed);
  return driver.check(
      driver.cuMemcpy(address, reinterpret_cast<CUdeviceptr>(bytes.data()),
                      bytes.size()),
      "copy memory");
}

std::string Replay::fillBuffers() {
  for (const Buffer &buffer : recording.buffers) {
    std::string problem = fillBuffer(buffer);
    if (!problem.empty())
      return problem;
  }
  setParameters();
  return "";
}

void Replay::setParameters() {
  for (size_t i = 0; i < launches.size(); ++i) {
    Prepared &prepared = launches[i];
    for (const Parameter &parameter : recording.launches[i].parameters) {
      auto value = uint64_t(parameter.value);
      if (parameter.buffer)
        value += buffers[*parameter.buffer];
      prepared.values.push_back(value);
    }
    for (uint64_t &value : prepared.values)
      prepared.pointers.push_back(&value);
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

std::string Replay::launch() {
  for (size_t i = 0; i < launches.size(); ++i) {
    const Launch &launch = recording.launches[i];
    std::string problem = gpu.driver.launch(
        launches[i].function, launch.grid, launch.block,
        launch.dynamicSharedBytes, launches[i].pointers.data());
    if (!problem.empty())
      return problem;
  }
  return "";
}

std::string Replay::readOutput(std::string &bytes) {
  const Driver &driver = gpu.driver;
  std::string problem =
      driver.check(driver.cuCtxSynchronize(), "finish the kernels");
  for (size_t i = 0; i < buffers.size() && problem.empty(); ++i) {
    if (!recording.buffers[i].isOutput)
      continue;
    bytes.resize(recording.buffers[i].numBytes);
    problem = driver.check(
        driver.cuMemcpy(reinterpret_cast<CUdeviceptr>(bytes.data()), buffers[i],
                        bytes.size()),
        "copy memory");
  }
  return problem;
}

std::string Replay::runOnce(double &seconds) {
  const Driver &driver = gpu.driver;
  // Twice the cache, so that nothing of an earlier run is left in it. The host
  // is through with the launches before the device has written all this.
  CUresult result =
      driver.cuMemsetD8(scratch, 0, std::max<uint64_t>(2 * gpu.cacheBytes, 1));
  if (!result)
    result = driver.cuEventRecord(begin, nullptr);
  std::string problem = driver.check(result, "begin a measurement");
  if (problem.empty())
    problem = launch();
  if (!problem.empty())
    return problem;
  float milliseconds = 0;
  result = driver.cuEventRecord(end, nullptr);
  if (!result)
    result = driver.cuEventSynchronize(end);
  if (!result)
    result = driver.cuEventElapsedTime(&milliseconds, begin, end);
  seconds = double(milliseconds) * 1e-3;
  return driver.check(result, "measure time");
}

std::string Replay::time(unsigned repeat, std::vector<double> &seconds) {
  constexpr unsigned kWarmUp = 3;
  const Driver &driver = gpu.driver;
  CUresult result = driver.cuEventCreate(&begin, 0);
  if (!result)
    result = driver.cuEventCreate(&end, 0);
  if (!result)
    result =
        driver.cuMemAlloc(&scratch, std::max<uint64_t>(2 * gpu.cacheBytes, 1));
  std::string problem = driver.check(result, "prepare a measurement");
  double last = 0;
  for (unsigned i = 0; i < kWarmUp && problem.empty(); ++i)
    problem = runOnce(last);
  if (!repeat)
    repeat = unsigned(std::clamp(0.5 / std::max(last, 1e-9), 10.0, 100.0));
  for (unsigned i = 0; i < repeat && problem.empty(); ++i) {
    problem = runOnce(last);
    seconds.push_back(last);
  }
  return problem;
}
