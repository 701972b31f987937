//===- TileExclude.h - Exclusion on tiles of rows ---------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `xsa.exclude` does little arithmetic on much memory, so its tiled form brings
// each row in once: a tile of own values stays while the heads that share it
// pass by.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_TRANSFORMS_TILEEXCLUDE_H
#define XSA_DIALECT_XSA_TRANSFORMS_TILEEXCLUDE_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace xsa {

/// The dimension of the domain that rows of a tile run along: of those that the
/// own values have, the longest. None if there is just one row.
std::optional<unsigned> findRowDim(ExcludeOp op);

/// Makes one dimension, in place and in views, of those of the own values that
/// stand side by side in all operands, as heads and tokens mostly do: rows of a
/// tile are then neighbours in memory. Not where an operand is a slice.
void joinRows(mlir::RewriterBase &rewriter, ExcludeOp op);

/// Replaces `op`, which must be on tensors, by parallel loops over tiles of
/// `rows` rows of own values, in each a loop over the rows of the input that
/// share them. Returns the parallel loop; null where there are no rows.
mlir::FailureOr<mlir::scf::ForallOp> tileExclude(mlir::RewriterBase &rewriter,
                                                 ExcludeOp op, int64_t rows);

} // namespace xsa

#endif // XSA_DIALECT_XSA_TRANSFORMS_TILEEXCLUDE_H
