//===- ImportTosa.cpp - TOSA to linalg through upstream's passes ----------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream converts TOSA well, but its folders abort on dense_resource
// constants, which is how real exports carry weights. This pass runs upstream's
// passes with those constants out of sight.
//
//===----------------------------------------------------------------------===//

#include "Resources.h"
#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"
#include "xsa/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToMLProgram/TosaToMLProgram.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/RegionUtils.h"

namespace xsa {
#define GEN_PASS_DEF_IMPORTTOSA
#include "xsa/Conversion/ImportToLinalg/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// Marks the operation that stands for a hidden constant and holds its value.
static constexpr llvm::StringLiteral kHiddenValue = "xsa.hidden_constant";

/// Conversions need the values of zero points, shifts and the like. They have
/// few elements; copying those is cheap and loses nothing.
static constexpr int64_t kMaxInlineElements = 64;

/// The constant's value, if it is a resource.
static DenseResourceElementsAttr getResourceValue(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return dyn_cast<DenseResourceElementsAttr>(constant.getValue());
  if (auto constant = dyn_cast<tosa::ConstOp>(op))
    return dyn_cast<DenseResourceElementsAttr>(constant.getValues());
  return {};
}

/// Turns small resources into dense constants and replaces the others by a
/// cast from nothing, which no folder takes for a constant. Returns how many.
static unsigned hideResources(ModuleOp module) {
  SmallVector<std::pair<Operation *, DenseResourceElementsAttr>> constants;
  module.walk([&](Operation *op) {
    if (DenseResourceElementsAttr resource = getResourceValue(op))
      constants.emplace_back(op, resource);
  });
  unsigned numHidden = 0;
  for (auto [op, resource] : constants) {
    OpBuilder builder(op);
    Operation *replacement;
    DenseElementsAttr dense;
    if (resource.getType().getNumElements() <= kMaxInlineElements)
      dense = getAsDenseElements(resource);
    if (dense) {
      replacement = arith::ConstantOp::create(builder, op->getLoc(), dense);
    } else {
      replacement = UnrealizedConversionCastOp::create(
          builder, op->getLoc(), op->getResultTypes(), ValueRange());
      replacement->setAttr(kHiddenValue, resource);
      ++numHidden;
    }
    op->replaceAllUsesWith(replacement);
    op->erase();
  }
  return numHidden;
}

/// Brings the constants back that `hideResources` took away.
static void restoreResources(ModuleOp module) {
  module.walk([&](UnrealizedConversionCastOp cast) {
    auto resource =
        cast->getAttrOfType<DenseResourceElementsAttr>(kHiddenValue);
    if (!resource)
      return;
    OpBuilder builder(cast);
    Value constant = arith::ConstantOp::create(
        builder, cast.getLoc(), cast.getResultTypes().front(), resource);
    cast->replaceAllUsesWith(ValueRange{constant});
    cast->erase();
  });
}

/// Replaces a scatter of one batch, `out[0, indices[0, w], :] = input[0, w,
/// :]`, by a `tm_tensor.scatter`. Upstream would make a loop of it, in which
/// nobody recognises an assignment to a slice.
static void convertScatter(tosa::ScatterOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getValuesOut().getType());
  auto inputType = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type || !inputType || !type.hasStaticShape() ||
      !inputType.hasStaticShape() || type.getDimSize(0) != 1 ||
      op.getValuesIn().getType() != type)
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<ReassociationIndices> dropBatch = {{0, 1}, {2}};
  Value original = tensor::CollapseShapeOp::create(builder, loc,
                                                   op.getValuesIn(), dropBatch);
  Value updates =
      tensor::CollapseShapeOp::create(builder, loc, op.getInput(), dropBatch);
  auto indexType = cast<RankedTensorType>(op.getIndices().getType());
  Value row = tensor::CollapseShapeOp::create(
      builder, loc, op.getIndices(), SmallVector<ReassociationIndices>{{0, 1}});
  Value indices = tensor::ExpandShapeOp::create(
      builder, loc,
      RankedTensorType::get({inputType.getDimSize(1), 1},
                            indexType.getElementType()),
      row, SmallVector<ReassociationIndices>{{0, 1}});
  auto scatter = tm_tensor::ScatterOp::create(
      builder, loc, original.getType(), ValueRange{updates, indices}, original,
      /*dimension_map=*/ArrayRef<int64_t>{0}, /*unique_indices=*/true);
  Type element = type.getElementType();
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&scatter.getRegion(), {},
                                      {element, element}, {loc, loc});
    tm_tensor::YieldOp::create(builder, loc, body->getArgument(0));
  }
  Value result = tensor::ExpandShapeOp::create(builder, loc, type,
                                               scatter.getResult(0), dropBatch);
  op.getValuesOut().replaceAllUsesWith(result);
  op->erase();
}

/// Upstream's passes in the order that leaves nothing behind: control flow is
/// converted before the operations inside it.
static void populateTosaPasses(OpPassManager &pm) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(tosa::createTosaInferShapesPass());
  function.addPass(tosa::createTosaOptionalDecompositionsPass());
  function.addPass(tosa::createTosaMakeBroadcastablePass());
  function.addPass(createTosaToSCFPass());
  function.addPass(tosa::createTosaToLinalgNamed());
  function.addPass(tosa::createTosaToLinalg());
  function.addPass(createTosaToTensorPass());
  TosaToArithPassOptions arithOptions;
  arithOptions.includeApplyRescale = true;
  function.addPass(createTosaToArithPass(arithOptions));
  pm.addPass(createTosaToMLProgram());
}

static void reportNotImportable(Operation *op) {
  mlir::emitError(op->getLoc())
      << "cannot import operation '" << op->getName()
      << "' of dialect 'tosa': MLIR has no conversion to linalg for it";
}

/// Reports the first TOSA operation that is left. Shapes that nothing reads any
/// more do not count.
static LogicalResult checkNoTosa(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  (void)runRegionDCE(rewriter, module->getRegions());
  WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (!isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
      return WalkResult::advance();
    reportNotImportable(op);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Whether the module has TOSA operations; an error if one is known not to
/// convert, so that it is named as in `checkNoTosa`.
static FailureOr<bool> hasTosa(ModuleOp module) {
  bool found = false;
  WalkResult result = module.walk([&](Operation *op) {
    found |= isa_and_nonnull<tosa::TosaDialect>(op->getDialect());
    if (!isa<tosa::CustomOp>(op))
      return WalkResult::advance();
    reportNotImportable(op);
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  return found;
}

namespace {
struct ImportTosaPass : public xsa::impl::ImportTosaBase<ImportTosaPass> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, tensor::TensorDialect,
                    tm_tensor::TMTensorDialect, tosa::TosaDialect>();
    OpPassManager pm(ModuleOp::getOperationName());
    populateTosaPasses(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<bool> found = hasTosa(module);
    if (failed(found))
      return signalPassFailure();
    if (!*found)
      return markAllAnalysesPreserved();

    numHidden += hideResources(module);
    module.walk(convertScatter);
    OpPassManager pm(ModuleOp::getOperationName());
    populateTosaPasses(pm);
    if (failed(runPipeline(pm, module)))
      return signalPassFailure();
    restoreResources(module);
    if (failed(checkNoTosa(module)))
      signalPassFailure();
  }
};
} // namespace
