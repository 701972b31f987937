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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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
    if (!extent || term.coeff <= 0)
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
  if (cast<OpResult>(access->getValue()).getResultNumber() != 0)
    return;
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

//===----------------------------------------------------------------------===//
// Self attention
//===----------------------------------------------------------------------===//

ExprRef xsa::getOwnOffset(TensorView &view, AttentionOp op) {
  ExprContext &ctx = view.getContext();
  if (op.getQueryOffset() || op.getKeyLengths() || op.getQueryStart() ||
      op.getKeyStart())
    return nullptr;
  if (op.getAlignment() == Alignment::TopLeft)
    return ctx.integer(0);
  auto extentOf = [&](Value value, AffineMap map, unsigned dim) {
    auto position =
        map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
    return view.extent(value, *position);
  };
  ExprRef keys = extentOf(op.getKey(), op.getKeyMap(), op.getKeyDim());
  ExprRef rows = extentOf(op.getQuery(), op.getQueryMap(), op.getQueryDim());
  return ctx.sub(keys, rows);
}

Value xsa::getOwnRows(OpBuilder &builder, TensorView &view, AttentionOp op) {
  Value value = op.getValue();
  Location loc = op.getLoc();
  auto positionOf = [&](AffineMap map, unsigned dim) {
    return *map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
  };
  unsigned keyDim = positionOf(op.getValueMap(), op.getKeyDim());
  unsigned rowDim = positionOf(op.getQueryMap(), op.getQueryDim());
  ExprRef keys = view.extent(value, keyDim);
  ExprRef rows = view.extent(op.getQuery(), rowDim);
  if (keys == rows)
    return value;
  OpFoldResult size = tensor::getMixedSize(builder, loc, op.getQuery(), rowDim);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  if (op.getAlignment() == Alignment::BottomRight) {
    ExprRef offset = view.getContext().sub(keys, rows);
    if (auto known = ExprContext::getInteger(offset)) {
      offsets[keyDim] = builder.getIndexAttr(*known);
    } else {
      Value total =
          getValueOrCreateConstantIndexOp(builder, loc, sizes[keyDim]);
      Value own = getValueOrCreateConstantIndexOp(builder, loc, size);
      offsets[keyDim] =
          arith::SubIOp::create(builder, loc, total, own).getResult();
    }
  }
  sizes[keyDim] = size;
  return tensor::ExtractSliceOp::create(builder, loc, value, offsets, sizes,
                                        strides);
}

AffineMap xsa::getOwnRowsMap(AttentionOp op) {
  AffineMap map = op.getValueMap();
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults()) {
    bool isKey = cast<AffineDimExpr>(result).getPosition() == op.getKeyDim();
    results.push_back(
        isKey ? getAffineDimExpr(op.getQueryDim(), op.getContext()) : result);
  }
  return AffineMap::get(map.getNumDims(), 0, results, op.getContext());
}

/// The operand read along tracked variables, with other indices as given.
static ExprRef
accessOperand(TensorView &view, Value value, AffineMap map,
              llvm::function_ref<ExprRef(unsigned, ExprRef)> at) {
  SmallVector<ExprRef> indices;
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    unsigned dim = cast<AffineDimExpr>(result).getPosition();
    indices.push_back(at(dim, view.extent(value, i)));
  }
  return view.access(value, indices);
}

static bool isConstantRoot(ExprRef root) {
  return matchPattern(root->getValue(), m_Constant());
}

static std::string describe(ExprRef root) {
  if (auto argument = dyn_cast<BlockArgument>(root->getValue()))
    return ("argument " + Twine(argument.getArgNumber())).str();
  return ("the result of '" +
          root->getValue().getDefiningOp()->getName().getStringRef() + "'")
      .str();
}

/// That the query and the operand `name` come from different places.
static std::string describeDifference(ExprRef ofQuery, const Twine &name,
                                      ExprRef root) {
  std::string first = describe(ofQuery), second = describe(root);
  if (first == second)
    second = "another such operation";
  return ("query comes from " + first + ", " + name + " from " + second).str();
}

/// The function argument that an operand is, seen through layout.
static BlockArgument getFunctionArgument(TensorView &view, ExprRef access) {
  ExprRef e = view.peelLayout(access);
  if (!e->is(ExprKind::Access))
    return nullptr;
  auto argument = dyn_cast<BlockArgument>(e->getValue());
  bool isEntry =
      argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return isEntry ? argument : nullptr;
}

/// Reads a row at its own position: some index is the row itself.
static bool readsRowInPlace(ExprRef root, ExprRef row) {
  return llvm::any_of(root->getOperands(), [&](ExprRef index) {
    if (index == row)
      return true;
    // A row of a batch that is flattened into the same dimension.
    ExprRef others = nullptr;
    for (const PolyTerm &term : ExprContext::getTerms(index))
      if (term.atoms.size() == 1 && term.atoms[0] == row && term.coeff == 1)
        others = index;
    return others &&
           llvm::all_of(ExprContext::getTerms(index), [](const PolyTerm &term) {
             return !term.atoms.empty() && term.coeff > 0;
           });
  });
}

/// The roots of an operand that depend on the row. What is in no tensor yet is
/// no root, although a sum may start there.
SmallVector<ExprRef> TokenAxisAnalysis::rowRoots(ExprRef access) {
  SmallVector<ExprRef> roots;
  for (ExprRef root : getRoots(access)) {
    root = canonicalize(root);
    if (dependsOnRow(root) && !llvm::is_contained(roots, root) &&
        !root->getValue().getDefiningOp<tensor::EmptyOp>())
      roots.push_back(root);
  }
  return roots;
}

/// Whether `roots`, those of the own value or key row, are rows of the token
/// that the query's roots are rows of.
bool TokenAxisAnalysis::compareRoots(ArrayRef<ExprRef> queryRoots,
                                     ArrayRef<ExprRef> roots, ExprRef row,
                                     StringRef name, std::string &reason) {
  bool anyInput =
      llvm::any_of(roots, [](ExprRef e) { return !isConstantRoot(e); });
  bool shared = false;
  for (ExprRef root : roots) {
    if (llvm::is_contained(queryRoots, root)) {
      shared |= !anyInput || !isConstantRoot(root);
      continue;
    }
    bool otherRow = llvm::any_of(queryRoots, [&](ExprRef q) {
      return q->getValue() == root->getValue();
    });
    if (otherRow && !isConstantRoot(root)) {
      reason =
          ("query and " + name + " read different rows of " + describe(root))
              .str();
      return false;
    }
    if (isConstantRoot(root) || readsRowInPlace(root, row))
      continue;
    reason = (name + " rows are not at their own position in " + describe(root))
                 .str();
    return false;
  }
  if (shared)
    return true;
  if (roots.empty())
    reason = (name + " rows are not computed token by token").str();
  else if (queryRoots.empty())
    reason = "query rows are not computed token by token";
  else
    reason = describeDifference(queryRoots.front(), name, roots.front());
  return false;
}

/// The same for one query row, whose index is a number in every tensor and so
/// tells nothing. What the own row is read from has to be read by the query
/// too, and by no other key. What all keys are read from are weights, as is
/// what is the same in every sequence.
bool TokenAxisAnalysis::isOneToken(ExprRef query, ExprRef own, ExprRef other,
                                   StringRef name, std::string &reason) {
  // Named anew: variables may have been split since a root was found.
  auto getAll = [&](ExprRef access) {
    SmallVector<ExprRef> roots =
        llvm::map_to_vector(getRoots(access, Follow::Everything),
                            [&](ExprRef root) { return canonicalize(root); });
    return roots;
  };
  SmallVector<ExprRef> ofQuery = getAll(query), ofOther;
  if (other)
    ofOther = getAll(other);
  if (ofQuery.empty()) {
    reason = "query rows are not computed token by token";
    return false;
  }
  SmallVector<ExprRef> batch, rest;
  bool shared = false;
  for (ExprRef root : getAll(own)) {
    if (isConstantRoot(root) || llvm::is_contained(ofOther, root))
      continue;
    if (!llvm::is_contained(ofQuery, root)) {
      rest.push_back(root);
      continue;
    }
    auto isNamed = [&](ExprRef var) { return isTracked(var); };
    llvm::copy_if(root->getFreeVars(), std::back_inserter(batch), isNamed);
    // Without another key to compare with, a sum over tokens looks like a
    // token.
    shared |=
        other || llvm::count_if(root->getFreeVars(), std::not_fn(isNamed)) <= 1;
  }
  for (ExprRef root : rest) {
    if (!batch.empty() && !root->dependsOnAny(batch))
      continue;
    bool isOtherRow = llvm::any_of(
        ofQuery, [&](ExprRef q) { return q->getValue() == root->getValue(); });
    if (isOtherRow)
      reason =
          ("query and " + name + " read different rows of " + describe(root))
              .str();
    else
      reason = describeDifference(ofQuery.front(), name, root);
    return false;
  }
  if (!shared)
    reason = (name + " rows are not computed token by token").str();
  return shared;
}

/// Whether some index is itself read from a tensor.
static bool readsGathered(ExprRef access) {
  return llvm::any_of(access->getOperands(), [](ExprRef index) {
    return llvm::any_of(ExprContext::getTerms(index), [](const PolyTerm &term) {
      return llvm::any_of(
          term.atoms, [](ExprRef atom) { return atom->is(ExprKind::Access); });
    });
  });
}

/// Whether `e` differs between sequences: it reads an input at one of the
/// `batch` indices, or any input where there is a single sequence. A constant
/// does only where the input says at which row it is read.
bool TokenAxisAnalysis::differsBySequence(ExprRef e, ArrayRef<ExprRef> batch,
                                          llvm::DenseMap<ExprRef, bool> &seen,
                                          unsigned depth) {
  if (!batch.empty() && !e->dependsOnAny(batch))
    return false;
  if (depth > 24)
    return true;
  if (auto it = seen.find(e); it != seen.end())
    return it->second;
  auto anyDiffers = [&](ArrayRef<ExprRef> operands) {
    return llvm::any_of(operands, [&](ExprRef operand) {
      return differsBySequence(operand, batch, seen, depth + 1);
    });
  };
  ExprRef inner = view.look(e);
  bool differs = false;
  if (inner->is(ExprKind::Access))
    differs = (!isConstantRoot(inner) || readsGathered(inner)) &&
              (batch.empty() || inner->dependsOnAny(batch));
  else if (inner->is(ExprKind::Apply) || inner->is(ExprKind::Reduce))
    differs = anyDiffers(inner->getOperands());
  return seen[e] = differs;
}

/// Keys before the own ones are earlier tokens of the same sequence, unless
/// they are the same in every sequence and the own ones are not, or the other
/// way round.
bool TokenAxisAnalysis::isOneSequence(ExprRef first, ExprRef own,
                                      ArrayRef<ExprRef> queryRoots,
                                      std::string &reason) {
  SmallVector<ExprRef> batch;
  for (ExprRef root : queryRoots)
    for (ExprRef var : root->getFreeVars())
      if (isTracked(var) && !isRow(var) && !isConstantRoot(root))
        batch.push_back(var);
  llvm::DenseMap<ExprRef, bool> seen;
  bool firstDiffers = differsBySequence(first, batch, seen);
  if (firstDiffers == differsBySequence(own, batch, seen))
    return true;
  reason = firstDiffers ? "the own value rows are the same in every sequence "
                          "(latents), the others are not"
                        : "the first value rows are the same in every sequence "
                          "(a learned prefix)";
  return false;
}

namespace {
/// Reads operands of one attention. Variables are numbered per extent, so that
/// attentions of one shape share them, and with them what is known about the
/// model below.
class DomainAccess {
public:
  DomainAccess(TokenAxisAnalysis &analysis, TensorView &view, AttentionOp op)
      : analysis(analysis), view(view), op(op),
        domain(op.getNumLoops(), nullptr) {
    query = accessOperand(view, op.getQuery(), op.getQueryMap(),
                          [&](unsigned dim, ExprRef extent) {
                            return dim == op.getKeyDepthDim()
                                       ? view.getContext().variable(extent)
                                       : follow(dim, extent);
                          });
  }

  ExprRef getQuery() const { return query; }
  ExprRef getRow() {
    return view.getContext().refine(domain[op.getQueryDim()]);
  }
  ExprRef getKey(ExprRef index) {
    return at(op.getKey(), op.getKeyMap(), index);
  }
  ExprRef getValue(ExprRef index) {
    return at(op.getValue(), op.getValueMap(), index);
  }

private:
  ExprRef follow(unsigned dim, ExprRef extent) {
    if (!domain[dim])
      domain[dim] = dim == op.getQueryDim()
                        ? analysis.rowVar(extent)
                        : analysis.leadingVar(extent, count[extent]++);
    return domain[dim];
  }
  ExprRef at(Value operand, AffineMap map, ExprRef key) {
    return accessOperand(view, operand, map, [&](unsigned dim, ExprRef extent) {
      if (dim == op.getKeyDim())
        return key;
      bool isDepth = dim == op.getValueDepthDim() || dim == op.getKeyDepthDim();
      return isDepth ? view.getContext().variable(extent) : follow(dim, extent);
    });
  }

  TokenAxisAnalysis &analysis;
  TensorView &view;
  AttentionOp op;
  llvm::DenseMap<ExprRef, unsigned> count;
  SmallVector<ExprRef> domain;
  ExprRef query = nullptr;
};
} // namespace

bool TokenAxisAnalysis::isSelfAttention(AttentionOp op, bool assumeSelf,
                                        std::string &reason) {
  ExprRef offset = getOwnOffset(view, op);
  if (!offset) {
    reason = "the position of the own token is only known at run time";
    return false;
  }
  if (!ctx.isProvablyNonNegative(offset)) {
    reason = "there are fewer keys than queries";
    return false;
  }
  DomainAccess access(*this, view, op);
  ExprRef query = access.getQuery();
  ExprRef own = ctx.add(access.getRow(), offset);
  ExprRef value = access.getValue(own), key = access.getKey(own);

  BlockArgument queryArgument = getFunctionArgument(view, query);
  BlockArgument valueArgument = getFunctionArgument(view, value);
  bool areArguments =
      queryArgument && valueArgument && queryArgument != valueArgument;
  if (areArguments && assumeSelf)
    return true;
  SmallVector<ExprRef> queryRoots;
  bool isProven = false, isOnlyKey = ExprContext::getInteger(offset) == 0;
  if (access.getRow()->getFreeVars().empty()) {
    queryRoots = llvm::to_vector(getRoots(query, Follow::Everything));
    ExprRef other = isOnlyKey ? nullptr : rowVar(offset);
    ExprRef otherValue = other ? access.getValue(other) : nullptr;
    ExprRef otherKey = other ? access.getKey(other) : nullptr;
    isProven = isOneToken(query, value, otherValue, "value", reason) &&
               isOneToken(query, key, otherKey, "key", reason);
  } else {
    queryRoots = rowRoots(query);
    SmallVector<ExprRef> valueRoots = rowRoots(value), keyRoots = rowRoots(key);
    ExprRef row = access.getRow();
    isProven = compareRoots(queryRoots, valueRoots, row, "value", reason) &&
               compareRoots(queryRoots, keyRoots, row, "key", reason);
  }
  if (isProven)
    return isOnlyKey || isOneSequence(access.getValue(ctx.integer(0)), value,
                                      queryRoots, reason);
  if (areArguments)
    reason = "query and value are function arguments, which may be of "
             "different sequences (option assume-self takes them for one)";
  return false;
}
