//===- SelfAttention.cpp - Proves that attention is self attention --------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares what the rows of query, key and value are read from. Each refusal is
// the first thing that stands against the proof, in a model author's words.
//
//===----------------------------------------------------------------------===//

#include "TensorNames.h"
#include "xsa/Analysis/TokenAxis.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace xsa;

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
  if (isConstantRoot(root))
    return "a constant (weights or learned rows)";
  return describeTensor(root->getValue());
}

/// The first of `roots` that is no constant, if there is one.
static ExprRef findInput(ArrayRef<ExprRef> roots) {
  auto it = llvm::find_if_not(roots, isConstantRoot);
  return it == roots.end() ? roots.front() : *it;
}

/// That the query and the operand `name` come from different places.
static std::string describeDifference(ExprRef ofQuery, const Twine &name,
                                      ExprRef root) {
  if (isConstantRoot(ofQuery) && isConstantRoot(root))
    return ("rows of query and " + name + " are rows of different weights, " +
            "such as their channels, and not tokens")
        .str();
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
  bool anyInput = llvm::any_of(roots, std::not_fn(isConstantRoot));
  bool shared = llvm::any_of(roots, [&](ExprRef root) {
    return llvm::is_contained(queryRoots, root) &&
           (!anyInput || !isConstantRoot(root));
  });
  for (ExprRef root : roots) {
    if (llvm::is_contained(queryRoots, root))
      continue;
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
    if (shared) {
      reason =
          (name + " rows are not at their own position in " + describe(root))
              .str();
      return false;
    }
  }
  if (shared)
    return true;
  if (roots.empty())
    reason = (name + " rows are not computed token by token").str();
  else if (queryRoots.empty())
    reason = "query rows are not computed token by token";
  else
    reason = describeDifference(findInput(queryRoots), name, findInput(roots));
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
      reason = describeDifference(findInput(ofQuery), name, root);
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
    auto isOneTokenBeside = [&](ExprRef other) {
      ExprRef otherValue = other ? access.getValue(other) : nullptr;
      ExprRef otherKey = other ? access.getKey(other) : nullptr;
      return isOneToken(query, value, otherValue, "value", reason) &&
             isOneToken(query, key, otherKey, "key", reason);
    };
    // The first key as well, by its number as the own one: what lies below a
    // convolution is found for no key whose index is a variable.
    isProven = isOnlyKey ? isOneTokenBeside(nullptr)
                         : isOneTokenBeside(rowVar(offset)) &&
                               isOneTokenBeside(ctx.integer(0));
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
