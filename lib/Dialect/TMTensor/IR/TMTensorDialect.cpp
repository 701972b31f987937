//===- TMTensorDialect.cpp - The tm_tensor dialect ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration, inlining and memory effects. Exporters put these operations in
// private functions too, so the dialect has to allow itself to be inlined.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace xsa::tm_tensor;

#include "xsa/Dialect/TMTensor/IR/TMTensorDialect.cpp.inc"

#define GET_OP_CLASSES
#include "xsa/Dialect/TMTensor/IR/TMTensorOps.cpp.inc"

namespace {
/// Operations and regions of the dialect move freely between functions.
struct TMTensorInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  /// Terminators of the dialect need no rewriting when inlined.
  void handleTerminator(Operation *, Block *) const final {}
  void handleTerminator(Operation *, ValueRange) const final {}
};
} // namespace

void TMTensorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "xsa/Dialect/TMTensor/IR/TMTensorOps.cpp.inc"
      >();
  addInterfaces<TMTensorInlinerInterface>();
}

/// On memrefs inputs are read and destinations read and written; on tensors
/// there are no effects.
template <typename OpTy>
static void getMemRefEffects(
    OpTy op, SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
                 &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand,
                         SideEffects::DefaultResource::get());
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

void ScanOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getMemRefEffects(*this, effects);
}

void ScatterOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getMemRefEffects(*this, effects);
}

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getMemRefEffects(*this, effects);
}

void SortOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getMemRefEffects(*this, effects);
}

void TopkOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getMemRefEffects(*this, effects);
}
