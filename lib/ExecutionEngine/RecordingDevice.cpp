//===- RecordingDevice.cpp - Kernel launches written to files -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch says where its parameters are, but not how long each is. That is
// read from the kernel's code.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/RecordingDevice.h"

#include "xsa/ExecutionEngine/PendingFile.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace xsa;
using namespace xsa::runtime;

/// No address of the host is as large, nor is any size or stride.
static constexpr uint64_t kFirstAddress = uint64_t(1) << 62;
/// What a driver aligns allocations to.
static constexpr uint64_t kAlignment = 256;

struct RecordingDevice::Image {
  unsigned number;
  std::string code;
};

struct RecordingDevice::Function {
  const Image *image;
  std::string name;
  /// Bytes of each parameter.
  SmallVector<unsigned> parameters;
};

RecordingDevice::RecordingDevice(ImageFormat format, std::string chip)
    : format(format), chip(std::move(chip)), nextAddress(kFirstAddress) {}

RecordingDevice::~RecordingDevice() = default;

//===----------------------------------------------------------------------===//
// Parameters of kernels
//===----------------------------------------------------------------------===//

/// Bytes of a parameter of PTX: ".u64 .ptr .align 1 name" or
/// ".align 8 .b8 name[16]".
static std::optional<unsigned> getParameterBytes(StringRef text) {
  unsigned bits = 0, count = 1;
  SmallVector<StringRef> words;
  text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (word.size() > 2 && word[0] == '.' &&
        StringRef("usfb").contains(word[1]))
      if (word.drop_front(2).getAsInteger(10, bits))
        return std::nullopt;
  StringRef array = text.split('[').second;
  if (!array.empty() && array.split(']').first.getAsInteger(10, count))
    return std::nullopt;
  if (bits < 8)
    return std::nullopt;
  return bits / 8 * count;
}

/// Reads the declaration that begins a kernel: ".entry name(.param ..., ...)".
static Expected<SmallVector<unsigned>> readPTXParameters(StringRef code,
                                                         StringRef kernel) {
  size_t start = code.find((".entry " + kernel + "(").str());
  if (start == StringRef::npos)
    return createStringError("the PTX has no kernel '" + kernel + "'");
  StringRef list = code.substr(start).split('(').second.split(')').first;
  SmallVector<unsigned> sizes;
  while (!list.trim().empty()) {
    StringRef parameter;
    std::tie(parameter, list) = list.split(',');
    std::optional<unsigned> size = getParameterBytes(parameter.trim());
    if (!size)
      return createStringError("kernel '" + kernel +
                               "' has a parameter that is not understood: '" +
                               parameter.trim() + "'");
    sizes.push_back(*size);
  }
  return sizes;
}

static Expected<SmallVector<unsigned>> readBitcodeParameters(StringRef code,
                                                             StringRef kernel) {
  LLVMContext context;
  auto module = parseBitcodeFile(MemoryBufferRef(code, "kernels"), context);
  if (!module)
    return module.takeError();
  llvm::Function *function = (*module)->getFunction(kernel);
  if (!function)
    return createStringError("the bitcode has no kernel '" + kernel + "'");
  SmallVector<unsigned> sizes;
  for (Argument &argument : function->args())
    sizes.push_back(
        (*module)->getDataLayout().getTypeAllocSize(argument.getType()));
  return sizes;
}

Expected<void *> RecordingDevice::loadModule(StringRef image) {
  images.push_back(
      std::make_unique<Image>(Image{unsigned(images.size()), image.str()}));
  return images.back().get();
}

Expected<void *> RecordingDevice::getFunction(void *module, StringRef name) {
  auto *image = static_cast<Image *>(module);
  for (auto &function : functions)
    if (function->image == image && function->name == name)
      return function.get();
  auto sizes = format == ImageFormat::Assembly
                   ? readPTXParameters(image->code, name)
                   : readBitcodeParameters(image->code, name);
  if (!sizes)
    return sizes.takeError();
  functions.push_back(
      std::make_unique<Function>(Function{image, name.str(), *sizes}));
  return functions.back().get();
}

//===----------------------------------------------------------------------===//
// Markers
//===----------------------------------------------------------------------===//

/// Word number `index` of a marker (splitmix64).
static uint64_t getMarkerWord(uint64_t marker, uint64_t index) {
  uint64_t z = (marker << 40) + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Calls `visit` with each word, where it lies and how much of it is used.
template <typename Visit>
static void forEachMarkerWord(uint64_t marker, uint64_t numBytes, Visit visit) {
  for (uint64_t offset = 0; offset < numBytes; offset += sizeof(uint64_t)) {
    uint64_t word = getMarkerWord(marker, offset / sizeof(uint64_t));
    visit(word, offset, std::min<uint64_t>(sizeof word, numBytes - offset));
  }
}

static bool isMarked(const void *data, uint64_t numBytes, uint64_t marker) {
  bool matches = true;
  auto *bytes = static_cast<const char *>(data);
  forEachMarkerWord(marker, numBytes,
                    [&](uint64_t word, uint64_t offset, uint64_t size) {
                      matches &= std::memcmp(bytes + offset, &word, size) == 0;
                    });
  return matches;
}

void RecordingDevice::mark(void *data, Contents added) {
  added.marker = nextMarker++;
  auto *bytes = static_cast<char *>(data);
  forEachMarkerWord(added.marker, added.numBytes,
                    [&](uint64_t word, uint64_t offset, uint64_t size) {
                      std::memcpy(bytes + offset, &word, size);
                    });
  contents.push_back(added);
}

Expected<RecordingDevice::Contents *>
RecordingDevice::identify(const void *data, uint64_t numBytes) {
  Contents *found = nullptr;
  for (Contents &known : contents) {
    if (known.numBytes != numBytes || !isMarked(data, numBytes, known.marker))
      continue;
    if (found)
      return createStringError("buffers of " + Twine(numBytes) +
                               " bytes are too small to be told apart");
    found = &known;
  }
  return found;
}

Expected<std::vector<Array>>
RecordingDevice::makeArguments(ArrayRef<mlir::Type> types) {
  std::vector<Array> arguments;
  for (unsigned i = 0; i < types.size(); ++i) {
    auto type = mlir::cast<mlir::RankedTensorType>(types[i]);
    if (!type.hasStaticShape())
      return createStringError("argument " + Twine(i) +
                               " has dynamic sizes, which cannot be recorded");
    Expected<Array> array =
        Array::tryAllocate(*getDType(type.getElementType()), type.getShape());
    if (!array)
      return array.takeError();
    mark(array->data, {0, array->getNumBytes(), /*argument=*/i, std::nullopt});
    arguments.push_back(std::move(*array));
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

unsigned RecordingDevice::getBuffer(Allocation &allocation) {
  if (!allocation.buffer) {
    allocation.buffer = buffers.size();
    buffers.push_back({allocation.numBytes, std::nullopt, std::nullopt});
  }
  return *allocation.buffer;
}

Expected<void *> RecordingDevice::allocate(uint64_t numBytes) {
  uint64_t address = nextAddress;
  // One more, so that the end of a buffer is not the begin of the next.
  nextAddress += alignTo(numBytes + 1, kAlignment);
  allocations.insert({address, {numBytes, std::nullopt}});
  return reinterpret_cast<void *>(address);
}

std::pair<const uint64_t, RecordingDevice::Allocation> *
RecordingDevice::find(uint64_t address) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  auto &around = *std::prev(after);
  return address <= around.first + around.second.numBytes ? &around : nullptr;
}

Error RecordingDevice::release(void *address) {
  if (!allocations.erase(reinterpret_cast<uint64_t>(address)))
    return createStringError("memory is released that is not allocated");
  return Error::success();
}

Error RecordingDevice::copyToDevice(uint64_t to, const void *from,
                                    uint64_t numBytes) {
  auto *found = find(to);
  if (!found || found->first != to || found->second.numBytes != numBytes ||
      found->second.buffer)
    return createStringError("a buffer of the device is filled in pieces or "
                             "twice, which cannot be recorded");
  Expected<Contents *> known = identify(from, numBytes);
  if (!known)
    return known.takeError();
  if (!*known)
    return createStringError(
        "a kernel reads what the host has computed: only arguments and results "
        "of other kernels can be recorded");
  // A buffer that is in use might be about to change.
  bool isInUse = any_of(allocations, [&](auto &live) {
    return (*known)->buffer && live.second.buffer == (*known)->buffer;
  });
  if ((*known)->buffer && !isInUse) {
    found->second.buffer = (*known)->buffer;
    return Error::success();
  }
  if (!(*known)->argument)
    return createStringError("a result of a kernel is needed twice at a time, "
                             "which cannot be recorded");
  (*known)->buffer = getBuffer(found->second);
  buffers[*(*known)->buffer].argument = (*known)->argument;
  return Error::success();
}

Error RecordingDevice::copyToHost(void *to, uint64_t from, uint64_t numBytes) {
  auto *found = find(from);
  if (!found || found->first != from || found->second.numBytes != numBytes)
    return createStringError("a buffer of the device is read in pieces, which "
                             "cannot be recorded");
  unsigned buffer = getBuffer(found->second);
  // What the host has of the buffer's earlier contents is in no buffer now.
  erase_if(contents, [&](const Contents &known) {
    return !known.argument && known.buffer == buffer;
  });
  for (Contents &known : contents)
    if (known.buffer == buffer)
      known.buffer = std::nullopt;
  mark(to, {0, numBytes, std::nullopt, buffer});
  return Error::success();
}

Error RecordingDevice::copy(void *to, const void *from, uint64_t numBytes) {
  auto toAddress = reinterpret_cast<uint64_t>(to);
  auto fromAddress = reinterpret_cast<uint64_t>(from);
  bool toDevice = toAddress >= kFirstAddress;
  bool fromDevice = fromAddress >= kFirstAddress;
  if (toDevice && fromDevice)
    return createStringError(
        "a copy between buffers of the device cannot be recorded");
  if (toDevice)
    return copyToDevice(toAddress, from, numBytes);
  if (fromDevice)
    return copyToHost(to, fromAddress, numBytes);
  std::memcpy(to, from, numBytes);
  return Error::success();
}

Error RecordingDevice::fill(void *, uint32_t, unsigned, uint64_t) {
  return createStringError("filling a buffer of the device cannot be recorded");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Expected<RecordingDevice::Parameter>
RecordingDevice::readParameter(const void *data, unsigned numBytes) {
  Parameter parameter{std::nullopt, 0, numBytes};
  if (numBytes > sizeof parameter.value)
    return createStringError("a parameter of " + Twine(numBytes) +
                             " bytes cannot be recorded");
  std::memcpy(&parameter.value, data, numBytes);
  if (numBytes < sizeof parameter.value || parameter.value < 0 ||
      uint64_t(parameter.value) < kFirstAddress)
    return parameter;
  auto *found = find(parameter.value);
  if (!found)
    return createStringError("a kernel is given memory that is not allocated");
  parameter.buffer = getBuffer(found->second);
  parameter.value -= found->first;
  return parameter;
}

Error RecordingDevice::launch(void *function, const LaunchShape &shape,
                              ArrayRef<void *> parameters) {
  auto *kernel = static_cast<const Function *>(function);
  if (kernel->parameters.size() != parameters.size())
    return createStringError("kernel '" + kernel->name + "' has " +
                             Twine(kernel->parameters.size()) +
                             " parameters, and is given " +
                             Twine(parameters.size()));
  Launch launch{kernel, shape, {}};
  for (auto [data, numBytes] : zip_equal(parameters, kernel->parameters)) {
    Expected<Parameter> parameter = readParameter(data, numBytes);
    if (!parameter)
      return parameter.takeError();
    launch.parameters.push_back(*parameter);
  }
  launches.push_back(std::move(launch));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static std::string getImageName(unsigned number, Device::ImageFormat format) {
  return "kernels-" + std::to_string(number) +
         (format == Device::ImageFormat::Assembly ? ".ptx" : ".bc");
}

void RecordingDevice::printManifest(raw_ostream &os) const {
  auto writeSizes = [](json::OStream &json, StringRef name,
                       const std::array<uint64_t, 3> &sizes) {
    json.attributeArray(name, [&] {
      for (uint64_t size : sizes)
        json.value(int64_t(size));
    });
  };
  auto writeLaunch = [&](json::OStream &json, const Launch &launch) {
    json.attribute("image",
                   getImageName(launch.function->image->number, format));
    json.attribute("kernel", launch.function->name);
    writeSizes(json, "grid", launch.shape.grid);
    writeSizes(json, "block", launch.shape.block);
    json.attribute("dynamic_shared_bytes",
                   int64_t(launch.shape.dynamicSharedBytes));
    json.attributeArray("parameters", [&] {
      for (const Parameter &parameter : launch.parameters)
        json.object([&] {
          if (parameter.buffer)
            json.attribute("buffer", *parameter.buffer);
          json.attribute(parameter.buffer ? "offset" : "value",
                         parameter.value);
          json.attribute("bytes", parameter.numBytes);
        });
    });
  };
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("chip", chip);
    json.attributeArray("buffers", [&] {
      for (const Buffer &buffer : buffers)
        json.object([&] {
          json.attribute("bytes", int64_t(buffer.numBytes));
          if (buffer.argument)
            json.attribute("argument", *buffer.argument);
          if (buffer.result)
            json.attribute("result", *buffer.result);
        });
    });
    json.attributeArray("launches", [&] {
      for (const Launch &launch : launches)
        json.object([&] { writeLaunch(json, launch); });
    });
  });
  os << "\n";
}

Error RecordingDevice::write(StringRef folder, ArrayRef<Array> results) {
  if (launches.empty())
    return createStringError("no kernel was launched: there is nothing to "
                             "record");
  for (auto [i, array] : enumerate(results)) {
    Expected<Contents *> known = identify(array.data, array.getNumBytes());
    if (!known)
      return known.takeError();
    if (!*known || (*known)->argument)
      return createStringError("result " + Twine(i) +
                               " is not as a kernel wrote it: what the host "
                               "computes cannot be recorded");
    buffers[*(*known)->buffer].result = i;
  }
  if (std::error_code error = sys::fs::create_directories(folder))
    return createStringError("'" + folder +
                             "': could not be made: " + error.message());
  // All are written before one has its name, and the list of launches has it
  // last: where that is, the others are.
  std::vector<PendingFile> files;
  auto write = [&](StringRef name,
                   function_ref<void(raw_ostream &)> print) -> Error {
    SmallString<128> path = folder;
    sys::path::append(path, name);
    Expected<PendingFile> file =
        PendingFile::create(path, PendingFile::Contents::Text);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    return files.back().write(print);
  };
  for (auto &image : images)
    if (Error error = write(getImageName(image->number, format),
                            [&](raw_ostream &os) { os << image->code; }))
      return error;
  if (Error error =
          write("launches.json", [&](raw_ostream &os) { printManifest(os); }))
    return error;
  for (PendingFile &file : files)
    if (Error error = file.commit())
      return error;
  return Error::success();
}
