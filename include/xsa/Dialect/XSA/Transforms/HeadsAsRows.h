//===- HeadsAsRows.h - Grouped heads in place of query rows -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoding has one query row per head, and with grouped heads several heads
// that read the same keys. As rows of one tile they read them once.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_TRANSFORMS_HEADSASROWS_H
#define XSA_DIALECT_XSA_TRANSFORMS_HEADSASROWS_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/PatternMatch.h"

namespace xsa {

/// The dimension of heads that can take the place of the query rows of `op`, as
/// `useHeadsAsRows` says.
std::optional<unsigned> findHeadsForRows(AttentionOp op);

/// Exchanges, in place, the query rows of an attention on tensors that has just
/// one with a dimension of heads that share keys and values, if there is such a
/// dimension and where the row stands among the keys does not matter.
void useHeadsAsRows(mlir::RewriterBase &rewriter, AttentionOp op);

} // namespace xsa

#endif // XSA_DIALECT_XSA_TRANSFORMS_HEADSASROWS_H
