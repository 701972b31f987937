//===- ExpandDynamicReshapes.cpp - Reshapes with unknown sizes ------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic batch and length in one reshape are common in exported models, and
// upstream's expansion fails on them.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace xsa {
#define GEN_PASS_DEF_EXPANDDYNAMICRESHAPESPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

static bool hasGroupWithSeveralDynamicSizes(memref::ExpandShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(),
                      [&](const ReassociationIndices &group) {
                        return llvm::count_if(group, [&](int64_t dim) {
                                 return op.getResultType().isDynamicDim(dim);
                               }) > 1;
                      });
}

/// Within a group the last dimension has the source's stride, each one before
/// it that of its successor times its successor's size.
static void expand(memref::ExpandShapeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto source =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> sourceStrides = source.getConstifiedMixedStrides();
  SmallVector<OpFoldResult> strides(sizes.size());
  AffineExpr a, b;
  bindSymbols(op.getContext(), a, b);
  for (auto [stride, group] :
       llvm::zip_equal(sourceStrides, op.getReassociationIndices())) {
    OpFoldResult next = stride;
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = next;
      next = affine::makeComposedFoldedAffineApply(builder, loc, a * b,
                                                   {next, sizes[dim]});
    }
  }
  auto result = memref::ReinterpretCastOp::create(
      builder, loc, op.getResultType(), source.getBaseBuffer(),
      source.getConstifiedMixedOffset(), sizes, strides);
  op.replaceAllUsesWith(result.getResult());
  op.erase();
}

namespace {
struct ExpandDynamicReshapes
    : public xsa::impl::ExpandDynamicReshapesPassBase<ExpandDynamicReshapes> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> ops;
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      if (hasGroupWithSeveralDynamicSizes(op))
        ops.push_back(op);
    });
    llvm::for_each(ops, expand);
  }
};
} // namespace
