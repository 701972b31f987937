//===- StackScope.h - Where stack memory is taken once ----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A serial loop takes more of the stack with each iteration in which memory is
// taken: loops become branches, which give nothing back.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_SUPPORT_STACKSCOPE_H
#define XSA_SUPPORT_STACKSCOPE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace xsa {

/// The head of what one thread runs around a region: the body of a parallel
/// loop or a function.
inline mlir::OpBuilder getStackHead(mlir::Region *region) {
  auto isScope = [](mlir::Operation *op) {
    return llvm::isa<mlir::scf::ForallOp, mlir::scf::ParallelOp>(op) ||
           op->hasTrait<mlir::OpTrait::IsIsolatedFromAbove>();
  };
  while (!isScope(region->getParentOp()))
    region = region->getParentRegion();
  return mlir::OpBuilder(&region->front(), region->front().begin());
}

} // namespace xsa

#endif // XSA_SUPPORT_STACKSCOPE_H
