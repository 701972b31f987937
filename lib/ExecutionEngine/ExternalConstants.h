//===- ExternalConstants.h - Constants outside compiled code ----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model's weights would be copied into LLVM IR, then into an object, then
// into executable memory. They stay where the MLIR context keeps them instead,
// and compiled code is linked to their addresses.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EXECUTIONENGINE_EXTERNALCONSTANTS_H
#define XSA_LIB_EXECUTIONENGINE_EXTERNALCONSTANTS_H

#include "xsa/ExecutionEngine/Array.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace xsa {

struct ExternalConstants {
  /// Symbols that compiled code refers to, and where they are.
  std::vector<std::pair<std::string, const void *>> symbols;
  /// Memory of those that had to be expanded (one value for all elements, or
  /// one bit per element).
  std::vector<Array> expanded;
};

/// Takes the values out of the large constants of a module in the LLVM dialect.
/// Fails, with a diagnostic, where the module refers to data that it lacks.
mlir::FailureOr<ExternalConstants> externalizeConstants(mlir::ModuleOp module);

} // namespace xsa

#endif // XSA_LIB_EXECUTIONENGINE_EXTERNALCONSTANTS_H
