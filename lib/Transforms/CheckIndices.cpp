//===- CheckIndices.cpp - Indices that data decide ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that is given tokens, or positions of what it keeps, is given
// indices. One that is out of range would read other memory. Indices that the
// compiler or an importer computes from loops and sizes are right, and stay
// unchecked.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/SetVector.h"

namespace xsa {
#define GEN_PASS_DEF_CHECKINDICESPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

/// Whether anything but loops, sizes and constants goes into `index`.
static bool isFromData(Value index) {
  llvm::SetVector<Value> values;
  values.insert(index);
  for (size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
      if (!loop || arg != loop.getInductionVar())
        return true;
      values.insert(loop.getLowerBound());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isa<linalg::IndexOp, tensor::DimOp>(op))
      continue;
    if (!isa<arith::ArithDialect>(op->getDialect()))
      return true;
    values.insert_range(op->getOperands());
  }
  return false;
}

static void check(tensor::ExtractOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    if (!isFromData(index))
      continue;
    std::string text = ("index out of range in dimension " + Twine(dim)).str();
    Value size;
    if (type.isDynamicDim(dim)) {
      size = builder.createOrFold<tensor::DimOp>(loc, op.getTensor(), dim);
    } else {
      size = arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
      text += " of size " + std::to_string(type.getDimSize(dim));
    }
    // Negative ones are large.
    Value isInside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, index, size);
    cf::AssertOp::create(builder, loc, isInside, text);
  }
}

namespace {
struct CheckIndices : public xsa::impl::CheckIndicesPassBase<CheckIndices> {
  using Base::Base;

  void runOnOperation() override { getOperation()->walk(check); }
};
} // namespace
