//===- EscapedProbabilities.cpp - Other uses of probabilities -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two walks: back from the probabilities to the exponential, forward from there
// to whatever else reads them.
//
//===----------------------------------------------------------------------===//

#include "EscapedProbabilities.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace xsa;

/// Whether a tensor holds the same whatever the inputs of the model are, such
/// as the ones that a sum is written as a product with.
static bool isConstantTensor(Value value, unsigned depth = 0) {
  if (matchPattern(value, m_Constant()))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth > 6 || op->getNumOperands() == 0 ||
      !(isa<linalg::LinalgOp>(op) ||
        isa_and_nonnull<tensor::TensorDialect>(op->getDialect())))
    return false;
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return (destination && destination.isDpsInit(&operand) &&
            operand.get().getDefiningOp<tensor::EmptyOp>()) ||
           isConstantTensor(operand.get(), depth + 1);
  });
}

static bool isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() > 0 &&
         llvm::count_if(linalgOp.getDpsInputs(), [](Value input) {
           return !isConstantTensor(input);
         }) > 1;
}

static bool exponentiates(Operation *op) {
  bool found = false;
  op->walk([&](Operation *inner) {
    found |= isa<math::ExpOp, math::Exp2Op, math::PowFOp>(inner);
  });
  return found;
}

/// Whether `op` depends on an exponential without a contraction in between;
/// those that do are added to `chain`.
static bool reachesExponential(Operation *op,
                               llvm::SetVector<Operation *> &chain,
                               llvm::DenseMap<Operation *, bool> &known) {
  if (auto it = known.find(op); it != known.end())
    return it->second;
  known[op] = false;
  if (known.size() > 100 || isContraction(op))
    return false;
  bool reaches = exponentiates(op) || isa<linalg::SoftmaxOp>(op);
  if (!reaches)
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        reaches |= reachesExponential(def, chain, known);
  if (reaches)
    chain.insert(op);
  return known[op] = reaches;
}

/// The operations from the exponential to the probabilities, and to what the
/// second product is divided by in `root`.
static llvm::SetVector<Operation *> collectProbabilityOps(Value probabilities,
                                                          Value root) {
  llvm::SetVector<Operation *> chain;
  llvm::DenseMap<Operation *, bool> known;
  for (Value value : {probabilities, root})
    if (Operation *op = value ? value.getDefiningOp() : nullptr)
      reachesExponential(op, chain, known);
  chain.remove(root.getDefiningOp());
  return chain;
}

/// Layout, casts, averages: sums and products with constants.
static bool isLinearInOneOperand(Operation *op) {
  if (isa_and_nonnull<tensor::TensorDialect>(op->getDialect()))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return false;
  for (Operation &inner : *linalgOp.getBlock()) {
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::ConstantOp, arith::AddFOp,
            linalg::YieldOp, linalg::IndexOp>(inner))
      continue;
    bool scales = isa<arith::MulFOp, arith::DivFOp>(inner) &&
                  llvm::any_of(inner.getOperands(), [&](Value operand) {
                    auto argument = dyn_cast<BlockArgument>(operand);
                    Value source = operand;
                    if (argument && argument.getOwner() == linalgOp.getBlock())
                      source = linalgOp.getMatchingOpOperand(argument)->get();
                    return matchPattern(source, m_Constant());
                  });
    if (!scales)
      return false;
  }
  return true;
}

std::string xsa::findEscape(Value probabilities, Value root,
                            Operation *contraction,
                            const llvm::DenseSet<Operation *> &raised) {
  llvm::SetVector<Operation *> chain =
      collectProbabilityOps(probabilities, root);
  llvm::SetVector<Operation *> reached;
  for (Operation *op : chain)
    for (Operation *user : op->getUsers())
      if (!chain.contains(user) && user != contraction &&
          user != root.getDefiningOp())
        reached.insert(user);
  for (unsigned i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i];
    if (op->hasTrait<OpTrait::IsTerminator>())
      continue;
    if (op->use_empty() && !raised.contains(op))
      continue;
    // Whether the other product is attention over other values or part of a
    // backward pass: what the own value is, is not certain for either.
    if (isContraction(op))
      return ("its probabilities are also used by another product ('" +
              op->getName().getStringRef() + "')")
          .str();
    if (!isLinearInOneOperand(op))
      return ("its probabilities are also used by '" +
              op->getName().getStringRef() +
              "', which would no longer belong to the output")
          .str();
    reached.insert_range(op->getUsers());
  }
  return "";
}
