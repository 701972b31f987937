//===- JoinDims.h - Two dimensions of a domain as one -----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions that follow on each other in memory are one, in views: the rows of
// several heads are rows of one tile.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_TRANSFORMS_JOINDIMS_H
#define XSA_LIB_DIALECT_XSA_TRANSFORMS_JOINDIMS_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/PatternMatch.h"

namespace xsa {

/// Where `outer` stands in a map that has `inner` right after it.
std::optional<unsigned> findJoint(mlir::AffineMap map, unsigned outer,
                                  unsigned inner);

/// Joins `outer` with `inner`, in place, in an operation on tensors: every
/// operand that has `outer` has `inner` right after it, and takes a view. The
/// domain loses `outer`. Returns views of the results as they were before.
llvm::SmallVector<mlir::Value> joinDims(mlir::RewriterBase &rewriter,
                                        StructuredOpInterface op,
                                        unsigned outer, unsigned inner);

} // namespace xsa

#endif // XSA_LIB_DIALECT_XSA_TRANSFORMS_JOINDIMS_H
