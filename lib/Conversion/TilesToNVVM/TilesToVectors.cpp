//===- TilesToVectors.cpp - Tiles of tensors as n-D vectors ---------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU a tile lives in registers, not in memory, so the tiled form changes
// from tensors that are overwritten to vectors that are values. What is read
// from an operand becomes a transfer_read, what is stored a transfer_write;
// everything else is arithmetic on whole tiles, in which a value that depends
// on the row alone is computed once per row.
//
//===----------------------------------------------------------------------===//

#include "KernelVectorizer.h"

#include "xsa/Conversion/TilesToNVVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace xsa {
#define GEN_PASS_DEF_TILESTOVECTORS
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

LogicalResult KernelVectorizer::convertFill(linalg::FillOp fill) {
  auto type = cast<ShapedType>(fill.getResult(0).getType());
  vectors[fill.getResult(0)] =
      vector::BroadcastOp::create(b, tileType(type), fill.value());
  dead.push_back(fill);
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Tiles among the loop's values become vectors.
LogicalResult KernelVectorizer::convertLoop(scf::ForOp loop) {
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs())
    inits.push_back(vectors.count(init) ? vectors[init] : init);
  auto next = scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                                 loop.getStep(), inits);
  if (!next.getBody()->empty())
    next.getBody()->back().erase();
  loop.getInductionVar().replaceAllUsesWith(next.getInductionVar());
  for (auto [from, to] :
       llvm::zip_equal(loop.getRegionIterArgs(), next.getRegionIterArgs())) {
    if (from.getType() == to.getType())
      from.replaceAllUsesWith(to);
    else
      vectors[from] = to;
  }
  for (auto [from, to] :
       llvm::zip_equal(loop.getResults(), next.getResults())) {
    if (from.getType() == to.getType())
      from.replaceAllUsesWith(to);
    else
      vectors[from] = to;
  }
  // The old loop keeps its operations until the uses of dead tiles are gone.
  Block &body = *loop.getBody();
  SmallVector<Operation *> ops =
      llvm::map_to_vector(body, [](Operation &op) { return &op; });
  for (Operation *op : ops)
    op->moveBefore(next.getBody(), next.getBody()->end());
  dead.push_back(loop);
  OpBuilder::InsertionGuard guard(b);
  if (failed(convertBlock(*next.getBody())))
    return failure();
  auto yield = cast<scf::YieldOp>(next.getBody()->getTerminator());
  for (OpOperand &operand : yield->getOpOperands())
    if (Value vector = vectors.lookup(operand.get()))
      operand.set(vector);
  return success();
}

LogicalResult KernelVectorizer::convertOp(Operation &op) {
  b.setInsertionPoint(&op);
  b.setLoc(op.getLoc());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return convertLoop(loop);
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return convertFill(fill);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return convertGeneric(generic);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    VectorType type = tileType(empty.getType());
    vectors[empty] = arith::ConstantOp::create(b, b.getZeroAttr(type));
    dead.push_back(empty);
  } else if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
    if (elements.getType().getRank() == 0) {
      vectors[elements] = elements.getElements().front();
      dead.push_back(elements);
    }
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    if (Value scalar = vectors.lookup(extract.getTensor())) {
      extract.replaceAllUsesWith(scalar);
      dead.push_back(extract);
    }
  } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    // The part of a tile that exists: the rest is never stored.
    Value vector = vectors.lookup(slice.getSource());
    if (vector && isa<VectorType>(vector.getType())) {
      vectors[slice] = vector;
      dead.push_back(slice);
    }
  } else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op)) {
    // What was read, in a tile of zeros: reading pads with zeros already.
    if (vectors.count(slice.getDest())) {
      Value source = vectors.lookup(slice.getSource());
      vectors[slice] = source;
      dead.push_back(slice);
    }
  }
  return success();
}

LogicalResult KernelVectorizer::convertBlock(Block &block) {
  SmallVector<Operation *> ops =
      llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : ops)
    if (failed(convertOp(*op)))
      return failure();
  return success();
}

/// Tiles have become vectors; what is left must not use the tensors.
LogicalResult KernelVectorizer::eraseTensors() {
  llvm::SmallPtrSet<Operation *, 16> erased(dead.begin(), dead.end());
  for (Operation *op : dead)
    for (Operation *user : op->getUsers())
      if (!erased.contains(user))
        return user->emitOpError("uses a tile, but has no form on vectors");
  for (Operation *op : dead)
    op->dropAllReferences();
  for (Operation *op : dead)
    op->erase();
  return success();
}

LogicalResult KernelVectorizer::convert(scf::ForallOp loop) {
  if (failed(convertBlock(*loop.getBody())))
    return failure();
  return eraseTensors();
}

namespace {
struct TilesToVectors : public xsa::impl::TilesToVectorsBase<TilesToVectors> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk([&](scf::ForallOp loop) {
      if (loop->hasAttr(kKernelAttrName))
        loops.push_back(loop);
    });
    for (scf::ForallOp loop : loops) {
      // Only matrix instructions want blocks of a fixed size.
      auto plan = loop->getAttrOfType<KernelAttr>(kKernelAttrName);
      int64_t multiple = plan.getUnit() == MatrixKind::None ? 1 : 16;
      if (failed(KernelVectorizer(&getContext(), multiple).convert(loop)))
        return signalPassFailure();
    }
  }
};
} // namespace
