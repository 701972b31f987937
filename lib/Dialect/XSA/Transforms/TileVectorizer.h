//===- TileVectorizer.h - One tile operation to vectors ---------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg.generic on tiles becomes loops around vector operations: which loop
// is a vector, which a block of registers, which a sum. Copies that transpose
// go through registers in squares. xsa-vectorize-tiles decides what to do with
// operations that have neither form.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEVECTORIZER_H
#define XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEVECTORIZER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace xsa {

/// What the vectors are made for.
struct VectorTarget {
  int64_t vectorBits = 256;
  /// Rows of a contraction kept in registers; 0: as many as there are
  /// registers for.
  int64_t blockRows = 0;

  /// Lanes of the widest vectors used: two registers' worth.
  int64_t getMaxLanes(mlir::Type element) const {
    return 2 * vectorBits / element.getIntOrFloatBitWidth();
  }
  /// Whether a row of `lanes` elements is worked on as one vector. With AVX-512
  /// blocks of rows may fill three registers.
  bool isOneVector(int64_t lanes, mlir::Type element) const {
    int64_t bits = lanes * element.getIntOrFloatBitWidth();
    return bits <= 2 * vectorBits ||
           (vectorBits >= 512 && bits == 3 * vectorBits);
  }
  /// The rows of a contraction on vectors of `bits` that registers hold: a sum
  /// per row and register, the vector that all rows share, and a broadcast.
  int64_t getBlockRows(int64_t bits) const;
};

/// The loops of a tile operation: `lane` becomes vectors, `row` a block of
/// vectors, `term` is summed over. The last two may be absent.
struct TileLoops {
  unsigned lane;
  std::optional<unsigned> row, term;
  /// Number of lanes where one vector has all of them; else 0, and lanes are a
  /// loop over vectors.
  int64_t lanes;
};

mlir::FailureOr<TileLoops> analyzeTile(mlir::linalg::GenericOp op,
                                       const VectorTarget &target);

/// The contraction that `op`, an element-wise change of its init in place,
/// prepares the init of, if it can be done when the contraction reads it.
mlir::linalg::GenericOp findFusingContraction(mlir::linalg::GenericOp op,
                                              const VectorTarget &target);

/// The sum or maximum whose result `op` changes in place, element by element,
/// if that can be done while the result is in registers: masks, biases and caps
/// of scores.
mlir::linalg::GenericOp findChangedSum(mlir::linalg::GenericOp op);

/// The result of `op`, computed on vectors before the builder's position, with
/// `change` made to it, if there is one.
mlir::Value vectorizeTile(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
                          TileLoops loops, const VectorTarget &target,
                          mlir::linalg::GenericOp change);

/// The result of `op`, if it is a copy that exchanges two dimensions and may
/// convert elements; failure, and nothing built, otherwise.
mlir::FailureOr<mlir::Value> vectorizeTransposition(mlir::OpBuilder &builder,
                                                    mlir::linalg::GenericOp op,
                                                    const VectorTarget &target);

/// The result of `op`, if it is a sum or maximum whose terms lie one after
/// another in memory, with `change` made to it, if there is one; failure, and
/// nothing built, otherwise.
mlir::FailureOr<mlir::Value> vectorizeLaneSum(mlir::OpBuilder &builder,
                                              mlir::linalg::GenericOp op,
                                              const VectorTarget &target,
                                              mlir::linalg::GenericOp change);

/// The results of `op`, if it writes terms in pairs, [pair, lane, 2], computed
/// for each member of a pair on vectors, and may sum others over the terms;
/// failure, and nothing built, otherwise.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
vectorizePairs(mlir::OpBuilder &builder, mlir::linalg::GenericOp op,
               const VectorTarget &target);

/// The result of `op`, element by element.
mlir::Value scalarizeTile(mlir::OpBuilder &builder, mlir::linalg::GenericOp op);

/// What should be unrolled is in blocks already, so the code generator is told
/// how often to unroll. Its own choice gains nothing and multiplies compile
/// time where extents are small constants.
void setUnrolling(mlir::scf::ForOp loop, int32_t count);

/// A loop over [begin, end) that carries `destination` through `body`.
mlir::Value
buildTileLoop(mlir::ImplicitLocOpBuilder &b, mlir::Value begin, mlir::Value end,
              int64_t step, mlir::Value destination,
              llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);

} // namespace xsa

#endif // XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEVECTORIZER_H
