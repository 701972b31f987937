//===- CheckImportable.cpp - Say what cannot be imported ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model in a dialect that this build does not know is the commonest mistake
// of a first use. The error therefore says which dialect it is and which tool
// brings it here.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"

#include "llvm/ADT/StringSwitch.h"

namespace xsa {
#define GEN_PASS_DEF_CHECKIMPORTABLE
#include "xsa/Conversion/ImportToLinalg/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// What a user of `dialect` runs first.
static StringRef adviceFor(StringRef dialect) {
  return llvm::StringSwitch<StringRef>(dialect)
      .Cases({"stablehlo", "chlo"},
             "run 'torch-mlir-opt --stablehlo-legalize-to-linalg' first")
      .Case("vhlo", "run 'stablehlo-opt --vhlo-legalize-to-stablehlo', then "
                    "'torch-mlir-opt --stablehlo-legalize-to-linalg' first")
      .Case("mhlo", "export it as StableHLO and run 'torch-mlir-opt "
                    "--stablehlo-legalize-to-linalg' first")
      .Cases({"torch", "torch_c"},
             "run 'torch-mlir-opt "
             "--torch-backend-to-linalg-on-tensors-backend-pipeline' first")
      .Cases({"onnx", "onnx_ml"},
             "import the ONNX model with torch-mlir's importer and take it to "
             "linalg there")
      .Cases({"tf", "tfl"}, "export the model as TOSA or StableHLO")
      .Default("bring it to linalg on tensors, or to TOSA, first");
}

namespace {
struct CheckImportablePass
    : public xsa::impl::CheckImportableBase<CheckImportablePass> {
  using Base::Base;

  void runOnOperation() override {
    // One error per dialect; a model has hundreds of operations of it.
    llvm::StringMap<std::pair<Operation *, unsigned>> unknown;
    SmallVector<StringRef> order;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->isRegistered())
        return;
      StringRef dialect = op->getName().getDialectNamespace();
      auto [entry, isNew] = unknown.try_emplace(dialect, op, 0);
      if (isNew)
        order.push_back(entry->first());
      ++entry->second.second;
    });
    for (StringRef dialect : order) {
      auto [op, count] = unknown.lookup(dialect);
      InFlightDiagnostic diag = mlir::emitError(op->getLoc())
                                << "cannot import operation '" << op->getName()
                                << "' of dialect '" << dialect
                                << "': " << adviceFor(dialect);
      if (count > 1)
        diag.attachNote() << "first of " << count
                          << " operations of this dialect";
    }
    if (!order.empty())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
