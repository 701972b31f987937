//===- KernelVectorizer.h - Tiles of tensors as n-D vectors -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel's loops on tiles of tensors become: vectors that are values.
// Structured operations are in VectorizeGenerics.cpp, what stands around them
// in TilesToVectors.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_KERNELVECTORIZER_H
#define XSA_LIB_CONVERSION_TILESTONVVM_KERNELVECTORIZER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/SmallBitVector.h"

namespace xsa {

/// A value in the body of a generic for all points of its domain: a scalar, or
/// a vector that has extent 1 along the dimensions it does not depend on.
struct Spread {
  mlir::Value value;
  llvm::SmallBitVector dims;
};

class KernelVectorizer {
public:
  KernelVectorizer(mlir::MLIRContext *context, int64_t multiple)
      : b(mlir::UnknownLoc::get(context), context), multiple(multiple) {}

  mlir::LogicalResult convert(mlir::scf::ForallOp loop);

private:
  mlir::LogicalResult convertBlock(mlir::Block &block);
  mlir::LogicalResult convertOp(mlir::Operation &op);
  mlir::LogicalResult convertLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult eraseTensors();
  mlir::LogicalResult convertFill(mlir::linalg::FillOp fill);
  mlir::FailureOr<mlir::linalg::GenericOp>
  orderLoops(mlir::linalg::GenericOp op);
  mlir::LogicalResult convertGeneric(mlir::linalg::GenericOp op);

  // Domains.
  mlir::VectorType tileType(mlir::ShapedType type);
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  domainOf(mlir::linalg::GenericOp op);
  mlir::Value read(mlir::Value source, mlir::AffineMap map,
                   llvm::ArrayRef<int64_t> domain, mlir::Value padding);
  Spread spreadInput(mlir::OpOperand &operand, mlir::AffineMap map,
                     llvm::ArrayRef<int64_t> domain, mlir::Value padding);
  llvm::SmallVector<int64_t> shapeOf(const llvm::SmallBitVector &dims,
                                     llvm::ArrayRef<int64_t> domain);
  mlir::Value stretch(Spread spread, const llvm::SmallBitVector &dims,
                      llvm::ArrayRef<int64_t> domain);
  mlir::FailureOr<Spread> evaluate(mlir::linalg::GenericOp op,
                                   mlir::Value result,
                                   llvm::ArrayRef<int64_t> domain,
                                   mlir::Value padding);
  void collectBody(mlir::Operation *op, mlir::Block *body,
                   llvm::SmallVector<mlir::Operation *> &ops);

  // Kinds of generics.
  mlir::FailureOr<mlir::Value> convertParallel(mlir::linalg::GenericOp op,
                                               llvm::ArrayRef<int64_t> domain);
  mlir::FailureOr<mlir::Value> convertReduction(mlir::linalg::GenericOp op,
                                                llvm::ArrayRef<int64_t> domain);
  mlir::Value convertContraction(mlir::linalg::GenericOp op,
                                 llvm::ArrayRef<int64_t> domain);
  mlir::Value convertScalar(mlir::linalg::GenericOp op);
  void finish(mlir::linalg::GenericOp op, mlir::Value result);

  mlir::ImplicitLocOpBuilder b;
  /// Extents of vectors are multiples of this; what lies outside a tensor is 0.
  int64_t multiple;
  llvm::DenseMap<mlir::Value, mlir::Value> vectors;
  llvm::SmallVector<mlir::Operation *> dead;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_KERNELVECTORIZER_H
