//===- BuildAttention.cpp - From a match to xsa.attention -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out the domain, makes the operands, and reshapes the result to what the
// model expects. What was built is verified before it replaces anything.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"
#include "BuildAttempt.h"
#include "OperandBuilder.h"
#include "ScoreRegion.h"

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
  StringRef addOperands();
  LogicalResult add(Value &operand, ExprRef e, ArrayRef<unsigned> required);
  ExprRef sumBiases();
  void layOutOutput();
  AttentionOp createAttention();
  Value restoreShape(Value output);
  AffineMap mapOf(ArrayRef<unsigned> along) const;

  RewriterBase &rewriter;
  MatchContext &match;
  const AttentionMatch &result;
  Location loc;
  SmallVector<Axis> axes;
  unsigned m = 0, k1 = 0, k2 = 0, n = 0;

  /// Operands and their maps, in the order of the operation's operands.
  Value query, key, value, mask, bias, sinks, keyBegin, keyEnd;
  SmallVector<Value> scoreInputs;
  SmallVector<AffineMap> maps;

  /// Axes of the output, and digits of the root's and the output's dimensions.
  SmallVector<unsigned> order;
  OperandBuilder::Dims rootDims, outDims;
};
} // namespace

void AttentionBuilder::layOutDomain() {
  auto addAxis = [&](ArrayRef<ExprRef> digits) {
    Axis axis;
    axis.digits.assign(digits.begin(), digits.end());
    axis.size = match.ctx.integer(1);
    for (ExprRef digit : digits)
      axis.size = match.ctx.mul(axis.size, digit->getExtent());
    axes.push_back(axis);
    return axes.size() - 1;
  };
  for (ExprRef var : result.leading)
    addAxis(var);
  m = addAxis(result.rows);
  k1 = addAxis(result.depth);
  k2 = addAxis(result.keys);
  n = addAxis(result.columns);
}

AffineMap AttentionBuilder::mapOf(ArrayRef<unsigned> along) const {
  SmallVector<AffineExpr> results;
  for (unsigned axis : along)
    results.push_back(rewriter.getAffineDimExpr(axis));
  return AffineMap::get(axes.size(), 0, results, rewriter.getContext());
}

/// Builds an operand, if there is one.
LogicalResult AttentionBuilder::add(Value &operand, ExprRef e,
                                    ArrayRef<unsigned> required) {
  if (!e)
    return success();
  OperandBuilder operands(rewriter, loc, match.view, axes);
  FailureOr<Operand> built = operands.build(e, required);
  if (failed(built))
    return failure();
  maps.push_back(mapOf(built->axes));
  operand = built->value;
  return success();
}

/// All biases as one operand: the tensor itself, or the sum of several.
ExprRef AttentionBuilder::sumBiases() {
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
  return sum;
}

/// Gives back the name of an operand that cannot be built; empty if all can.
StringRef AttentionBuilder::addOperands() {
  if (failed(add(query, result.query, {m, k1})))
    return "query";
  if (failed(add(key, result.key, {k2, k1})))
    return "key";
  if (failed(add(value, result.value, {k2, n})))
    return "value";
  if (failed(add(mask, result.mask, {})))
    return "mask";
  if (failed(add(bias, sumBiases(), {})))
    return "bias";
  if (failed(add(sinks, result.sink, {})))
    return "sink";
  if (failed(add(keyBegin, result.keyBegin, {})) ||
      failed(add(keyEnd, result.keyEnd, {})))
    return "bound of the keys that a row sees";
  for (ExprRef input : getScoreInputs(match.ctx, result.region))
    if (failed(add(scoreInputs.emplace_back(), input, {})))
      return "change of the scores";
  return "";
}

/// The order of the output's axes: as the model's result has them. Axes of
/// several digits that are apart in the result are put together, and the result
/// transposed.
void AttentionBuilder::layOutOutput() {
  auto take = [&](unsigned axis) {
    if (!llvm::is_contained(order, axis))
      order.push_back(axis);
  };
  for (ExprRef index : result.rootIndices) {
    rootDims.push_back(match.ctx.getDigits(index)->vars);
    for (ExprRef digit : rootDims.back())
      for (auto [i, axis] : llvm::enumerate(axes))
        if (llvm::is_contained(axis.digits, digit))
          take(i);
  }
  take(m);
  take(n);
  for (unsigned axis : order)
    outDims.push_back(axes[axis].digits);
}

AttentionOp AttentionBuilder::createAttention() {
  OperandBuilder operands(rewriter, loc, match.view, axes);
  SmallVector<OpFoldResult> sizes;
  for (unsigned axis : order)
    sizes.push_back(operands.size(axes[axis].size));
  Type element = getElementTypeOrSelf(result.root.getType());
  Value init = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  maps.push_back(mapOf(order));

  auto f64 = [&](double x) { return rewriter.getF64FloatAttr(x); };
  auto i64 = [&](std::optional<int64_t> x) {
    return x ? rewriter.getI64IntegerAttr(*x) : IntegerAttr();
  };
  auto attention = AttentionOp::create(
      rewriter, loc, init.getType(), query, key, value, /*self_value=*/Value(),
      mask, bias, sinks, /*strength=*/Value(), /*key_lengths=*/Value(),
      keyBegin, keyEnd, /*query_offset=*/Value(), scoreInputs,
      /*query_start=*/Value(), /*key_start=*/Value(), init,
      /*lse_output=*/Value(), /*max_output=*/Value(), /*sum_output=*/Value(),
      /*coefficient_output=*/Value(), rewriter.getAffineMapArrayAttr(maps),
      result.scale == 1 ? FloatAttr() : f64(result.scale),
      result.softcap ? f64(*result.softcap) : FloatAttr(), result.causal,
      result.alignment, i64(result.windowLeft), i64(result.windowRight),
      ExclusionAttr());
  if (!result.region.empty())
    buildScoreRegion(rewriter, attention, result.region);
  return attention;
}

/// Back to the model's shape.
Value AttentionBuilder::restoreShape(Value output) {
  OperandBuilder operands(rewriter, loc, match.view, axes);
  output = operands.rearrange(output, outDims, rootDims);
  if (output.getType() == result.root.getType())
    return output;
  return tensor::CastOp::create(rewriter, loc, result.root.getType(), output);
}

FailureOr<AttentionOp> AttentionBuilder::build() {
  BuildAttempt attempt(rewriter, match.view, result.root.getDefiningOp());
  auto giveUp = [&](const Twine &why) -> FailureOr<AttentionOp> {
    match.refuse(why);
    attempt.undo();
    return failure();
  };
  if (StringRef operand = addOperands(); !operand.empty())
    return giveUp("the " + operand + " cannot be expressed as a tensor");
  layOutOutput();
  AttentionOp attention = createAttention();
  Value output = restoreShape(attention.getResult(0));
  if (std::string fault = attempt.findFault(); !fault.empty())
    return giveUp("the raised form is not valid: " + fault);
  rewriter.replaceAllUsesWith(result.root, output);
  return attention;
}

FailureOr<AttentionOp> xsa::buildAttention(RewriterBase &rewriter,
                                           MatchContext &match,
                                           const AttentionMatch &result) {
  return AttentionBuilder(rewriter, match, result).build();
}
