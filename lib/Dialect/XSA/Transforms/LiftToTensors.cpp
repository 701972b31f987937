//===- LiftToTensors.cpp - From memrefs to tensors ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs become tensors that nothing writes, results are materialized in the
// destinations. Bufferization then computes in a destination directly, which is
// only right where that shares no memory with an operand still to be read:
// elsewhere it gets a buffer of its own and a copy after it.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/Transforms/LiftToTensors.h"

#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;

/// Whether writing `destination` could change another operand of `op`.
static bool mayOverlap(DestinationStyleOpInterface op, OpOperand &destination) {
  AliasAnalysis aliases(op);
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return &operand != &destination &&
           isa<MemRefType>(operand.get().getType()) &&
           !aliases.alias(operand.get(), destination.get()).isNo();
  });
}

/// Writes `tensor` to `buffer`.
static void buildMaterialize(OpBuilder &builder, Location loc, Value tensor,
                             Value buffer) {
  bufferization::MaterializeInDestinationOp::create(
      builder, loc, /*result=*/Type(), tensor, buffer, /*restrict=*/true,
      /*writable=*/true);
}

Operation *xsa::liftToTensors(RewriterBase &rewriter,
                              DestinationStyleOpInterface op) {
  if (op.hasPureTensorSemantics())
    return op;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();

  SmallVector<Value> operands(op->getOperands());
  SmallVector<Type> resultTypes;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    Type tensorType = memref::getTensorTypeFromMemRefType(type);
    Value &replacement = operands[operand.getOperandNumber()];
    if (op.isDpsInit(&operand)) {
      replacement = tensor::EmptyOp::create(
          rewriter, loc, memref::getMixedSizes(rewriter, loc, operand.get()),
          type.getElementType());
      resultTypes.push_back(tensorType);
    } else {
      // `restrict` promises that no other tensor is written to this memory. Two
      // inputs may share it, since neither is writable.
      replacement = bufferization::ToTensorOp::create(
          rewriter, loc, tensorType, operand.get(), /*restrict=*/true);
    }
  }
  Operation *lifted = cloneOnto(rewriter, op, resultTypes, operands);

  SmallVector<std::pair<Value, Value>> copies;
  for (auto [result, destination] :
       llvm::zip_equal(lifted->getResults(), op.getDpsInitsMutable())) {
    Value buffer = destination.get();
    if (mayOverlap(op, destination)) {
      auto type = cast<MemRefType>(buffer.getType());
      Value own = memref::AllocOp::create(
          rewriter, loc, memref::getMixedSizes(rewriter, loc, buffer),
          type.getElementType(), type.getMemorySpace());
      copies.emplace_back(own, buffer);
      buffer = own;
    }
    buildMaterialize(rewriter, loc, result, buffer);
  }
  for (auto [from, to] : copies)
    memref::CopyOp::create(rewriter, loc, from, to);
  rewriter.eraseOp(op);
  return lifted;
}
