//===- LowerVectorMath.cpp - Vector arithmetic that LLVM does badly -------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 2^x (ExpandExp2.cpp), and words of two vectors put beside each other, of
// which LLVM makes a permutation where AVX-512 has something cheaper.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "AVX512.h"
#include "ExpandExp2.h"
#include "xsa/Support/Exp2Hints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace xsa {
#define GEN_PASS_DEF_LOWERVECTORMATHPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

namespace {
struct ExpandExp2 : OpRewritePattern<math::Exp2Op> {
  ExpandExp2(MLIRContext *context, bool avx512)
      : OpRewritePattern(context), avx512(avx512) {}

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type ||
        !(type.getElementType().isF32() || type.getElementType().isF64()))
      return rewriter.notifyMatchFailure(op, "no vector of f32 or f64");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Exp2Form form;
    form.bounded = op->hasAttr(kBoundedAttrName);
    form.rough = op->hasAttr(kRoughAttrName);
    form.avx512 = avx512;
    rewriter.replaceOp(op, buildExp2(b, op.getOperand(), form));
    return success();
  }

  bool avx512;
};

/// Bits of two vectors in one. Where they are halves of the lanes, LLVM would
/// make a permutation of words, which Intel's processors do in three steps.
struct JoinBits : OpRewritePattern<arith::OrIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::OrIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    auto masked = op.getRhs().getDefiningOp<arith::AndIOp>();
    if (!type || !type.getElementType().isInteger(32) || !avx512::fits(type) ||
        !masked)
      return rewriter.notifyMatchFailure(op, "no masked registers of i32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, avx512::buildOrAnd(b, op.getLhs(), masked.getLhs(),
                                              masked.getRhs()));
    return success();
  }
};

struct LowerVectorMath
    : public xsa::impl::LowerVectorMathPassBase<LowerVectorMath> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExp2>(&getContext(), avx512);
    if (avx512)
      patterns.add<JoinBits>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
