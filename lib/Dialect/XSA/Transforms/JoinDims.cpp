//===- JoinDims.cpp - Two dimensions of a domain as one -------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See JoinDims.h.
//
//===----------------------------------------------------------------------===//

#include "JoinDims.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace xsa;

std::optional<unsigned> xsa::findJoint(AffineMap map, unsigned outer,
                                       unsigned inner) {
  MLIRContext *context = map.getContext();
  std::optional<unsigned> first =
      map.getResultPosition(getAffineDimExpr(outer, context));
  std::optional<unsigned> second =
      map.getResultPosition(getAffineDimExpr(inner, context));
  if (!first || !second || *second != *first + 1)
    return std::nullopt;
  return first;
}

/// Each dimension by itself but those at `joint` and after it.
static SmallVector<ReassociationIndices> joinAt(unsigned joint, unsigned rank) {
  SmallVector<ReassociationIndices> groups;
  for (unsigned position = 0; position < rank; ++position)
    if (position == joint + 1)
      groups.back().push_back(position);
    else
      groups.push_back({position});
  return groups;
}

SmallVector<Value> xsa::joinDims(RewriterBase &rewriter,
                                 StructuredOpInterface op, unsigned outer,
                                 unsigned inner) {
  Location loc = op.getLoc();
  auto destinations = cast<DestinationStyleOpInterface>(op.getOperation());
  SmallVector<Attribute> maps;
  SmallVector<Value> results;
  rewriter.startOpModification(op);
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps())) {
    std::optional<unsigned> joint = findJoint(map, outer, inner);
    SmallVector<AffineExpr> dims;
    for (AffineExpr expr : map.getResults()) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      if (dim != outer)
        dims.push_back(rewriter.getAffineDimExpr(dim - (dim > outer)));
    }
    maps.push_back(AffineMapAttr::get(
        AffineMap::get(map.getNumDims() - 1, 0, dims, op.getContext())));
    if (!joint)
      continue;
    Value whole = operand->get();
    auto groups = joinAt(*joint, map.getNumResults());
    rewriter.setInsertionPoint(op);
    Value view = tensor::CollapseShapeOp::create(rewriter, loc, whole, groups);
    operand->set(view);
    if (!destinations.isDpsInit(operand))
      continue;
    OpResult result = destinations.getTiedOpResult(operand);
    result.setType(view.getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, whole);
    rewriter.setInsertionPointAfter(op);
    auto expanded = tensor::ExpandShapeOp::create(
        rewriter, loc, cast<RankedTensorType>(whole.getType()), result, groups,
        sizes);
    rewriter.replaceAllUsesExcept(result, expanded, expanded);
    results.push_back(expanded);
  }
  op->setAttr("indexing_maps", rewriter.getArrayAttr(maps));
  rewriter.finalizeOpModification(op);
  return results;
}
