//===- TermPairs.h - Products that take terms in pairs ----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions for bf16 multiply two neighbouring terms of a sum at once. One
// operand has its terms last, [i, k]; the other has the two terms of a pair
// beside each other for every column, [k / 2, column, 2], which is called VNNI.
// Here this is linalg; code generation follows once tensors are buffers.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_TRANSFORMS_TERMPAIRS_H
#define XSA_LIB_DIALECT_XSA_TRANSFORMS_TERMPAIRS_H

#include "xsa/Dialect/XSA/IR/AttentionParts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace xsa {

/// An uninitialized tensor for a tile [terms, columns] in pairs, `terms` being
/// even, or for a number of them.
mlir::Value buildEmptyPairs(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::OpFoldResult terms,
                            mlir::OpFoldResult columns, mlir::Type elementType,
                            std::optional<int64_t> tiles = {});

/// The first `terms` terms of `pairs`.
mlir::Value slicePairs(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value pairs, mlir::OpFoldResult terms);

/// [terms, columns] in pairs, written to `init`.
mlir::Value buildPairs(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value tile, mlir::Value init);

/// The weights exp(scores - max) of a tile [keys, rows] in pairs, converted,
/// and their sums per row, added to `sum`: of the converted ones if
/// `sumsConverted`. Those before are then added to `exactSum`, if there is one.
struct WeightsInPairs {
  mlir::Value weights, sum, exactSum;
};
WeightsInPairs buildWeightsInPairs(mlir::OpBuilder &builder, mlir::Location loc,
                                   mlir::Value scores, mlir::Value max,
                                   mlir::Value weights, mlir::Value sum,
                                   mlir::Value exactSum,
                                   const SoftmaxForm &form, bool sumsConverted);

/// init[i, column] + sum over k of lhs[i, k] * pairs[k / 2, column, k mod 2].
mlir::Value buildContractionOfPairs(mlir::OpBuilder &builder,
                                    mlir::Location loc, mlir::Value lhs,
                                    mlir::Value pairs, mlir::Value init);

/// Whether `op` is what `buildContractionOfPairs` makes.
bool isContractionOfPairs(mlir::linalg::GenericOp op);

} // namespace xsa

#endif // XSA_LIB_DIALECT_XSA_TRANSFORMS_TERMPAIRS_H
