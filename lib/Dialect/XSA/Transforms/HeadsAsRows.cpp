//===- HeadsAsRows.cpp - Grouped heads in place of query rows -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HeadsAsRows.h. Where heads take the place of rows only maps change:
// dimensions are names.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/Transforms/HeadsAsRows.h"
#include "JoinDims.h"

#include "xsa/Dialect/XSA/IR/AttentionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;

static int64_t getQueryExtent(AttentionOp op, unsigned dim) {
  AffineExpr expr = getAffineDimExpr(dim, op.getContext());
  auto type = cast<ShapedType>(op.getQuery().getType());
  std::optional<unsigned> position = op.getQueryMap().getResultPosition(expr);
  return position ? type.getDimSize(*position) : ShapedType::kDynamic;
}

/// Whether causal masks keep every key because the only row stands at the last
/// one.
static bool standsAtLastKey(AttentionOp op) {
  return op.getAlignment() == Alignment::BottomRight && !op.getQueryOffset() &&
         !op.getQueryStart() && !op.getKeyStart() && !op.getWindowLeft() &&
         !op.hasScoreRegion();
}

/// The largest dimension of heads that share keys and values, and in which
/// nothing varies that a row cannot have.
static std::optional<unsigned> findSharedHeads(AttentionOp op, HeadUse use) {
  std::optional<unsigned> best;
  for (unsigned dim = 0; dim < op.getNumLeadingDims(); ++dim) {
    auto varies = [&](AffineMap map) {
      return map && map.isFunctionOfDim(dim);
    };
    int64_t extent = getQueryExtent(op, dim);
    if (ShapedType::isDynamic(extent) || extent <= 1 ||
        varies(op.getKeyMap()) || varies(op.getValueMap()) ||
        (use == HeadUse::Whole && varies(op.getSinksMap())) ||
        varies(op.getKeyLengthsMap()) || varies(op.getQueryOffsetMap()))
      continue;
    if (!best || extent > getQueryExtent(op, *best))
      best = dim;
  }
  return best;
}

/// The own values with a copy for each head, as rows must have.
static void repeatSelfValue(OpBuilder &builder, AttentionOp op,
                            unsigned heads) {
  AffineMap map = op.getSelfValueMap();
  SmallVector<AffineExpr> dims{builder.getAffineDimExpr(heads)};
  llvm::append_range(dims, map.getResults());
  AffineMap repeated =
      AffineMap::get(map.getNumDims(), 0, dims, op.getContext());
  SmallVector<OpFoldResult> sizes = AttentionParts::of(op, builder).sizes;
  Type type = getElementTypeOrSelf(op.getSelfValue().getType());
  Value empty = buildEmpty(builder, op.getLoc(), sizes, repeated, type);
  Value value = buildConverted(builder, op.getLoc(), {op.getSelfValue(), map},
                               {empty, repeated});
  op.assignOperand(AttentionOp::odsIndex_self_value, value, repeated);
}

std::optional<unsigned> xsa::findHeadsForRows(AttentionOp op, HeadUse use) {
  bool isFree = !op.usesPositions() && !op.hasScoreRegion();
  if (getQueryExtent(op, op.getQueryDim()) != 1 ||
      !(isFree || standsAtLastKey(op)))
    return std::nullopt;
  return findSharedHeads(op, use);
}

void xsa::useHeadsAsRows(RewriterBase &rewriter, AttentionOp op) {
  unsigned rows = op.getQueryDim();
  std::optional<unsigned> heads = findHeadsForRows(op, HeadUse::Whole);
  if (!heads)
    return;
  rewriter.setInsertionPoint(op);
  rewriter.modifyOpInPlace(op, [&] {
    op.setCausal(false);
    op.removeWindowRightAttr();
    if (op.getSelfValue() && !op.getSelfValueMap().isFunctionOfDim(*heads))
      repeatSelfValue(rewriter, op, *heads);
    SmallVector<unsigned> exchanged =
        llvm::to_vector(llvm::seq<unsigned>(0, op.getNumLoops()));
    std::swap(exchanged[rows], exchanged[*heads]);
    AffineMap exchange =
        AffineMap::getPermutationMap(exchanged, op.getContext());
    SmallVector<AffineMap> maps;
    for (AffineMap map : op.getMaps())
      maps.push_back(map.compose(exchange));
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}

//===----------------------------------------------------------------------===//
// Several rows
//===----------------------------------------------------------------------===//

std::optional<unsigned> xsa::findHeadsToPack(AttentionOp op) {
  int64_t rows = getQueryExtent(op, op.getQueryDim());
  std::optional<unsigned> heads = findSharedHeads(op, HeadUse::Ranges);
  if (ShapedType::isDynamic(rows) || rows <= 1 || !heads)
    return std::nullopt;
  SmallVector<AffineMap> maps{
      op.getQueryMap(), op.getKeyMap(),      op.getValueMap(), op.getMaskMap(),
      op.getBiasMap(),  op.getKeyBeginMap(), op.getKeyEndMap()};
  llvm::append_range(maps, op.getScoreInputMaps());
  for (AffineMap map : maps) {
    if (!map)
      continue;
    bool hasHeads = map.isFunctionOfDim(*heads),
         hasRows = map.isFunctionOfDim(op.getQueryDim());
    if ((hasHeads || hasRows) && !findJoint(map, *heads, op.getQueryDim()))
      return std::nullopt;
  }
  return heads;
}

SmallVector<Value> xsa::packHeads(RewriterBase &rewriter, AttentionOp op,
                                  unsigned heads) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  int64_t numHeads = getQueryExtent(op, heads),
          rowsPerHead = getQueryExtent(op, op.getQueryDim());
  // Aligned at their ends, rows would start as many before the last key as
  // there are in all heads.
  if (op.usesPositions() && op.getAlignment() == Alignment::BottomRight &&
      !op.getQueryOffset()) {
    Value more = arith::ConstantIndexOp::create(rewriter, loc,
                                                (numHeads - 1) * rowsPerHead);
    if (op.getQueryStart()) {
      ImplicitLocOpBuilder b(loc, rewriter);
      more =
          arith::AddIOp::create(b, castPosition(b, op.getQueryStart()), more);
    }
    op.getQueryStartMutable().assign(more);
  }

  return joinDims(rewriter, op, heads, op.getQueryDim());
}
