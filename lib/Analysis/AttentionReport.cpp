//===- AttentionReport.cpp - What became of each attention ----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes attentions in words, and prints the account as a table.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/AttentionReport.h"

#include "xsa/Analysis/TensorReads.h"

#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Describing operations
//===----------------------------------------------------------------------===//

ExcludeOp xsa::findLaterExclusion(AttentionOp op) {
  if (op->getNumResults() == 0)
    return nullptr;
  SmallVector<Value> worklist = {op->getResult(0)};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!worklist.empty() && seen.size() < 64) {
    for (Operation *user : collectReaders(worklist.pop_back_val())) {
      if (auto exclude = dyn_cast<ExcludeOp>(user))
        return exclude;
      auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
      bool keepsRows =
          linalgOp ? linalgOp.getNumReductionLoops() == 0
                   : isa_and_nonnull<tensor::TensorDialect>(user->getDialect());
      if (keepsRows && seen.insert(user).second)
        llvm::append_range(worklist, user->getResults());
    }
  }
  return nullptr;
}

template <typename... Parts> static std::string toText(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (os << ... << parts);
  return text;
}

static std::string formatNumber(double number) {
  return toText(llvm::format("%g", number));
}

/// How many query heads share a key head; 1 without groups.
static std::string describeGroups(AttentionOp op) {
  auto queryType = cast<ShapedType>(op.getQuery().getType());
  int64_t size = 1;
  for (auto [expr, extent] :
       llvm::zip_equal(op.getQueryMap().getResults(), queryType.getShape())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    bool isGroup = dim < op.getNumLeadingDims() &&
                   !op.getKeyMap().isFunctionOfDim(dim) &&
                   !op.getValueMap().isFunctionOfDim(dim);
    if (isGroup && ShapedType::isDynamic(extent))
      return "grouped heads";
    size *= isGroup ? extent : 1;
  }
  return size > 1 ? toText("groups of ", size, " heads") : "";
}

static std::vector<std::string> describeFeatures(AttentionOp op) {
  std::vector<std::string> features;
  auto add = [&](bool present, std::string text) {
    if (present)
      features.push_back(std::move(text));
  };
  std::string groups = describeGroups(op);
  add(!groups.empty(), groups);
  add(op.getCausal(), "causal");
  if (auto width = op.getWindowLeft())
    add(true, toText("window ", *width, " back"));
  if (auto width = op.getWindowRight())
    add(true, toText("window ", *width, " ahead"));
  add(bool(op.getMask()), "mask");
  add(bool(op.getKeyLengths()), "key lengths");
  add(op.getKeyBegin() || op.getKeyEnd(), "key intervals");
  add(bool(op.getQueryOffset()), "query offset");
  if (auto cap = op.getSoftcap())
    add(true, "soft cap " + formatNumber(cap->convertToDouble()));
  add(bool(op.getBias()), "bias");
  add(op.hasScoreRegion(), "score region");
  add(bool(op.getSinks()), "sinks");
  add(bool(op.getStrength()), "strength");
  return features;
}

AttentionEntry xsa::describeAttention(AttentionOp op) {
  AttentionEntry entry(op.getLoc());
  entry.operation = op->getName().getStringRef().str();
  entry.query = toText(op.getQuery().getType());
  entry.key = toText(op.getKey().getType());
  entry.value = toText(op.getValue().getType());
  entry.features = describeFeatures(op);
  if (op.isExclusive())
    entry.exclusion = *op.getExclusion();
  else if (ExcludeOp later = findLaterExclusion(op))
    entry.exclusion = later.getExclusion();
  if (entry.exclusion)
    entry.decision = AttentionDecision::ExclusiveInModel;
  return entry;
}

std::vector<AttentionEntry> xsa::describeAttentions(Operation *function) {
  std::vector<AttentionEntry> entries;
  llvm::SmallPtrSet<Operation *, 8> described;
  function->walk([&](AttentionOp op) {
    entries.push_back(describeAttention(op));
    described.insert(op.isExclusive() ? nullptr : findLaterExclusion(op));
  });
  function->walk([&](ExcludeOp op) {
    if (described.contains(op))
      return;
    AttentionEntry entry(op.getLoc());
    entry.operation = op->getName().getStringRef().str();
    entry.value = toText(op.getValue().getType());
    entry.exclusion = op.getExclusion();
    entry.decision = AttentionDecision::ExclusiveInModel;
    entries.push_back(std::move(entry));
  });
  return entries;
}

//===----------------------------------------------------------------------===//
// Keeping account
//===----------------------------------------------------------------------===//

unsigned FunctionReport::count(AttentionDecision decision) const {
  return llvm::count_if(entries, [&](const AttentionEntry &entry) {
    return entry.decision == decision;
  });
}

unsigned FunctionReport::countRaised() const {
  return entries.size() - count(AttentionDecision::Refused);
}

std::string xsa::getFunctionName(Operation *function) {
  auto named = dyn_cast<SymbolOpInterface>(function);
  return named ? named.getName().str() : "";
}

static bool isRefused(const AttentionEntry &entry) {
  return entry.decision == AttentionDecision::Refused;
}

void AttentionReport::update(Operation *function,
                             ArrayRef<AttentionEntry> entries) {
  std::lock_guard<std::mutex> lock(mutex);
  FunctionReport &report = functions[function];
  report.name = getFunctionName(function);
  std::vector<AttentionEntry> updated(entries);
  if (llvm::none_of(entries, isRefused))
    llvm::copy_if(report.entries, std::back_inserter(updated), isRefused);
  report.entries = std::move(updated);
}

std::vector<FunctionReport> AttentionReport::get(Operation *root) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<FunctionReport> result;
  root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    auto it = functions.find(function);
    if (it != functions.end() && !it->second.entries.empty())
      result.push_back(it->second);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string describeDecision(const AttentionEntry &entry) {
  auto withExclusion = [&](StringRef text) {
    ExclusionAttr exclusion = entry.exclusion;
    std::string result = toText(
        text, " (", stringifyDenominator(exclusion.getDenominator()).str());
    if (exclusion.getDenominator() != Denominator::Raw)
      result += ", eps " + formatNumber(exclusion.getEps());
    if (exclusion.getStrength() != 1.0)
      result += ", strength " + formatNumber(exclusion.getStrength());
    return result + ")";
  };
  switch (entry.decision) {
  case AttentionDecision::Raised:
    return "raised";
  case AttentionDecision::ExclusiveInModel:
    return withExclusion("exclusive in the model");
  case AttentionDecision::MadeExclusive:
    return withExclusion("made exclusive");
  case AttentionDecision::NotExclusive:
    return "not exclusive: " + entry.reason;
  case AttentionDecision::Refused:
    return "left alone: " + entry.reason;
  }
  llvm_unreachable("every decision is handled above");
}

static std::string describeLocation(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  return toText(llvm::sys::path::filename(file.getFilename()), ":",
                file.getLine(), ":", file.getColumn());
}

/// `tensor<2x4xf32>` as `2x4xf32`.
static std::string describeShape(StringRef type) {
  auto [world, rest] = type.split('<');
  return type.empty() ? "-" : rest.drop_back().str();
}

using Row = SmallVector<std::string, 7>;

static Row makeRow(const AttentionEntry &entry) {
  return {entry.layer ? std::to_string(*entry.layer) : "-",
          describeLocation(entry.location),
          describeShape(entry.query),
          describeShape(entry.key),
          describeShape(entry.value),
          entry.features.empty() ? "-" : llvm::join(entry.features, ", "),
          describeDecision(entry)};
}

static void printTable(ArrayRef<Row> rows, llvm::raw_ostream &os) {
  SmallVector<size_t> widths(rows.front().size(), 0);
  for (const Row &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  for (const Row &row : rows) {
    for (auto [i, cell] : llvm::enumerate(row)) {
      os << "  " << cell;
      if (i + 1 < row.size())
        os.indent(widths[i] - cell.size());
    }
    os << "\n";
  }
}

void xsa::printReport(ArrayRef<FunctionReport> functions,
                      llvm::raw_ostream &stream) {
  // Written at once: other functions may be reported at the same time.
  std::string text;
  llvm::raw_string_ostream os(text);
  auto total = [&](AttentionDecision decision) {
    unsigned sum = 0;
    for (const FunctionReport &function : functions)
      sum += function.count(decision);
    return sum;
  };
  unsigned found = 0;
  for (const FunctionReport &function : functions) {
    found += function.entries.size();
    os << "attention in @" << function.name << "\n";
    SmallVector<Row> rows = {
        {"layer", "where", "query", "key", "value", "features", "decision"}};
    for (bool refused : {false, true})
      for (const AttentionEntry &entry : function.entries)
        if (isRefused(entry) == refused)
          rows.push_back(makeRow(entry));
    printTable(rows, os);
  }
  unsigned refused = total(AttentionDecision::Refused);
  os << "total: " << found << " found, " << found - refused << " raised, "
     << total(AttentionDecision::ExclusiveInModel)
     << " exclusive in the model, " << total(AttentionDecision::MadeExclusive)
     << " made exclusive, " << total(AttentionDecision::NotExclusive)
     << " not exclusive, " << refused << " left alone\n";
  stream << text;
}
