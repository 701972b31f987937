//===- AttentionParts.h - Attention in pieces of linalg ---------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formula of `xsa.attention`, one function per term, each a linalg.generic
// on tensors. The reference decomposition calls them on whole operands, the
// tiled form on tiles: there is one implementation of what a masked score or
// an exclusion is.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_IR_ATTENTIONPARTS_H
#define XSA_DIALECT_XSA_IR_ATTENTIONPARTS_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace xsa {

/// A tensor and the map from an iteration domain to its dimensions. A scalar
/// has a map without results.
struct MappedValue {
  mlir::Value value;
  mlir::AffineMap map;

  explicit operator bool() const { return static_cast<bool>(value); }
  mlir::Type getElementType() const {
    return mlir::getElementTypeOrSelf(value.getType());
  }
};

/// What one attention, or a tile of it, reads. Attributes and score region are
/// those of `op`; the operands are replaced by their tiles.
struct AttentionParts {
  AttentionOp op;
  MappedValue query, key, value, selfValue, mask, bias, sinks, strength;
  MappedValue keyLengths, keyBegin, keyEnd, queryOffset;
  llvm::SmallVector<MappedValue> scoreInputs;
  /// Null stands for 0.
  mlir::Value queryStart, keyStart;
  /// In a padded tile of keys, how many of them exist; null for all.
  mlir::Value validKeys;
  /// Where the rows of several heads follow on each other, how many each has:
  /// positions begin again with each head. 0 for the rows of one head.
  int64_t rowsPerHead = 0;
  /// Extent of each dimension of the domain.
  llvm::SmallVector<mlir::OpFoldResult> sizes;

  static AttentionParts of(AttentionOp op, mlir::OpBuilder &builder);
};

/// How scores are modified where the caller has done a part already.
struct ScoreOptions {
  /// Multiply by the scale of the operation.
  bool applyScale = true;
  /// Apply the masks that follow from positions; off where the caller knows
  /// that they keep every key.
  bool applyPositionMasks = true;
  /// Compare positions by their distance from the first row and key, in 32
  /// bits. For tiles: there must be fewer than 2^30 rows and keys, the first at
  /// the positions `queryOffset` and `keyStart`.
  bool narrowPositions = false;
};

/// How the exponentials of a softmax are formed: exp(factor * (x - max)), the
/// running maximum being that of the x.
struct SoftmaxForm {
  /// 2^x in place of exp.
  bool powersOfTwo = false;
  /// A positive factor, such as the scale of the scores.
  double factor = 1.0;
  /// As one fused multiply-add in f32, factor * x - factor * max; only where
  /// neither product can overflow, other than to a weight of 0.
  bool fused = false;
  /// Only of small maxima, whose product with the factor is below 2^10.
  /// Rounding it makes weights off by up to 2^-15 of the others, which does not
  /// show beside their rounding to bf16. Large ones have been taken off
  /// (`buildLargeMaxTakenOff`).
  bool takesOffSmallMax = false;
  /// The maximum is never -inf: every row sees a key.
  bool finiteMax = false;
  /// The exponentials are rounded to bf16: errors of 1e-4 do not count.
  bool rough = false;

  /// What a maximum is to be multiplied by to be a natural logarithm.
  double toNatural() const;
};

/// Computes one element. `args` are the elements of the inputs and of the
/// destination; `index(dim)` is the current index along a domain dimension.
using ElementFn = llvm::function_ref<mlir::Value(
    mlir::ImplicitLocOpBuilder &builder, mlir::ValueRange args,
    llvm::function_ref<mlir::Value(unsigned)> index)>;

/// A linalg.generic over the domain dimensions that occur in the maps;
/// dimensions that `init` lacks are reduced.
mlir::Value buildGeneric(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::ArrayRef<MappedValue> inputs, MappedValue init,
                         ElementFn element);

/// A tensor of the shape that `map` selects from `sizes`.
mlir::Value buildEmpty(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes,
                       mlir::AffineMap map, mlir::Type elementType);
mlir::Value buildFilled(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        mlir::AffineMap map, mlir::FloatType elementType,
                        double value);

/// `value` widened or narrowed to `type`.
mlir::Value castFloat(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                      mlir::Type type);

/// `element` as an index, in the body of a generic.
mlir::Value castIndex(mlir::ImplicitLocOpBuilder &builder, mlir::Value element);

/// The same for a position that is computed with: limited to what sums and
/// multiples of tiles cannot take beyond 64 bits. No sequence is that long.
mlir::Value castPosition(mlir::ImplicitLocOpBuilder &builder,
                         mlir::Value element);

/// init += lhs * rhs, summed over the dimensions that `init` lacks.
mlir::Value buildContraction(mlir::OpBuilder &builder, mlir::Location loc,
                             MappedValue lhs, MappedValue rhs,
                             MappedValue init);

/// Scale, soft cap, bias, score region and masks on the products q.k, in
/// place. Masked keys become -inf.
mlir::Value buildModifiedScores(mlir::OpBuilder &builder, mlir::Location loc,
                                const AttentionParts &parts, MappedValue scores,
                                ScoreOptions options = {});

/// init = max(init, scores) over the keys.
mlir::Value buildRowMax(mlir::OpBuilder &builder, mlir::Location loc,
                        MappedValue scores, MappedValue init);

/// exp(factor * (x - max)); 0 where both are -inf.
mlir::Value buildShiftedExpElement(mlir::ImplicitLocOpBuilder &builder,
                                   mlir::Value x, mlir::Value max,
                                   const SoftmaxForm &form);

/// The same for all elements, in place.
mlir::Value buildShiftedExp(mlir::OpBuilder &builder, mlir::Location loc,
                            MappedValue x, MappedValue max,
                            const SoftmaxForm &form);

/// The maximum that a row with a sink starts from, into `init`, and the sum.
mlir::Value buildSinkMax(mlir::OpBuilder &builder, mlir::Location loc,
                         MappedValue sink, MappedValue init,
                         const SoftmaxForm &form);
mlir::Value buildSinkSum(mlir::OpBuilder &builder, mlir::Location loc,
                         MappedValue sinkMax, MappedValue init,
                         const SoftmaxForm &form);

/// How far the maximum that is taken off may stay behind the scores, as an
/// exponent of 2: weights and sums grow by up to 2^8, which no float minds.
inline constexpr double kMaxLag = 8.0;

/// Whether `more` exceeds `max` by more than `kMaxLag` in some row, an i1.
mlir::Value buildExceedsMax(mlir::OpBuilder &builder, mlir::Location loc,
                            MappedValue more, MappedValue max,
                            const SoftmaxForm &form);

/// Whether some row has a large maximum, an i1.
mlir::Value buildHasLargeMax(mlir::OpBuilder &builder, mlir::Location loc,
                             MappedValue max, const SoftmaxForm &form);

/// `scores` less the maxima that are large, exactly.
mlir::Value buildLargeMaxTakenOff(mlir::OpBuilder &builder, mlir::Location loc,
                                  MappedValue scores, MappedValue max,
                                  const SoftmaxForm &form);

/// exp(max - max(max, more)) into `init`: what the sums so far are to be
/// multiplied by when `more` joins their maximum.
mlir::Value buildRescaleFactor(mlir::OpBuilder &builder, mlir::Location loc,
                               MappedValue max, MappedValue more,
                               MappedValue init, const SoftmaxForm &form);

/// init += weights, summed over the keys.
mlir::Value buildRowSum(mlir::OpBuilder &builder, mlir::Location loc,
                        MappedValue weights, MappedValue init);

/// x / sum, in place; 0 where the sum is 0.
mlir::Value buildNormalized(mlir::OpBuilder &builder, mlir::Location loc,
                            MappedValue x, MappedValue sum);

/// 1 / sum into `init`; 0 where the sum is 0.
mlir::Value buildReciprocal(mlir::OpBuilder &builder, mlir::Location loc,
                            MappedValue sum, MappedValue init);

/// The maximum into `init`, brought to natural logarithms, and the sum relative
/// to it. Both have the type of `init`. A row has `sink`, or null.
mlir::Value buildNaturalMax(mlir::OpBuilder &builder, mlir::Location loc,
                            MappedValue max, MappedValue sink, MappedValue init,
                            const SoftmaxForm &form);
mlir::Value buildNaturalSum(mlir::OpBuilder &builder, mlir::Location loc,
                            MappedValue max, MappedValue sum, MappedValue init,
                            const SoftmaxForm &form);

/// max + log(sum) into `init`, the maximum brought to natural logarithms.
mlir::Value buildLogSumExp(mlir::OpBuilder &builder, mlir::Location loc,
                           MappedValue max, MappedValue sum, MappedValue sink,
                           MappedValue init, const SoftmaxForm &form);

/// c = (y . v) / n(v), a row of `map`, in the accumulator type.
mlir::Value buildExclusionCoefficient(mlir::OpBuilder &builder,
                                      mlir::Location loc,
                                      ExclusionAttr exclusion, MappedValue y,
                                      MappedValue v, mlir::AffineMap map,
                                      mlir::FloatType accumulator,
                                      llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// z = y - a c v into `init`; a is 1 times the strengths that there are.
mlir::Value buildExcluded(mlir::OpBuilder &builder, mlir::Location loc,
                          ExclusionAttr exclusion, MappedValue y, MappedValue v,
                          MappedValue coefficient, MappedValue strength,
                          MappedValue init);

/// `x` converted to the element type and layout of `init`.
mlir::Value buildConverted(mlir::OpBuilder &builder, mlir::Location loc,
                           MappedValue x, MappedValue init);

} // namespace xsa

#endif // XSA_DIALECT_XSA_IR_ATTENTIONPARTS_H
