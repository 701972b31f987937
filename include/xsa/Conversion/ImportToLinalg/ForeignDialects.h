//===- ForeignDialects.h - Dialects to be converted first -------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model in a dialect that this build does not know is the commonest mistake
// of a first use. Whoever meets one, the parser or a pass, says the same: the
// operation, its dialect, and which tool brings it here.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_IMPORTTOLINALG_FOREIGNDIALECTS_H
#define XSA_CONVERSION_IMPORTTOLINALG_FOREIGNDIALECTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"

namespace xsa {

/// Makes the parser refuse what it meets of the dialects that importers start
/// from (StableHLO, torch, ONNX, IREE's, ...) with advice instead of "dialect
/// not found". For tools of this project: a compiler that has these dialects
/// registers them itself, and a name can be taken once.
void registerForeignDialects(mlir::DialectRegistry &registry);

/// Emits an error at the first operation of each dialect of which `module`
/// holds operations that this build does not know.
llvm::LogicalResult checkImportable(mlir::Operation *module);

} // namespace xsa

#endif // XSA_CONVERSION_IMPORTTOLINALG_FOREIGNDIALECTS_H
