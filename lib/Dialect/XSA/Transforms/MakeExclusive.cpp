//===- MakeExclusive.cpp - Self attention to exclusive self attention -----===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one pass that changes what a model computes. It asks TokenAxis for a
// proof and gives the operation its own value rows.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/Transforms/Passes.h"

#include "xsa/Analysis/TokenAxis.h"
#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

namespace xsa {
#define GEN_PASS_DEF_MAKEEXCLUSIVE
#include "xsa/Dialect/XSA/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
/// Which of a function's self attentions are meant.
struct LayerSelection {
  bool all = false;
  std::optional<unsigned> last;
  SmallVector<unsigned> list;

  bool contains(unsigned layer, unsigned count) const {
    if (last)
      return layer + *last >= count;
    return all || llvm::is_contained(list, layer);
  }
};
} // namespace

static std::optional<LayerSelection> parseLayers(StringRef text) {
  LayerSelection selection;
  if (text == "all") {
    selection.all = true;
    return selection;
  }
  unsigned number;
  if (text.consume_front("last:")) {
    if (text.getAsInteger(10, number))
      return std::nullopt;
    selection.last = number;
    return selection;
  }
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    if (part.trim().getAsInteger(10, number))
      return std::nullopt;
    selection.list.push_back(number);
  }
  return selection;
}

static double getDefaultEps(Denominator denominator) {
  switch (denominator) {
  case Denominator::L2Clamp:
    return 1e-12;
  case Denominator::SqClamp:
  case Denominator::SqAdd:
    return 1e-6;
  case Denominator::Raw:
    return 0;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

ExcludeOp xsa::findLaterExclusion(AttentionOp op) {
  SmallVector<Value> worklist = {op->getResult(0)};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty() && seen.size() < 64) {
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (auto exclude = dyn_cast<ExcludeOp>(user))
        return exclude;
      auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
      bool keepsRows = linalgOp
                           ? linalgOp.getNumReductionLoops() == 0
                           : isa<tensor::TensorDialect>(user->getDialect());
      if (keepsRows && seen.insert(user).second)
        llvm::append_range(worklist, user->getResults());
    }
  }
  return nullptr;
}

static void makeExclusive(TensorView &view, AttentionOp op,
                          ExclusionAttr exclusion) {
  OpBuilder builder(op);
  Value ownRows = getOwnRows(builder, view, op);
  SmallVector<AffineMap> maps = op.getMaps();
  SmallVector<AffineExpr> results;
  for (AffineExpr result : op.getValueMap().getResults()) {
    bool isKey = cast<AffineDimExpr>(result).getPosition() == op.getKeyDim();
    results.push_back(isKey ? builder.getAffineDimExpr(op.getQueryDim())
                            : result);
  }
  // Own rows follow query, key and value.
  maps.insert(maps.begin() + 3,
              AffineMap::get(op.getNumLoops(), 0, results, op.getContext()));
  op.getSelfValueMutable().assign(ownRows);
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  op.setExclusionAttr(exclusion);
}

namespace {
class MakeExclusivePass
    : public xsa::impl::MakeExclusiveBase<MakeExclusivePass> {
public:
  using Base::Base;

  void runOnOperation() override {
    auto selection = parseLayers(layers);
    auto kind = symbolizeDenominator(denominator);
    if (!selection) {
      getOperation()->emitError("expected 'layers' to be all, last:N or a list "
                                "of numbers, got '")
          << layers << "'";
      return signalPassFailure();
    }
    if (!kind) {
      getOperation()->emitError("expected 'denominator' to be l2_clamp, "
                                "sq_clamp, sq_add or raw, got '")
          << denominator << "'";
      return signalPassFailure();
    }
    bool isGiven = eps != -std::numeric_limits<double>::infinity();
    double epsilon = isGiven ? double(eps) : getDefaultEps(*kind);
    auto emitError = [&] { return getOperation()->emitError(); };
    auto exclusion = ExclusionAttr::getChecked(emitError, &getContext(), *kind,
                                               epsilon, double(strength));
    if (!exclusion)
      return signalPassFailure();
    convert(*selection, exclusion);
  }

private:
  struct SelfAttention {
    AttentionOp op;
    bool isExclusive;
  };

  SmallVector<SelfAttention> collectSelfAttentions(TensorView &view) {
    ConstantEvaluator evaluator(view);
    TokenAxisAnalysis analysis(view, evaluator);
    SmallVector<SelfAttention> found;
    getOperation()->walk([&](AttentionOp op) {
      std::string reason;
      if (op.isExclusive() || findLaterExclusion(op)) {
        ++numAlready;
        found.push_back({op, true});
        return;
      }
      auto escape = op->getAttrOfType<StringAttr>("xsa.escape");
      if (!isa<RankedTensorType>(op.getQuery().getType()))
        reason = "it is not on tensors";
      else if (escape)
        reason = escape.str();
      if (reason.empty() && analysis.isSelfAttention(op, assumeSelf, reason)) {
        found.push_back({op, false});
        return;
      }
      ++numRefused;
      op.emitRemark("attention not made exclusive: ") << reason;
    });
    return found;
  }

  void convert(const LayerSelection &selection, ExclusionAttr exclusion) {
    ExprContext ctx(&getContext());
    TensorView view(ctx);
    view.learnSizes(getOperation());
    SmallVector<SelfAttention> found = collectSelfAttentions(view);
    for (auto [layer, attention] : llvm::enumerate(found)) {
      if (attention.isExclusive || !selection.contains(layer, found.size()))
        continue;
      makeExclusive(view, attention.op, exclusion);
      ++numExclusive;
    }
  }
};
} // namespace
