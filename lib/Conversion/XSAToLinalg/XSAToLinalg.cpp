//===- XSAToLinalg.cpp - Decomposition into linalg ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of the operations is in their decomposeOperation; this pass walks
// a function and calls it. Host compilers with an attention of their own run it
// in the mode that takes only the exclusion apart.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/XSAToLinalg/XSAToLinalg.h"
#include "xsa/Dialect/XSA/Transforms/LiftToTensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace xsa {
#define GEN_PASS_DEF_CONVERTXSATOLINALG
#include "xsa/Conversion/XSAToLinalg/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// `op` without its exclusion, writing to the same destinations.
static AttentionOp buildPlain(RewriterBase &rewriter, AttentionOp op) {
  TypeRange types = op->getResultTypes();
  if (op.getCoefficientOutput())
    types = types.drop_back();
  auto plain =
      cast<AttentionOp>(cloneOnto(rewriter, op, types, op->getOperands()));
  for (unsigned segment :
       {AttentionOp::odsIndex_self_value, AttentionOp::odsIndex_strength,
        AttentionOp::odsIndex_coefficient_output})
    plain.assignOperand(segment, /*value=*/{}, /*map=*/{});
  plain.removeExclusionAttr();
  return plain;
}

FailureOr<ExcludeOp> xsa::splitExclusion(RewriterBase &rewriter,
                                         AttentionOp op) {
  if (!op.isExclusive() || !op.hasPureTensorSemantics())
    return failure();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);

  llvm::SmallBitVector dropped(op.getNumLoops());
  dropped.set(op.getKeyDepthDim());
  dropped.set(op.getKeyDim());
  SmallVector<AffineMap> maps{op.getOutputMap(), op.getSelfValueMap()};
  if (op.getStrength())
    maps.push_back(op.getStrengthMap());
  maps.push_back(op.getOutputMap());
  if (op.getCoefficientOutput())
    maps.push_back(op.getCoefficientMap());
  for (AffineMap &map : maps)
    map = compressDims(map, dropped);

  AttentionOp plain = buildPlain(rewriter, op);
  SmallVector<Type> types{op.getOutput().getType()};
  if (op.getCoefficientOutput())
    types.push_back(op.getCoefficientOutput().getType());
  auto exclude = ExcludeOp::create(
      rewriter, op.getLoc(), types, plain.getResult(0), op.getSelfValue(),
      op.getStrength(), op.getOutput(), op.getCoefficientOutput(),
      rewriter.getAffineMapArrayAttr(maps), op.getExclusionAttr());

  SmallVector<Value> replacements{exclude.getResult(0)};
  llvm::append_range(replacements, plain->getResults().drop_front());
  if (op.getCoefficientOutput())
    replacements.push_back(exclude.getCoefficient());
  rewriter.replaceOp(op, replacements);
  return exclude;
}

/// Replaces an operation by its definition.
template <typename OpTy>
static LogicalResult decompose(RewriterBase &rewriter, OpTy op) {
  op = cast<OpTy>(liftToTensors(rewriter, op));
  rewriter.setInsertionPoint(op);
  FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
  if (failed(values))
    return op.emitOpError("could not be decomposed");
  rewriter.replaceOp(op, *values);
  return success();
}

namespace {
struct ConvertXSAToLinalg
    : public xsa::impl::ConvertXSAToLinalgBase<ConvertXSAToLinalg> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<AttentionOp> attentions;
    getOperation()->walk([&](AttentionOp op) { attentions.push_back(op); });
    for (AttentionOp op : attentions)
      if (failed(convertAttention(rewriter, op)))
        return signalPassFailure();

    SmallVector<ExcludeOp> exclusions;
    getOperation()->walk([&](ExcludeOp op) { exclusions.push_back(op); });
    for (ExcludeOp op : exclusions) {
      if (failed(decompose(rewriter, op)))
        return signalPassFailure();
      ++numExclusions;
    }
  }

private:
  LogicalResult convertAttention(RewriterBase &rewriter, AttentionOp op) {
    if (mode == XSAToLinalgMode::Full) {
      ++numAttentions;
      return decompose(rewriter, op);
    }
    if (!op.isExclusive())
      return success();
    ++numAttentions;
    op = cast<AttentionOp>(liftToTensors(rewriter, op));
    return splitExclusion(rewriter, op);
  }
};
} // namespace
