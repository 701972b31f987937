//===- AttentionMatch.h - What was recognised as attention ------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of matching, and the steps that produce it: probabilities, then
// scores, then the roles of variables, then masks. Nothing here changes IR.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOXSA_ATTENTIONMATCH_H
#define XSA_LIB_CONVERSION_LINALGTOXSA_ATTENTIONMATCH_H

#include "xsa/Analysis/ConstantEvaluator.h"
#include "xsa/Analysis/ExprUnifier.h"
#include "xsa/Analysis/TensorView.h"
#include "xsa/Dialect/XSA/IR/XSA.h"

#include "llvm/ADT/SmallPtrSet.h"
#include <string>

namespace xsa {

/// Keys that are not kept get `fill` in place of their score.
struct MaskStep {
  ExprRef keep;
  double fill;
  /// An additive mask leaves what it was made from, in case it has to stay one.
  ExprRef bias = nullptr;
  double biasFactor = 1;
  /// How many biases were added before it.
  size_t numBiases = 0;
};

/// One change of the scores, from the product outwards.
struct ScoreStep {
  enum Kind { Scale, Factor, Cap, Bias, Mask, AtLeast, AtMost } kind;
  /// Scale, AtLeast, AtMost: the number. Bias: a factor. Mask: the fill.
  double number = 1;
  /// Factor: the factor. Bias: the term. Mask: the condition to keep.
  ExprRef expr = nullptr;
  /// Factor: whether to divide by it.
  bool inverse = false;
  /// Mask: the fill, if it is not a number.
  ExprRef fill = nullptr;
};

struct BiasTerm {
  double factor;
  ExprRef expr;
};

struct AttentionMatch {
  /// The value that attention computes, and a variable or digits for each of
  /// its dimensions.
  mlir::Value root;
  llvm::SmallVector<ExprRef> rootIndices;

  ExprRef query = nullptr, key = nullptr, value = nullptr;
  llvm::SmallVector<ExprRef> depth, keys;
  llvm::SmallVector<ExprRef> leading, rows, columns;

  double scale = 1;
  std::optional<double> softcap;
  llvm::SmallVector<BiasTerm> biases;
  llvm::SmallVector<MaskStep> masks;
  /// What is done to scores between biases and masks in any other order.
  llvm::SmallVector<ScoreStep> region;
  /// A logit that enters the sum of exponentials only; null if there is none.
  ExprRef sink = nullptr;
  /// The tensor that enters the second product.
  mlir::Value probabilities;

  // What the masks were found to be.
  bool causal = false;
  Alignment alignment = Alignment::BottomRight;
  std::optional<int64_t> windowLeft, windowRight;
  /// The conditions that are not structural; null if there are none.
  ExprRef mask = nullptr;
  /// Keys that a row may see: first, and one past the last; null if all.
  ExprRef keyBegin = nullptr, keyEnd = nullptr;

  /// Whether the model itself gives 0 for rows without keys.
  bool emptyRowsAreZero = false;

  /// The row and the key as numbers.
  ExprRef rowIndex = nullptr, keyIndex = nullptr;
  ExprRef numRows = nullptr, numKeys = nullptr;
};

/// What the steps of matching share.
class MatchContext {
public:
  MatchContext(TensorView &view, ConstantEvaluator &evaluator,
               bool strict = false)
      : ctx(view.getContext()), view(view), evaluator(evaluator),
        strict(strict) {}

  ExprContext &ctx;
  TensorView &view;
  ConstantEvaluator &evaluator;
  /// Whether to refuse what can change results beyond rounding.
  const bool strict;

  /// Set when the candidate is attention in all but one respect: the first
  /// condition that failed, in a model author's words.
  std::string reason;

  /// A variable for part of what `var` runs through, the same each time a match
  /// is looked at again.
  ExprRef partOf(ExprRef var, ExprRef extent) {
    ExprRef &part = parts[{var, extent}];
    if (!part)
      part = ctx.variable(extent);
    return ctx.refine(part);
  }

  bool refuse(const llvm::Twine &why) {
    if (reason.empty())
      reason = why.str();
    return false;
  }

  /// What `e` is computed by: peels accesses and float casts.
  ExprRef look(ExprRef e) { return view.look(e); }

  /// Whether the value of `e` depends on one of `vars`: seen through
  /// broadcasts, which only seem to.
  bool dependsOn(ExprRef e, llvm::ArrayRef<ExprRef> vars) {
    return view.dependsOn(e, vars);
  }

  /// Where `e` is 1 if it is 1 or 0 by a condition; null if it is not.
  ExprRef getZeroOneMask(ExprRef e);

private:
  llvm::DenseMap<std::pair<ExprRef, ExprRef>, ExprRef> parts;
};

/// `select(condition, 0, guarded)`.
struct ZeroGuard {
  ExprRef condition;
  ExprRef guarded;
};

/// The probabilities' side of the second product.
struct Probabilities {
  /// What is exponentiated, including the shift.
  ExprRef exponent = nullptr;
  bool base2 = false;
  /// The exponentials as they are summed.
  ExprRef numerator = nullptr;
  /// How often the numerators are divided by their sum, less how often they
  /// are multiplied by it.
  int normalizations = 0;
  double factor = 1;
  /// Logarithms by whose exponentials the numerators are divided.
  llvm::SmallVector<ExprRef> logarithms;
  /// A logit in the sum besides the keys', in the base of the exponent.
  ExprRef sink = nullptr;
  /// Conditions under which a probability is replaced by 0.
  llvm::SmallVector<ZeroGuard> guards;
  /// Conditions for a key to be kept: else its exponential is replaced by 0.
  llvm::SmallVector<ExprRef> dropped;
};

/// Checks that probabilities are only replaced by 0 where they are 0 or NaN
/// anyway, or where a mask of finite value means them to be: such masks in
/// `steps` become those of -inf. Sets `emptyRowsAreZero`.
bool resolveGuards(MatchContext &match, const Probabilities &probabilities,
                   llvm::ArrayRef<ExprRef> keys,
                   llvm::MutableArrayRef<ScoreStep> steps,
                   bool &emptyRowsAreZero);

struct OuterFactor {
  ExprRef expr;
  bool inverse;
};

/// Matches softmax on one side of a product that is summed over `keys`.
/// `factors` are found outside of the sum.
bool matchProbabilities(MatchContext &match, ExprRef side,
                        llvm::ArrayRef<ExprRef> keys,
                        llvm::ArrayRef<OuterFactor> factors,
                        Probabilities &result);

/// One sum over all keys for one of which each term, or each case of a choice,
/// is the sum over a piece of them. Returns what it was given if that is
/// something else.
ExprRef mergePartialSums(MatchContext &match, ExprRef sum);

/// Whether `sum` adds up the exponentials `result.numerator` over all keys.
bool isSumOfNumerators(MatchContext &match, ExprRef sum, ExprRef numerator,
                       llvm::ArrayRef<ExprRef> keys);

/// Matches exp(x - log(sum exp x)), written also as
/// exp(s - (m + log(sum exp(s - m)))) and as a quotient of two exponentials.
bool matchLogSoftmax(MatchContext &match, llvm::ArrayRef<ExprRef> keys,
                     Probabilities &result);

/// Takes masks of -inf off the exponent: they become conditions for a key to be
/// kept.
void takeMasks(MatchContext &match, Probabilities &result);

/// Whether `sum` adds up the exponentials of the keys that are kept, however
/// their being kept is written there and in `result`.
bool matchMaskedSum(MatchContext &match, ExprRef sum,
                    llvm::ArrayRef<ExprRef> keys, Probabilities &result);

/// Matches a denominator that is the sum over the keys and something more: a
/// sink, written as a term or as a further key, or an epsilon without effect.
bool matchSinks(MatchContext &match, ExprRef denominator,
                llvm::ArrayRef<ExprRef> keys, Probabilities &result);

/// Whether a product of queries and keys is found in `e` where scores would be.
bool containsScores(MatchContext &match, ExprRef e,
                    llvm::ArrayRef<ExprRef> keys);

/// Whether an operand is computed by the model, as queries, keys and values are
/// and weights are not.
bool isComputed(MatchContext &match, ExprRef e, unsigned depth = 0);

/// Whether `e` is computed element by element from a product of queries and
/// keys.
bool readsProduct(MatchContext &match, ExprRef e, llvm::ArrayRef<ExprRef> keys);

/// A choice between results of one operation, such as the products of each
/// head, as that operation on choices between its operands. Null if there is
/// nothing to be gained.
ExprRef mergePieces(MatchContext &match, ExprRef choice);

/// Matches scores below the exponential: steps from the product outwards, and
/// the product itself.
bool matchScores(MatchContext &match, const Probabilities &probabilities,
                 llvm::ArrayRef<ExprRef> keys,
                 llvm::SmallVectorImpl<ScoreStep> &steps, ExprRef &product);

/// Brings steps into the order of `xsa.attention`.
bool normalizeScores(MatchContext &match, llvm::ArrayRef<ScoreStep> steps,
                     AttentionMatch &result);

/// Sorts root variables into leading, rows and columns.
bool assignRoles(MatchContext &match, AttentionMatch &result);

/// Finds causal masks and windows; what remains is bounds per row or a mask
/// operand.
bool classifyMasks(MatchContext &match, AttentionMatch &result);

/// Emits `xsa.attention` before `result.root`'s operation and replaces it.
mlir::FailureOr<AttentionOp> buildAttention(mlir::RewriterBase &rewriter,
                                            MatchContext &match,
                                            const AttentionMatch &result);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_ATTENTIONMATCH_H
