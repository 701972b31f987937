//===- ScoreRegion.cpp - Scores that no attribute describes ---------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One scalar operation per step, in the accumulator type.
//
//===----------------------------------------------------------------------===//

#include "ScoreRegion.h"

#include "xsa/Dialect/XSA/IR/AttentionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace xsa;

SmallVector<ExprRef> xsa::getScoreInputs(ExprContext &ctx,
                                         ArrayRef<ScoreStep> steps) {
  SmallVector<ExprRef> inputs;
  Type type = Float32Type::get(ctx.getContext());
  for (const ScoreStep &step : steps) {
    ExprRef e = step.expr;
    if (!e)
      continue;
    if (e->isBool())
      e = ctx.select(e, ctx.constant(type, 1), ctx.constant(type, 0));
    inputs.push_back(e);
    if (step.fill)
      inputs.push_back(step.fill);
  }
  return inputs;
}

namespace {
/// Hands out the block's arguments in the order of `getScoreInputs`.
class RegionBuilder {
public:
  RegionBuilder(ImplicitLocOpBuilder &b, Block &block)
      : b(b), arguments(block.getArguments().drop_front()),
        type(block.getArgument(0).getType()) {}

  Value apply(const ScoreStep &step, Value score);

private:
  Value next() {
    Value argument = arguments.front();
    arguments = arguments.drop_front();
    return castFloat(b, argument, type);
  }
  Value number(double x) {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, x));
  }

  ImplicitLocOpBuilder &b;
  ArrayRef<BlockArgument> arguments;
  Type type;
};
} // namespace

Value RegionBuilder::apply(const ScoreStep &step, Value score) {
  switch (step.kind) {
  case ScoreStep::Scale:
    return arith::MulFOp::create(b, score, number(step.number));
  case ScoreStep::Factor:
    return step.inverse ? arith::DivFOp::create(b, score, next()).getResult()
                        : arith::MulFOp::create(b, score, next()).getResult();
  case ScoreStep::Cap:
    return math::TanhOp::create(b, score);
  case ScoreStep::AtLeast:
    return arith::MaximumFOp::create(b, score, number(step.number));
  case ScoreStep::AtMost:
    return arith::MinimumFOp::create(b, score, number(step.number));
  case ScoreStep::Bias: {
    Value term = next();
    if (step.number != 1)
      term = arith::MulFOp::create(b, term, number(step.number));
    return arith::AddFOp::create(b, score, term);
  }
  case ScoreStep::Mask: {
    Value keep =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, next(), number(0));
    Value fill = step.fill ? next() : number(step.number);
    return arith::SelectOp::create(b, keep, score, fill);
  }
  }
  llvm_unreachable("every step is handled above");
}

void xsa::buildScoreRegion(OpBuilder &builder, AttentionOp op,
                           ArrayRef<ScoreStep> steps) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types = {op.getAccumulatorType()};
  for (Value input : op.getScoreInputs())
    types.push_back(getElementTypeOrSelf(input.getType()));
  types.append(2, builder.getIndexType());
  SmallVector<Location> locations(types.size(), op.getLoc());
  Block *block =
      builder.createBlock(&op.getScoreRegion(), {}, types, locations);
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  RegionBuilder region(b, *block);
  Value score = block->getArgument(0);
  for (const ScoreStep &step : steps)
    score = region.apply(step, score);
  YieldOp::create(b, score);
}
