//===- TileBody.h - The body of a tile operation on vectors -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a linalg.generic reads and computes for one element, for a vector of
// them, with the forms that processors are good at in place of those that they
// are not.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEBODY_H
#define XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace xsa {

/// How an operand is read where loop `lane` is a vector: a vector of elements,
/// one element for all lanes, or in a way that vectors do not have.
enum class TileAccess { PerLane, Uniform, Unsupported };
TileAccess classifyAccess(mlir::Value operand, mlir::AffineMap map,
                          unsigned lane);

/// Where loops at `indices` access an operand.
llvm::SmallVector<mlir::Value>
getAccessIndices(mlir::AffineMap map, llvm::ArrayRef<mlir::Value> indices);

/// The size of a tensor's dimension, and of a loop, as a value.
mlir::Value getTileDim(mlir::ImplicitLocOpBuilder &b, mlir::Value tensor,
                       int64_t position);
mlir::Value getLoopExtent(mlir::ImplicitLocOpBuilder &b,
                          mlir::linalg::GenericOp op, unsigned dim);

mlir::Value broadcastLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                           int64_t lanes);

/// On an element-wise operation that whoever reads its result computes, element
/// by element, instead of reading it.
inline constexpr llvm::StringLiteral kInlinedAttrName = "xsa.inlined";

/// The element or the vector of `operand` at `indices`, taken from `from`.
mlir::Value readTileOperand(mlir::ImplicitLocOpBuilder &b,
                            mlir::linalg::GenericOp op,
                            mlir::OpOperand *operand, mlir::Value from,
                            llvm::ArrayRef<mlir::Value> indices, unsigned lane,
                            int64_t lanes);

/// `destination` with a vector of its last dimension written. One lane is read
/// and written as an element: LLVM has no code for vectors of one bf16.
mlir::Value writeLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                       mlir::Value destination,
                       llvm::ArrayRef<mlir::Value> position);

/// Whether every operation of the body has a form on vectors.
bool hasVectorForm(mlir::linalg::GenericOp op);

/// The values that the body yields, vectors of `lanes`. `args` are elements or
/// vectors; parts of the body that are the same for all lanes stay scalar.
/// `indices` are the positions of the loops, `lane` the one that is a vector.
/// With `contracts`, products and sums may become one multiply-add.
llvm::SmallVector<mlir::Value>
buildTileBody(mlir::ImplicitLocOpBuilder &b, mlir::linalg::GenericOp op,
              llvm::ArrayRef<mlir::Value> args,
              llvm::ArrayRef<mlir::Value> indices, unsigned lane, int64_t lanes,
              bool contracts);

/// The inputs of `op` that vary with no loop but `lane`, read once; null for
/// the others.
llvm::SmallVector<mlir::Value> readSharedInputs(mlir::ImplicitLocOpBuilder &b,
                                                mlir::linalg::GenericOp op,
                                                llvm::ArrayRef<mlir::Value> at,
                                                unsigned lane, int64_t lanes);

/// The inputs of `op` at `indices`: those in `shared`, if there are any, and
/// the others read there.
llvm::SmallVector<mlir::Value> readInputs(mlir::ImplicitLocOpBuilder &b,
                                          mlir::linalg::GenericOp op,
                                          llvm::ArrayRef<mlir::Value> indices,
                                          unsigned lane, int64_t lanes,
                                          llvm::ArrayRef<mlir::Value> shared);

/// The value of the body at `indices`, its inputs read there, but for those in
/// `shared`.
mlir::Value buildTileElement(mlir::ImplicitLocOpBuilder &b,
                             mlir::linalg::GenericOp op,
                             llvm::ArrayRef<mlir::Value> indices, unsigned lane,
                             int64_t lanes, mlir::Value accumulator,
                             llvm::ArrayRef<mlir::Value> shared = {});

/// `value`, the result of `op` at `indices`, as `change`, an element-wise
/// change of that result in place, leaves it; without one, as it is.
mlir::Value buildTileChange(mlir::ImplicitLocOpBuilder &b,
                            mlir::linalg::GenericOp op,
                            mlir::linalg::GenericOp change,
                            llvm::ArrayRef<mlir::Value> indices, int64_t lanes,
                            mlir::Value value);

/// The operation that combines a term with the sum so far, if the body is of
/// that form and the operation has a neutral element.
mlir::Operation *findCombiner(mlir::linalg::GenericOp op);

/// The neutral element of a combiner, and two of its results combined.
mlir::Value buildNeutral(mlir::ImplicitLocOpBuilder &b,
                         mlir::Operation *combiner, int64_t lanes);
mlir::Value combine(mlir::ImplicitLocOpBuilder &b, mlir::Operation *combiner,
                    mlir::Value lhs, mlir::Value rhs);

/// All lanes of a vector of its results combined.
mlir::Value combineLanes(mlir::ImplicitLocOpBuilder &b,
                         mlir::Operation *combiner, mlir::Value vector);

} // namespace xsa

#endif // XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEBODY_H
