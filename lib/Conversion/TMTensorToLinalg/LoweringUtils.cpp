//===- LoweringUtils.cpp - What the tm_tensor lowerings share -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LoweringUtils.h.
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

SmallVector<Value> xsa::tm_tensor::inlineRegion(OpBuilder &builder,
                                                Region &region,
                                                ValueRange arguments) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

SmallVector<Value> xsa::tm_tensor::getExtents(OpBuilder &builder, Location loc,
                                              Value tensor) {
  SmallVector<Value> extents;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [dimension, extent] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(extent))
      extents.push_back(tensor::DimOp::create(builder, loc, tensor, dimension));
    else
      extents.push_back(arith::ConstantIndexOp::create(builder, loc, extent));
  }
  return extents;
}

SmallVector<Value> xsa::tm_tensor::buildLoopNest(OpBuilder &builder,
                                                 Location loc,
                                                 ValueRange extents,
                                                 ValueRange initial,
                                                 LoopBody body) {
  if (extents.empty())
    return body(builder, loc, {}, initial);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> indices;
  SmallVector<scf::ForOp> loops;
  OpBuilder::InsertionGuard guard(builder);
  ValueRange carried = initial;
  for (Value extent : extents) {
    auto loop = scf::ForOp::create(builder, loc, zero, extent, one, carried);
    builder.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
    carried = loop.getRegionIterArgs();
    loops.push_back(loop);
  }
  SmallVector<Value> next = body(builder, loc, indices, carried);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, loc, next);
    next.assign(loop.result_begin(), loop.result_end());
  }
  return next;
}

bool xsa::tm_tensor::isOnTensors(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}
