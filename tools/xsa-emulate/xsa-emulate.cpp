//===- xsa-emulate.cpp - Runs a GPU kernel on the CPU ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes LLVM IR or bitcode for nvptx64 from any compiler, launches one of its
// kernels on the emulator with arrays of an .npz archive, and writes what the
// kernel wrote to another. docs/emulator.md is the guide.
//
//===----------------------------------------------------------------------===//

#include "../FileSizeLimit.h"
#include "../OutputFiles.h"
#include "../Version.h"

#include "xsa/Emulator/Emulator.h"
#include "xsa/Emulator/Stats.h"
#include "xsa/ExecutionEngine/Array.h"
#include "xsa/ExecutionEngine/Npz.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"

#include <cstring>
#include <deque>
#include <map>

using namespace llvm;
using namespace xsa;
using namespace xsa::emulator;
using xsa::emulator::Emulator;

namespace {
struct Options {
  cl::OptionCategory category{"xsa-emulate options"};
  cl::opt<std::string> code{cl::Positional, cl::Required,
                            cl::desc("<kernel.ll or kernel.bc>"),
                            cl::cat(category)};
  cl::opt<std::string> kernel{
      "kernel", cl::desc("kernel to launch (default: the only one)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> grid{"grid", cl::init("1"),
                            cl::desc("blocks: x, or x,y,z"), cl::cat(category)};
  cl::opt<std::string> block{"block", cl::init("32"),
                             cl::desc("threads of a block: x, or x,y,z"),
                             cl::cat(category)};
  cl::opt<unsigned> shared{"shared", cl::init(0),
                           cl::desc("bytes of dynamic shared memory"),
                           cl::cat(category)};
  cl::list<std::string> arguments{
      "arg",
      cl::desc(
          "an argument of the kernel, in order: in:NAME, inout:NAME "
          "(arrays of --inputs), out:NAME:DTYPE[SIZES], scratch:BYTES "
          "(memory of the kernel's own), null (no array), or a scalar i32:N, "
          "i64:N, f32:X, f64:X"),
      cl::value_desc("argument"), cl::cat(category)};
  cl::opt<std::string> inputs{"inputs", cl::desc(".npz archive with arrays"),
                              cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> outputs{
      "outputs", cl::desc(".npz archive to write out and inout arrays to"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> stats{
      "stats", cl::desc("JSON file to write counters to; - is standard output"),
      cl::value_desc("file"), cl::cat(category)};
};

/// An argument, with the memory that the launch takes it from.
struct Argument {
  std::string name;
  uint64_t bits = 0;
  bool isWritten = false;
  std::optional<Array> array;
  /// Memory that only the device has.
  std::optional<uint64_t> scratchBytes;
};
} // namespace

static Expected<Dim3> parseSizes(StringRef text) {
  SmallVector<StringRef, 3> parts;
  text.split(parts, ',');
  Dim3 sizes;
  uint32_t *fields[] = {&sizes.x, &sizes.y, &sizes.z};
  bool ok = parts.size() <= 3;
  for (size_t i = 0; ok && i < parts.size(); ++i)
    ok = !parts[i].trim().getAsInteger(10, *fields[i]);
  if (!ok)
    return createStringError("expected sizes x, or x,y,z, got '" + text + "'");
  return sizes;
}

/// float32[2,9]
static Expected<Array> parseArray(StringRef text) {
  auto [name, rest] = text.split('[');
  for (DType dtype :
       {DType::Bool, DType::Int8, DType::Int16, DType::Int32, DType::Int64,
        DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64,
        DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
    if (getName(dtype) != name || !rest.consume_back("]"))
      continue;
    SmallVector<int64_t> shape;
    SmallVector<StringRef> sizes;
    rest.split(sizes, ',', -1, /*KeepEmpty=*/false);
    for (StringRef size : sizes)
      if (size.trim().getAsInteger(10, shape.emplace_back()) ||
          shape.back() < 0)
        return createStringError("expected a size, got '" + size + "'");
    return Array::tryAllocate(dtype, shape);
  }
  return createStringError(
      "expected DTYPE[SIZES], such as float32[2,9], got '" + text + "'");
}

static Expected<Argument> parseScalar(StringRef kind, StringRef value) {
  Argument argument;
  int64_t integer = 0;
  double real = 0;
  bool ok = false;
  if (kind == "i32" || kind == "i64") {
    ok = !value.getAsInteger(0, integer) &&
         (kind == "i64" || isInt<32>(integer) || isUInt<32>(integer));
    argument.bits = integer;
  } else if (kind == "f32" || kind == "f64") {
    ok = !value.getAsDouble(real);
    argument.bits = kind == "f64" ? bit_cast<uint64_t>(real)
                                  : bit_cast<uint32_t>(float(real));
  }
  if (!ok)
    return createStringError(
        "expected an argument in:NAME, inout:NAME, "
        "out:NAME:DTYPE[SIZES], scratch:BYTES, null, i32:N, i64:N, f32:X or "
        "f64:X, got '" +
        kind + ":" + value + "'");
  return argument;
}

static Expected<Argument> parseArgument(StringRef text,
                                        std::map<std::string, Array> &inputs) {
  auto [kind, rest] = text.split(':');
  Argument argument;
  if (text == "null")
    return argument;
  if (kind == "in" || kind == "inout") {
    auto found = inputs.find(rest.str());
    if (found == inputs.end())
      return createStringError("there is no array '" + rest + "' in --inputs");
    argument.name = rest.str();
    argument.array = Array::allocate(found->second.dtype, found->second.shape);
    if (argument.array->getNumBytes())
      std::memcpy(argument.array->data, found->second.data,
                  argument.array->getNumBytes());
    argument.isWritten = kind == "inout";
    return argument;
  }
  if (kind == "out") {
    auto [name, type] = rest.split(':');
    Expected<Array> array = parseArray(type);
    if (!array)
      return array.takeError();
    argument.name = name.str();
    argument.array = std::move(*array);
    argument.isWritten = true;
    return argument;
  }
  if (kind == "scratch") {
    if (rest.getAsInteger(10, argument.scratchBytes.emplace()))
      return createStringError("expected scratch:BYTES, got '" + text + "'");
    return argument;
  }
  return parseScalar(kind, rest);
}

static Expected<std::deque<Argument>> parseArguments(const Options &options) {
  std::map<std::string, Array> inputs;
  if (!options.inputs.empty()) {
    auto read = readNpz(options.inputs);
    if (!read)
      return read.takeError();
    inputs = std::move(*read);
  }
  std::deque<Argument> arguments;
  for (const std::string &text : options.arguments) {
    Expected<Argument> argument = parseArgument(text, inputs);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

static Expected<std::string> chooseKernel(const KernelModule &module,
                                          const Options &options) {
  if (!options.kernel.empty())
    return options.kernel;
  std::vector<std::string> names = module.getKernelNames();
  if (names.size() == 1)
    return names.front();
  return createStringError("expected --kernel, one of '" + join(names, "', '") +
                           "'");
}

/// Whether an argument, as the user wrote it, is for a parameter of a type.
static bool matches(StringRef argument, StringRef type) {
  StringRef kind = argument.split(':').first;
  unsigned bits = 0;
  bool isInteger = type.consume_front("i") && !type.getAsInteger(10, bits);
  return StringSwitch<bool>(kind)
      .Case("i32", isInteger && bits <= 32)
      .Case("i64", isInteger && bits == 64)
      .Case("f32", type == "float")
      .Case("f64", type == "double")
      .Default(type == "ptr");
}

static Error checkArguments(const KernelModule &module, StringRef kernel,
                            const Options &options) {
  auto types = module.getParameterTypes(kernel);
  if (!types)
    return createStringError("there is no kernel '" + kernel + "'");
  if (types->size() != options.arguments.size())
    return createStringError("kernel '" + kernel + "': expected " +
                             Twine(types->size()) + " parameters, got " +
                             Twine(options.arguments.size()));
  for (auto [i, argument, type] : enumerate(options.arguments, *types))
    if (!matches(argument, type))
      return createStringError("kernel '" + kernel + "': parameter " +
                               Twine(i) + " is of type " + type + ", got '" +
                               argument + "'");
  return Error::success();
}

/// Copies arrays to the device, launches, copies back what was written.
static Error launch(Emulator &emulator, const KernelModule &module,
                    StringRef kernel, const LaunchShape &shape,
                    std::deque<Argument> &arguments, const Options &options) {
  std::vector<void *> parameters;
  for (auto [argument, text] : zip_equal(arguments, options.arguments)) {
    parameters.push_back(&argument.bits);
    if (!argument.array && !argument.scratchBytes)
      continue;
    Expected<DeviceAddress> address =
        emulator.allocate(argument.array ? argument.array->getNumBytes()
                                         : *argument.scratchBytes);
    if (!address)
      return address.takeError();
    argument.bits = *address;
    if (argument.array && !StringRef(text).starts_with("out:"))
      if (Error error = emulator.copyToDevice(*address, argument.array->data,
                                              argument.array->getNumBytes()))
        return error;
  }
  if (Error error = emulator.launch(module, kernel, shape, parameters))
    return error;
  for (Argument &argument : arguments)
    if (argument.isWritten)
      if (Error error = emulator.copyToHost(argument.array->data, argument.bits,
                                            argument.array->getNumBytes()))
        return createStringError("'" + argument.name +
                                 "': " + toString(std::move(error)));
  return Error::success();
}

static Error writeOutputs(const PendingFile &file,
                          std::deque<Argument> &arguments) {
  std::vector<std::pair<std::string, ArrayView>> named;
  for (Argument &argument : arguments) {
    if (!argument.isWritten)
      continue;
    if (argument.array->dtype == DType::BFloat16)
      argument.array = widenBFloat16(argument.array->getView());
    named.emplace_back(argument.name, argument.array->getView());
  }
  return writeNpz(file, named);
}

static Error writeCounters(PendingFile &file, const Emulator &emulator) {
  return file.write([&](raw_ostream &os) {
    json::OStream json(os, /*IndentSize=*/2);
    for (const KernelStats &stats : emulator.getStats())
      writeStats(json, stats);
    os << "\n";
  });
}

/// Writes both files, then gives them their names.
static Error writeFiles(OutputFiles &files, std::deque<Argument> &arguments,
                        const Emulator &emulator) {
  if (files.outputs)
    if (Error error = writeOutputs(*files.outputs, arguments))
      return error;
  if (files.stats)
    if (Error error = writeCounters(*files.stats, emulator))
      return error;
  return files.commit();
}

static Error run(const Options &options) {
  auto file = MemoryBuffer::getFileOrSTDIN(options.code);
  if (!file)
    return createStringError("'" + options.code +
                             "': " + file.getError().message());
  Expected<Dim3> grid = parseSizes(options.grid);
  if (!grid)
    return grid.takeError();
  Expected<Dim3> block = parseSizes(options.block);
  if (!block)
    return block.takeError();
  auto arguments = parseArguments(options);
  if (!arguments)
    return arguments.takeError();
  auto files = OutputFiles::open(options.outputs, options.stats,
                                 {options.code, options.inputs});
  if (!files)
    return files.takeError();

  Emulator emulator;
  auto module = emulator.load((*file)->getBuffer());
  if (!module)
    return createStringError("'" + options.code +
                             "': " + toString(module.takeError()));
  Expected<std::string> kernel = chooseKernel(**module, options);
  if (!kernel)
    return kernel.takeError();
  if (Error error = checkArguments(**module, *kernel, options))
    return error;
  if (Error error =
          launch(emulator, **module, *kernel, {*grid, *block, options.shared},
                 *arguments, options))
    return error;
  return writeFiles(*files, *arguments, emulator);
}

/// An option of LLVM's own libraries has the name of ours.
static void freeOptionNames() {
  if (cl::Option *option = cl::getRegisteredOptions().lookup("stats"))
    option->removeArgument();
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  failBeyondFileSizeLimit();
  freeOptionNames();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  addProjectVersion();
  cl::ParseCommandLineOptions(argc, argv, "runs a GPU kernel on the CPU\n");
  if (Error error = run(options)) {
    handleAllErrors(std::move(error), [](const ErrorInfoBase &e) {
      WithColor::error() << e.message() << "\n";
    });
    return 1;
  }
  return 0;
}
