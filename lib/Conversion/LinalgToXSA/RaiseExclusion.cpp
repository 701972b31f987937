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
#include "BuildAttempt.h"
#include "ExclusionMatch.h"
#include "OperandBuilder.h"

#include "xsa/Analysis/AttentionReport.h"
#include "xsa/Analysis/OutputAccess.h"
#include "xsa/Analysis/TokenAxis.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// The own value
//===----------------------------------------------------------------------===//

/// Whether what is projected on is the own value row of the token whose output
/// is read.
static bool isOwnValue(MatchContext &match, const OutputAccess &output,
                       const ExclusionMatch &exclusion) {
  ExprRef ownRow = getOwnRow(match.view, output);
  ExprUnifier unifier(match.view, {});
  return ownRow && unifier.unify(ownRow, exclusion.value);
}

/// Whether the dot product stays within one row of the output: one along
/// tokens, or over several heads at once, is another computation. Variables
/// that only the dot product has are no part of the output.
static bool staysInRow(const OutputAccess &output,
                       const ExclusionMatch &exclusion) {
  AttentionOp op = output.op;
  for (auto [dim, loop] : llvm::enumerate(output.loops))
    if (loop && dim != op.getValueDepthDim() &&
        loop->dependsOnAny(exclusion.columns))
      return false;
  return true;
}

/// Whether the dot product runs over exactly the output's columns: indices of
/// as many digits as there are columns are all of them, in order.
static bool coversColumns(MatchContext &match, const OutputAccess &output,
                          const ExclusionMatch &exclusion) {
  AttentionOp op = output.op;
  unsigned n = op.getValueDepthDim();
  auto digits = match.ctx.getDigits(output.loops[n]);
  if (!digits || digits->vars.size() != exclusion.columns.size())
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

  FailureOr<Value> buildAttention(const OutputAccess &output, ExprRef access);
  FailureOr<Value> buildExclude();

private:
  void setElementType(AttentionOp op, Type element);
  SmallVector<Axis> layOutRows() const;
  FailureOr<MappedOperand> buildStrength(ArrayRef<Axis> axes);
  FailureOr<MappedOperand> buildOperand(ExprRef e, ArrayRef<Axis> axes,
                                        ArrayRef<unsigned> required);
  ExclusionAttr getAttribute() {
    return ExclusionAttr::get(rewriter.getContext(), exclusion.denominator,
                              exclusion.eps, exclusion.strength);
  }
  ExprRef getStrength();

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

/// Where a model widens or rounds the output before or after it takes the own
/// value out, the operation has what is left at the end as its result.
void ExclusionBuilder::setElementType(AttentionOp op, Type element) {
  Value output = op.getOutput();
  if (getElementTypeOrSelf(output.getType()) == element)
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value init = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, output), element);
  op.getOutputMutable().assign(init);
  op->getResult(0).setType(cast<TensorType>(init.getType()));
}

/// A copy of the attention in the exclusive form, seen through the layout that
/// the model gives its output.
FailureOr<Value> ExclusionBuilder::buildAttention(const OutputAccess &output,
                                                  ExprRef access) {
  AttentionOp op = output.op;
  if (op->getNumResults() != 1 || op.getStrength() || op.isExclusive())
    return failure();
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
  Type element = getElementTypeOrSelf(exclusion.root.getType());
  setElementType(exclusive, element);

  ExprRef result =
      match.view.access(exclusive->getResult(0), access->getOperands());
  if (exclusion.added && exclusion.added->getType() != element)
    return failure();
  if (exclusion.added)
    result = match.ctx.apply(ExprOp::Add, element, {result, exclusion.added});
  SmallVector<Axis> axes(digits.size());
  for (auto [axis, digit] : llvm::zip_equal(axes, digits))
    axis.digits = {digit};
  OperandBuilder operands(rewriter, loc, match.view, axes);
  return operands.buildInOrder(result, rootDims);
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

FailureOr<Value> ExclusionBuilder::buildExclude() {
  if (exclusion.added)
    return failure();
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
  return operands.rearrange(op->getResult(0), outDims, rootDims);
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

static bool matchAt(MatchContext &match, Value root, ArrayRef<ExprRef> indices,
                    ExclusionMatch &exclusion, bool withMore) {
  auto containsInput = [&](ExprRef e) {
    return !collectAttentions(match.view, e).empty();
  };
  exclusion = {};
  exclusion.root = root;
  llvm::append_range(exclusion.rootIndices, indices);
  if (!matchExclusion(match, containsInput, exclusion, withMore))
    return false;
  match.view.peelLayout(exclusion.input);
  match.view.peelLayout(exclusion.value);
  return true;
}

namespace {
/// Exclusions that together are one value: one for all of it, or one for each
/// piece along a dimension, where heads were computed one by one.
struct PiecewiseExclusion {
  SmallVector<ExclusionMatch> pieces;
  unsigned dim = 0;
};
} // namespace

/// Looks at the pieces along the leading digit of `indices[dim]`.
static bool matchPieces(MatchContext &match, Value root,
                        ArrayRef<ExprRef> indices, ArrayRef<int64_t> counts,
                        PiecewiseExclusion &result) {
  auto digits = match.ctx.getDigits(indices[result.dim]);
  if (!digits || digits->vars.empty())
    return false;
  ExprRef var = digits->vars.front();
  auto count = ExprContext::getInteger(var->getExtent());
  if (!count || !llvm::is_contained(counts, *count))
    return false;
  result.pieces.resize(*count);
  for (int64_t piece = 0; piece < *count; ++piece) {
    SmallVector<ExprRef> start(indices);
    start[result.dim] = match.ctx.substitute(indices[result.dim],
                                             {{var, match.ctx.integer(piece)}});
    if (!matchWithDigits(
            match.view, ArrayRef(start), [&](ArrayRef<ExprRef> refined) {
              return matchAt(match, root, refined, result.pieces[piece],
                             /*withMore=*/false);
            }))
      return false;
  }
  return true;
}

static bool matchRoot(MatchContext &match, AttentionOp op, Value root,
                      bool withMore, PiecewiseExclusion &result) {
  result.pieces.resize(1);
  SmallVector<ExprRef> whole;
  if (matchWithDigits(match.view, root, [&](ArrayRef<ExprRef> indices) {
        whole.assign(indices.begin(), indices.end());
        return matchAt(match, root, indices, result.pieces[0], withMore);
      }))
    return true;
  if (withMore)
    return false;
  SmallVector<int64_t> counts = collectPieceCounts(op);
  for (result.dim = 0; result.dim < whole.size(); ++result.dim)
    if (!counts.empty() && matchPieces(match, root, whole, counts, result))
      return true;
  return false;
}

/// The attention whose own value is taken out of its output, and how that
/// output is read; null if there is none.
static ExprRef findOwner(MatchContext &match, const ExclusionMatch &exclusion,
                         ArrayRef<ExprRef> accesses, AttentionOp only) {
  for (ExprRef access : accesses) {
    OutputAccess output = getOutputAccess(access);
    if ((only && output.op != only) || !isOwnValue(match, output, exclusion))
      continue;
    if (staysInRow(output, exclusion))
      return access;
    match.refuse("the dot product of output and value runs over more than one "
                 "row of one head, such as over the tokens");
  }
  match.refuse("what is taken out of the output is not along its own value but "
               "along another vector, such as another head's or token's value");
  return nullptr;
}

/// Whether the strength is computed from the output, which the operation that
/// computes the output cannot take.
static bool isOutputInStrength(const ExclusionMatch &exclusion,
                               AttentionOp op) {
  if (exclusion.strengthFactors.empty())
    return false;
  llvm::SetVector<Operation *> users = collectUsers(op);
  llvm::SmallPtrSet<ExprRef, 32> seen;
  std::function<bool(ExprRef)> reads = [&](ExprRef e) {
    if (!seen.insert(e).second)
      return false;
    return e->is(ExprKind::Access)
               ? users.contains(e->getValue().getDefiningOp())
               : llvm::any_of(e->getOperands(), reads);
  };
  return llvm::any_of(exclusion.strengthFactors,
                      [&](const auto &factor) { return reads(factor.first); });
}

static FailureOr<Value> buildPiece(MatchContext &match, RewriterBase &rewriter,
                                   const ExclusionMatch &exclusion,
                                   ExprRef access) {
  ExclusionBuilder builder(rewriter, match, exclusion);
  OutputAccess output = getOutputAccess(access);
  if (match.look(exclusion.input) == access &&
      coversColumns(match, output, exclusion) &&
      !isOutputInStrength(exclusion, output.op)) {
    FailureOr<Value> whole = builder.buildAttention(output, access);
    if (succeeded(whole))
      return whole;
  }
  return builder.buildExclude();
}

/// Builds all pieces, and puts them together as the value that they replace.
static FailureOr<Value> buildPieces(MatchContext &match, RewriterBase &rewriter,
                                    const PiecewiseExclusion &exclusion,
                                    ArrayRef<ExprRef> owners, Value root) {
  SmallVector<Value> values;
  Value result;
  for (auto [piece, owner] : llvm::zip_equal(exclusion.pieces, owners)) {
    FailureOr<Value> value = buildPiece(match, rewriter, piece, owner);
    if (failed(value))
      return failure();
    result = *value;
    values.push_back(result);
  }
  if (values.size() > 1)
    result = tensor::ConcatOp::create(rewriter, root.getLoc(), exclusion.dim,
                                      values);
  if (result.getType() != root.getType())
    result =
        tensor::CastOp::create(rewriter, root.getLoc(), root.getType(), result);
  return result;
}

/// Raises the exclusion at `root` if it changes the output of `op`, perhaps
/// with more added to it. `changed` are all attentions in what it changes.
static LogicalResult raiseAt(MatchContext &match, RewriterBase &rewriter,
                             AttentionOp op, Value root, bool withMore,
                             llvm::DenseSet<Operation *> &changed) {
  PiecewiseExclusion exclusion;
  if (!matchRoot(match, op, root, withMore, exclusion))
    return failure();
  SmallVector<ExprRef> owners, accesses;
  bool inPieces = exclusion.pieces.size() > 1;
  for (const ExclusionMatch &piece : exclusion.pieces) {
    SmallVector<ExprRef> inPiece = collectAttentions(match.view, piece.input);
    owners.push_back(
        findOwner(match, piece, inPiece, inPieces ? AttentionOp() : op));
    if (!owners.back())
      return failure();
    llvm::append_range(accesses, inPiece);
  }
  BuildAttempt attempt(rewriter, match.view, root.getDefiningOp());
  FailureOr<Value> result =
      buildPieces(match, rewriter, exclusion, owners, root);
  std::string fault = failed(result)
                          ? "an operand cannot be expressed as a tensor"
                          : attempt.findFault();
  if (!fault.empty()) {
    match.refuse("the raised form is not valid: " + fault);
    attempt.undo();
    return failure();
  }
  rewriter.replaceAllUsesWith(root, *result);
  for (ExprRef access : accesses)
    changed.insert(access->getValue().getDefiningOp());
  return success();
}

/// Raises the exclusion of the output of `op`, if there is one; gives back the
/// operation that computed it. `reason` says why one was left alone.
static Operation *raiseExclusion(TensorView &view, ConstantEvaluator &evaluator,
                                 RewriterBase &rewriter, AttentionOp op,
                                 llvm::DenseSet<Operation *> &changed,
                                 std::string &reason) {
  OutputSums sums = collectSums(op);
  auto tryAt = [&](Value root, bool withMore) {
    MatchContext match(view, evaluator);
    bool raised =
        succeeded(raiseAt(match, rewriter, op, root, withMore, changed));
    if (!raised && reason.empty())
      reason = match.reason;
    return raised;
  };
  for (Value root : llvm::concat<Value>(sums.elementwise, sums.contractions))
    if (tryAt(root, /*withMore=*/false))
      return root.getDefiningOp();
  for (Value root : sums.elementwise)
    if (tryAt(root, /*withMore=*/true))
      return root.getDefiningOp();
  return nullptr;
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
    std::string reason;
    if (Operation *old =
            raiseExclusion(view, evaluator, rewriter, op, changed, reason)) {
      replaced.push_back(old);
      view.forget();
    } else if (!reason.empty()) {
      op.emitRemark("exclusion left alone: ") << reason;
    }
  }
  eraseDead(replaced);
  // What is left of an attention beside its exclusive form, such as one end of
  // an interpolation, is not to be made exclusive as well.
  root->walk([&](AttentionOp op) {
    if (changed.contains(op) && !op.isExclusive() && !findLaterExclusion(op))
      op->setAttr("xsa.escape",
                  rewriter.getStringAttr("its output is used both with and "
                                         "without the model's own exclusion"));
  });
}
