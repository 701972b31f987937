//===- LegalizeScalars.cpp - Arithmetic that processors lack --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM would call functions of the compiler's runtime library for these, which
// a JIT-compiled program may not find and a vectoriser cannot vectorise.
// Upstream's passes of the same purpose expand more than is needed (maximumf).
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace xsa {
#define GEN_PASS_DEF_LEGALIZESCALARSPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

namespace {
/// The larger or smaller of two scalars, the other one where one is NaN, by
/// comparisons. LLVM 22 vectorizes reductions with `llvm.maxnum` for loops
/// without NaN and leaves them before the last elements where the number of
/// iterations is constant and only one of them is a vector's, as with 7
/// elements (llvm/llvm-project issue 209159).
template <typename OpTy, arith::CmpFPredicate Chosen>
struct ExpandMaxMinNum : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(op.getType()))
      return failure();
    Location loc = op.getLoc();
    Value lhs = op.getLhs(), rhs = op.getRhs();
    // Unordered: also where rhs is NaN.
    Value isChosen =
        arith::CmpFOp::create(rewriter, loc, Chosen, lhs, rhs).getResult();
    Value chosen = arith::SelectOp::create(rewriter, loc, isChosen, lhs, rhs);
    Value isNaN = arith::CmpFOp::create(rewriter, loc,
                                        arith::CmpFPredicate::UNO, lhs, lhs);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, rhs, chosen);
    return success();
  }
};
using ExpandMaxNum =
    ExpandMaxMinNum<arith::MaxNumFOp, arith::CmpFPredicate::UGT>;
using ExpandMinNum =
    ExpandMaxMinNum<arith::MinNumFOp, arith::CmpFPredicate::ULT>;

struct LegalizeScalars
    : public xsa::impl::LegalizeScalarsPassBase<LegalizeScalars> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(extendMath()) || failed(callExactFunctions()) ||
        failed(emulateArith()) || failed(expand()))
      signalPassFailure();
  }

private:
  /// f16 and bf16 functions are computed in f32.
  LogicalResult extendMath() {
    MLIRContext *context = &getContext();
    TypeConverter converter;
    SetVector<Type> supported;
    supported.insert(Float32Type::get(context));
    supported.insert(Float64Type::get(context));
    math::populateExtendToSupportedTypesTypeConverter(
        converter, supported, Float32Type::get(context));
    ConversionTarget target(*context);
    math::populateExtendToSupportedTypesConversionTarget(target, converter);
    // Upstream's own rule wants a dialect, which unregistered operations lack.
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return !isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
             converter.isLegal(op);
    });
    RewritePatternSet patterns(context);
    math::populateExtendToSupportedTypesPatterns(patterns, converter);
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }

  /// Near 0 these are not what exp(x) - 1 and log(1 + x) give.
  LogicalResult callExactFunctions() {
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<math::ExpM1Op, math::Log1pOp>();
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }

  /// So is f16 and bf16 arithmetic.
  LogicalResult emulateArith() {
    MLIRContext *context = &getContext();
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter, {BFloat16Type::get(context), Float16Type::get(context)},
        Float32Type::get(context));
    ConversionTarget target(*context);
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    RewritePatternSet patterns(context);
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
    return applyPartialConversion(getOperation(), target, std::move(patterns));
  }

  LogicalResult expand() {
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    math::populateExpansionPatterns(patterns, {"fpowi"});
    patterns.add<ExpandMaxNum, ExpandMinNum>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    return applyPatternsGreedily(getOperation(), std::move(patterns), config);
  }
};
} // namespace
