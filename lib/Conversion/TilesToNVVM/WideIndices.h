//===- WideIndices.h - 64 bits for indices of score regions -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index has 32 bits in a thread, which is enough for every position but not
// for everything that a score region may compute from positions.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_WIDEINDICES_H
#define XSA_LIB_CONVERSION_TILESTONVVM_WIDEINDICES_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/PatternMatch.h"

namespace xsa {

/// Where an index of the score region may need more than 32 bits, computes with
/// all of them in i64.
void widenIndices(mlir::RewriterBase &rewriter, AttentionOp op);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_WIDEINDICES_H
