//===- Contraction.h - What a contraction computes --------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of products on buffers, in any layout: which dimension each index is
// and how elements are cast.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOCPULOOPS_CONTRACTION_H
#define XSA_LIB_CONVERSION_LINALGTOCPULOOPS_CONTRACTION_H

#include "LoopNest.h"

namespace xsa {

/// An operand: its buffer, which dimension each of its indices is (none for a
/// constant 0), and the casts between its elements and the product.
struct Factor {
  mlir::Value buffer;
  llvm::SmallVector<std::optional<unsigned>> dims;
  llvm::SmallVector<mlir::Operation *> casts;

  bool has(unsigned dim) const { return llvm::is_contained(dims, dim); }
  /// Whether neighbours along `dim` are neighbours in memory.
  bool isContiguousAlong(unsigned dim) const;
};

struct Contraction {
  mlir::linalg::LinalgOp op;
  Factor factors[2];
  Factor result;
  llvm::SmallVector<LoopDim> ranges;
  llvm::SmallVector<unsigned> parallel, reductions;
};

/// A vector along the last dimension of a buffer; lanes that `mask`, if there
/// is one, does not have are 0.
mlir::Value loadVector(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value buffer, mlir::ValueRange indices,
                       int64_t lanes, mlir::Value mask);
void storeVector(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value vector, mlir::Value buffer,
                 mlir::ValueRange indices, mlir::Value mask);

/// Reads `out += cast(a) * cast(b)`; fails for anything else. Builds the sizes
/// of the loops.
mlir::FailureOr<Contraction> readContraction(mlir::OpBuilder &builder,
                                             mlir::linalg::LinalgOp op);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOCPULOOPS_CONTRACTION_H
