//===- xsa-replay.cpp - Checks and times recorded kernels on a GPU --------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program of a bundle (scripts/gpu_bundle.sh), for machines that have a
// driver and nothing else: no toolkit, no LLVM. Results are JSON on the
// standard output, progress is text beside it.
//
//===----------------------------------------------------------------------===//

#include "../FileSizeLimit.h"
#include "../Version.h"
#include "Bundle.h"
#include "Replay.h"

#include "xsa/Support/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <memory>

using namespace llvm;
using namespace xsa::replay;

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

namespace {
struct Options {
  cl::OptionCategory category{"xsa-replay options"};
  cl::opt<std::string> folder{cl::Positional, cl::desc("[folder]"),
                              cl::cat(category)};
  cl::opt<std::string> filter{"filter",
                              cl::desc("only cases whose name has this text"),
                              cl::value_desc("text"), cl::cat(category)};
  cl::opt<bool> checkOnly{"check-only",
                          cl::desc("check numbers, take no times"),
                          cl::cat(category)};
  cl::opt<unsigned> repeat{
      "repeat",
      cl::desc("runs of each case that are timed (default: by the time they "
               "take)"),
      cl::value_desc("number"), cl::cat(category)};
  cl::opt<unsigned> device{"device", cl::init(0),
                           cl::desc("the GPU to use (default: 0)"),
                           cl::value_desc("number"), cl::cat(category)};
  cl::opt<bool> usesPTX{
      "ptx",
      cl::desc("let the driver compile PTX, even where there is machine code"),
      cl::cat(category)};
  cl::opt<bool> lists{"list", cl::desc("print the names of the cases"),
                      cl::cat(category)};
};
} // namespace

static const char kOverview[] =
    R"(Checks and times the kernels of a bundle on a GPU. The folder is by default the
one that this program lies in. Results are JSON on the standard output.

Exit code: 0 if all is right, 1 if numbers are wrong or a case could not be run,
2 if nothing could be run.
)";

static std::string getOwnFolder(const char *program) {
  std::string path = sys::fs::getMainExecutable(
      program, reinterpret_cast<void *>(&getOwnFolder));
  return sys::path::parent_path(path).str();
}

//===----------------------------------------------------------------------===//
// One case
//===----------------------------------------------------------------------===//

namespace {
struct Outcome {
  std::string code;
  /// What the driver could not do; empty if all was done.
  std::string problem;
  bool isRight = false;
  /// The largest of the rows compared; infinite where a number is missing.
  double error = INFINITY;
  /// Sorted.
  std::vector<double> seconds;

  bool passed() const { return isRight && problem.empty(); }
  double getMedian() const { return seconds[seconds.size() / 2]; }
};
} // namespace

/// The largest error of an output.
static double measureError(const Bundle &bundle, const Output &output,
                           const std::string &bytes) {
  // What a kernel leaves out is a NaN.
  uint64_t numElements = bytes.size() / getSize(output.type);
  for (uint64_t i = 0; i < numElements; ++i)
    if (!std::isfinite(readElement(bytes, output.type, i)))
      return INFINITY;
  std::string expected = bundle.readFile(output.expected);
  uint64_t numExpected = output.rows.size() * output.rowLength;
  if (expected.size() != numExpected * sizeof(float))
    fail("'" + output.expected + "' is damaged: expected " +
         Twine(numExpected) + " numbers");
  double error = 0;
  for (uint64_t i = 0; i < numExpected; ++i) {
    uint64_t row = output.rows[i / output.rowLength];
    uint64_t index = row * output.rowLength + i % output.rowLength;
    double want = readElement(expected, ElementType::F32, i);
    double got = readElement(bytes, output.type, index);
    error = std::max(error, std::fabs(got - want));
  }
  return error;
}

/// Loads the best code that the device and its driver take. A driver that is
/// older than the assembler may refuse its machine code.
static std::unique_ptr<Replay> load(const GPU &gpu, const Bundle &bundle,
                                    const Case &which, const Options &options,
                                    Outcome &outcome) {
  outcome.problem = "the bundle has no code for compute capability " +
                    xsa::describeCapability(gpu.capability);
  for (const Choice &choice : chooseCode(which, gpu.capability)) {
    if (choice.isMachineCode && options.usesPTX)
      continue;
    auto replay = std::make_unique<Replay>(gpu, bundle, which, choice);
    outcome.code = std::string(choice.isMachineCode ? "cubin" : "ptx") +
                   " sm_" + std::to_string(choice.chip);
    outcome.problem = replay->loadKernels();
    if (outcome.problem.empty())
      return replay;
  }
  return nullptr;
}

static Outcome run(const GPU &gpu, const Bundle &bundle, const Case &which,
                   const Options &options) {
  Outcome outcome;
  auto replay = load(gpu, bundle, which, options, outcome);
  std::string bytes;
  if (outcome.problem.empty())
    outcome.problem = replay->fillBuffers();
  if (outcome.problem.empty())
    outcome.problem = replay->launch();
  if (outcome.problem.empty())
    outcome.problem = replay->readOutput(bytes);
  if (!outcome.problem.empty())
    return outcome;
  outcome.error = measureError(bundle, which.output, bytes);
  outcome.isRight = outcome.error <= 2 * which.output.plainError;
  // How fast wrong numbers come says nothing.
  if (outcome.isRight && which.isTimed && !options.checkOnly)
    outcome.problem = replay->time(options.repeat, outcome.seconds);
  llvm::sort(outcome.seconds);
  return outcome;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static void writeCase(json::OStream &json, const Case &which,
                      const Outcome &outcome) {
  // As many digits as mean something.
  auto number = [&](StringRef name, const char *pattern, double value) {
    json.attributeBegin(name);
    json.rawValue([&](raw_ostream &os) { os << format(pattern, value); });
    json.attributeEnd();
  };
  json.object([&] {
    json.attribute("name", which.name);
    json.attribute("code", outcome.code);
    json.attribute("passed", outcome.passed());
    if (!outcome.problem.empty())
      json.attribute("problem", outcome.problem);
    if (std::isfinite(outcome.error))
      number("error", "%.4g", outcome.error);
    else
      json.attribute("error", nullptr);
    number("plain_error", "%.4g", which.output.plainError);
    if (outcome.seconds.empty() || !outcome.problem.empty())
      return;
    double median = outcome.getMedian();
    json.attribute("runs", int64_t(outcome.seconds.size()));
    number("median_us", "%.3f", median * 1e6);
    number("min_us", "%.3f", outcome.seconds[0] * 1e6);
    number("tflops", "%.2f", which.flops / median * 1e-12);
    number("gbytes_per_s", "%.1f", which.bytes / median * 1e-9);
  });
}

static void writeHeader(json::OStream &json, const GPU &gpu,
                        const Bundle &bundle) {
  json.attributeObject("gpu", [&] {
    json.attribute("name", gpu.name);
    json.attribute("compute_capability",
                   xsa::describeCapability(gpu.capability));
    json.attribute("multiprocessors", gpu.numMultiprocessors);
    json.attribute("driver", gpu.driverVersion);
    json.attribute("cuda", gpu.cudaVersion);
  });
  json.attributeObject("bundle", [&] {
    json.attribute("version", bundle.version);
    json.attribute("ptxas", bundle.ptxas);
  });
}

static void report(const Case &which, const Outcome &outcome) {
  errs() << which.name << ": ";
  if (!outcome.problem.empty())
    errs() << outcome.problem;
  else if (!outcome.isRight)
    errs() << "WRONG, error " << format("%.3g", outcome.error) << ", allowed "
           << format("%.3g", 2 * which.output.plainError);
  else
    errs() << "right";
  if (outcome.problem.empty() && !outcome.seconds.empty())
    errs() << ", " << format("%.1f us", outcome.getMedian() * 1e6);
  errs() << "\n";
}

/// Runs all cases; how many failed.
static unsigned runAll(const Bundle &bundle, const Options &options) {
  GPU gpu = GPU::open(options.device);
  unsigned numFailed = 0;
  json::OStream json(outs(), /*IndentSize=*/2);
  json.object([&] {
    writeHeader(json, gpu, bundle);
    json.attributeArray("cases", [&] {
      for (const Case &which : bundle.cases) {
        Outcome outcome = run(gpu, bundle, which, options);
        writeCase(json, which, outcome);
        outs().flush();
        report(which, outcome);
        numFailed += !outcome.passed();
      }
    });
    json.attribute("passed", int64_t(bundle.cases.size() - numFailed));
    json.attribute("failed", numFailed);
  });
  outs() << "\n";
  return numFailed;
}

int main(int argc, char **argv) {
  xsa::failBeyondFileSizeLimit();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  xsa::addProjectVersion();
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &errs()))
    return 2;
  Bundle bundle = Bundle::read(options.folder.empty() ? getOwnFolder(argv[0])
                                                      : options.folder);
  llvm::erase_if(bundle.cases, [&](const Case &which) {
    return !StringRef(which.name).contains(options.filter);
  });
  if (bundle.cases.empty())
    fail("no case has '" + options.filter + "' in its name");
  if (options.lists) {
    for (const Case &which : bundle.cases)
      outs() << which.name << "\n";
    return 0;
  }
  return runAll(bundle, options) ? 1 : 0;
}
