//===- StructuredOps.h - What the operations have in common -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implementations of upstream's interfaces that follow from the indexing maps
// alone. XSAOps.td defines the methods of both operations as calls of these.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_IR_STRUCTUREDOPS_H
#define XSA_LIB_DIALECT_XSA_IR_STRUCTUREDOPS_H

#include "xsa/Dialect/XSA/IR/XSA.h"

namespace xsa::detail {

using FoldResults = llvm::SmallVector<mlir::OpFoldResult>;
using Effects = llvm::SmallVectorImpl<
    mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

// ReifyRankedShapedTypeOpInterface: results have the shapes of their
// destinations.
llvm::LogicalResult reifyResultShapes(StructuredOpInterface op,
                                      mlir::OpBuilder &builder,
                                      mlir::ReifiedRankedShapedTypeDims &dims);

// MemoryEffectOpInterface: on memrefs inputs are read and destinations written;
// tensors have no effects.
void getEffects(StructuredOpInterface op, Effects &effects);

// TilingInterface, as far as it does not depend on what is computed.
llvm::SmallVector<mlir::Range> getIterationDomain(StructuredOpInterface op,
                                                  mlir::OpBuilder &builder);
llvm::LogicalResult
getResultTilePosition(StructuredOpInterface op, unsigned resultNumber,
                      llvm::ArrayRef<mlir::OpFoldResult> offsets,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes,
                      FoldResults &resultOffsets, FoldResults &resultSizes);
mlir::FailureOr<mlir::TilingResult>
generateResultTileValue(StructuredOpInterface op, mlir::OpBuilder &builder,
                        unsigned resultNumber,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes);
llvm::LogicalResult getIterationDomainTileFromResultTile(
    StructuredOpInterface op, mlir::OpBuilder &builder, unsigned resultNumber,
    llvm::ArrayRef<mlir::OpFoldResult> offsets,
    llvm::ArrayRef<mlir::OpFoldResult> sizes,
    llvm::SmallVectorImpl<mlir::OpFoldResult> &domainOffsets,
    llvm::SmallVectorImpl<mlir::OpFoldResult> &domainSizes);
llvm::LogicalResult getIterationDomainTileFromOperandTiles(
    StructuredOpInterface op, mlir::OpBuilder &builder,
    llvm::ArrayRef<unsigned> operandNumbers,
    llvm::ArrayRef<FoldResults> allOffsets,
    llvm::ArrayRef<FoldResults> allSizes,
    llvm::SmallVectorImpl<mlir::OpFoldResult> &domainOffsets,
    llvm::SmallVectorImpl<mlir::OpFoldResult> &domainSizes);
mlir::FailureOr<mlir::TilingResult>
getTiledImplementationFromOperandTiles(StructuredOpInterface op,
                                       mlir::OpBuilder &builder,
                                       llvm::ArrayRef<unsigned> operandNumbers,
                                       llvm::ArrayRef<FoldResults> allOffsets,
                                       llvm::ArrayRef<FoldResults> allSizes);

} // namespace xsa::detail

#endif // XSA_LIB_DIALECT_XSA_IR_STRUCTUREDOPS_H
