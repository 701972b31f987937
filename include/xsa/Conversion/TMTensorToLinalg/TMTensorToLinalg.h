//===- TMTensorToLinalg.h - Lowering of tm_tensor ---------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the pass that lowers the tm_tensor operations, and its patterns for
// use in other passes.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_TMTENSORTOLINALG_TMTENSORTOLINALG_H
#define XSA_CONVERSION_TMTENSORTOLINALG_TMTENSORTOLINALG_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace xsa {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "xsa/Conversion/TMTensorToLinalg/Passes.h.inc"

/// Lowers `tm_tensor.attention` to linalg.
void populateTMTensorAttentionPatterns(mlir::RewritePatternSet &patterns);

/// Lowers `tm_tensor.scan` to a loop over slices.
void populateTMTensorScanPatterns(mlir::RewritePatternSet &patterns);

/// Lowers `tm_tensor.scatter` to a loop over the updates.
void populateTMTensorScatterPatterns(mlir::RewritePatternSet &patterns);

/// Lowers `tm_tensor.sort` to a merge sort.
void populateTMTensorSortPatterns(mlir::RewritePatternSet &patterns);

/// Lowers `tm_tensor.topk` to insertions into a list.
void populateTMTensorTopkPatterns(mlir::RewritePatternSet &patterns);

} // namespace xsa

#endif // XSA_CONVERSION_TMTENSORTOLINALG_TMTENSORTOLINALG_H
