//===- consumer-opt.cpp - XSA inside another compiler ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiler outside this tree does to use XSA: it registers the dialects
// and passes, builds an operation from C++, and mixes passes of its own with
// ours. The installed package is tested by building and running this.
//
//===----------------------------------------------------------------------===//

#include "xsa/InitAllDialects.h"
#include "xsa/InitAllPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

using namespace mlir;

namespace {

/// Appends an exclusion to every function that is marked "consumer.exclude" and
/// returns one tensor: the first argument plays the own value rows.
struct AppendExclusion
    : PassWrapper<AppendExclusion, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AppendExclusion)

  StringRef getArgument() const final { return "consumer-append-exclusion"; }
  StringRef getDescription() const final {
    return "excludes the first argument from the result of marked functions";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<xsa::XSADialect, tensor::TensorDialect>();
  }

  void runOnOperation() final {
    func::FuncOp func = getOperation();
    if (!func->hasAttr("consumer.exclude"))
      return;
    auto ret = cast<func::ReturnOp>(func.front().getTerminator());
    auto type = ret.getNumOperands() == 1
                    ? dyn_cast<RankedTensorType>(ret.getOperand(0).getType())
                    : RankedTensorType();
    if (!type || !type.hasStaticShape() || func.getNumArguments() == 0 ||
        func.getArgument(0).getType() != type) {
      func.emitOpError(
          "expected one static tensor of the first argument's type as result");
      return signalPassFailure();
    }

    OpBuilder builder(ret);
    Location loc = ret.getLoc();
    Value init = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                         type.getElementType());
    AffineMap rows = builder.getMultiDimIdentityMap(type.getRank());
    auto exclusion = xsa::ExclusionAttr::get(
        &getContext(), xsa::Denominator::L2Clamp, /*eps=*/1.0e-12);
    auto exclude = xsa::ExcludeOp::create(
        builder, loc, TypeRange{type}, /*input=*/ret.getOperand(0),
        /*value=*/func.getArgument(0), /*strength=*/Value(), /*output=*/init,
        /*coefficient_output=*/Value(),
        builder.getAffineMapArrayAttr({rows, rows, rows}), exclusion);
    ret.setOperand(0, exclude->getResult(0));
  }
};

} // namespace

int main(int argc, char **argv) {
  registerAllPasses();
  xsa::registerAllPasses();
  PassRegistration<AppendExclusion>();

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  xsa::registerAllDialects(registry);
  return asMainReturnCode(
      MlirOptMain(argc, argv, "a compiler that uses XSA\n", registry));
}
