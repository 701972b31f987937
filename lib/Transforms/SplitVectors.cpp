//===- SplitVectors.cpp - Vectors of three registers to registers ---------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM halves vectors until they fit in registers. What it cannot halve it
// widens first, and takes some operations apart into elements. Here vectors of
// 48 lanes become three of 16, operation by operation with upstream's patterns,
// and one by one where loops carry them.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace xsa {
#define GEN_PASS_DEF_SPLITVECTORSPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

namespace {
/// The parts that `type` is split into.
struct Parts {
  int64_t count;
  VectorType type;
};
} // namespace

/// Parts of a power of two lanes, if `type` has a few times as many as that.
static std::optional<Parts> getParts(Type type) {
  // Shorter ones would be less than a register.
  constexpr int64_t kLeastLanes = 8;
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable())
    return std::nullopt;
  int64_t lanes = vector.getNumElements();
  int64_t part = lanes & -lanes;
  if (part == lanes || part < kLeastLanes)
    return std::nullopt;
  return Parts{lanes / part, VectorType::get(part, vector.getElementType())};
}

static SmallVector<Value> split(OpBuilder &builder, TypeRange types,
                                ValueRange values, Location loc) {
  SmallVector<Value> parts;
  int64_t offset = 0;
  for (Type type : types) {
    int64_t lanes = cast<VectorType>(type).getNumElements();
    parts.push_back(vector::ExtractStridedSliceOp::create(
        builder, loc, values.front(), offset, lanes, /*strides=*/1));
    offset += lanes;
  }
  return parts;
}

static Value join(OpBuilder &builder, VectorType type, ValueRange parts,
                  Location loc) {
  Value whole = ub::PoisonOp::create(builder, loc, type);
  int64_t offset = 0;
  for (Value part : parts) {
    whole = vector::InsertStridedSliceOp::create(builder, loc, part, whole,
                                                 offset, /*strides=*/1);
    offset += cast<VectorType>(part.getType()).getNumElements();
  }
  return whole;
}

/// Has loops and conditionals carry parts.
static LogicalResult splitCarried(Operation *root) {
  MLIRContext *context = root->getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](VectorType type,
         SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        std::optional<Parts> parts = getParts(type);
        if (!parts)
          return std::nullopt;
        types.append(parts->count, parts->type);
        return success();
      });
  converter.addSourceMaterialization(join);
  converter.addTargetMaterialization(split);
  ConversionTarget target(*context);
  RewritePatternSet patterns(context);
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(root, target, std::move(patterns));
}

/// Whether a type is no vector of more than one dimension.
static bool isFlat(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return !vector || vector.getRank() <= 1;
}

/// The lanes of the parts of the vectors that `op` works on. Operations that
/// also have vectors of more dimensions would need parts of those, and those
/// around which a mask lies are to stay one.
static std::optional<SmallVector<int64_t>> getPartShape(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), isFlat) ||
      !llvm::all_of(op->getResultTypes(), isFlat) ||
      isa<vector::MaskOp>(op->getParentOp()))
    return std::nullopt;
  Type type;
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    type = write.getVectorType();
  else if (auto store = dyn_cast<vector::StoreOp>(op))
    type = store.getVectorType();
  else if (op->getNumResults() == 1)
    type = op->getResult(0).getType();
  else
    return std::nullopt;
  std::optional<Parts> parts = getParts(type);
  if (!parts)
    return std::nullopt;
  return SmallVector<int64_t>{parts->type.getNumElements()};
}

namespace {
struct SplitVectors : public xsa::impl::SplitVectorsPassBase<SplitVectors> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(splitCarried(getOperation())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    vector::populateVectorUnrollPatterns(
        patterns, vector::UnrollVectorOptions().setNativeShapeFn(getPartShape));
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
