//===- xsa-run.cpp - Runs a model that an importer wrote ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raises or converts the attentions of a model, compiles it, calls it on the
// arrays of an .npz archive and writes its results to another. Nothing is
// written when anything fails.
//
//===----------------------------------------------------------------------===//

#include "../FileSizeLimit.h"
#include "../OutputFiles.h"
#include "../Version.h"

#include "xsa/Conversion/ImportToLinalg/ForeignDialects.h"
#include "xsa/Conversion/ImportToLinalg/ImportedText.h"
#include "xsa/Emulator/EmulatedDevice.h"
#include "xsa/ExecutionEngine/CompiledModule.h"
#include "xsa/ExecutionEngine/Npz.h"
#include "xsa/ExecutionEngine/RecordingDevice.h"
#include "xsa/InitAllDialects.h"
#include "xsa/InitAllPasses.h"
#include "xsa/Support/Chip.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <chrono>
#include <sys/resource.h>

using namespace mlir;
using namespace xsa;
using ImageFormat = runtime::Device::ImageFormat;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

namespace {
enum class Target { CPU, Emulator, CUDA, Record };

/// A number in a range, which is named where another value is given.
template <unsigned Least, unsigned Most>
struct RangeParser : public cl::parser<unsigned> {
  using cl::parser<unsigned>::parser;

  bool parse(cl::Option &option, StringRef, StringRef text, unsigned &value) {
    if (!text.getAsInteger(10, value) && value >= Least && value <= Most)
      return false;
    return option.error("expected a number from " + llvm::Twine(Least) +
                        " to " + llvm::Twine(Most) + ", got '" + text + "'");
  }
};

/// One of several names, which are listed where another one is given.
template <typename Choice> struct ChoiceParser : public cl::parser<Choice> {
  using cl::parser<Choice>::parser;

  bool parse(cl::Option &option, StringRef, StringRef text, Choice &value) {
    std::string names;
    llvm::ListSeparator separator;
    for (auto &known : this->Values) {
      if (known.Name == text) {
        value = known.V.getValue();
        return false;
      }
      names += StringRef(separator).str() + known.Name.str();
    }
    return option.error("expected one of " + names + ", got '" + text + "'");
  }
};

struct Options {
  cl::OptionCategory category{"xsa-run options"};
  cl::opt<std::string> model{cl::Positional, cl::Required,
                             cl::desc("<model.mlir>"), cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::init("main"),
                             cl::desc("function to call (default: main)"),
                             cl::cat(category)};
  cl::opt<std::string> inputs{
      "inputs", cl::desc(".npz archive with the arguments arg0, arg1, ..."),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> outputs{
      "outputs", cl::desc(".npz archive to write out0, out1, ... to"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<Target, false, ChoiceParser<Target>> target{
      "target", cl::desc("where attention runs (default: cpu)"),
      cl::init(Target::CPU),
      cl::values(clEnumValN(Target::CPU, "cpu", "the host's processor"),
                 clEnumValN(Target::Emulator, "emulator",
                            "GPU kernels, emulated and checked"),
                 clEnumValN(Target::CUDA, "cuda", "GPU kernels on a GPU"),
                 clEnumValN(Target::Record, "record",
                            "GPU kernels and their launches are written to "
                            "files, for xsa-replay")),
      cl::cat(category)};
  cl::opt<std::string> convert{
      "convert-attention-to-xsa", cl::ValueOptional,
      cl::desc("make self attentions exclusive first, with the options of the "
               "pipeline of that name"),
      cl::value_desc("options"), cl::cat(category)};
  cl::opt<bool> raiseAttention{
      "raise", cl::init(true),
      cl::desc("find attention in the model (default); with --raise=false it "
               "runs as it is written"),
      cl::cat(category)};
  cl::opt<bool> report{
      "report", cl::init(false),
      cl::desc("print a table of the attentions found and what became of them"),
      cl::cat(category)};
  cl::opt<unsigned, false, RangeParser<0, kMaxThreads>> threads{
      "threads", cl::init(0),
      cl::desc("threads to use (default, or 0: one per available core)"),
      cl::cat(category)};
  cl::opt<unsigned, false, RangeParser<1, 1000000>> repeat{
      "repeat", cl::init(1), cl::desc("number of calls (default: 1)"),
      cl::cat(category)};
  cl::opt<std::string> stats{
      "stats",
      cl::desc("JSON file to write times, memory and kernels to; - is standard "
               "output"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> cpu{
      "cpu", cl::desc("processor to compile for (default: native, this one)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> features{
      "features",
      cl::desc("processor features to compile for, e.g. +avx2,+fma"),
      cl::value_desc("list"), cl::cat(category)};
  cl::opt<std::string> chip{
      "chip",
      cl::desc("GPU to compile kernels for, where the target has any (default: "
               "with --target cuda the one of this machine, else sm_80)"),
      cl::cat(category)};
  cl::opt<std::string> record{
      "record", cl::desc("folder that the target 'record' writes to"),
      cl::value_desc("folder"), cl::cat(category)};
  cl::opt<ImageFormat, false, ChoiceParser<ImageFormat>> recordFormat{
      "record-format", cl::desc("form of recorded kernels"),
      cl::init(ImageFormat::Assembly),
      cl::values(clEnumValN(ImageFormat::Assembly, "ptx", "PTX (default)"),
                 clEnumValN(ImageFormat::Bitcode, "bitcode",
                            "LLVM bitcode, for the emulator")),
      cl::cat(category)};
};
} // namespace

/// LLVM's libraries bring options of their own, some of which have the names of
/// ours; one is only registered when a command line is parsed.
static void freeOptionNames(char **argv) {
  cl::ParseCommandLineOptions(1, argv);
  for (StringRef name : {"stats", "threads"})
    if (cl::Option *option = cl::getRegisteredOptions().lookup(name))
      option->removeArgument();
}

/// What is wrong with options that are right by themselves; may be empty.
static StringRef findContradiction(const Options &options) {
  if (!options.raiseAttention && options.convert.getNumOccurrences())
    return "--convert-attention-to-xsa needs attention to be found, which "
           "--raise=false forbids";
  if (!options.raiseAttention && options.report)
    return "--report needs attention to be found, which --raise=false forbids";
  bool records = options.target == Target::Record;
  if (!records && options.recordFormat.getNumOccurrences())
    return "--record-format needs --target record";
  if (records != !options.record.empty())
    return "--target record and --record go together";
  bool reads = options.inputs.getNumOccurrences() ||
               options.outputs.getNumOccurrences() ||
               options.stats.getNumOccurrences();
  if (records && reads)
    return "--target record runs nothing: it takes no --inputs, --outputs or "
           "--stats";
  return "";
}

static double getSeconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Raises attention to the XSA dialect unless told not to; also makes it
/// exclusive if asked.
static LogicalResult raise(ModuleOp module, const Options &options) {
  PassManager pm(module.getContext());
  auto account = std::make_shared<AttentionReport>();
  if (options.convert.getNumOccurrences()) {
    auto conversion =
        ConvertAttentionToXSAOptions::createFromString(options.convert);
    if (!conversion)
      return failure();
    buildConvertAttentionToXSAPipeline(pm, *conversion, account);
  } else if (options.raiseAttention) {
    buildRaiseAttentionToXSAPipeline(pm, RaiseAttentionToXSAOptions(), account);
  } else {
    populateImportToLinalgPipeline(pm);
  }
  if (failed(pm.run(module)))
    return failure();
  if (options.report)
    printReport(account->get(module), llvm::errs());
  return success();
}

/// The arrays arg0, arg1, ... in order, converted to what the model takes.
static llvm::Expected<std::vector<Array>> readArguments(const Options &options,
                                                        FunctionType type) {
  std::map<std::string, Array> arrays;
  std::string takes = "'" + options.entry + "' takes " +
                      std::to_string(type.getNumInputs()) +
                      (type.getNumInputs() == 1 ? " argument" : " arguments");
  if (options.inputs.empty() && type.getNumInputs() > 0)
    return llvm::createStringError(takes + "; expected --inputs");
  if (!options.inputs.empty()) {
    auto read = readNpz(options.inputs);
    if (!read)
      return read.takeError();
    arrays = std::move(*read);
  }
  std::vector<Array> arguments;
  for (unsigned i = 0; i < type.getNumInputs(); ++i) {
    std::string name = "arg" + std::to_string(i);
    auto found = arrays.find(name);
    if (found == arrays.end())
      return llvm::createStringError("'" + options.inputs + "' has no array '" +
                                     name + "': " + takes);
    Array array = std::move(found->second);
    arrays.erase(found);
    // numpy has no bfloat16.
    auto tensor = cast<RankedTensorType>(type.getInput(i));
    if (tensor.getElementType().isBF16() && array.dtype == DType::Float32)
      array = roundToBFloat16(array.getView());
    arguments.push_back(std::move(array));
  }
  for (auto &[name, array] : arrays)
    if (StringRef(name).starts_with("arg"))
      return llvm::createStringError("'" + options.inputs + "' has an array '" +
                                     name + "', but " + takes);
  return arguments;
}

static llvm::Error writeResults(const PendingFile &file,
                                std::vector<Array> results) {
  std::vector<std::pair<std::string, ArrayView>> named;
  for (auto [i, array] : llvm::enumerate(results)) {
    if (array.dtype == DType::BFloat16)
      array = widenBFloat16(array.getView());
    named.emplace_back("out" + std::to_string(i), array.getView());
  }
  return writeNpz(file, named);
}

static int64_t getPeakResidentBytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  return usage.ru_maxrss;
#else
  return int64_t(usage.ru_maxrss) * 1024;
#endif
}

static llvm::Error writeStats(PendingFile &file, ArrayRef<double> times,
                              double compileTime,
                              const runtime::Device *device) {
  return file.write([&](llvm::raw_ostream &os) {
    llvm::json::OStream json(os, /*IndentSize=*/2);
    json.object([&] {
      json.attributeArray("times_s", [&] {
        for (double time : times)
          json.value(time);
      });
      json.attribute("compile_s", compileTime);
      json.attribute("peak_rss_bytes", getPeakResidentBytes());
      json.attributeArray("kernels", [&] {
        if (device)
          device->writeKernelStats(json);
      });
    });
    os << "\n";
  });
}

/// Parses the file; diagnostics are printed by the context's handler.
static OwningOpRef<ModuleOp> parse(MLIRContext &context,
                                   llvm::SourceMgr &sources, StringRef path) {
  std::string error;
  auto file = openInputFile(path, &error);
  if (!file) {
    llvm::WithColor::error() << error << "\n";
    return nullptr;
  }
  std::string advice = adviseOnBytecode(file->getBuffer());
  sources.AddNewSourceBuffer(adaptImportedText(std::move(file)), SMLoc());
  context.allowUnregisteredDialects();
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module && !advice.empty())
    llvm::WithColor::error() << advice << "\n";
  return module;
}

/// Writes both files, then gives them their names.
static llvm::Error writeFiles(OutputFiles &files, std::vector<Array> results,
                              ArrayRef<double> times, double compileTime,
                              const runtime::Device *device) {
  if (files.outputs)
    if (llvm::Error error = writeResults(*files.outputs, std::move(results)))
      return error;
  if (files.stats)
    if (llvm::Error error =
            writeStats(*files.stats, times, compileTime, device))
      return error;
  return files.commit();
}

/// Where kernels run; null on the host's processor.
static llvm::Expected<std::unique_ptr<runtime::Device>>
createDevice(Target target) {
  switch (target) {
  case Target::CPU:
    return nullptr;
  case Target::Emulator:
    return emulator::createEmulatedDevice();
  case Target::CUDA:
    return runtime::createCUDADevice();
  case Target::Record:
    break;
  }
  llvm_unreachable("unknown target");
}

/// Raises and compiles the module.
static llvm::Expected<std::unique_ptr<CompiledModule>>
compile(ModuleOp module, const Options &options, runtime::Device *device) {
  if (failed(raise(module, options)))
    return llvm::createStringError("the module could not be raised");
  CompileOptions compileOptions;
  compileOptions.entry = options.entry;
  compileOptions.numThreads = options.threads;
  if (options.cpu != "native")
    compileOptions.cpu = options.cpu;
  compileOptions.features = options.features;
  compileOptions.device = device;
  compileOptions.chip = options.chip;
  return CompiledModule::compile(module, compileOptions);
}

static std::vector<ArrayView> getViews(ArrayRef<Array> arrays) {
  std::vector<ArrayView> views;
  for (const Array &array : arrays)
    views.push_back(array.getView());
  return views;
}

/// Notes what the kernels of a call would do.
static llvm::Error record(ModuleOp module, const Options &options) {
  auto type = CompiledModule::getEntryType(module, options.entry);
  if (!type)
    return type.takeError();
  std::string chip = options.chip;
  runtime::RecordingDevice device(options.recordFormat,
                                  chip.empty() ? kDefaultChip.str() : chip);
  auto arguments = device.makeArguments(type->getInputs());
  if (!arguments)
    return arguments.takeError();
  auto compiled = compile(module, options, &device);
  if (!compiled)
    return compiled.takeError();
  auto results = (*compiled)->call(getViews(*arguments));
  if (!results)
    return results.takeError();
  return device.write(options.record, *results);
}

/// Everything after parsing.
static llvm::Error run(ModuleOp module, const Options &options) {
  llvm::Expected<FunctionType> type =
      CompiledModule::getEntryType(module, options.entry);
  if (!type)
    return type.takeError();
  llvm::Expected<std::vector<Array>> arguments = readArguments(options, *type);
  if (!arguments)
    return arguments.takeError();
  auto files = OutputFiles::open(options.outputs, options.stats,
                                 {options.model, options.inputs});
  if (!files)
    return files.takeError();

  auto device = createDevice(options.target);
  if (!device)
    return device.takeError();

  double start = getSeconds();
  auto compiled = compile(module, options, device->get());
  if (!compiled)
    return compiled.takeError();
  double compileTime = getSeconds() - start;

  std::vector<ArrayView> views = getViews(*arguments);
  std::vector<Array> results;
  std::vector<double> times;
  for (unsigned i = 0; i < options.repeat; ++i) {
    results.clear();
    double callStart = getSeconds();
    auto called = (*compiled)->call(views);
    times.push_back(getSeconds() - callStart);
    if (!called)
      return called.takeError();
    results = std::move(*called);
  }
  return writeFiles(*files, std::move(results), times, compileTime,
                    device->get());
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  failBeyondFileSizeLimit();
  xsa::registerAllPasses();
  freeOptionNames(argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  addProjectVersion();
  cl::ParseCommandLineOptions(argc, argv,
                              "runs a model that an importer wrote\n");
  if (StringRef problem = findContradiction(options); !problem.empty()) {
    llvm::WithColor::error() << problem << "\n";
    return 1;
  }

  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  xsa::registerAllDialects(registry);
  xsa::registerForeignDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parse(context, sources, options.model);
  if (!module)
    return 1;
  auto work = options.target == Target::Record ? record : run;
  if (llvm::Error error = work(*module, options)) {
    llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &e) {
      llvm::WithColor::error() << e.message() << "\n";
    });
    return 1;
  }
  return 0;
}
