//===- LoopNest.h - Loops that may be parallel ------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both lowerings of linalg end in a nest of loops of which the outer ones can
// run in parallel. Whether they do depends on how much work there is.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOCPULOOPS_LOOPNEST_H
#define XSA_LIB_CONVERSION_LINALGTOCPULOOPS_LOOPNEST_H

#include "xsa/Support/BF16Dot.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace xsa {

/// What the lowerings know about the target.
struct CPULoopOptions {
  int64_t vectorBits = 256;
  int64_t parallelWork = 65536;
  BF16Dot bf16Dot = BF16Dot::None;
};

/// One loop: from `lower` to `upper` in steps of the constant `step`.
struct LoopDim {
  mlir::OpFoldResult lower, upper;
  int64_t step = 1;
};

/// Trip count of a loop, where it is known.
std::optional<int64_t> getStaticTripCount(const LoopDim &dim);

/// What whole steps cover of a range, or the rest of it.
struct RangePart {
  LoopDim range;
  bool isRest;
};

/// The parts of a range from 0 that whole steps cover, each step what the ones
/// before it leave, then the rest in steps of `restStep`; parts that are known
/// to be empty are left out.
llvm::SmallVector<RangePart>
splitRange(mlir::OpBuilder &builder, mlir::Location loc, const LoopDim &range,
           llvm::ArrayRef<int64_t> steps, int64_t restStep);

/// Builds the loops and calls `body` once, inside all of them. They are
/// parallel if `op` is not already inside a parallel loop and the whole work,
/// at `workPerIteration` scalar operations each, is or may be worth it.
void buildLoopNest(
    mlir::OpBuilder &builder, mlir::Operation *op, llvm::ArrayRef<LoopDim> dims,
    int64_t workPerIteration, const CPULoopOptions &options,
    llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange)> body);

/// Emits the register tiles of a contraction on buffers, if `op` is one that
/// has a vector dimension. `op` stays. False, and nothing emitted, otherwise.
bool emitContractionTiles(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
                          const CPULoopOptions &options);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOCPULOOPS_LOOPNEST_H
