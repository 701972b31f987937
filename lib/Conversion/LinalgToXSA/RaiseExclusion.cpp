//===- RaiseExclusion.cpp - Models that are exclusive already -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs on raised attention. What follows an attention is looked at from the end
// towards it, so that the widest expression that is an exclusion wins.
//
//===----------------------------------------------------------------------===//

#include "RaiseExclusion.h"
#include "ExclusionMatch.h"
#include "OperandBuilder.h"
#include "OutputAccess.h"

#include "xsa/Analysis/AttentionReport.h"
#include "xsa/Analysis/TokenAxis.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// The own value
//===----------------------------------------------------------------------===//

/// Whether what is projected on is the own value row of the token whose output
/// is read.
static bool isOwnValue(MatchContext &match, const OutputAccess &output,
                       const ExclusionMatch &exclusion) {
  ExprRef ownRow = getOwnRow(match, output);
  ExprUnifier unifier(match.view, {});
  return ownRow && unifier.unify(ownRow, exclusion.value);
}

/// Whether the dot product runs over exactly the output's columns.
static bool coversColumns(MatchContext &match, const OutputAccess &output,
                          const ExclusionMatch &exclusion) {
  AttentionOp op = output.op;
  unsigned n = op.getValueDepthDim();
  auto digits = match.ctx.getDigits(output.loops[n]);
  if (!digits || ExprContext::getInteger(digits->offset) != 0 ||
      ExprContext::getInteger(digits->stride) != 1 ||
      digits->vars.size() != exclusion.columns.size())
    return false;
  auto outDim =
      op.getOutputMap().getResultPosition(getAffineDimExpr(n, op.getContext()));
  return digits->size == match.view.extent(op.getOutput(), *outDim) &&
         llvm::all_of(exclusion.columns, [&](ExprRef var) {
           return llvm::is_contained(digits->vars, var);
         });
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {
/// An operand and its map; null if there is none.
struct MappedOperand {
  Value value;
  AffineMap map;
};

class ExclusionBuilder {
public:
  ExclusionBuilder(RewriterBase &rewriter, MatchContext &match,
                   const ExclusionMatch &exclusion)
      : rewriter(rewriter), match(match), exclusion(exclusion),
        loc(exclusion.root.getLoc()) {
    for (ExprRef index : exclusion.rootIndices) {
      rootDims.push_back(match.ctx.getDigits(index)->vars);
      for (ExprRef digit : rootDims.back())
        digits.push_back(digit);
    }
  }

  LogicalResult buildAttention(const OutputAccess &output, ExprRef access);
  LogicalResult buildExclude();

private:
  SmallVector<Axis> layOutRows() const;
  FailureOr<MappedOperand> buildStrength(ArrayRef<Axis> axes);
  FailureOr<MappedOperand> buildOperand(ExprRef e, ArrayRef<Axis> axes,
                                        ArrayRef<unsigned> required);
  ExclusionAttr getAttribute() {
    return ExclusionAttr::get(rewriter.getContext(), exclusion.denominator,
                              exclusion.eps, exclusion.strength);
  }
  ExprRef getStrength();
  void replaceRoot(Value value) {
    rewriter.replaceAllUsesWith(exclusion.root, value);
  }

  RewriterBase &rewriter;
  MatchContext &match;
  const ExclusionMatch &exclusion;
  Location loc;
  OperandBuilder::Dims rootDims;
  SmallVector<ExprRef> digits;
};
} // namespace

/// The strength that is not constant; null if there is none.
ExprRef ExclusionBuilder::getStrength() {
  ExprRef strength = nullptr;
  for (auto [factor, power] : exclusion.strengthFactors) {
    Type type = factor->getType();
    for (int i = 0; i < std::abs(power); ++i) {
      if (!strength)
        strength = match.ctx.constant(type, 1);
      if (strength->getType() != type)
        strength = match.ctx.apply(ExprOp::Cast, type, strength);
      strength = match.ctx.apply(power > 0 ? ExprOp::Mul : ExprOp::Div, type,
                                 {strength, factor});
    }
  }
  return strength;
}

FailureOr<MappedOperand>
ExclusionBuilder::buildOperand(ExprRef e, ArrayRef<Axis> axes,
                               ArrayRef<unsigned> required) {
  OperandBuilder operands(rewriter, loc, match.view, axes);
  FailureOr<Operand> operand = operands.build(e, required);
  if (failed(operand))
    return failure();
  SmallVector<AffineExpr> results;
  for (unsigned axis : operand->axes)
    results.push_back(rewriter.getAffineDimExpr(axis));
  return MappedOperand{operand->value, AffineMap::get(axes.size(), 0, results,
                                                      rewriter.getContext())};
}

FailureOr<MappedOperand> ExclusionBuilder::buildStrength(ArrayRef<Axis> axes) {
  ExprRef strength = getStrength();
  return strength ? buildOperand(strength, axes, {}) : MappedOperand();
}

/// A copy of the attention in the exclusive form, seen through the layout that
/// the model gives its output.
LogicalResult ExclusionBuilder::buildAttention(const OutputAccess &output,
                                               ExprRef access) {
  AttentionOp op = output.op;
  if (op.getLse() || op.getStrength() || op.isExclusive())
    return failure();
  rewriter.setInsertionPoint(exclusion.root.getDefiningOp());
  // Where an index is no number, a strength that depends on it has no axis.
  SmallVector<Axis> domain(op.getNumLoops());
  for (auto [axis, loop] : llvm::zip_equal(domain, output.loops))
    if (auto numbers = loop ? match.ctx.getDigits(loop) : std::nullopt)
      axis.digits = numbers->vars;
  FailureOr<MappedOperand> strength = buildStrength(domain);
  if (failed(strength))
    return failure();
  Value ownRows = getOwnRows(rewriter, match.view, op);
  auto exclusive = cast<AttentionOp>(rewriter.clone(*op));
  exclusive.assignOperand(AttentionOp::odsIndex_self_value, ownRows,
                          getOwnRowsMap(op));
  if (strength->value)
    exclusive.assignOperand(AttentionOp::odsIndex_strength, strength->value,
                            strength->map);
  exclusive.setExclusionAttr(getAttribute());

  ExprRef result =
      match.view.access(exclusive->getResult(0), access->getOperands());
  Type element = getElementTypeOrSelf(exclusion.root.getType());
  if (result->getType() != element)
    result = match.ctx.apply(ExprOp::Cast, element, result);
  SmallVector<Axis> axes(digits.size());
  for (auto [axis, digit] : llvm::zip_equal(axes, digits))
    axis.digits = {digit};
  OperandBuilder operands(rewriter, loc, match.view, axes);
  FailureOr<Value> shaped = operands.buildInOrder(result, rootDims);
  if (failed(shaped))
    return failure();
  replaceRoot(*shaped);
  return success();
}

/// Rows in the order of the result, the columns last.
SmallVector<Axis> ExclusionBuilder::layOutRows() const {
  SmallVector<Axis> axes;
  Axis columns;
  for (ExprRef digit : digits)
    if (llvm::is_contained(exclusion.columns, digit))
      columns.digits.push_back(digit);
    else
      axes.emplace_back().digits.push_back(digit);
  axes.push_back(columns);
  return axes;
}

LogicalResult ExclusionBuilder::buildExclude() {
  rewriter.setInsertionPoint(exclusion.root.getDefiningOp());
  SmallVector<Axis> axes = layOutRows();
  unsigned n = axes.size() - 1;
  SmallVector<unsigned> all = llvm::to_vector(llvm::seq(0u, n + 1));
  FailureOr<MappedOperand> input = buildOperand(exclusion.input, axes, all);
  FailureOr<MappedOperand> value = buildOperand(exclusion.value, axes, {n});
  FailureOr<MappedOperand> strength = buildStrength(axes);
  if (failed(input) || failed(value) || failed(strength))
    return failure();

  OperandBuilder operands(rewriter, loc, match.view, axes);
  SmallVector<OpFoldResult> sizes;
  OperandBuilder::Dims outDims;
  for (const Axis &axis : axes) {
    ExprRef size = match.ctx.integer(1);
    for (ExprRef digit : axis.digits)
      size = match.ctx.mul(size, digit->getExtent());
    sizes.push_back(operands.size(size));
    outDims.push_back(axis.digits);
  }
  Type element = getElementTypeOrSelf(exclusion.root.getType());
  Value init = tensor::EmptyOp::create(rewriter, loc, sizes, element);
  SmallVector<AffineMap> maps = {input->map, value->map};
  if (strength->value)
    maps.push_back(strength->map);
  maps.push_back(rewriter.getMultiDimIdentityMap(axes.size()));
  auto op = ExcludeOp::create(
      rewriter, loc, init.getType(), input->value, value->value,
      strength->value, init, /*coefficient_output=*/Value(),
      rewriter.getAffineMapArrayAttr(maps), getAttribute());
  Value result = operands.rearrange(op->getResult(0), outDims, rootDims);
  if (result.getType() != exclusion.root.getType())
    result =
        tensor::CastOp::create(rewriter, loc, exclusion.root.getType(), result);
  replaceRoot(result);
  return success();
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

static bool matchRoot(MatchContext &match, Value root,
                      ExclusionMatch &exclusion) {
  auto containsInput = [&](ExprRef e) {
    SmallVector<ExprRef> accesses;
    collectAttentions(match, e, accesses);
    return !accesses.empty();
  };
  return matchWithDigits(match, root, [&](ArrayRef<ExprRef> indices) {
    exclusion = {};
    exclusion.root = root;
    llvm::append_range(exclusion.rootIndices, indices);
    if (!matchExclusion(match, containsInput, exclusion))
      return false;
    match.view.peelLayout(exclusion.input);
    match.view.peelLayout(exclusion.value);
    return true;
  });
}

/// Raises the exclusion at `root` if it changes the output of `op`. `changed`
/// are all attentions in what it changes.
static LogicalResult raiseAt(MatchContext &match, RewriterBase &rewriter,
                             AttentionOp op, Value root,
                             llvm::DenseSet<Operation *> &changed) {
  ExclusionMatch exclusion;
  if (!matchRoot(match, root, exclusion))
    return failure();
  SmallVector<ExprRef> accesses;
  collectAttentions(match, exclusion.input, accesses);
  ExclusionBuilder builder(rewriter, match, exclusion);
  for (ExprRef access : accesses) {
    OutputAccess output = getOutputAccess(access);
    if (output.op != op || !isOwnValue(match, output, exclusion))
      continue;
    bool isWhole = match.look(exclusion.input) == access &&
                   coversColumns(match, output, exclusion);
    if ((!isWhole || failed(builder.buildAttention(output, access))) &&
        failed(builder.buildExclude()))
      return failure();
    for (ExprRef other : accesses)
      changed.insert(other->getValue().getDefiningOp());
    return success();
  }
  return failure();
}

/// Marks attentions that must not be made exclusive, because something that is
/// not quite an exclusion follows.
static void markNearExclusions(Operation *root) {
  ExprContext ctx(root->getContext());
  TensorView view(ctx);
  view.learnSizes(root);
  ConstantEvaluator evaluator(view);
  root->walk([&](AttentionOp op) {
    if (op.isExclusive() || findLaterExclusion(op) || op->hasAttr("xsa.escape"))
      return;
    MatchContext match(view, evaluator);
    if (losesOwnValue(match, op))
      op->setAttr("xsa.escape",
                  StringAttr::get(op.getContext(),
                                  "the model takes part of the own value out "
                                  "of its output already, in a way that is "
                                  "not recognised"));
  });
}

void xsa::raiseExclusions(Operation *root, RewriterBase &rewriter) {
  SmallVector<AttentionOp> attentions;
  root->walk([&](AttentionOp op) { attentions.push_back(op); });
  ExprContext ctx(root->getContext());
  TensorView view(ctx);
  view.learnSizes(root);
  ConstantEvaluator evaluator(view);
  SmallVector<Operation *> replaced;
  llvm::DenseSet<Operation *> changed;
  for (AttentionOp op : attentions) {
    if (changed.contains(op))
      continue;
    for (Value sum : collectSums(op)) {
      MatchContext match(view, evaluator);
      if (failed(raiseAt(match, rewriter, op, sum, changed)))
        continue;
      replaced.push_back(sum.getDefiningOp());
      view.forget();
      break;
    }
  }
  eraseDead(replaced);
  markNearExclusions(root);
}
