//===- StageBuilder.cpp - Buffers in shared memory ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy to a buffer keeps the order of the memory it comes from, so that its
// threads are on neighbours; the read from it has the order that was wanted.
//
//===----------------------------------------------------------------------===//

#include "StageBuilder.h"

#include "Layouts.h"

#include "xsa/Conversion/TilesToNVVM/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace xsa;

SmallVector<int64_t> xsa::memoryShape(VectorType type, AffineMap map) {
  SmallVector<int64_t> shape(map.getNumDims(), 1);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
    shape[cast<AffineDimExpr>(expr).getPosition()] = size;
  return shape;
}

Value StageBuilder::makeBuffer(int64_t offset, ArrayRef<int64_t> shape,
                               Type type) {
  OpBuilder::InsertionGuard guard(b);
  Block &entry = kernel.getBody().front();
  if (!sharedMemory) {
    b.setInsertionPointToStart(&entry);
    auto space = gpu::AddressSpaceAttr::get(b.getContext(),
                                            gpu::AddressSpace::Workgroup);
    sharedMemory = gpu::DynamicSharedMemoryOp::create(
        b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                           MemRefLayoutAttrInterface(), space));
  }
  b.setInsertionPointAfterValue(sharedMemory);
  auto space = cast<MemRefType>(sharedMemory.getType()).getMemorySpace();
  auto bufferType =
      MemRefType::get(shape, type, MemRefLayoutAttrInterface(), space);
  int64_t bytes =
      bufferType.getNumElements() * type.getIntOrFloatBitWidth() / 8;
  sharedBytes = std::max(sharedBytes, offset + bytes);
  return memref::ViewOp::create(b, bufferType, sharedMemory, index(offset),
                                ValueRange());
}

Value StageBuilder::makeBuffer(int64_t offset, vector::TransferReadOp read,
                               int64_t stages) {
  SmallVector<int64_t> shape =
      memoryShape(read.getVectorType(), read.getPermutationMap());
  shape.insert(shape.begin(), stages);
  return makeBuffer(offset, shape, read.getVectorType().getElementType());
}

void StageBuilder::copy(vector::TransferReadOp read, IRMapping mapping,
                        Value buffer, Value stage) {
  Block *home = read->getBlock();
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return op->getBlock() == home; };
  SetVector<Operation *> slice;
  (void)getBackwardSlice(read.getOperation(), &slice, options);
  bool sameBlock = home == b.getInsertionBlock();
  for (Operation *op : slice) {
    bool available = sameBlock && b.getInsertionPoint() != home->end() &&
                     op->isBeforeInBlock(&*b.getInsertionPoint()) &&
                     mapping.getValueMap().empty();
    if (!available)
      b.clone(*op, mapping);
  }
  AffineMap map = read.getPermutationMap();
  SmallVector<int64_t> shape = memoryShape(read.getVectorType(), map);
  SmallVector<bool> inBounds(shape.size());
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    inBounds[cast<AffineDimExpr>(expr).getPosition()] =
        read.isDimInBounds(position);
  auto mapped = [&](Value value) { return mapping.lookupOrDefault(value); };
  SmallVector<Value> indices = llvm::map_to_vector(
      read.getIndices(), [&](Value v) { return mapped(v); });
  auto layout = TileLayoutAttr::get(b.getContext(), TileLayout::Copy);
  auto loaded = vector::TransferReadOp::create(
      b, VectorType::get(shape, read.getVectorType().getElementType()),
      mapped(read.getBase()), indices, mapped(read.getPadding()),
      b.getMultiDimIdentityMap(shape.size()), ArrayRef<bool>(inBounds));
  loaded->setDiscardableAttr(kLayoutAttrName, layout);
  SmallVector<Value> to(shape.size() + 1, index(0));
  to[0] = stage;
  auto stored = vector::TransferWriteOp::create(
      b, loaded, buffer, to, SmallVector<bool>(shape.size(), true));
  stored->setDiscardableAttr(kLayoutAttrName, layout);
  stored->setDiscardableAttr(kAsyncAttrName, b.getUnitAttr());
}

vector::TransferReadOp StageBuilder::readFrom(Value buffer, Value stage,
                                              vector::TransferReadOp read) {
  AffineMap map = read.getPermutationMap();
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults())
    exprs.push_back(
        b.getAffineDimExpr(cast<AffineDimExpr>(expr).getPosition() + 1));
  SmallVector<Value> indices(map.getNumDims() + 1, index(0));
  indices[0] = stage;
  auto staged = vector::TransferReadOp::create(
      b, read.getVectorType(), buffer, indices, read.getPadding(),
      AffineMap::get(map.getNumDims() + 1, 0, exprs, b.getContext()),
      ArrayRef<bool>(SmallVector<bool>(exprs.size(), true)));
  staged->setDiscardableAttr(kLayoutAttrName,
                             read->getDiscardableAttr(kLayoutAttrName));
  read.replaceAllUsesWith(staged.getResult());
  read.erase();
  return staged;
}

void StageBuilder::waitFor(int64_t outstanding) {
  NVVM::CpAsyncWaitGroupOp::create(b, outstanding);
  gpu::BarrierOp::create(b);
}

void StageBuilder::commit() { NVVM::CpAsyncCommitGroupOp::create(b); }

Value StageBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}
