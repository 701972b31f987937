//===- StageBuilder.h - Buffers in shared memory ----------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What staging is made of: buffers that have a place for each stage, copies of
// tiles to them that are waited for later, and reads from them.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_STAGEBUILDER_H
#define XSA_LIB_CONVERSION_TILESTONVVM_STAGEBUILDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace xsa {

/// Extents of a tile in the order of the dimensions of its memory.
llvm::SmallVector<int64_t> memoryShape(mlir::VectorType type,
                                       mlir::AffineMap map);

class StageBuilder {
protected:
  explicit StageBuilder(mlir::gpu::GPUFuncOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel.getContext()) {}

  /// A buffer at a byte of shared memory; or one for what `read` reads, as
  /// often as there are stages.
  mlir::Value makeBuffer(int64_t offset, llvm::ArrayRef<int64_t> shape,
                         mlir::Type type);
  mlir::Value makeBuffer(int64_t offset, mlir::vector::TransferReadOp read,
                         int64_t stages);

  /// Starts the copy of what `read` reads, with values replaced by `mapping`,
  /// to a stage of `buffer`, in the order of the memory it comes from.
  void copy(mlir::vector::TransferReadOp read, mlir::IRMapping mapping,
            mlir::Value buffer, mlir::Value stage);

  /// `read` takes its tile from a stage of `buffer` from now on.
  mlir::vector::TransferReadOp readFrom(mlir::Value buffer, mlir::Value stage,
                                        mlir::vector::TransferReadOp read);

  /// The copies since the last commit are a group.
  void commit();

  /// All threads go on when all but so many groups of each have landed.
  void waitFor(int64_t outstanding);

  mlir::Value index(int64_t value);

  /// The end of all buffers.
  int64_t getSharedBytes() const { return sharedBytes; }

  mlir::gpu::GPUFuncOp kernel;
  mlir::ImplicitLocOpBuilder b;

private:
  mlir::Value sharedMemory;
  int64_t sharedBytes = 0;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_STAGEBUILDER_H
