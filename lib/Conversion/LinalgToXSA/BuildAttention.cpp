//===- BuildAttention.cpp - From a match to xsa.attention -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out the domain, makes the operands, and reshapes the result to what the
// model expects. All that can fail is checked before the operation is created.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"
#include "OperandBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace xsa;

namespace {
class AttentionBuilder {
public:
  AttentionBuilder(RewriterBase &rewriter, MatchContext &match,
                   const AttentionMatch &result)
      : rewriter(rewriter), match(match), result(result),
        loc(result.root.getLoc()) {
    layOutDomain();
  }

  FailureOr<AttentionOp> build();

private:
  void layOutDomain();
  FailureOr<Value> addOperand(ExprRef e, ArrayRef<unsigned> required);
  FailureOr<Value> buildBias(OperandBuilder &operands);
  AffineMap mapOf(ArrayRef<unsigned> along) const;
  unsigned numLoops() const { return axes.size(); }

  RewriterBase &rewriter;
  MatchContext &match;
  const AttentionMatch &result;
  Location loc;
  SmallVector<Axis> axes;
  SmallVector<AffineMap> maps;
  unsigned m = 0, k1 = 0, k2 = 0, n = 0;
};
} // namespace

void AttentionBuilder::layOutDomain() {
  auto add = [&](ArrayRef<ExprRef> digits) {
    Axis axis;
    axis.digits.assign(digits.begin(), digits.end());
    axis.size = match.ctx.integer(1);
    for (ExprRef digit : digits)
      axis.size = match.ctx.mul(axis.size, digit->getExtent());
    axes.push_back(axis);
    return axes.size() - 1;
  };
  for (ExprRef var : result.leading)
    add(var);
  m = add(result.rows);
  k1 = add(result.depth);
  k2 = add(result.keys);
  n = add(result.columns);
}

AffineMap AttentionBuilder::mapOf(ArrayRef<unsigned> along) const {
  SmallVector<AffineExpr> results;
  for (unsigned axis : along)
    results.push_back(rewriter.getAffineDimExpr(axis));
  return AffineMap::get(numLoops(), 0, results, rewriter.getContext());
}

FailureOr<Value> AttentionBuilder::addOperand(ExprRef e,
                                              ArrayRef<unsigned> required) {
  OperandBuilder operands(rewriter, loc, match.view, axes);
  FailureOr<Operand> operand = operands.build(e, required);
  if (failed(operand))
    return failure();
  maps.push_back(mapOf(operand->axes));
  return operand->value;
}

/// All biases as one operand: the tensor itself, or the sum of several.
FailureOr<Value> AttentionBuilder::buildBias(OperandBuilder &) {
  ExprRef sum = nullptr;
  for (const BiasTerm &term : result.biases) {
    ExprRef e = term.expr;
    Type type = e->getType();
    if (term.factor != 1)
      e = match.ctx.apply(ExprOp::Mul, type,
                          {e, match.ctx.constant(type, term.factor)});
    if (sum && sum->getType() != type) {
      Type wide = rewriter.getF32Type();
      sum = match.ctx.apply(ExprOp::Cast, wide, sum);
      e = match.ctx.apply(ExprOp::Cast, wide, e);
      type = wide;
    }
    sum = sum ? match.ctx.apply(ExprOp::Add, type, {sum, e}) : e;
  }
  return addOperand(sum, {});
}

/// The order of the output's axes: as the model's result has them. Axes of
/// several digits that are apart in the result are put together, and the result
/// transposed.
static SmallVector<ExprRef> flattenRoot(ExprContext &ctx,
                                        const AttentionMatch &result,
                                        OperandBuilder::Dims &dims) {
  SmallVector<ExprRef> flat;
  for (ExprRef index : result.rootIndices) {
    SmallVector<ExprRef> digits = ctx.getDigits(index)->vars;
    dims.push_back(digits);
    llvm::append_range(flat, digits);
  }
  return flat;
}

FailureOr<AttentionOp> AttentionBuilder::build() {
  rewriter.setInsertionPoint(result.root.getDefiningOp());
  OperandBuilder operands(rewriter, loc, match.view, axes);

  FailureOr<Value> query = addOperand(result.query, {m, k1});
  FailureOr<Value> key =
      failed(query) ? query : addOperand(result.key, {k2, k1});
  FailureOr<Value> value =
      failed(key) ? key : addOperand(result.value, {k2, n});
  if (failed(value))
    return failure();
  Value mask, bias;
  if (result.mask) {
    FailureOr<Value> built = addOperand(result.mask, {});
    if (failed(built))
      return failure();
    mask = *built;
  }
  if (!result.biases.empty()) {
    FailureOr<Value> built = buildBias(operands);
    if (failed(built))
      return failure();
    bias = *built;
  }

  // The output, in the order of the result's digits.
  OperandBuilder::Dims rootDims, outDims;
  SmallVector<ExprRef> flat = flattenRoot(match.ctx, result, rootDims);
  SmallVector<unsigned> order;
  auto take = [&](unsigned axis) {
    if (!llvm::is_contained(order, axis))
      order.push_back(axis);
  };
  for (ExprRef digit : flat)
    for (auto [i, axis] : llvm::enumerate(axes))
      if (llvm::is_contained(axis.digits, digit))
        take(i);
  take(m);
  take(n);
  SmallVector<OpFoldResult> sizes;
  SmallVector<ExprRef> outFlat;
  for (unsigned axis : order) {
    sizes.push_back(operands.size(axes[axis].size));
    outDims.push_back(axes[axis].digits);
    llvm::append_range(outFlat, axes[axis].digits);
  }
  Type element = getElementTypeOrSelf(result.root.getType());
  Value init = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  maps.push_back(mapOf(order));

  auto f64 = [&](double x) { return rewriter.getF64FloatAttr(x); };
  auto i64 = [&](std::optional<int64_t> x) {
    return x ? rewriter.getI64IntegerAttr(*x) : IntegerAttr();
  };
  auto attention = AttentionOp::create(
      rewriter, loc, init.getType(), *query, *key, *value,
      /*self_value=*/Value(), mask, bias, /*sinks=*/Value(),
      /*strength=*/Value(), /*key_lengths=*/Value(), /*key_begin=*/Value(),
      /*key_end=*/Value(), /*query_offset=*/Value(),
      /*score_inputs=*/ValueRange(), /*query_start=*/Value(),
      /*key_start=*/Value(), init, /*lse_output=*/Value(),
      /*coefficient_output=*/Value(), rewriter.getAffineMapArrayAttr(maps),
      result.scale == 1 ? FloatAttr() : f64(result.scale),
      result.softcap ? f64(*result.softcap) : FloatAttr(), result.causal,
      result.alignment, i64(result.windowLeft), i64(result.windowRight),
      ExclusionAttr());

  // Back to the model's shape.
  Value output = attention.getResult(0);
  if (outFlat != flat) {
    OperandBuilder::Dims single, target;
    for (ExprRef digit : outFlat)
      single.push_back({digit});
    SmallVector<int64_t> permutation;
    for (ExprRef digit : flat) {
      permutation.push_back(llvm::find(outFlat, digit) - outFlat.begin());
      target.push_back({digit});
    }
    output = operands.regroup(output, outDims, single);
    output = transpose(rewriter, loc, output, permutation);
    outDims = target;
  }
  output = operands.regroup(output, outDims, rootDims);
  if (output.getType() != result.root.getType())
    output =
        tensor::CastOp::create(rewriter, loc, result.root.getType(), output);
  rewriter.replaceAllUsesWith(result.root, output);
  return attention;
}

FailureOr<AttentionOp> xsa::buildAttention(RewriterBase &rewriter,
                                           MatchContext &match,
                                           const AttentionMatch &result) {
  return AttentionBuilder(rewriter, match, result).build();
}
