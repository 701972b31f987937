//===- ConvertAttention.cpp - Pipelines that raise attention --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Importing, raising, and the one step that changes the model's meaning.
//
//===----------------------------------------------------------------------===//

#include "xsa/Pipelines/ConvertAttention.h"

#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"
#include "xsa/Conversion/LinalgToXSA/LinalgToXSA.h"
#include "xsa/Dialect/XSA/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace xsa;

namespace {
/// Prints the account that the passes before it kept.
class PrintAttentionReport
    : public PassWrapper<PrintAttentionReport, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintAttentionReport)

  explicit PrintAttentionReport(std::shared_ptr<AttentionReport> account)
      : account(std::move(account)) {}

  StringRef getArgument() const override {
    return "xsa-print-attention-report";
  }
  void runOnOperation() override {
    printReport(account->get(getOperation()), llvm::errs());
    markAllAnalysesPreserved();
  }

private:
  std::shared_ptr<AttentionReport> account;
};
} // namespace

static void addRaising(OpPassManager &pm, bool strict,
                       std::shared_ptr<AttentionReport> account) {
  populateImportToLinalgPipeline(pm);
  RaiseAttentionOptions raising;
  raising.strict = strict;
  pm.addNestedPass<func::FuncOp>(
      createRaiseAttention(raising, std::move(account)));
  pm.addPass(createCSEPass());
}

void xsa::buildRaiseAttentionToXSAPipeline(
    OpPassManager &pm, const RaiseAttentionToXSAOptions &options,
    std::shared_ptr<AttentionReport> account) {
  if (options.report && !account)
    account = std::make_shared<AttentionReport>();
  addRaising(pm, options.strict, account);
  if (options.report)
    pm.addPass(std::make_unique<PrintAttentionReport>(account));
}

void xsa::buildConvertAttentionToXSAPipeline(
    OpPassManager &pm, const ConvertAttentionToXSAOptions &options,
    std::shared_ptr<AttentionReport> account) {
  if (options.report && !account)
    account = std::make_shared<AttentionReport>();
  addRaising(pm, options.strict, account);
  MakeExclusiveOptions exclusive;
  exclusive.layers = options.layers;
  exclusive.denominator = options.denominator;
  exclusive.eps = options.eps;
  exclusive.strength = options.strength;
  exclusive.assumeSelf = options.assumeSelf;
  pm.addNestedPass<func::FuncOp>(createMakeExclusive(exclusive, account));
  if (options.report)
    pm.addPass(std::make_unique<PrintAttentionReport>(account));
}

void xsa::registerAttentionPipelines() {
  PassPipelineRegistration<RaiseAttentionToXSAOptions>(
      "raise-attention-to-xsa",
      "find attention in an imported model and raise it to xsa.attention",
      [](OpPassManager &pm, const RaiseAttentionToXSAOptions &options) {
        buildRaiseAttentionToXSAPipeline(pm, options);
      });
  PassPipelineRegistration<ConvertAttentionToXSAOptions>(
      "convert-attention-to-xsa",
      "raise attention and make every proven self attention exclusive",
      [](OpPassManager &pm, const ConvertAttentionToXSAOptions &options) {
        buildConvertAttentionToXSAPipeline(pm, options);
      });
}
