//===- OwnRows.cpp - Where a query finds its own key ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The offset that places causal diagonals places the own token as well, so it
// follows from sizes and alignment.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/TokenAxis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;

ExprRef xsa::getOwnOffset(TensorView &view, AttentionOp op) {
  ExprContext &ctx = view.getContext();
  if (op.getQueryOffset() || op.getKeyLengths() || op.getQueryStart() ||
      op.getKeyStart())
    return nullptr;
  if (op.getAlignment() == Alignment::TopLeft)
    return ctx.integer(0);
  auto extentOf = [&](Value value, AffineMap map, unsigned dim) {
    auto position =
        map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
    return view.extent(value, *position);
  };
  ExprRef keys = extentOf(op.getKey(), op.getKeyMap(), op.getKeyDim());
  ExprRef rows = extentOf(op.getQuery(), op.getQueryMap(), op.getQueryDim());
  return ctx.sub(keys, rows);
}

Value xsa::getOwnRows(OpBuilder &builder, TensorView &view, AttentionOp op) {
  Value value = op.getValue();
  Location loc = op.getLoc();
  auto positionOf = [&](AffineMap map, unsigned dim) {
    return *map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
  };
  unsigned keyDim = positionOf(op.getValueMap(), op.getKeyDim());
  unsigned rowDim = positionOf(op.getQueryMap(), op.getQueryDim());
  ExprRef keys = view.extent(value, keyDim);
  ExprRef rows = view.extent(op.getQuery(), rowDim);
  if (keys == rows)
    return value;
  OpFoldResult size = tensor::getMixedSize(builder, loc, op.getQuery(), rowDim);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, value);
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  if (op.getAlignment() == Alignment::BottomRight) {
    ExprRef offset = view.getContext().sub(keys, rows);
    if (auto known = ExprContext::getInteger(offset)) {
      offsets[keyDim] = builder.getIndexAttr(*known);
    } else {
      Value total =
          getValueOrCreateConstantIndexOp(builder, loc, sizes[keyDim]);
      Value own = getValueOrCreateConstantIndexOp(builder, loc, size);
      offsets[keyDim] =
          arith::SubIOp::create(builder, loc, total, own).getResult();
    }
  }
  sizes[keyDim] = size;
  return tensor::ExtractSliceOp::create(builder, loc, value, offsets, sizes,
                                        strides);
}

AffineMap xsa::getOwnRowsMap(AttentionOp op) {
  AffineMap map = op.getValueMap();
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults()) {
    bool isKey = cast<AffineDimExpr>(result).getPosition() == op.getKeyDim();
    results.push_back(
        isKey ? getAffineDimExpr(op.getQueryDim(), op.getContext()) : result);
  }
  return AffineMap::get(map.getNumDims(), 0, results, op.getContext());
}
