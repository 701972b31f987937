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

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace xsa::replay;

static uint64_t getNumElements(const Json &shape) {
  uint64_t count = 1;
  for (uint64_t size : shape.getSizes())
    if (__builtin_mul_overflow(count, size, &count) || count >> 40)
      fail("the manifest is damaged: an array is too large");
  return count;
}

static Input readInput(const Json &json) {
  return {getElementType(json.at("dtype").getString()),
          getNumElements(json.at("shape")),
          uint64_t(json.at("seed").getInteger())};
}

static Buffer readBuffer(const Json &json, const Case &owner) {
  Buffer buffer{uint64_t(json.at("bytes").getInteger()), std::nullopt,
                json.has("result")};
  if (buffer.numBytes >> 42)
    fail("the manifest is damaged: a buffer is too large");
  if (json.has("argument")) {
    buffer.input = size_t(json.at("argument").getInteger());
    if (*buffer.input >= owner.inputs.size())
      fail("the manifest is damaged: there is no input " +
           std::to_string(*buffer.input));
    const Input &input = owner.inputs[*buffer.input];
    if (input.numElements * getSize(input.type) != buffer.numBytes)
      fail("the manifest is damaged: an input does not fill its buffer");
  }
  return buffer;
}

static std::array<uint64_t, 3> readDimensions(const Json &json) {
  std::vector<uint64_t> sizes = json.getSizes();
  if (sizes.size() != 3)
    fail("the manifest is damaged: expected three sizes");
  return {sizes[0], sizes[1], sizes[2]};
}

static Parameter readParameter(const Json &json, const Recording &owner) {
  if (!json.has("buffer"))
    return {std::nullopt, json.at("value").getInteger()};
  auto buffer = size_t(json.at("buffer").getInteger());
  if (buffer >= owner.buffers.size())
    fail("the manifest is damaged: there is no buffer " +
         std::to_string(buffer));
  return {buffer, json.at("offset").getInteger()};
}

static Recording readRecording(const Json &json, const Case &owner) {
  Recording recording;
  uint64_t outputBytes = 0;
  for (const Json &buffer : json.at("buffers").getItems()) {
    recording.buffers.push_back(readBuffer(buffer, owner));
    if (recording.buffers.back().isOutput)
      outputBytes = recording.buffers.back().numBytes;
  }
  uint64_t rowBytes = owner.rowLength * getSize(owner.outputType);
  for (uint64_t row : owner.rows)
    if (row >= outputBytes / rowBytes)
      fail("the manifest is damaged: there is no row " + std::to_string(row));
  for (const Json &launch : json.at("launches").getItems()) {
    Launch made{launch.at("cubin").getString(),
                launch.has("ptx") ? launch.at("ptx").getString() : "",
                launch.at("kernel").getString(),
                readDimensions(launch.at("grid")),
                readDimensions(launch.at("block")),
                uint64_t(launch.at("dynamic_shared_bytes").getInteger()),
                {}};
    for (const Json &parameter : launch.at("parameters").getItems())
      made.parameters.push_back(readParameter(parameter, recording));
    recording.launches.push_back(std::move(made));
  }
  return recording;
}

static unsigned readChip(const std::string &name) {
  if (name.rfind("sm_", 0) != 0)
    fail("the manifest is damaged: unknown chip '" + name + "'");
  return unsigned(std::strtoul(name.c_str() + 3, nullptr, 10));
}

static Case readCase(const Json &json) {
  Case made;
  made.name = json.at("name").getString();
  for (const Json &input : json.at("inputs").getItems())
    made.inputs.push_back(readInput(input));
  const Json &output = json.at("output");
  made.outputType = getElementType(output.at("dtype").getString());
  made.rows = output.at("rows").getSizes();
  made.rowLength = uint64_t(output.at("row_length").getInteger());
  if (!made.rowLength || made.rowLength >> 20)
    fail("the manifest is damaged: a row of " + std::to_string(made.rowLength) +
         " elements");
  made.expected = output.at("expected").getString();
  made.plainError = output.at("plain_error").getDouble();
  made.flops = json.at("flops").getDouble();
  made.bytes = json.at("bytes").getDouble();
  made.isTimed = json.at("timed").getBool();
  for (auto &[chip, recording] : json.at("recordings").getMembers())
    made.recordings[readChip(chip)] = readRecording(recording, made);
  return made;
}

Bundle Bundle::read(const std::string &folder) {
  Bundle bundle;
  bundle.folder = folder;
  Json json = Json::parse(bundle.readFile("manifest.json"), "manifest.json");
  if (json.at("format").getInteger() != 1)
    fail("the bundle is of another version of this program");
  bundle.version = json.at("version").getString();
  bundle.ptxas = json.at("ptxas").getString();
  for (const Json &each : json.at("cases").getItems())
    bundle.cases.push_back(readCase(each));
  return bundle;
}

std::string Bundle::readFile(const std::string &path) const {
  std::string full = folder + "/" + path;
  std::FILE *file = std::fopen(full.c_str(), "rb");
  if (!file)
    fail("'" + full + "' cannot be read");
  std::string text;
  char block[1 << 16];
  while (size_t count = std::fread(block, 1, sizeof block, file))
    text.append(block, count);
  bool isWhole = !std::ferror(file);
  std::fclose(file);
  if (!isWhole)
    fail("'" + full + "' cannot be read");
  return text;
}

static bool hasPTX(const Recording &recording) {
  return std::none_of(recording.launches.begin(), recording.launches.end(),
                      [](const Launch &launch) { return launch.ptx.empty(); });
}

std::vector<Choice> xsa::replay::chooseCode(const Case &which,
                                            unsigned capability) {
  std::vector<Choice> machineCode, assembly;
  for (auto &[chip, recording] : which.recordings) {
    if (chip > capability)
      continue;
    if (chip / 10 == capability / 10)
      machineCode = {{chip, true}};
    if (hasPTX(recording))
      assembly.insert(assembly.begin(), {chip, false});
  }
  machineCode.insert(machineCode.end(), assembly.begin(), assembly.end());
  return machineCode;
}
