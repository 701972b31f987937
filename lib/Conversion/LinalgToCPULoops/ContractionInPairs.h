//===- ContractionInPairs.h - Sums of products of pairs ---------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `out(i, j) += lhs(i, k, r) * rhs(k, j, r)` where r counts the two bf16 of a
// pair, which is what instructions for bf16 multiply. What the instructions
// share is here: which contractions they are for, and loops over blocks.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOCPULOOPS_CONTRACTIONINPAIRS_H
#define XSA_LIB_CONVERSION_LINALGTOCPULOOPS_CONTRACTIONINPAIRS_H

#include "Contraction.h"

namespace xsa {

/// A contraction in pairs. Dimensions besides row (i), column (j) and pair (k)
/// are loops around it.
struct PairContraction {
  mlir::linalg::LinalgOp op;
  Factor lhs, rhs, result;
  llvm::SmallVector<LoopDim> ranges;
  llvm::SmallVector<unsigned> outer;
  unsigned row, column, pair;
  /// Sums start at zero, whatever the result's buffer holds.
  bool startsAtZero = false;
};

/// What is computed at once: `rows x columns` of the result, or the columns of
/// all rows where `rows` is 0. At an edge just the first `numRows` or
/// `numColumns` of them exist.
struct PairBlock {
  int64_t rows, columns;
  mlir::Value numRows, numColumns;
};

/// Emits the loops over blocks; what a block becomes is the instruction's
/// matter.
class PairEmitter {
public:
  PairEmitter(mlir::OpBuilder &builder, PairContraction &contraction,
              const CPULoopOptions &options);
  virtual ~PairEmitter() = default;

  void emit();

protected:
  /// Rows of a block in the order of preference. Where the last is more than
  /// one, blocks at the edge have fewer rows.
  virtual llvm::ArrayRef<int64_t> getRowSteps() = 0;
  /// Whether a block has all rows, over which `emitBlock` loops.
  virtual bool takesAllRows() { return false; }
  /// About how many times as fast as in f32 products are.
  virtual int64_t getSpeedup() = 0;
  /// The block whose first row and column are at `ivs`; the column, where it
  /// has all rows.
  virtual void emitBlock(const PairBlock &block) = 0;

  mlir::Value getConstant(int64_t value);
  mlir::Value add(mlir::Value a, int64_t b);
  /// Where an operand has an element; of a pair, the first.
  llvm::SmallVector<mlir::Value>
  getIndices(const Factor &factor, int64_t row = 0, int64_t column = 0);
  /// How many indices of a dimension are left from `ivs` on.
  mlir::Value countRest(unsigned dim);
  /// A mask of the lanes below `count`; none where all are.
  mlir::Value createMask(int64_t lanes, mlir::Value count);

  mlir::OpBuilder &builder;
  PairContraction &c;
  const CPULoopOptions &options;
  mlir::Location loc;
  /// Where each dimension stands.
  llvm::SmallVector<mlir::Value> ivs;

private:
  void emitPart(std::optional<LoopDim> rows, bool rowEdge, LoopDim columns,
                bool columnEdge);
};

/// The instructions.
std::unique_ptr<PairEmitter> createAMXEmitter(mlir::OpBuilder &builder,
                                              PairContraction &contraction,
                                              const CPULoopOptions &options);
std::unique_ptr<PairEmitter> createAVX512Emitter(mlir::OpBuilder &builder,
                                                 PairContraction &contraction,
                                                 const CPULoopOptions &options);

/// Emits a contraction in pairs for the instruction that the options name.
/// False, and no loop emitted, if `op` is none or there is no instruction. `op`
/// stays; a zero fill of its result right before it goes.
bool emitContractionInPairs(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
                            const CPULoopOptions &options);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOCPULOOPS_CONTRACTIONINPAIRS_H
