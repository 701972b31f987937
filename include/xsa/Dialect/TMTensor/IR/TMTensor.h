//===- TMTensor.h - The tm_tensor dialect -----------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dialect and operations of torch-mlir's tm_tensor, which its exporters put
// beside linalg and which MLIR itself does not have.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_TMTENSOR_IR_TMTENSOR_H
#define XSA_DIALECT_TMTENSOR_IR_TMTENSOR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "xsa/Dialect/TMTensor/IR/TMTensorDialect.h.inc"

#define GET_OP_CLASSES
#include "xsa/Dialect/TMTensor/IR/TMTensorOps.h.inc"

#endif // XSA_DIALECT_TMTENSOR_IR_TMTENSOR_H
