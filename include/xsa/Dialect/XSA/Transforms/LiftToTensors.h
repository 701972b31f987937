//===- LiftToTensors.h - From memrefs to tensors ----------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowerings are written once, on tensors. An operation on memrefs is brought to
// that form first; bufferization brings what it became back.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_TRANSFORMS_LIFTTOTENSORS_H
#define XSA_DIALECT_XSA_TRANSFORMS_LIFTTOTENSORS_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/PatternMatch.h"

namespace xsa {

/// Replaces `op`, an `xsa.attention` or `xsa.exclude` on memrefs, by the same
/// operation on tensors, which it returns. Its results are written to the
/// destinations after everything has been read, so a destination may overlap
/// other operands. An operation on tensors is returned as it is.
mlir::Operation *liftToTensors(mlir::RewriterBase &rewriter,
                               mlir::DestinationStyleOpInterface op);

} // namespace xsa

#endif // XSA_DIALECT_XSA_TRANSFORMS_LIFTTOTENSORS_H
