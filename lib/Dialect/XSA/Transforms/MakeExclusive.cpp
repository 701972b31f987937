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

#include "xsa/Analysis/OutputAccess.h"
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

  /// What is asked for and does not exist among `count`; empty if all does.
  std::string getMissing(unsigned count) const;
};
} // namespace

std::string LayerSelection::getMissing(unsigned count) const {
  if (last)
    return *last > count ? "the last " + std::to_string(*last) : "";
  SmallVector<std::string> missing;
  for (unsigned layer : list)
    if (layer >= count)
      missing.push_back(std::to_string(layer));
  return llvm::join(missing, ", ");
}

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

static void makeExclusive(TensorView &view, AttentionOp op,
                          ExclusionAttr exclusion) {
  OpBuilder builder(op);
  op.assignOperand(AttentionOp::odsIndex_self_value,
                   getOwnRows(builder, view, op), getOwnRowsMap(op));
  op.setExclusionAttr(exclusion);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class MakeExclusivePass
    : public xsa::impl::MakeExclusiveBase<MakeExclusivePass> {
public:
  using Base::Base;
  MakeExclusivePass(const MakeExclusiveOptions &options,
                    std::shared_ptr<AttentionReport> account)
      : Base(options), account(std::move(account)) {}

  void runOnOperation() override {
    std::optional<LayerSelection> selection = readLayers();
    ExclusionAttr exclusion = readExclusion();
    if (!selection || !exclusion)
      return signalPassFailure();
    keepAccount(convert(*selection, exclusion));
  }

private:
  /// At the function, but without its text: that is not what is wrong.
  InFlightDiagnostic emitOptionError() {
    return emitError(getOperation()->getLoc());
  }
  std::optional<LayerSelection> readLayers();
  ExclusionAttr readExclusion();
  bool proveSelf(TensorView &view, TokenAxisAnalysis &analysis, AttentionOp op,
                 AttentionEntry &entry);
  std::vector<AttentionEntry> convert(const LayerSelection &selection,
                                      ExclusionAttr exclusion);
  void keepAccount(std::vector<AttentionEntry> entries);

  std::shared_ptr<AttentionReport> account;
};
} // namespace

std::optional<LayerSelection> MakeExclusivePass::readLayers() {
  auto selection = parseLayers(layers);
  if (!selection)
    emitOptionError() << "expected 'layers' to be all, last:N or a list of "
                         "numbers, got '"
                      << layers << "'";
  return selection;
}

ExclusionAttr MakeExclusivePass::readExclusion() {
  auto kind = symbolizeDenominator(denominator);
  if (!kind) {
    emitOptionError() << "expected 'denominator' to be l2_clamp, sq_clamp, "
                         "sq_add or raw, got '"
                      << denominator << "'";
    return nullptr;
  }
  auto emitError = [&] { return emitOptionError(); };
  return ExclusionAttr::getChecked(emitError, &getContext(), *kind,
                                   eps.value_or(getDefaultEps(*kind)),
                                   double(strength));
}

/// Whether `op` is self attention that is not exclusive yet. If it is not, the
/// entry says why.
bool MakeExclusivePass::proveSelf(TensorView &view, TokenAxisAnalysis &analysis,
                                  AttentionOp op, AttentionEntry &entry) {
  auto escape = op->getAttrOfType<StringAttr>("xsa.escape");
  if (!isa<RankedTensorType>(op.getQuery().getType()))
    entry.reason = "it is not on tensors";
  else if (escape)
    entry.reason = escape.str();
  else if (losesOwnValue(view, op))
    entry.reason = "the model takes part of the own value out of its output "
                   "already, in a way that is not recognised";
  else if (analysis.isSelfAttention(op, assumeSelf, entry.reason))
    return true;
  entry.decision = AttentionDecision::NotExclusive;
  op.emitRemark("attention not made exclusive: ") << entry.reason;
  return false;
}

std::vector<AttentionEntry>
MakeExclusivePass::convert(const LayerSelection &selection,
                           ExclusionAttr exclusion) {
  ExprContext ctx(&getContext());
  TensorView view(ctx);
  view.learnSizes(getOperation());
  ConstantEvaluator evaluator(view);
  TokenAxisAnalysis analysis(view, evaluator);
  std::vector<AttentionEntry> entries = describeAttentions(getOperation());
  SmallVector<std::pair<AttentionOp, AttentionEntry *>> candidates;
  unsigned numLayers = 0, next = 0;
  getOperation()->walk([&](AttentionOp op) {
    AttentionEntry &entry = entries[next++];
    if (!entry.exclusion && !proveSelf(view, analysis, op, entry))
      return;
    entry.layer = numLayers++;
    if (!entry.exclusion)
      candidates.emplace_back(op, &entry);
  });
  // Where there is no self attention at all, remarks have said so.
  std::string missing = selection.getMissing(numLayers);
  if (!missing.empty() && numLayers > 0)
    emitWarning(getOperation()->getLoc(), "option 'layers' names ")
        << missing << ", but @" << getFunctionName(getOperation()) << " has "
        << numLayers << " self attention" << (numLayers > 1 ? "s" : "")
        << ", counted from 0";
  for (auto [op, entry] : candidates) {
    if (!selection.contains(*entry->layer, numLayers)) {
      entry->decision = AttentionDecision::NotExclusive;
      entry->reason = "it is not among the layers that were chosen";
      continue;
    }
    makeExclusive(view, op, exclusion);
    entry->decision = AttentionDecision::MadeExclusive;
    entry->exclusion = exclusion;
  }
  return entries;
}

void MakeExclusivePass::keepAccount(std::vector<AttentionEntry> entries) {
  if (account)
    account->update(getOperation(), entries);
  FunctionReport function{getFunctionName(getOperation()), std::move(entries)};
  numExclusive += function.count(AttentionDecision::MadeExclusive);
  numAlready += function.count(AttentionDecision::ExclusiveInModel);
  numRefused += function.count(AttentionDecision::NotExclusive);
  if (report)
    printReport(function, llvm::errs());
}

std::unique_ptr<Pass>
xsa::createMakeExclusive(const MakeExclusiveOptions &options,
                         std::shared_ptr<AttentionReport> report) {
  return std::make_unique<MakeExclusivePass>(options, std::move(report));
}
