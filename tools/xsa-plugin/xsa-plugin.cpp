//===- xsa-plugin.cpp - Dialects and passes for the stock mlir-opt --------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared module that an installed mlir-opt, or any tool with the same plugin
// options, loads at run time: --load-dialect-plugin for the dialects,
// --load-pass-plugin for the passes and pipelines. So the project can be tried
// in an existing tool without building that tool again.
//
//===----------------------------------------------------------------------===//

#include "xsa/InitAllDialects.h"
#include "xsa/InitAllPasses.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "XSA", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            xsa::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "XSA", LLVM_VERSION_STRING,
          [] { xsa::registerAllPasses(); }};
}
