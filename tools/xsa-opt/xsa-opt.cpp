//===- xsa-opt.cpp - mlir-opt with the XSA dialect ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All upstream dialects and passes, plus the project's, behind mlir-opt's
// command line.
//
//===----------------------------------------------------------------------===//

#include "../FileSizeLimit.h"
#include "../Version.h"

#include "xsa/Conversion/ImportToLinalg/ForeignDialects.h"
#include "xsa/Conversion/ImportToLinalg/ImportedText.h"
#include "xsa/InitAllDialects.h"
#include "xsa/InitAllPasses.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

#ifdef XSA_INCLUDE_TESTS
namespace xsa::test {
void registerTestAnalyses();
} // namespace xsa::test
#endif

/// The help lists several hundred options of upstream too.
static constexpr llvm::StringLiteral kOverview =
    R"(mlir-opt with the XSA passes and dialects

Pipelines of XSA, for whole modules as importers write them:
  --raise-attention-to-xsa       find attention
  --convert-attention-to-xsa     find it and make self attention exclusive
  --xsa-import-to-linalg         only bring a module to linalg on tensors
  --xsa-lower-to-cpu-pipeline    to the LLVM dialect for the host's processor
  --xsa-lower-to-nvvm-pipeline   to kernels for NVIDIA GPUs
Single passes are listed below with those of upstream; most have 'xsa' in their
names. Options of a pass or pipeline follow it: --NAME="key=value key=value".
)";

/// Puts text in a named file.
static mlir::LogicalResult writeFile(llvm::StringRef path,
                                     llvm::StringRef text) {
  std::string error;
  auto file = mlir::openOutputFile(path, &error);
  if (!file) {
    llvm::errs() << error << "\n";
    return mlir::failure();
  }
  file->os() << text;
  file->os().flush();
  if (std::error_code code = file->os().error()) {
    llvm::WithColor::error()
        << "'" << path << "': could not be written: " << code.message() << "\n";
    file->os().clear_error();
    return mlir::failure();
  }
  file->keep();
  return mlir::success();
}

/// mlir-opt on a file, with the text of newer versions adapted first. A named
/// output is opened last: where a pass fails, what it was stays.
static mlir::LogicalResult
transformFile(llvm::StringRef input, llvm::StringRef output,
              mlir::DialectRegistry &registry,
              const mlir::MlirOptMainConfig &config) {
  std::string error;
  auto inputFile = mlir::openInputFile(input, &error);
  if (!inputFile) {
    llvm::errs() << error << "\n";
    return mlir::failure();
  }
  std::string advice = xsa::adviseOnBytecode(inputFile->getBuffer());
  bool streams = output == "-";
  std::string text;
  llvm::raw_string_ostream textStream(text);
  if (failed(mlir::MlirOptMain(
          streams ? static_cast<llvm::raw_ostream &>(llvm::outs()) : textStream,
          xsa::adaptImportedText(std::move(inputFile)), registry, config))) {
    if (!advice.empty())
      llvm::WithColor::error() << advice << "\n";
    return mlir::failure();
  }
  return streams ? mlir::success() : writeFile(output, text);
}

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  xsa::registerAllPasses();
#ifdef XSA_INCLUDE_TESTS
  xsa::test::registerTestAnalyses();
#endif

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  xsa::registerAllDialects(registry);
  xsa::registerForeignDialects(registry);

  llvm::InitLLVM init(argc, argv);
  xsa::failBeyondFileSizeLimit();
  xsa::addProjectVersion();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, kOverview, registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  return mlir::asMainReturnCode(transformFile(input, output, registry, config));
}
