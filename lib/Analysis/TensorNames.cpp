//===- TensorNames.cpp - What tensors are called in remarks ---------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model author knows convolutions, poolings and embeddings, and not that they
// are a linalg.generic by the time attention is looked for.
//
//===----------------------------------------------------------------------===//

#include "TensorNames.h"
#include "xsa/Analysis/TensorView.h"
#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace xsa;

/// Whether an index is read from a tensor, and not counted.
static bool isLoaded(Value index, Block *body) {
  if (auto argument = dyn_cast<BlockArgument>(index))
    return argument.getOwner() == body;
  Operation *op = index.getDefiningOp();
  return op->getBlock() == body &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isLoaded(operand, body); });
}

/// The kind of a structured operation; null if it has no name of its own.
static const char *nameStructured(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  bool multiplies = false, extracts = false, looksUp = false;
  body->walk([&](Operation *inner) {
    multiplies |= isa<arith::MulFOp>(inner);
    auto extract = dyn_cast<tensor::ExtractOp>(inner);
    extracts |= extract != nullptr;
    looksUp |= extract && llvm::any_of(extract.getIndices(), [&](Value index) {
                 return isLoaded(index, body);
               });
  });
  if (looksUp)
    return "a lookup in a table";
  if (op.getNumReductionLoops() == 0)
    return extracts ? "a rearranged tensor" : nullptr;
  // Windows are read at sums of two loops.
  bool readsWindows =
      llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
        return llvm::any_of(map.getResults(), [](AffineExpr index) {
          return !isa<AffineDimExpr, AffineConstantExpr>(index);
        });
      });
  if (!readsWindows)
    return nullptr;
  return multiplies ? "a convolution" : "a pooling";
}

/// The argument of a function that a tensor is a layout of.
static BlockArgument findArgument(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             tensor::PadOp, tensor::ExtractSliceOp, linalg::TransposeOp>(op))
      return nullptr;
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

std::string xsa::describeTensor(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ("argument " + Twine(argument.getArgNumber())).str();
  Operation *op = value.getDefiningOp();
  if (isa<AttentionOp>(op))
    return "the output of another attention";
  const char *name = nullptr;
  if (auto scan = RunningCombination::of(op))
    name = isa<arith::AddFOp>(scan->step) ? "a running sum"
                                          : "a running combination";
  else if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    name = nameStructured(structured);
  if (!name)
    return ("the result of '" + op->getName().getStringRef() + "'").str();
  BlockArgument argument =
      op->getNumOperands() > 0 ? findArgument(op->getOperand(0)) : nullptr;
  bool isOfFirst = isa<linalg::LinalgOp>(op) &&
                   cast<linalg::LinalgOp>(op).getNumReductionLoops() > 0;
  if (!argument || !(isOfFirst || RunningCombination::of(op)))
    return name;
  return (Twine(name) + " of argument " + Twine(argument.getArgNumber())).str();
}
