//===- Roles.cpp - Which variable is what ---------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions have no names in an imported model. Their roles follow from what
// depends on them: value columns are in the value only, query rows in the query
// only, everything shared is a batch or a head.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"
#include "OperandBuilder.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;
using namespace xsa;

/// Whether a comparison in `keep` relates `var` to a key.
static bool isComparedWithKeys(ExprRef keep, ExprRef var,
                               ArrayRef<ExprRef> keys) {
  if (keep->isApply(ExprOp::And) || keep->isApply(ExprOp::Or) ||
      keep->isApply(ExprOp::Not))
    return llvm::any_of(keep->getOperands(), [&](ExprRef x) {
      return isComparedWithKeys(x, var, keys);
    });
  return keep->dependsOn(var) && keep->dependsOnAny(keys);
}

/// The tensor that an operand is stored in, below factors such as scales and
/// what rotates it. Null if there is none but constants.
static ExprRef getStored(MatchContext &match, ExprRef e,
                         ArrayRef<ExprRef> depth, unsigned level = 0) {
  constexpr unsigned maxLevel = 8;
  e = match.view.peelLayout(e);
  if (e->is(ExprKind::Access))
    return matchPattern(e->getValue(), m_Constant()) ? nullptr : e;
  if (!e->is(ExprKind::Apply) || level > maxLevel)
    return nullptr;
  for (ExprRef operand : e->getOperands())
    if (operand->dependsOnAny(depth))
      if (ExprRef stored = getStored(match, operand, depth, level + 1))
        return stored;
  return nullptr;
}

/// Whether query and key are stored in the same layout and the query has a
/// single row where the key has its keys. With a single key rows mean nothing.
static bool hasSingleRow(ExprRef query, ExprRef key, ArrayRef<ExprRef> keys) {
  if (keys.empty())
    return true;
  if (!query || !key ||
      query->getOperands().size() != key->getOperands().size())
    return false;
  bool found = false;
  for (auto [row, index] :
       llvm::zip_equal(query->getOperands(), key->getOperands())) {
    if (!index->dependsOnAny(keys))
      continue;
    if (!ExprContext::getInteger(row))
      return false;
    found = true;
  }
  return found;
}

/// Those of `candidates` that are stored with the query's depth in one
/// dimension, as heads are in the result of a projection and rows are not: the
/// key's are not either.
static SmallVector<ExprRef> getStoredWithDepth(ExprRef query, ExprRef key,
                                               ArrayRef<ExprRef> candidates,
                                               const AttentionMatch &result) {
  auto isWithDepth = [&](ExprRef e, ArrayRef<ExprRef> vars) {
    return llvm::any_of(e->getOperands(), [&](ExprRef index) {
      return index->dependsOnAny(vars) && index->dependsOnAny(result.depth);
    });
  };
  SmallVector<ExprRef> stored;
  if (query && key && !isWithDepth(key, result.keys))
    llvm::copy_if(candidates, std::back_inserter(stored), [&](ExprRef var) {
      return isWithDepth(query, ArrayRef(var));
    });
  return stored;
}

/// Whether the query is stored with `var` in the dimension in which the key has
/// its keys.
static bool isStoredLikeKeys(ExprRef query, ExprRef key, ExprRef var,
                             ArrayRef<ExprRef> keys) {
  if (!query || !key ||
      query->getOperands().size() != key->getOperands().size())
    return false;
  return llvm::any_of(llvm::zip_equal(query->getOperands(), key->getOperands()),
                      [&](auto pair) {
                        auto [row, index] = pair;
                        return row->dependsOn(var) && index->dependsOnAny(keys);
                      });
}

/// Whether variables are digits of one of the indices.
static bool areInOneIndex(ArrayRef<ExprRef> indices, ArrayRef<ExprRef> vars) {
  return llvm::any_of(indices, [&](ExprRef index) {
    return llvm::all_of(vars,
                        [&](ExprRef var) { return index->dependsOn(var); });
  });
}

/// How many values digits run through.
static ExprRef getCount(ExprContext &ctx, ArrayRef<ExprRef> digits) {
  ExprRef count = ctx.integer(1);
  for (ExprRef digit : digits)
    count = ctx.mul(count, digit->getExtent());
  return count;
}

/// Rows of which a mask relates some digits only, such as the number of a
/// block, to the keys: with the other digits of the same index that are no
/// `heads` they are as many as the keys. Nothing is added where they are not.
static SmallVector<ExprRef> addDigits(ExprContext &ctx,
                                      SmallVector<ExprRef> related,
                                      ArrayRef<ExprRef> candidates,
                                      ArrayRef<ExprRef> heads,
                                      const AttentionMatch &result) {
  ExprRef numKeys = getCount(ctx, result.keys);
  if (getCount(ctx, related) == numKeys)
    return related;
  SmallVector<ExprRef> all;
  for (ExprRef var : candidates) {
    SmallVector<ExprRef> together(related);
    together.push_back(var);
    bool isRelated = llvm::is_contained(related, var);
    if (isRelated || (!llvm::is_contained(heads, var) &&
                      areInOneIndex(result.rootIndices, together)))
      all.push_back(var);
  }
  return getCount(ctx, all) == numKeys ? all : related;
}

/// Of the variables that only the query depends on, those that are its rows.
/// The others are heads of a group: the operation means the same either way,
/// but causal masks and own values need the rows. `repeated` are candidates
/// that share a dimension of the result with key/value heads, which only the
/// heads of a group do: where nothing else is left there is a single row.
/// `isLikely` decides between candidates that are as many as the keys, and
/// where none is, `heads` are not the rows.
static SmallVector<ExprRef>
chooseRows(ExprContext &ctx, const AttentionMatch &result,
           SmallVector<ExprRef> candidates, ArrayRef<ExprRef> repeated,
           ArrayRef<ExprRef> heads, ExprRef storedQuery, bool singleRow,
           function_ref<bool(ExprRef)> isLikely) {
  SmallVector<ExprRef> noRows(heads), conditions;
  llvm::append_range(noRows, repeated);
  for (const MaskStep &mask : result.masks)
    conditions.push_back(mask.keep);
  for (const ScoreStep &step : result.region)
    if (step.kind == ScoreStep::Mask)
      conditions.push_back(step.expr);
  for (ExprRef keep : conditions) {
    SmallVector<ExprRef> related;
    for (ExprRef var : candidates)
      if (isComparedWithKeys(keep, var, result.keys))
        related.push_back(var);
    if (!related.empty() && (related.size() == result.keys.size() ||
                             areInOneIndex(result.rootIndices, related)))
      return addDigits(ctx, related, candidates, noRows, result);
  }
  llvm::erase_if(candidates, [&](ExprRef var) {
    return singleRow || llvm::is_contained(repeated, var);
  });
  if (candidates.size() <= 1)
    return candidates;
  // As many rows as keys, digit by digit.
  SmallVector<ExprRef> rows, ordered = candidates;
  std::stable_partition(ordered.begin(), ordered.end(), isLikely);
  for (ExprRef key : result.keys)
    for (ExprRef var : ordered)
      if (var->getExtent() == key->getExtent() &&
          !llvm::is_contained(rows, var)) {
        rows.push_back(var);
        break;
      }
  if (rows.size() == result.keys.size())
    return rows;
  auto isHead = [&](ExprRef var) { return llvm::is_contained(heads, var); };
  if (!llvm::all_of(candidates, isHead))
    llvm::erase_if(candidates, isHead);
  if (llvm::any_of(candidates, isLikely))
    llvm::erase_if(candidates, std::not_fn(isLikely));
  // The last, with what are digits of the same index, of query and result.
  ExprRef last = candidates.back();
  llvm::erase_if(candidates, [&](ExprRef var) {
    return var != last &&
           !(storedQuery && areInOneIndex(result.rootIndices, {var, last}) &&
             areInOneIndex(storedQuery->getOperands(), {var, last}));
  });
  return candidates;
}

/// Keys that differ by row where queries and values do not.
static bool refuseKeysByRow(MatchContext &match, ExprRef key,
                            ArrayRef<ExprRef> keys) {
  if (readsProduct(match, key, keys))
    return match.refuse("scores are mixed with one another before the softmax, "
                        "such as those of several heads");
  return match.refuse("scores are not products of one query for each row and "
                      "one key for each value");
}

/// Looks behind an operand that was repeated before something was computed from
/// it, such as its norm: to tell rows from keys by what it depends on.
static void dropRepeats(MatchContext &match, ExprRef &e,
                        ArrayRef<ExprRef> vars) {
  ExprRef stored = match.view.peelLayout(e);
  if (llvm::any_of(vars, [&](ExprRef var) {
        return stored->dependsOn(var) && !match.dependsOn(e, var);
      }))
    e = withoutRepeats(match.view, e);
}

bool xsa::assignRoles(MatchContext &match, AttentionMatch &result) {
  SmallVector<ExprRef> vars(result.keys);
  for (ExprRef index : result.rootIndices)
    llvm::append_range(vars, index->getFreeVars());
  for (ExprRef *operand : {&result.query, &result.key, &result.value})
    dropRepeats(match, *operand, vars);
  // Seen through repeated heads, which only seem to depend on their group.
  ExprRef query = match.view.peelLayout(result.query);
  ExprRef key = match.view.peelLayout(result.key);
  ExprRef value = match.view.peelLayout(result.value);
  SmallVector<ExprRef> candidates, repeated;
  for (ExprRef index : result.rootIndices) {
    auto digits = match.ctx.getDigits(index);
    if (!digits)
      return false;
    size_t firstCandidate = candidates.size();
    bool hasKeyHeads = false;
    for (ExprRef var : digits->vars) {
      bool inScores = query->dependsOn(var) || key->dependsOn(var);
      for (const BiasTerm &bias : result.biases)
        inScores |= bias.expr->dependsOn(var);
      for (const MaskStep &mask : result.masks)
        inScores |= mask.keep->dependsOn(var);
      for (const ScoreStep &step : result.region)
        inScores |= (step.expr && step.expr->dependsOn(var)) ||
                    (step.fill && step.fill->dependsOn(var));
      bool inValue = value->dependsOn(var);
      if (!inScores && !inValue)
        return match.refuse("the result is repeated along a dimension");
      if (!inScores)
        result.columns.push_back(var);
      else if (!inValue && !query->dependsOn(var) && match.dependsOn(key, var))
        return refuseKeysByRow(match, key, result.keys);
      else if (inValue || key->dependsOn(var)) {
        result.leading.push_back(var);
        hasKeyHeads = true;
      } else {
        candidates.push_back(var);
      }
    }
    if (hasKeyHeads)
      repeated.append(candidates.begin() + firstCandidate, candidates.end());
  }
  for (ExprRef digit : result.keys)
    if (!value->dependsOn(digit) || !key->dependsOn(digit))
      return match.refuse("keys or values do not differ along the dimension "
                          "that softmax runs over");
  ExprRef storedQuery = getStored(match, query, result.depth);
  ExprRef storedKey = getStored(match, key, result.depth);
  SmallVector<ExprRef> heads =
      getStoredWithDepth(storedQuery, storedKey, candidates, result);
  bool singleRow = hasSingleRow(storedQuery, storedKey, result.keys) ||
                   (!heads.empty() && heads.size() == candidates.size());
  result.rows = chooseRows(match.ctx, result, candidates, repeated, heads,
                           storedQuery, singleRow, [&](ExprRef var) {
                             return isStoredLikeKeys(storedQuery, storedKey,
                                                     var, result.keys);
                           });
  for (ExprRef var : candidates)
    if (!llvm::is_contained(result.rows, var))
      result.leading.push_back(var);
  if (result.sink && match.dependsOn(result.sink, result.rows))
    return match.refuse("the sink differs between rows");

  auto number = [&](ArrayRef<ExprRef> digits, ExprRef &index, ExprRef &size) {
    SmallVector<ExprRef> extents;
    for (ExprRef digit : digits)
      extents.push_back(digit->getExtent());
    size = getCount(match.ctx, digits);
    index = match.ctx.linearize(digits, extents);
  };
  number(result.rows, result.rowIndex, result.numRows);
  number(result.keys, result.keyIndex, result.numKeys);
  return true;
}
