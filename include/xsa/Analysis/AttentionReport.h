//===- AttentionReport.h - What became of each attention --------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one account of what was found, raised, made exclusive and refused. Passes
// write it; the option `report`, xsa-run, Python and pass statistics read it.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_ANALYSIS_ATTENTIONREPORT_H
#define XSA_ANALYSIS_ATTENTIONREPORT_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace xsa {

enum class AttentionDecision {
  Raised,           ///< is an xsa.attention; nobody asked for more
  ExclusiveInModel, ///< the model itself writes the exclusive form
  MadeExclusive,    ///< was converted
  NotExclusive,     ///< was not converted, for `reason`
  Refused           ///< looked like attention and was not raised, for `reason`
};

/// One place that is, or looks like, attention.
struct AttentionEntry {
  explicit AttentionEntry(mlir::Location location) : location(location) {}

  AttentionDecision decision = AttentionDecision::Raised;
  /// The first condition that failed.
  std::string reason;
  mlir::Location location;
  /// What the place is now: `xsa.attention`, or the operation left alone.
  std::string operation;
  /// Types of the operands; empty where there is none.
  std::string query, key, value;
  /// Masks, biases, groups and so on, in words.
  std::vector<std::string> features;
  /// Null unless it is exclusive.
  ExclusionAttr exclusion;
  /// The number that the option `layers` counts it by.
  std::optional<unsigned> layer;
};

/// The operation that makes the output of an attention exclusive after other
/// changes of it, element by element; null if there is none.
ExcludeOp findLaterExclusion(AttentionOp op);

/// The entry of an operation as it stands: `Raised` or `ExclusiveInModel`.
AttentionEntry describeAttention(AttentionOp op);

/// Entries of all attentions in a function, in program order, and of
/// exclusions whose attention is not known.
std::vector<AttentionEntry> describeAttentions(mlir::Operation *function);

/// The account of one function.
struct FunctionReport {
  std::string name;
  std::vector<AttentionEntry> entries;

  unsigned count(AttentionDecision decision) const;
  /// All entries that are attention, refused ones left out.
  unsigned countRaised() const;
};

/// Prints a table per function and the totals.
void printReport(llvm::ArrayRef<FunctionReport> functions,
                 llvm::raw_ostream &os);

/// Collects the accounts of functions that passes work on in parallel.
class AttentionReport {
public:
  /// Replaces what is known about a function's attentions; what was refused is
  /// kept unless `entries` says it anew.
  void update(mlir::Operation *function,
              llvm::ArrayRef<AttentionEntry> entries);

  /// The accounts of functions below `root` that have any, in program order.
  std::vector<FunctionReport> get(mlir::Operation *root) const;

private:
  mutable std::mutex mutex;
  llvm::DenseMap<mlir::Operation *, FunctionReport> functions;
};

/// The name that a report has for a function.
std::string getFunctionName(mlir::Operation *function);

} // namespace xsa

#endif // XSA_ANALYSIS_ATTENTIONREPORT_H
