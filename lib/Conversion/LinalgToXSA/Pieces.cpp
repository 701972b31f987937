//===- Pieces.cpp - Values that are put together from pieces --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scores of one product for each head are a choice between products, by head.
// A choice between results of one operation is that operation on choices: it is
// pushed inwards until operands are left, and where the pieces read one tensor
// at evenly spaced places, the choice is an index.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace xsa;

namespace {
/// Pieces that a condition or the value of a variable decides between.
class PieceMerger {
public:
  /// `pieces[i]` where `number` is i. Unless `mayChoose`, no choice is left.
  static PieceMerger byNumber(MatchContext &match, ExprRef number,
                              bool mayChoose) {
    PieceMerger merger(match);
    merger.number = number;
    merger.mayChoose = mayChoose;
    return merger;
  }
  /// The first of two pieces where `condition` holds.
  static PieceMerger byCondition(MatchContext &match, ExprRef condition) {
    PieceMerger merger(match);
    merger.condition = condition;
    return merger;
  }

  ExprRef merge(ArrayRef<ExprRef> pieces, unsigned depth = 0);

private:
  using Pieces = SmallVector<ExprRef>;

  Pieces peelLayout(ArrayRef<ExprRef> pieces) {
    return llvm::map_to_vector<6>(pieces, [&](ExprRef piece) {
      return match.view.peelLayout(piece, /*throughCasts=*/false);
    });
  }

  ExprRef mergeExactly(ArrayRef<ExprRef> pieces, unsigned depth = 0);
  ExprRef mergeOperand(ArrayRef<ExprRef> pieces);
  ExprRef mergeIntegers(ArrayRef<ExprRef> pieces);
  ExprRef mergeAccesses(ArrayRef<ExprRef> pieces);
  bool isExponential(ExprRef e, unsigned depth = 0);
  ExprRef mergeFactors(ArrayRef<ExprRef> products);
  ExprRef mergeReductions(ArrayRef<ExprRef> pieces, unsigned depth);
  std::optional<SmallVector<Pieces>> alignOperands(ArrayRef<ExprRef> pieces);
  ExprRef choose(ArrayRef<ExprRef> pieces);
  unsigned getLikeness(ExprRef a, ExprRef b);

  explicit PieceMerger(MatchContext &match) : match(match), ctx(match.ctx) {}

  static constexpr unsigned maxDepth = 24;
  MatchContext &match;
  ExprContext &ctx;
  ExprRef number = nullptr, condition = nullptr;
  bool mayChoose = true;
};
} // namespace

/// The choice as it stands.
ExprRef PieceMerger::choose(ArrayRef<ExprRef> pieces) {
  if (!mayChoose)
    return nullptr;
  if (condition)
    return ctx.select(condition, pieces[0], pieces[1]);
  ExprRef result = pieces.back();
  for (int64_t i = pieces.size() - 2; i >= 0; --i)
    result = ctx.select(ctx.nonNegative(ctx.sub(ctx.integer(i), number)),
                        pieces[i], result);
  return result;
}

/// Integers that grow evenly from piece to piece, in groups of pieces, or from
/// piece to piece of each group.
ExprRef PieceMerger::mergeIntegers(ArrayRef<ExprRef> pieces) {
  if (llvm::all_equal(pieces))
    return pieces.front();
  if (!number)
    return nullptr;
  SmallVector<int64_t> steps;
  for (ExprRef piece : pieces) {
    auto step = ExprContext::getInteger(ctx.sub(piece, pieces.front()));
    if (!step)
      return nullptr;
    steps.push_back(*step);
  }
  int64_t count = pieces.size();
  auto fits = [&](int64_t stride, function_ref<int64_t(int64_t)> digit) {
    for (int64_t i = 0; i < count; ++i)
      if (steps[i] != stride * digit(i))
        return false;
    return true;
  };
  auto grow = [&](int64_t stride, ExprRef digit) {
    return ctx.add(pieces.front(), ctx.mul(ctx.integer(stride), digit));
  };
  if (fits(steps[1], [](int64_t i) { return i; }))
    return grow(steps[1], number);
  for (int64_t size = 2; size < count; ++size) {
    if (fits(steps[size], [&](int64_t i) { return i / size; }))
      return grow(steps[size], ctx.floorDiv(number, ctx.integer(size)));
    if (fits(steps[1], [&](int64_t i) { return i % size; }))
      return grow(steps[1], ctx.mod(number, ctx.integer(size)));
  }
  return nullptr;
}

/// The tensors that a value is rearranged from, itself first.
static SmallVector<ExprRef> getLayoutChain(TensorView &view, ExprRef e) {
  SmallVector<ExprRef> chain;
  for (; e && e->is(ExprKind::Access); e = view.peel(e))
    chain.push_back(e);
  return chain;
}

/// Elements of one tensor, however far each piece is from it.
ExprRef PieceMerger::mergeAccesses(ArrayRef<ExprRef> pieces) {
  auto chains = llvm::map_to_vector<6>(
      pieces, [&](ExprRef piece) { return getLayoutChain(match.view, piece); });
  auto mergeAt = [&](Value value) -> ExprRef {
    Pieces accesses;
    for (ArrayRef<ExprRef> chain : chains) {
      const auto *found = llvm::find_if(
          chain, [&](ExprRef e) { return e->getValue() == value; });
      if (found == chain.end())
        return nullptr;
      accesses.push_back(*found);
    }
    SmallVector<ExprRef> indices;
    for (size_t dim = 0; dim < accesses[0]->getOperands().size(); ++dim) {
      indices.push_back(mergeIntegers(llvm::map_to_vector<6>(
          accesses, [&](ExprRef access) { return access->getOperand(dim); })));
      if (!indices.back())
        return nullptr;
    }
    return ctx.access(value, indices);
  };
  for (ExprRef access : chains.front())
    if (ExprRef merged = mergeAt(access->getValue()))
      return merged;
  return nullptr;
}

/// How much two expressions look like the same part of two pieces.
unsigned PieceMerger::getLikeness(ExprRef a, ExprRef b) {
  if (a == b)
    return 4;
  unsigned likeness = a->getFreeVars() == b->getFreeVars() ? 2 : 0;
  ExprRef x = match.look(a), y = match.look(b);
  return likeness + (x->getKind() == y->getKind() && x->getOp() == y->getOp());
}

/// The operands of one operation in all pieces, operand by operand.
std::optional<SmallVector<PieceMerger::Pieces>>
PieceMerger::alignOperands(ArrayRef<ExprRef> pieces) {
  ExprRef first = pieces.front();
  auto getType = [](ExprRef operand) { return operand->getType(); };
  SmallVector<Pieces> operands(first->getOperands().size());
  for (ExprRef piece : pieces) {
    if (piece->getOp() != first->getOp() ||
        piece->getPredicate() != first->getPredicate() ||
        piece->getAttribute() != first->getAttribute() ||
        !llvm::equal(llvm::map_range(piece->getOperands(), getType),
                     llvm::map_range(first->getOperands(), getType)))
      return std::nullopt;
    Pieces own(piece->getOperands());
    bool commutes = first->isApply(ExprOp::Add) || first->isApply(ExprOp::Mul);
    if (commutes && getLikeness(own[0], first->getOperand(0)) +
                            getLikeness(own[1], first->getOperand(1)) <
                        getLikeness(own[1], first->getOperand(0)) +
                            getLikeness(own[0], first->getOperand(1)))
      std::swap(own[0], own[1]);
    for (auto [list, operand] : llvm::zip_equal(operands, own))
      list.push_back(operand);
  }
  return operands;
}

/// One expression without a choice in it; null if there is none.
ExprRef PieceMerger::mergeExactly(ArrayRef<ExprRef> pieces, unsigned depth) {
  if (llvm::all_equal(pieces))
    return pieces.front();
  if (depth > maxDepth)
    return nullptr;
  if (pieces.front()->isInt())
    return mergeIntegers(pieces);
  if (ExprRef merged = mergeAccesses(pieces))
    return merged;
  Pieces inner = peelLayout(pieces);
  auto isAccess = [](ExprRef e) { return e->is(ExprKind::Access); };
  if (llvm::all_of(inner, isAccess)) {
    for (ExprRef &e : inner)
      if (!(e = match.view.peel(e)))
        return nullptr;
  }
  if (!inner.front()->is(ExprKind::Apply))
    return nullptr;
  auto operands = alignOperands(inner);
  if (!operands)
    return nullptr;
  Pieces merged;
  for (const Pieces &list : *operands) {
    merged.push_back(mergeExactly(list, depth + 1));
    if (!merged.back())
      return nullptr;
  }
  return ctx.rebuild(inner.front(), merged);
}

/// An operand of the product, or anything else that is a tensor of its own.
ExprRef PieceMerger::mergeOperand(ArrayRef<ExprRef> pieces) {
  if (ExprRef exact = mergeExactly(pieces))
    return exact;
  return choose(peelLayout(pieces));
}

/// Whether a factor makes terms of a softmax' sum, rather than of a product.
bool PieceMerger::isExponential(ExprRef e, unsigned depth) {
  e = match.look(e);
  if (e->isApply(ExprOp::Exp) || e->isApply(ExprOp::Exp2))
    return true;
  return depth < maxDepth &&
         (e->isApply(ExprOp::Mul) || e->isApply(ExprOp::Div) ||
          e->isApply(ExprOp::Select)) &&
         llvm::any_of(
             e->getOperands(),
             [&](ExprRef operand) {
               return operand->isFloat() && isExponential(operand, depth + 1);
             });
}

/// Products of queries and keys. Products with constants, as projections are,
/// stay the tensors that they make.
ExprRef PieceMerger::mergeFactors(ArrayRef<ExprRef> products) {
  auto factors = alignOperands(products);
  if (!factors)
    return nullptr;
  auto isConstant = [&](ExprRef factor) {
    ExprRef stored = match.view.peelLayout(factor);
    return stored->isConstant() ||
           (stored->is(ExprKind::Access) &&
            matchPattern(stored->getValue(), m_Constant()));
  };
  Pieces merged;
  for (const Pieces &list : *factors) {
    if (llvm::all_of(list, isConstant))
      return nullptr;
    merged.push_back(mergeOperand(list));
    if (!merged.back())
      return nullptr;
  }
  return ctx.rebuild(products.front(), merged);
}

/// Sums of the same number of terms are one sum.
ExprRef PieceMerger::mergeReductions(ArrayRef<ExprRef> pieces, unsigned depth) {
  ExprRef first = pieces.front();
  Pieces bodies;
  for (ExprRef piece : pieces) {
    if (!piece->is(ExprKind::Reduce) || piece->getOp() != first->getOp() ||
        piece->getBoundVars().size() != first->getBoundVars().size())
      return nullptr;
    ExprContext::Substitution renaming;
    for (auto [from, to] :
         llvm::zip_equal(piece->getBoundVars(), first->getBoundVars())) {
      if (from->getExtent() != to->getExtent())
        return nullptr;
      renaming[from] = to;
    }
    bodies.push_back(ctx.substitute(piece->getBody(), renaming));
  }
  Pieces products = llvm::map_to_vector<6>(
      bodies, [&](ExprRef body) { return match.look(body); });
  bool isProduct =
      products.front()->isApply(ExprOp::Mul) &&
      llvm::none_of(products.front()->getOperands(),
                    [&](ExprRef factor) { return isExponential(factor); });
  ExprRef body = isProduct ? mergeFactors(products) : merge(bodies, depth + 1);
  return body ? ctx.reduce(first->getOp(), first->getBoundVars(), body)
              : nullptr;
}

ExprRef PieceMerger::merge(ArrayRef<ExprRef> pieces, unsigned depth) {
  if (ExprRef exact = mergeExactly(pieces, depth))
    return exact;
  if (depth > maxDepth)
    return choose(pieces);
  // Seen through casts: widened back for what it is an operand of.
  Pieces inner = llvm::map_to_vector<6>(
      pieces, [&](ExprRef piece) { return match.look(piece); });
  if (!llvm::all_equal(llvm::map_range(
          inner, [](ExprRef piece) { return piece->getType(); })))
    return choose(pieces);
  ExprRef merged = mergeReductions(inner, depth);
  if (!merged && inner.front()->is(ExprKind::Apply))
    if (auto operands = alignOperands(inner)) {
      Pieces parts;
      for (const Pieces &list : *operands) {
        parts.push_back(merge(list, depth + 1));
        if (!parts.back())
          return nullptr;
      }
      merged = ctx.rebuild(inner.front(), parts);
    }
  if (!merged)
    return mergeOperand(pieces);
  Type type = pieces.front()->getType();
  return merged->getType() == type ? merged
                                   : ctx.apply(ExprOp::Cast, type, merged);
}

/// Digits of the index that a condition compares with a number, the most
/// significant first.
static SmallVector<ExprRef> getComparedDigits(ExprContext &ctx,
                                              ExprRef condition) {
  if (condition->isApply(ExprOp::And) || condition->isApply(ExprOp::Not)) {
    for (ExprRef part : condition->getOperands())
      if (auto digits = getComparedDigits(ctx, part); !digits.empty())
        return digits;
    return {};
  }
  if (!condition->isApply(ExprOp::NonNegative) &&
      !condition->isApply(ExprOp::IsZero))
    return {};
  ExprRef difference = condition->getOperand(0);
  for (ExprRef index : {difference, ctx.sub(ctx.integer(0), difference)})
    if (auto digits = ctx.getDigits(index))
      return digits->vars;
  return {};
}

namespace {
/// What tells pieces apart.
struct PieceNumber {
  ExprRef number = nullptr;
  /// Whether each number is a piece of its own.
  bool isPiece = false;
};
} // namespace

/// How many choices follow one another in `choice`.
static int64_t countChoices(MatchContext &match, ExprRef choice) {
  SmallVector<ExprRef> digits =
      getComparedDigits(match.ctx, choice->getOperand(0));
  int64_t count = 0;
  while (choice->isApply(ExprOp::Select) &&
         getComparedDigits(match.ctx, choice->getOperand(0)) == digits) {
    choice = match.look(choice->getOperand(2));
    ++count;
  }
  return count;
}

/// The number that a choice depends on; null if it depends on parts of it. The
/// index of pieces of one size that are longer than 1 is split, after which all
/// is looked at again.
static PieceNumber getPieceNumber(MatchContext &match, ExprRef choice) {
  ExprContext &ctx = match.ctx;
  ExprRef condition = choice->getOperand(0);
  // The last piece is what is left, or another choice before something empty.
  int64_t choices = countChoices(match, choice), count = 1;
  auto areAllPieces = [&](int64_t number) {
    return number == choices || number == choices + 1;
  };
  ExprContext::Substitution first;
  SmallVector<ExprRef> number, sizes;
  for (ExprRef digit : getComparedDigits(ctx, condition)) {
    auto extent = ExprContext::getInteger(digit->getExtent());
    if (!extent)
      return {};
    number.push_back(digit);
    sizes.push_back(digit->getExtent());
    count *= *extent;
    first[digit] = ctx.integer(0);
    ExprRef inFirst = ctx.substitute(condition, first);
    if (!inFirst->isConstant())
      continue;
    int64_t size = *extent;
    bool isDecided = true;
    for (int64_t i = *extent - 1; i > 0; --i) {
      first[digit] = ctx.integer(i);
      ExprRef inPiece = ctx.substitute(condition, first);
      isDecided &= inPiece->isConstant();
      size = inPiece == inFirst ? size : i;
    }
    first[digit] = ctx.integer(0);
    if (!isDecided)
      continue;
    if (areAllPieces(count / size))
      ctx.floorDiv(digit, ctx.integer(size));
    return {ctx.linearize(number, sizes), areAllPieces(count)};
  }
  return {};
}

/// The choice for each value of a number that is made of variables.
static SmallVector<ExprRef> listPieces(ExprContext &ctx, ExprRef choice,
                                       ExprRef number) {
  constexpr int64_t maxPieces = 64;
  auto digits = ctx.getDigits(number);
  auto count = digits ? ExprContext::getInteger(digits->size) : std::nullopt;
  if (!count || *count > maxPieces)
    return {};
  SmallVector<ExprRef> pieces, extents;
  for (ExprRef digit : digits->vars)
    extents.push_back(digit->getExtent());
  for (int64_t i = 0; i < *count; ++i) {
    ExprContext::Substitution values;
    for (auto [digit, value] : llvm::zip_equal(
             digits->vars, ctx.delinearize(ctx.integer(i), extents)))
      values[digit] = value;
    pieces.push_back(ctx.substitute(choice, values));
  }
  return pieces;
}

ExprRef xsa::mergePieces(MatchContext &match, ExprRef choice) {
  PieceNumber number = getPieceNumber(match, choice);
  ExprRef merged = nullptr;
  if (number.number) {
    SmallVector<ExprRef> pieces = listPieces(match.ctx, choice, number.number);
    if (!pieces.empty())
      merged = PieceMerger::byNumber(match, number.number, number.isPiece)
                   .merge(pieces);
  }
  if (!merged)
    merged = PieceMerger::byCondition(match, choice->getOperand(0))
                 .merge(choice->getOperands().drop_front());
  // The choice as it stands is no progress.
  return merged == choice ? nullptr : merged;
}
