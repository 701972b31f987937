//===- Bundle.cpp - What a bundle says ------------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything is checked while it is read, so that no number of a damaged
// manifest is used as a size or an index.
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"

#include "xsa/Support/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace llvm;
using namespace xsa::replay;

void xsa::replay::fail(const Twine &message) {
  WithColor::error() << message << "\n";
  std::exit(2);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

// What json::ObjectMapper looks for, in the types' namespace.
namespace xsa {
namespace replay {

static bool fromJSON(const json::Value &value, ElementType &type,
                     json::Path path) {
  auto known =
      StringSwitch<std::optional<ElementType>>(value.getAsString().value_or(""))
          .Case("f16", ElementType::F16)
          .Case("bf16", ElementType::BF16)
          .Case("f32", ElementType::F32)
          .Default(std::nullopt);
  if (!known) {
    path.report("expected f16, bf16 or f32");
    return false;
  }
  type = *known;
  return true;
}

static bool fromJSON(const json::Value &value, Input &input, json::Path path) {
  json::ObjectMapper map(value, path);
  std::vector<uint64_t> shape;
  if (!map || !map.map("dtype", input.type) || !map.map("shape", shape) ||
      !map.map("seed", input.seed))
    return false;
  input.numElements = 1;
  for (uint64_t size : shape)
    if (__builtin_mul_overflow(input.numElements, size, &input.numElements) ||
        input.numElements >> 40) {
      path.report("an array is too large");
      return false;
    }
  return true;
}

static bool fromJSON(const json::Value &value, Buffer &buffer,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("bytes", buffer.numBytes) ||
      !map.map("argument", buffer.input))
    return false;
  buffer.isOutput = value.getAsObject()->get("result");
  if (buffer.numBytes >> 42) {
    path.report("a buffer is too large");
    return false;
  }
  return true;
}

static bool fromJSON(const json::Value &value, Parameter &parameter,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("buffer", parameter.buffer) &&
         (parameter.buffer ? map.map("offset", parameter.value)
                           : map.map("value", parameter.value));
}

static bool mapSizes(json::ObjectMapper &map, StringLiteral name,
                     std::array<uint64_t, 3> &sizes, json::Path path) {
  std::vector<uint64_t> list;
  if (!map.map(name, list))
    return false;
  if (list.size() != sizes.size()) {
    path.field(name).report("expected three sizes");
    return false;
  }
  llvm::copy(list, sizes.begin());
  return true;
}

static bool fromJSON(const json::Value &value, Launch &launch,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("cubin", launch.cubin) &&
         map.mapOptional("ptx", launch.ptx) &&
         map.map("kernel", launch.kernel) &&
         mapSizes(map, "grid", launch.grid, path) &&
         mapSizes(map, "block", launch.block, path) &&
         map.map("dynamic_shared_bytes", launch.dynamicSharedBytes) &&
         map.map("parameters", launch.parameters);
}

static bool fromJSON(const json::Value &value, Recording &recording,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("buffers", recording.buffers) &&
         map.map("launches", recording.launches);
}

static bool fromJSON(const json::Value &value,
                     std::map<unsigned, Recording> &recordings,
                     json::Path path) {
  const json::Object *chips = value.getAsObject();
  if (!chips) {
    path.report("expected object");
    return false;
  }
  for (auto &[key, recording] : *chips) {
    // A path refers to the name, which has to outlive it.
    StringRef name = key, number = name;
    unsigned chip;
    if (!number.consume_front("sm_") || number.getAsInteger(10, chip)) {
      path.field(name).report("expected the name of a chip, such as sm_80");
      return false;
    }
    if (!fromJSON(recording, recordings[chip], path.field(name)))
      return false;
  }
  return true;
}

static bool fromJSON(const json::Value &value, Output &output,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("dtype", output.type) || !map.map("rows", output.rows) ||
      !map.map("row_length", output.rowLength) ||
      !map.map("expected", output.expected) ||
      !map.map("plain_error", output.plainError))
    return false;
  if (!output.rowLength || output.rowLength >> 20) {
    path.field("row_length").report("expected a length from 1 to 2^20");
    return false;
  }
  return true;
}

static bool fromJSON(const json::Value &value, Case &which, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", which.name) &&
         map.map("inputs", which.inputs) && map.map("output", which.output) &&
         map.map("flops", which.flops) && map.map("bytes", which.bytes) &&
         map.map("timed", which.isTimed) &&
         map.map("recordings", which.recordings);
}

static bool fromJSON(const json::Value &value, Bundle &bundle,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  int64_t format = 0;
  if (!map || !map.map("format", format))
    return false;
  if (format != 1) {
    path.report("the bundle is of another version of this program");
    return false;
  }
  return map.map("version", bundle.version) && map.map("ptxas", bundle.ptxas) &&
         map.map("cases", bundle.cases);
}

} // namespace replay
} // namespace xsa

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Numbers that refer to each other: nothing is read or written beyond what
/// there is.
static std::optional<std::string> findProblem(const Case &which,
                                              const Recording &recording) {
  uint64_t outputBytes = 0;
  for (const Buffer &buffer : recording.buffers) {
    if (buffer.isOutput)
      outputBytes = buffer.numBytes;
    if (!buffer.input)
      continue;
    if (*buffer.input >= which.inputs.size())
      return "there is no input " + std::to_string(*buffer.input);
    const Input &input = which.inputs[*buffer.input];
    if (input.numElements * getSize(input.type) != buffer.numBytes)
      return "input " + std::to_string(*buffer.input) +
             " does not fill its buffer";
  }
  uint64_t numRows =
      outputBytes / (which.output.rowLength * getSize(which.output.type));
  for (uint64_t row : which.output.rows)
    if (row >= numRows)
      return "there is no row " + std::to_string(row);
  for (const Launch &launch : recording.launches)
    for (const Parameter &parameter : launch.parameters)
      if (parameter.buffer && *parameter.buffer >= recording.buffers.size())
        return "there is no buffer " + std::to_string(*parameter.buffer);
  return std::nullopt;
}

Bundle Bundle::read(const std::string &folder) {
  Bundle bundle;
  bundle.folder = folder;
  Expected<json::Value> manifest =
      json::parse(bundle.readFile("manifest.json"));
  if (!manifest)
    fail("'manifest.json' is not JSON: " + toString(manifest.takeError()));
  json::Path::Root root("manifest");
  if (!fromJSON(*manifest, bundle, root))
    fail("the manifest cannot be used: " + toString(root.getError()));
  for (const Case &each : bundle.cases)
    for (auto &[chip, recording] : each.recordings)
      if (std::optional<std::string> problem = findProblem(each, recording))
        fail("the manifest cannot be used: " + *problem + " in '" + each.name +
             "' for sm_" + Twine(chip));
  return bundle;
}

std::string Bundle::readFile(const std::string &path) const {
  std::string full = folder + "/" + path;
  auto file = MemoryBuffer::getFile(full);
  if (!file)
    fail("'" + full + "' cannot be read: " + file.getError().message());
  return (*file)->getBuffer().str();
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

static bool hasPTX(const Recording &recording) {
  return llvm::none_of(recording.launches,
                       [](const Launch &launch) { return launch.ptx.empty(); });
}

std::vector<Choice> xsa::replay::chooseCode(const Case &which,
                                            unsigned capability) {
  std::vector<Choice> machineCode, assembly;
  for (auto &[chip, recording] : which.recordings) {
    if (chip > capability)
      continue;
    if (xsa::Chip{chip, /*ptx=*/0}.runsOn(capability))
      machineCode = {{chip, true}};
    if (hasPTX(recording))
      assembly.insert(assembly.begin(), {chip, false});
  }
  machineCode.insert(machineCode.end(), assembly.begin(), assembly.end());
  return machineCode;
}
