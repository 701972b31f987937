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

#include "xsa/InitAllDialects.h"
#include "xsa/InitAllPasses.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#ifdef XSA_INCLUDE_TESTS
namespace xsa::test {
void registerTestAnalyses();
} // namespace xsa::test
#endif

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
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "XSA optimizer driver\n", registry));
}
