//===- TensorReads.cpp - Which operations read a tensor -------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses are looked at one by one: each belongs to the operation that it is a
// part of, or to a loop that hands the value on.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/TensorReads.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace xsa;

llvm::SetVector<Value> xsa::collectReadValues(Operation *op) {
  llvm::SetVector<Value> values;
  values.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

llvm::SetVector<Value> xsa::collectReadTensors(linalg::LinalgOp op) {
  llvm::SetVector<Value> tensors;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<ShapedType>(input->get().getType()) &&
        (!op.getBlock() || !op.getMatchingBlockArgument(input).use_empty()))
      tensors.insert(input->get());
  op->walk([&](tensor::ExtractOp read) {
    if (!op->isAncestor(read.getTensor().getParentRegion()->getParentOp()))
      tensors.insert(read.getTensor());
  });
  return tensors;
}

/// Whether an operation runs its regions and gives what these give: a loop or a
/// branch.
static bool isControlFlow(Operation *op) {
  return isa<RegionBranchOpInterface>(op) &&
         llvm::all_of(op->getRegions(), [](Region &region) {
           return region.empty() || isa<RegionBranchTerminatorOpInterface>(
                                        region.front().getTerminator());
         });
}

/// The outermost operation around `op` of which it is a part: one whose body
/// says what its result holds. `op` itself if there is none.
static Operation *getWhole(Operation *op) {
  Operation *outermost = op;
  for (Operation *parent = op->getParentOp();
       parent && !parent->hasTrait<OpTrait::IsIsolatedFromAbove>();
       parent = parent->getParentOp())
    if (!isControlFlow(parent))
      outermost = parent;
  return outermost;
}

/// What an operand of a loop, a branch or their terminators is called in the
/// regions and behind them.
static SmallVector<Value> getNextNames(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto branch = dyn_cast<BranchOpInterface>(user)) {
    auto argument = branch.getSuccessorBlockArgument(use.getOperandNumber());
    return argument ? SmallVector<Value>{*argument} : SmallVector<Value>{};
  }
  if (isa<RegionBranchTerminatorOpInterface>(user))
    user = user->getParentOp();
  if (!isControlFlow(user))
    return {};
  RegionBranchSuccessorMapping names;
  cast<RegionBranchOpInterface>(user).getSuccessorOperandInputMapping(names);
  return names.lookup(&use);
}

static void collectReaders(Value value, llvm::SetVector<Operation *> &readers,
                           llvm::SmallPtrSetImpl<Value> &seen) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (OpOperand &use : next.getUses()) {
      Operation *reader = getWhole(use.getOwner());
      SmallVector<Value> names;
      if (reader == use.getOwner())
        names = getNextNames(use);
      if (names.empty())
        readers.insert(reader);
      llvm::append_range(worklist, names);
    }
  }
}

llvm::SetVector<Operation *> xsa::collectReaders(Value value) {
  llvm::SetVector<Operation *> readers;
  llvm::SmallPtrSet<Value, 8> seen;
  ::collectReaders(value, readers, seen);
  return readers;
}

llvm::SetVector<Operation *> xsa::collectReaders(Operation *op) {
  llvm::SetVector<Operation *> readers;
  llvm::SmallPtrSet<Value, 8> seen;
  for (Value result : op->getResults())
    ::collectReaders(result, readers, seen);
  return readers;
}
