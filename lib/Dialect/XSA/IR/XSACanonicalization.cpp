//===- XSACanonicalization.cpp - Canonical forms of the operations --------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout changes go into the maps, masks that are causal become `causal`, and
// an exclusion right after attention becomes the exclusive form. All of these
// keep the meaning; folding an exclusion only removes one rounding.
//
//===----------------------------------------------------------------------===//

#include "OperandRules.h"

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace xsa;
using namespace xsa::detail;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// For a value that only rearranges or repeats another: that other value, and
/// the map from the dimensions of the value to those of the other.
static std::optional<std::pair<Value, AffineMap>>
matchRearrangement(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      op.hasIndexSemantics())
    return std::nullopt;
  Block *body = op.getBlock();
  if (!llvm::hasSingleElement(body->getOperations()) ||
      body->getTerminator()->getOperand(0) != body->getArgument(0))
    return std::nullopt;
  AffineMap in = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!in.isProjectedPermutation() || !out.isPermutation())
    return std::nullopt;
  return std::pair(op.getDpsInputOperand(0)->get(),
                   in.compose(inversePermutation(out)));
}

namespace {
/// Reads through transposes and broadcasts of an input.
template <typename OpTy> struct FoldRearrangedOperand : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not on tensors");
    SmallVector<OperandRule> rules = getOperandRules(op);
    for (const OperandRule &rule : rules) {
      if (op.isDpsInit(rule.operand))
        continue;
      auto rearranged = matchRearrangement(rule.operand->get());
      if (!rearranged)
        continue;
      AffineMap map = rearranged->second.compose(rule.map);
      if (!rule.accepts(map))
        continue;
      setOperand(op, rewriter, *rule.operand, rearranged->first, map);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is a rearrangement");
  }

  static void setOperand(OpTy op, PatternRewriter &rewriter, OpOperand &operand,
                         Value value, AffineMap map) {
    SmallVector<AffineMap> maps = op.getMaps();
    for (auto [shaped, old] : llvm::zip_equal(op.getShapedOperands(), maps))
      if (shaped == &operand)
        old = map;
    rewriter.modifyOpInPlace(op, [&] {
      operand.set(value);
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
  }
};

/// Writes the result in the layout that its only user transposes it to.
template <typename OpTy> struct FoldTransposedResult : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "not on tensors");
    for (OpResult result : op->getResults()) {
      if (!result.hasOneUse())
        continue;
      auto user = dyn_cast<linalg::LinalgOp>(*result.user_begin());
      // The transposition's destination takes the operation's place, so it must
      // be defined before the operation or move there.
      if (!user || user->getNumResults() != 1)
        continue;
      auto rearranged = matchRearrangement(user->getResult(0));
      auto empty = user.getDpsInitOperand(0)
                       ->get()
                       .template getDefiningOp<tensor::EmptyOp>();
      if (!rearranged || rearranged->first != result ||
          !rearranged->second.isPermutation() || !empty)
        continue;
      fold(op, user, result.getResultNumber(), rearranged->second, rewriter);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no result is only transposed");
  }

  static void fold(OpTy op, linalg::LinalgOp user, unsigned number,
                   AffineMap fromUser, PatternRewriter &rewriter) {
    OpOperand &init = *op.getDpsInitOperand(number);
    AffineMap toUser = inversePermutation(fromUser);
    rewriter.setInsertionPoint(op);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, op.getLoc(), init.get());
    SmallVector<OpFoldResult> permuted;
    for (AffineExpr expr : toUser.getResults())
      permuted.push_back(sizes[cast<AffineDimExpr>(expr).getPosition()]);
    auto elementType =
        cast<RankedTensorType>(init.get().getType()).getElementType();
    Value empty =
        tensor::EmptyOp::create(rewriter, op.getLoc(), permuted, elementType);

    SmallVector<Value> operands(op->getOperands());
    operands[init.getOperandNumber()] = empty;
    SmallVector<Type> types(op->getResultTypes());
    types[number] = empty.getType();
    auto folded = cast<OpTy>(cloneOnto(rewriter, op, types, operands));
    SmallVector<AffineMap> maps = op.getMaps();
    for (auto [shaped, map] : llvm::zip_equal(op.getShapedOperands(), maps))
      if (shaped == &init)
        map = toUser.compose(map);
    folded.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));

    Value replacement = folded->getResult(number);
    Type expected = user->getResult(0).getType();
    if (replacement.getType() != expected)
      replacement =
          tensor::CastOp::create(rewriter, op.getLoc(), expected, replacement);
    rewriter.replaceOp(user, replacement);
    for (auto [old, now] :
         llvm::zip_equal(op->getResults(), folded->getResults()))
      if (old.getResultNumber() != number)
        rewriter.replaceAllUsesWith(old, now);
    rewriter.eraseOp(op);
  }
};

//===----------------------------------------------------------------------===//
// Scores and masks
//===----------------------------------------------------------------------===//

/// A scale of one is no scale.
struct DropUnitScale : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getScale() || !op.getScale()->isExactlyValue(1.0))
      return rewriter.notifyMatchFailure(op, "no unit scale");
    rewriter.modifyOpInPlace(op, [&] { op.removeScaleAttr(); });
    return success();
  }
};
} // namespace

/// The value `coefficients . indices + constant` of an integer inside a
/// linalg.generic that only computes with indices.
namespace {
struct LinearIndex {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};
} // namespace

static std::optional<LinearIndex> matchLinearIndex(Value value,
                                                   unsigned numLoops) {
  LinearIndex linear;
  linear.coefficients.assign(numLoops, 0);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    // Beyond that, sums may leave the type.
    if (constant.getSignificantBits() >
        std::min(48u, constant.getBitWidth() - 2))
      return std::nullopt;
    linear.constant = constant.getSExtValue();
    return linear;
  }
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast_or_null<linalg::IndexOp>(op)) {
    linear.coefficients[index.getDim()] = 1;
    return linear;
  }
  // Casts of positions are exact: no tensor has 2^31 rows of scores.
  if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op))
    return matchLinearIndex(op->getOperand(0), numLoops);
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  auto lhs = matchLinearIndex(op->getOperand(0), numLoops);
  auto rhs = matchLinearIndex(op->getOperand(1), numLoops);
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t sign = isa<arith::AddIOp>(op) ? 1 : -1;
  for (auto [l, r] : llvm::zip_equal(lhs->coefficients, rhs->coefficients))
    l += sign * r;
  lhs->constant += sign * rhs->constant;
  return lhs;
}

/// For a mask over (m, k2), in that order of `rowDim` and `keyDim` of the
/// mask's own dimensions: `c` such that the mask keeps exactly `j <= i + c`.
static std::optional<int64_t>
matchCausalGeneric(linalg::GenericOp op, unsigned rowDim, unsigned keyDim) {
  if (op.getNumDpsInputs() != 0 || op->getNumResults() != 1 ||
      op.getNumReductionLoops() != 0 || op.getNumLoops() != 2)
    return std::nullopt;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!out.isPermutation())
    return std::nullopt;
  auto cmp = op.getBlock()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::CmpIOp>();
  if (!cmp)
    return std::nullopt;
  auto lhs = matchLinearIndex(cmp.getLhs(), 2);
  auto rhs = matchLinearIndex(cmp.getRhs(), 2);
  if (!lhs || !rhs)
    return std::nullopt;

  // Bring the comparison to `lhs <= rhs + slack`.
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = cmp.getPredicate();
  if (predicate == Predicate::sge || predicate == Predicate::sgt)
    std::swap(lhs, rhs);
  else if (predicate != Predicate::sle && predicate != Predicate::slt)
    return std::nullopt;
  bool strict = predicate == Predicate::slt || predicate == Predicate::sgt;
  int64_t slack = rhs->constant - lhs->constant - (strict ? 1 : 0);

  unsigned row = out.getDimPosition(rowDim), key = out.getDimPosition(keyDim);
  if (lhs->coefficients[key] - rhs->coefficients[key] != 1 ||
      rhs->coefficients[row] - lhs->coefficients[row] != 1)
    return std::nullopt;
  return slack;
}

/// The same for a constant mask, read value by value.
static std::optional<int64_t> matchCausalConstant(DenseElementsAttr mask,
                                                  unsigned rowDim) {
  auto type = cast<ShapedType>(mask.getType());
  int64_t rows = type.getDimSize(rowDim), keys = type.getDimSize(1 - rowDim);
  SmallVector<bool> values(mask.getValues<bool>());
  auto at = [&](int64_t i, int64_t j) {
    return values[rowDim == 0 ? i * keys + j : j * rows + i];
  };
  // The first row tells the diagonal; a row without keys or with all of them
  // leaves it open, so take the first that does neither.
  std::optional<int64_t> offset;
  for (int64_t i = 0; i < rows && !offset; ++i) {
    int64_t kept = 0;
    while (kept < keys && at(i, kept))
      ++kept;
    if (kept != 0 && kept != keys)
      offset = kept - 1 - i;
  }
  if (!offset)
    return std::nullopt;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < keys; ++j)
      if (at(i, j) != (j <= i + *offset))
        return std::nullopt;
  return offset;
}

namespace {
/// A mask that keeps everything goes; one that keeps `j <= i` becomes `causal`
/// with top-left, one that keeps `j <= i + K2 - M` with bottom-right alignment.
struct MaskToCausal : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMask() || !op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "no mask on tensors");
    DenseElementsAttr constant;
    matchPattern(op.getMask(), m_Constant(&constant));
    if (constant && constant.isSplat() && constant.getSplatValue<bool>()) {
      dropMask(op, rewriter);
      return success();
    }

    AffineMap map = op.getMaskMap();
    auto dim = [&](unsigned loop) {
      return map.getResultPosition(rewriter.getAffineDimExpr(loop));
    };
    std::optional<unsigned> row = dim(op.getQueryDim()),
                            key = dim(op.getKeyDim());
    if (map.getNumResults() != 2 || !row || !key)
      return rewriter.notifyMatchFailure(op,
                                         "the mask is not one over (m, k2)");
    std::optional<int64_t> offset;
    if (constant)
      offset = matchCausalConstant(constant, *row);
    else if (auto generic = op.getMask().getDefiningOp<linalg::GenericOp>())
      offset = matchCausalGeneric(generic, *row, *key);
    if (!offset)
      return rewriter.notifyMatchFailure(op, "the mask is not a diagonal");

    std::optional<Alignment> alignment = alignmentFor(op, *offset);
    if (!alignment)
      return rewriter.notifyMatchFailure(op, "the diagonal is not aligned");
    dropMask(op, rewriter);
    rewriter.modifyOpInPlace(op, [&] {
      op.setCausal(true);
      op.setAlignment(*alignment);
    });
    return success();
  }

  static void dropMask(AttentionOp op, PatternRewriter &rewriter) {
    rewriter.modifyOpInPlace(
        op, [&] { op.assignOperand(AttentionOp::odsIndex_mask, {}, {}); });
  }

  /// The alignment that puts row i at position i + `offset`, if the operation
  /// does not already place its rows elsewhere.
  static std::optional<Alignment> alignmentFor(AttentionOp op, int64_t offset) {
    if (op.getQueryOffset() || op.getQueryStart() || op.getKeyStart())
      return std::nullopt;
    auto maskType = cast<RankedTensorType>(op.getMask().getType());
    std::optional<int64_t> bottomRight;
    if (maskType.hasStaticShape() && !op.getKeyLengths()) {
      int64_t sum = maskType.getDimSize(0) + maskType.getDimSize(1);
      unsigned row = *op.getMaskMap().getResultPosition(
          getAffineDimExpr(op.getQueryDim(), op.getContext()));
      bottomRight = sum - 2 * maskType.getDimSize(row);
    }
    auto fits = [&](Alignment alignment) {
      if (op.usesPositions() && op.getAlignment() != alignment)
        return false;
      return alignment == Alignment::TopLeft ? offset == 0
                                             : offset == bottomRight;
    };
    for (Alignment alignment :
         {op.getAlignment(), Alignment::TopLeft, Alignment::BottomRight})
      if (fits(alignment))
        return alignment;
    return std::nullopt;
  }
};

//===----------------------------------------------------------------------===//
// Exclusions
//===----------------------------------------------------------------------===//

/// attention, then exclude: the exclusive form.
struct FoldExcludeOfAttention : OpRewritePattern<ExcludeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExcludeOp op,
                                PatternRewriter &rewriter) const override {
    auto attention = op.getInput().getDefiningOp<AttentionOp>();
    if (!attention || attention.isExclusive())
      return rewriter.notifyMatchFailure(op, "not of a plain attention");
    if (!attention->getResult(0).hasOneUse())
      return rewriter.notifyMatchFailure(op, "the attention has other users");
    for (Operation *user : attention->getUsers())
      if (user != op &&
          (user->getBlock() != op->getBlock() || user->isBeforeInBlock(op)))
        return rewriter.notifyMatchFailure(
            op, "a result per row is used before the exclusion");

    // Dimensions of the exclusion in terms of the attention's.
    AffineMap toAttention = translate(op, attention);
    if (toAttention.getResult(op.getValueDepthDim()) !=
        getAffineDimExpr(attention.getValueDepthDim(), op.getContext()))
      return rewriter.notifyMatchFailure(
          op, "the exclusion runs along another dimension than the values'");
    AffineMap valueMap = op.getValueMap().compose(toAttention);
    auto has = [&](unsigned dim) { return valueMap.isFunctionOfDim(dim); };
    if (!has(attention.getQueryDim()) || !has(attention.getValueDepthDim()) ||
        op.getAccumulatorType() != attention.getAccumulatorType())
      return rewriter.notifyMatchFailure(
          op, "the value has no row for each query row");
    fold(op, attention, toAttention, valueMap, rewriter);
    return success();
  }

  /// The map from the attention's domain to the exclusion's: the attention's
  /// output and the exclusion's input are the same tensor.
  static AffineMap translate(ExcludeOp op, AttentionOp attention) {
    return inversePermutation(op.getInputMap())
        .compose(attention.getOutputMap());
  }

  static void fold(ExcludeOp op, AttentionOp attention, AffineMap toAttention,
                   AffineMap valueMap, PatternRewriter &rewriter) {
    // The coefficient comes after what there is of the softmax.
    ResultRange rowResults = attention->getResults().drop_front();
    SmallVector<Type> types{op->getResult(0).getType()};
    llvm::append_range(types, rowResults.getTypes());
    if (Value coefficient = op.getCoefficient())
      types.push_back(coefficient.getType());
    auto folded = cast<AttentionOp>(
        cloneOnto(rewriter, attention, types, attention->getOperands()));
    using Op = AttentionOp;
    folded.assignOperand(Op::odsIndex_output, op.getOutput(),
                         op.getOutputMap().compose(toAttention));
    folded.assignOperand(Op::odsIndex_self_value, op.getValue(), valueMap);
    if (Value strength = op.getStrength())
      folded.assignOperand(Op::odsIndex_strength, strength,
                           op.getStrengthMap().compose(toAttention));
    if (Value coefficient = op.getCoefficientOutput())
      folded.assignOperand(Op::odsIndex_coefficient_output, coefficient,
                           op.getCoefficientMap().compose(toAttention));
    folded.setExclusionAttr(op.getExclusion());

    rewriter.replaceAllUsesWith(
        rowResults, folded->getResults().slice(1, rowResults.size()));
    SmallVector<Value> replacements{folded->getResult(0)};
    if (op.getCoefficient())
      replacements.push_back(folded->getResults().back());
    rewriter.replaceOp(op, replacements);
    rewriter.eraseOp(attention);
  }
};
} // namespace

/// Whether `exclusion` with this strength operand leaves exactly nothing along
/// the value: raw denominator, strength one. Clamped denominators leave a part
/// of rows below their eps.
static bool removesAll(ExclusionAttr exclusion, Value strength) {
  return exclusion.getDenominator() == Denominator::Raw &&
         exclusion.getStrength() == 1.0 && !strength;
}

namespace {
/// Excluding again what is already excluded changes nothing.
struct DropRepeatedExclude : OpRewritePattern<ExcludeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExcludeOp op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || op.getInputMap() != op.getOutputMap() ||
        op.getInput().getType() != op->getResult(0).getType())
      return rewriter.notifyMatchFailure(op, "changes more than the component");
    Operation *producer = op.getInput().getDefiningOp();
    if (auto inner = dyn_cast_or_null<ExcludeOp>(producer)) {
      if (op.getInput() == inner->getResult(0) &&
          removesAll(inner.getExclusion(), inner.getStrength()) &&
          inner.getValue() == op.getValue() &&
          sameRows(inner.getOutputMap(), inner.getValueMap(), op)) {
        rewriter.replaceOp(op, op.getInput());
        return success();
      }
    } else if (auto inner = dyn_cast_or_null<AttentionOp>(producer)) {
      if (op.getInput() == inner->getResult(0) && inner.isExclusive() &&
          removesAll(*inner.getExclusion(), inner.getStrength()) &&
          inner.getSelfValue() == op.getValue() &&
          sameRows(inner.getOutputMap(), inner.getSelfValueMap(), op)) {
        rewriter.replaceOp(op, op.getInput());
        return success();
      }
    }
    return rewriter.notifyMatchFailure(op, "the input still has the component");
  }

  /// Whether `op` pairs rows of input and value as the producer did.
  static bool sameRows(AffineMap producerOutput, AffineMap producerValue,
                       ExcludeOp op) {
    AffineMap translated = op.getValueMap().compose(
        inversePermutation(op.getInputMap()).compose(producerOutput));
    return translated == producerValue;
  }
};

/// An exclusion of strength zero removes nothing.
struct DropZeroStrength : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.isExclusive() || op.getExclusion()->getStrength() != 0.0 ||
        op.getCoefficientOutput())
      return rewriter.notifyMatchFailure(op, "no exclusion of strength zero");
    rewriter.modifyOpInPlace(op, [&] {
      op.assignOperand(AttentionOp::odsIndex_self_value, {}, {});
      op.assignOperand(AttentionOp::odsIndex_strength, {}, {});
      op.removeExclusionAttr();
    });
    return success();
  }
};
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns
      .add<DropUnitScale, DropZeroStrength, FoldRearrangedOperand<AttentionOp>,
           FoldTransposedResult<AttentionOp>, MaskToCausal>(context);
}

void ExcludeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns
      .add<DropRepeatedExclude, FoldExcludeOfAttention,
           FoldRearrangedOperand<ExcludeOp>, FoldTransposedResult<ExcludeOp>>(
          context);
}
