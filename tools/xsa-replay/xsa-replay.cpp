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

#include "Bundle.h"
#include "Replay.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unistd.h>

using namespace xsa::replay;

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

static const char kUsage[] =
    R"(usage: %s [options] [folder]
Checks and times the kernels of a bundle on a GPU. The folder is by default the
one that this program lies in.

  --filter TEXT   only cases whose name has this text
  --check-only    check numbers, take no times
  --repeat N      runs of each case that are timed (default: by the time they take)
  --device N      the GPU to use (default: 0)
  --ptx           let the driver compile PTX, even where there is machine code
  --list          print the names of the cases

Exit code: 0 if all is right, 1 if numbers are wrong or a case could not be run,
2 if nothing could be run.
)";

namespace {
struct Options {
  std::string folder, filter;
  bool checkOnly = false, usesPTX = false, lists = false;
  Timing timing;
  int device = 0;
};
} // namespace

static unsigned parseNumber(const std::string &option, const char *text) {
  char *end = nullptr;
  long number = std::strtol(text, &end, 10);
  if (end == text || *end || number < 0 || number > 1000000)
    fail("expected a number after " + option + ", got '" + text + "'");
  return unsigned(number);
}

static std::string getOwnFolder() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  std::string text(path, length > 0 ? size_t(length) : 0);
  size_t slash = text.rfind('/');
  return slash == std::string::npos ? "." : text.substr(0, slash);
}

static Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    auto value = [&]() -> const char * {
      if (i + 1 == argc)
        fail("expected a value after " + option);
      return argv[++i];
    };
    if (option == "--help" || option == "-h") {
      std::printf(kUsage, argv[0]);
      std::exit(0);
    } else if (option == "--filter") {
      options.filter = value();
    } else if (option == "--check-only") {
      options.checkOnly = true;
    } else if (option == "--ptx") {
      options.usesPTX = true;
    } else if (option == "--list") {
      options.lists = true;
    } else if (option == "--repeat") {
      options.timing.repeat = parseNumber(option, value());
    } else if (option == "--device") {
      options.device = int(parseNumber(option, value()));
    } else if (option[0] == '-' || !options.folder.empty()) {
      fail("unknown argument '" + option + "' (--help lists all)");
    } else {
      options.folder = option;
    }
  }
  if (options.folder.empty())
    options.folder = getOwnFolder();
  return options;
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

  double getMedian() const { return seconds[seconds.size() / 2]; }
};
} // namespace

/// The largest error of an output.
static double measureError(const Bundle &bundle, const Case &which,
                           const std::string &output) {
  // What a kernel leaves out is a NaN.
  uint64_t numElements = output.size() / getSize(which.outputType);
  for (uint64_t i = 0; i < numElements; ++i)
    if (!std::isfinite(readElement(output, which.outputType, i)))
      return INFINITY;
  std::string expected = bundle.readFile(which.expected);
  uint64_t numExpected = which.rows.size() * which.rowLength;
  if (expected.size() != numExpected * sizeof(float))
    fail("'" + which.expected + "' is damaged: expected " +
         std::to_string(numExpected) + " numbers");
  double error = 0;
  for (uint64_t i = 0; i < numExpected; ++i) {
    uint64_t row = which.rows[i / which.rowLength];
    uint64_t index = row * which.rowLength + i % which.rowLength;
    double want = readElement(expected, ElementType::F32, i);
    double got = readElement(output, which.outputType, index);
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
                    std::to_string(gpu.capability / 10) + "." +
                    std::to_string(gpu.capability % 10);
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
  std::string output;
  if (outcome.problem.empty())
    outcome.problem = replay->fillBuffers();
  if (outcome.problem.empty())
    outcome.problem = replay->launch();
  if (outcome.problem.empty())
    outcome.problem = replay->readOutput(output);
  if (!outcome.problem.empty())
    return outcome;
  outcome.error = measureError(bundle, which, output);
  outcome.isRight = outcome.error <= 2 * which.plainError;
  // How fast wrong numbers come says nothing.
  if (outcome.isRight && which.isTimed && !options.checkOnly)
    outcome.problem = replay->time(options.timing, outcome.seconds);
  std::sort(outcome.seconds.begin(), outcome.seconds.end());
  return outcome;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static std::string format(const char *pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

static void printCase(const Case &which, const Outcome &outcome, bool isFirst) {
  std::string json = isFirst ? "\n" : ",\n";
  json += "    {\"name\": " + quote(which.name) +
          ", \"code\": " + quote(outcome.code);
  bool passed = outcome.isRight && outcome.problem.empty();
  json += std::string(", \"passed\": ") + (passed ? "true" : "false");
  if (!outcome.problem.empty())
    json += ", \"problem\": " + quote(outcome.problem);
  json += ", \"error\": " + (std::isfinite(outcome.error)
                                 ? format("%.4g", outcome.error)
                                 : std::string("null"));
  json += ", \"plain_error\": " + format("%.4g", which.plainError);
  if (!outcome.seconds.empty() && outcome.problem.empty()) {
    double median = outcome.getMedian();
    json += ", \"runs\": " + std::to_string(outcome.seconds.size());
    json += ", \"median_us\": " + format("%.3f", median * 1e6);
    json += ", \"min_us\": " + format("%.3f", outcome.seconds[0] * 1e6);
    json += ", \"tflops\": " + format("%.2f", which.flops / median * 1e-12);
    json +=
        ", \"gbytes_per_s\": " + format("%.1f", which.bytes / median * 1e-9);
  }
  std::printf("%s}", json.c_str());
  std::fflush(stdout);
}

static void printHeader(const GPU &gpu, const Bundle &bundle) {
  std::printf("{\n  \"gpu\": {\"name\": %s, \"compute_capability\": \"%u.%u\", "
              "\"multiprocessors\": %u, \"driver\": %s, \"cuda\": %s},\n",
              quote(gpu.name).c_str(), gpu.capability / 10, gpu.capability % 10,
              gpu.numMultiprocessors, quote(gpu.driverVersion).c_str(),
              quote(gpu.cudaVersion).c_str());
  std::printf("  \"bundle\": {\"version\": %s, \"ptxas\": %s},\n",
              quote(bundle.version).c_str(), quote(bundle.ptxas).c_str());
  std::printf("  \"cases\": [");
}

static void report(const Case &which, const Outcome &outcome) {
  std::string text = which.name + ": ";
  if (!outcome.problem.empty())
    text += outcome.problem;
  else if (!outcome.isRight)
    text += "WRONG, error " + format("%.3g", outcome.error) + ", allowed " +
            format("%.3g", 2 * which.plainError);
  else
    text += "right";
  if (outcome.problem.empty() && !outcome.seconds.empty())
    text += ", " + format("%.1f us", outcome.getMedian() * 1e6);
  std::fprintf(stderr, "%s\n", text.c_str());
}

int main(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  Bundle bundle = Bundle::read(options.folder);
  auto &cases = bundle.cases;
  cases.erase(std::remove_if(cases.begin(), cases.end(),
                             [&](const Case &which) {
                               return which.name.find(options.filter) ==
                                      std::string::npos;
                             }),
              cases.end());
  if (cases.empty())
    fail("no case has '" + options.filter + "' in its name");
  if (options.lists) {
    for (const Case &which : cases)
      std::printf("%s\n", which.name.c_str());
    return 0;
  }

  GPU gpu = GPU::open(options.device);
  printHeader(gpu, bundle);
  unsigned numPassed = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    Outcome outcome = run(gpu, bundle, cases[i], options);
    printCase(cases[i], outcome, /*isFirst=*/i == 0);
    report(cases[i], outcome);
    numPassed += outcome.isRight && outcome.problem.empty();
  }
  size_t numFailed = cases.size() - numPassed;
  std::printf("\n  ],\n  \"passed\": %u,\n  \"failed\": %zu\n}\n", numPassed,
              numFailed);
  return numFailed ? 1 : 0;
}
