//===- TokenAxis.cpp - Which rows belong to one token ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A depth-first walk over accesses. Variables that are not followed get names
// by extent and order, so that the same value seen from several attentions is
// one node, and the analysis of a whole model is linear in its size.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/TokenAxis.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

ExprRef TokenAxisAnalysis::rowVar(ExprRef extent) {
  ExprRef &var = rows[extent];
  if (!var)
    var = ctx.variable(extent);
  ExprRef refined = ctx.refine(var);
  rowDigits.insert_range(refined->getFreeVars());
  return refined;
}

ExprRef TokenAxisAnalysis::leadingVar(ExprRef extent, unsigned ordinal) {
  ExprRef &var = leading[{extent, ordinal}];
  if (!var)
    var = ctx.variable(extent);
  ExprRef refined = ctx.refine(var);
  leadingDigits.insert_range(refined->getFreeVars());
  return refined;
}

/// After a split, the digits of a variable are followed in its place.
void TokenAxisAnalysis::updateDigits() {
  if (digitsAtSplit == ctx.getNumSplits())
    return;
  digitsAtSplit = ctx.getNumSplits();
  for (auto &[extent, var] : rows)
    rowDigits.insert_range(ctx.refine(var)->getFreeVars());
  for (auto &[key, var] : leading)
    leadingDigits.insert_range(ctx.refine(var)->getFreeVars());
}

bool TokenAxisAnalysis::isRow(ExprRef var) {
  updateDigits();
  return rowDigits.contains(var);
}

bool TokenAxisAnalysis::isTracked(ExprRef var) {
  updateDigits();
  return rowDigits.contains(var) || leadingDigits.contains(var);
}

bool TokenAxisAnalysis::dependsOnRow(ExprRef e) {
  return llvm::any_of(e->getFreeVars(),
                      [&](ExprRef var) { return isRow(var); });
}

/// Gives variables that are not followed a name by extent and order. Where they
/// index a dimension without a row, which part of it is read does not matter.
ExprRef TokenAxisAnalysis::canonicalize(ExprRef access) {
  access = ctx.refine(access);
  llvm::DenseMap<ExprRef, unsigned> count;
  auto name = [&](ExprRef extent) {
    ExprRef &var = anonymous[{extent, count[extent]++}];
    if (!var)
      var = ctx.variable(extent);
    return ctx.refine(var);
  };
  ExprContext::Substitution renaming;
  SmallVector<ExprRef> indices;
  for (auto [dim, index] : llvm::enumerate(access->getOperands())) {
    bool named = llvm::all_of(index->getFreeVars(),
                              [&](ExprRef var) { return isTracked(var); });
    if (!named && !dependsOnRow(index) &&
        isa<ShapedType>(access->getValue().getType())) {
      indices.push_back(name(view.extent(access->getValue(), dim)));
      continue;
    }
    for (ExprRef var : index->getFreeVars())
      if (!isTracked(var) && !renaming.contains(var))
        renaming[var] = name(var->getExtent());
    indices.push_back(index);
  }
  return ctx.substitute(ctx.access(access->getValue(), indices), renaming);
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// Whether each value of an index belongs to one value of its variables: digits
/// of a number, perhaps with gaps.
static bool isInjective(ExprContext &ctx, ExprRef index) {
  if (ctx.getDigits(index))
    return true;
  SmallVector<std::pair<int64_t, int64_t>> digits; // stride, extent
  for (const PolyTerm &term : ExprContext::getTerms(index)) {
    if (term.atoms.empty())
      continue;
    auto extent = term.atoms.size() == 1 && term.atoms[0]->is(ExprKind::Var)
                      ? ExprContext::getInteger(term.atoms[0]->getExtent())
                      : std::nullopt;
    if (!extent)
      return false;
    digits.emplace_back(term.coeff, *extent);
  }
  llvm::sort(digits);
  int64_t reach = 0;
  for (auto [stride, extent] : digits) {
    if (stride <= reach)
      return false;
    reach += stride * (extent - 1);
  }
  return true;
}

/// Whether some index reads the same element for several rows: a convolution.
bool TokenAxisAnalysis::mixesRows(ExprRef access) {
  return llvm::any_of(access->getOperands(), [&](ExprRef index) {
    return dependsOnRow(index) && !isInjective(ctx, index) &&
           llvm::any_of(index->getFreeVars(),
                        [&](ExprRef var) { return !isTracked(var); });
  });
}

/// The rows of an attention are those of its query and of its own values.
void TokenAxisAnalysis::addAttentionSources(Operation *op, ExprRef access,
                                            SmallVectorImpl<ExprRef> &sources) {
  SmallVector<std::pair<Value, AffineMap>> operands;
  AffineMap outMap;
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    operands.emplace_back(attention.getQuery(), attention.getQueryMap());
    if (attention.getSelfValue())
      operands.emplace_back(attention.getSelfValue(),
                            attention.getSelfValueMap());
    outMap = attention.getOutputMap();
  } else {
    auto exclude = cast<ExcludeOp>(op);
    operands.emplace_back(exclude.getInput(), exclude.getInputMap());
    operands.emplace_back(exclude.getValue(), exclude.getValueMap());
    outMap = exclude.getOutputMap();
  }
  SmallVector<ExprRef> loops(outMap.getNumDims(), nullptr);
  for (auto [result, index] :
       llvm::zip_equal(outMap.getResults(), access->getOperands()))
    loops[cast<AffineDimExpr>(result).getPosition()] = index;
  for (auto [value, map] : operands) {
    SmallVector<ExprRef> indices;
    for (auto [i, result] : llvm::enumerate(map.getResults())) {
      unsigned dim = cast<AffineDimExpr>(result).getPosition();
      if (!loops[dim])
        loops[dim] = ctx.variable(view.extent(value, i));
      indices.push_back(loops[dim]);
    }
    sources.push_back(view.access(value, indices));
  }
}

/// Positions are often computed as tensors: reads them as expressions.
ExprRef TokenAxisAnalysis::resolveIndices(ExprRef access) {
  SmallVector<ExprRef> indices;
  for (ExprRef index : access->getOperands())
    indices.push_back(evaluator.resolve(index));
  return ctx.access(access->getValue(), indices);
}

std::optional<SmallVector<ExprRef>>
TokenAxisAnalysis::getSources(ExprRef access, Follow follow) {
  SmallVector<ExprRef> sources;
  Operation *op = access->getValue().getDefiningOp();
  llvm::SmallPtrSet<ExprRef, 8> seen;
  if (isa_and_nonnull<AttentionOp, ExcludeOp>(op)) {
    // A sum of exponentials, or a coefficient, is a row of its own.
    if (cast<OpResult>(access->getValue()).getResultNumber() != 0)
      return std::nullopt;
    addAttentionSources(op, access, sources);
  } else if (ExprRef inner = view.peel(access)) {
    inner->collectAccesses(seen, sources);
  } else {
    return std::nullopt;
  }
  SmallVector<ExprRef> followed;
  for (unsigned i = 0; i < sources.size(); ++i) {
    ExprRef source = resolveIndices(sources[i]);
    if (mixesRows(source))
      return std::nullopt;
    // Rows that are gathered follow the rows of their indices too.
    for (ExprRef index : source->getOperands())
      index->collectAccesses(seen, sources);
    source = canonicalize(source);
    bool isFollowed = follow == Follow::Everything || dependsOnRow(source);
    if (isFollowed && !llvm::is_contained(followed, source))
      followed.push_back(source);
  }
  return followed;
}

ArrayRef<ExprRef> TokenAxisAnalysis::getRoots(ExprRef access, Follow follow) {
  struct Visit {
    ExprRef access;
    std::optional<SmallVector<ExprRef>> sources;
  };
  ExprRef start = canonicalize(access);
  auto &found = known[unsigned(follow)];
  SmallVector<Visit> stack;
  llvm::DenseSet<ExprRef> open;
  auto enter = [&](ExprRef e) {
    if (!found.contains(e) && open.insert(e).second)
      stack.push_back({e, getSources(e, follow)});
  };
  enter(start);
  while (!stack.empty()) {
    Visit &visit = stack.back();
    ExprRef next = nullptr;
    SmallVector<ExprRef, 4> roots;
    if (!visit.sources)
      roots.push_back(visit.access);
    else
      for (ExprRef source : *visit.sources) {
        if (!found.contains(source) && !open.contains(source))
          next = source;
        for (ExprRef root : found.lookup(source))
          if (!llvm::is_contained(roots, root))
            roots.push_back(root);
      }
    if (next) {
      enter(next);
      continue;
    }
    open.erase(visit.access);
    found[visit.access] = std::move(roots);
    stack.pop_back();
  }
  return found[start];
}
