//===- XSA.h - The XSA dialect ----------------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the dialect, its attributes and its operations. Meaning is written
// in the TableGen files beside this one.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_IR_XSA_H
#define XSA_DIALECT_XSA_IR_XSA_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/RuntimeVerifiableOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#include "xsa/Dialect/XSA/IR/XSADialect.h.inc"
#include "xsa/Dialect/XSA/IR/XSAEnums.h.inc"

#include "xsa/Dialect/XSA/IR/XSAInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "xsa/Dialect/XSA/IR/XSAAttrs.h.inc"

#define GET_OP_CLASSES
#include "xsa/Dialect/XSA/IR/XSAOps.h.inc"

namespace xsa {

/// Clones `op` on other operands and result types. Unlike mlir::clone it takes
/// operations whose optional region is absent.
mlir::Operation *cloneOnto(mlir::OpBuilder &builder, mlir::Operation *op,
                           mlir::TypeRange resultTypes,
                           mlir::ValueRange operands);

} // namespace xsa

#endif // XSA_DIALECT_XSA_IR_XSA_H
