//===- xsa-lsp-server.cpp - Editor support for files with XSA -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's language server with the project's dialects beside all upstream ones:
// an editor that is pointed at it shows errors, definitions and documentation
// in .mlir files that hold XSA operations.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/ImportToLinalg/ForeignDialects.h"
#include "xsa/InitAllDialects.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  xsa::registerAllDialects(registry);
  xsa::registerForeignDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
