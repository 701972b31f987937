//===- EscapedProbabilities.cpp - Other uses of probabilities -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two walks: back from the probabilities to the exponential, forward from there
// to whatever else reads them. What reads other elements of the same tensors,
// such as those of another head, reads other probabilities.
//
//===----------------------------------------------------------------------===//

#include "EscapedProbabilities.h"

#include "xsa/Analysis/TensorReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace xsa;

/// Whether a value is the same whatever the inputs of the model are, such as
/// the ones that a sum is written as a product with, and sizes.
static bool isConstantValue(Value value, unsigned depth = 0) {
  if (matchPattern(value, m_Constant()) || value.getDefiningOp<tensor::DimOp>())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || depth > 6 || op->getNumOperands() == 0 ||
      !(isa<linalg::LinalgOp>(op) ||
        isa_and_nonnull<arith::ArithDialect, tensor::TensorDialect>(
            op->getDialect())))
    return false;
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  return llvm::all_of(collectReadValues(op), [&](Value read) {
    bool isNew = read.getDefiningOp<tensor::EmptyOp>() && destination &&
                 llvm::is_contained(destination.getDpsInits(), read);
    return isNew || isConstantValue(read, depth + 1);
  });
}

/// Whether a value in the body of `op` is computed from tensors that are not
/// constant.
static bool isComputedFromTensors(linalg::LinalgOp op, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    OpOperand *input = argument.getOwner() == op.getBlock()
                           ? op.getMatchingOpOperand(argument)
                           : nullptr;
    return input && !op.isInitTensor(input) && !isConstantValue(input->get());
  }
  Operation *step = value.getDefiningOp();
  if (!op->isProperAncestor(step))
    return false;
  if (auto read = dyn_cast<tensor::ExtractOp>(step))
    return !isConstantValue(read.getTensor());
  return llvm::any_of(step->getOperands(), [&](Value operand) {
    return isComputedFromTensors(op, operand);
  });
}

/// Whether two values are multiplied with one another. What only has the size
/// of a window is none.
static bool isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() == 0 ||
      llvm::count_if(collectReadTensors(linalgOp),
                     [](Value tensor) { return !isConstantValue(tensor); }) < 2)
    return false;
  return op
      ->walk([&](arith::MulFOp product) {
        return isComputedFromTensors(linalgOp, product.getLhs()) &&
                       isComputedFromTensors(linalgOp, product.getRhs())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Powers of a constant are exponentials; constant powers, as in a norm, are
/// not.
static bool exponentiates(Operation *op) {
  auto result = op->walk([&](Operation *inner) {
    auto power = dyn_cast<math::PowFOp>(inner);
    bool found = isa<math::ExpOp, math::Exp2Op>(inner) ||
                 (power && matchPattern(power.getLhs(), m_Constant()));
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

namespace {
/// The operations from the exponential to the probabilities.
class ProbabilityOps {
public:
  /// Whether `op` depends on an exponential without a contraction in between;
  /// those that do are added to the chain.
  bool add(Operation *op);

  llvm::SetVector<Operation *> chain;
  /// Whether there are none beside the chain, for all that was looked at.
  bool isComplete = true;

private:
  llvm::DenseMap<Operation *, bool> known;
};
} // namespace

bool ProbabilityOps::add(Operation *op) {
  constexpr unsigned maxOps = 2000;
  if (auto it = known.find(op); it != known.end())
    return it->second;
  known[op] = false;
  if (isContraction(op))
    return false;
  if (known.size() > maxOps) {
    isComplete = false;
    return false;
  }
  bool reaches = exponentiates(op) || isa<linalg::SoftmaxOp>(op);
  if (!reaches)
    for (Value value : collectReadValues(op))
      if (Operation *def = value.getDefiningOp())
        reaches |= add(def);
  if (reaches)
    chain.insert(op);
  return known[op] = reaches;
}

static bool handlesFloats(Operation *op) {
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  return llvm::any_of(op->getOperandTypes(), isFloat) ||
         llvm::any_of(op->getResultTypes(), isFloat);
}

/// Layout, casts, averages: sums and products with constants, or with sizes.
static bool isLinearInOneOperand(Operation *op) {
  if (isa_and_nonnull<tensor::TensorDialect>(op->getDialect()))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return false;
  auto isSize = [](Value value) { return isConstantValue(value); };
  auto result = linalgOp.getBlock()->walk([&](Operation *inner) {
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::ConstantOp, arith::AddFOp,
            linalg::YieldOp, tensor::ExtractOp, scf::IfOp, scf::YieldOp>(inner))
      return WalkResult::advance();
    // Where elements are read, and how many.
    if (!handlesFloats(inner) || llvm::all_of(inner->getResults(), isSize))
      return WalkResult::advance();
    bool scales = isa<arith::MulFOp, arith::DivFOp>(inner) &&
                  llvm::any_of(inner->getOperands(), [&](Value operand) {
                    auto argument = dyn_cast<BlockArgument>(operand);
                    Value source = operand;
                    if (argument && argument.getOwner() == linalgOp.getBlock())
                      source = linalgOp.getMatchingOpOperand(argument)->get();
                    return isConstantValue(source);
                  });
    return scales ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Which elements
//===----------------------------------------------------------------------===//

namespace {
/// The elements of tensors that one attention reads.
class OwnElements {
public:
  /// `chain` are the operations to look at, from the exponential to what enters
  /// `probabilities` and `root`.
  OwnElements(TensorView &view, const llvm::SetVector<Operation *> &chain,
              Value probabilities, Value root)
      : view(view), chain(chain) {
    collect(view.access(probabilities, view.rootVars(probabilities)));
    if (ExprRef e = view.peel(view.access(root, view.rootVars(root))))
      collectBelow(e);
  }

  /// Whether all of `value` is rearranged from elements that are not read.
  bool areNoneOf(Value value);

private:
  void collect(ExprRef access);
  void collectBelow(ExprRef e);
  bool areApart(ExprRef index, ExprRef other);

  TensorView &view;
  const llvm::SetVector<Operation *> &chain;
  llvm::DenseMap<Value, SmallVector<ExprRef>> accesses;
  llvm::SmallPtrSet<ExprRef, 16> seen;
};
} // namespace

void OwnElements::collect(ExprRef access) {
  if (!chain.contains(access->getValue().getDefiningOp()) ||
      !seen.insert(access).second)
    return;
  accesses[access->getValue()].push_back(access);
  if (ExprRef e = view.peel(access))
    collectBelow(e);
}

void OwnElements::collectBelow(ExprRef e) {
  llvm::SmallPtrSet<ExprRef, 16> seenBelow;
  SmallVector<ExprRef> below;
  e->collectAccesses(seenBelow, below);
  for (ExprRef access : below)
    collect(access);
}

/// Whether two indices of one dimension never meet, whatever their variables.
bool OwnElements::areApart(ExprRef index, ExprRef other) {
  ExprContext &ctx = view.getContext();
  auto a = ctx.getDigits(index), b = ctx.getDigits(other);
  if (!a || !b)
    return false;
  auto last = [&](const ExprContext::Digits &digits) {
    ExprRef steps = ctx.sub(digits.size, ctx.integer(1));
    return ctx.add(digits.offset, ctx.mul(digits.stride, steps));
  };
  if (ctx.isProvablyLess(last(*a), b->offset) ||
      ctx.isProvablyLess(last(*b), a->offset))
    return true;
  // Every so many elements, from different ones on.
  auto stride = ExprContext::getInteger(a->stride);
  auto distance = ExprContext::getInteger(ctx.sub(a->offset, b->offset));
  return a->stride == b->stride && stride && distance &&
         *distance % *stride != 0;
}

bool OwnElements::areNoneOf(Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return false;
  ExprRef e = view.access(value, view.rootVars(value));
  while (e) {
    while (e->isApply(ExprOp::Cast))
      e = e->getOperand(0);
    if (!e->is(ExprKind::Access))
      return false;
    auto it = accesses.find(e->getValue());
    if (it != accesses.end() && llvm::all_of(it->second, [&](ExprRef own) {
          return llvm::any_of(
              llvm::zip_equal(own->getOperands(), e->getOperands()),
              [&](auto pair) {
                return areApart(std::get<0>(pair), std::get<1>(pair));
              });
        }))
      return true;
    e = view.peel(e);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Other uses
//===----------------------------------------------------------------------===//

/// What an operation computes: of one that is written out, the first step says
/// more than its name.
static StringRef nameComputation(Operation *op) {
  if (isa<linalg::GenericOp>(op))
    for (Operation &step : op->getRegion(0).front().without_terminator())
      if (handlesFloats(&step) &&
          !isa<CastOpInterface, tensor::ExtractOp, arith::ConstantOp>(step))
        return step.getName().getStringRef();
  return op->getName().getStringRef();
}

std::string xsa::findEscape(TensorView &view, Value probabilities, Value root,
                            Operation *contraction,
                            const llvm::DenseSet<Operation *> &raised) {
  // Also what the second product is divided by.
  ProbabilityOps ops;
  for (Value value : {probabilities, root})
    if (Operation *op = value ? value.getDefiningOp() : nullptr)
      ops.add(op);
  if (!ops.isComplete)
    return "its probabilities are computed by too many operations to look for "
           "others that use them";
  llvm::SetVector<Operation *> &chain = ops.chain;
  chain.remove(root.getDefiningOp());
  llvm::SetVector<Operation *> reached;
  for (Operation *op : chain)
    for (Operation *user : collectReaders(op))
      if (!chain.contains(user) && user != contraction &&
          user != root.getDefiningOp())
        reached.insert(user);
  if (reached.empty())
    return "";
  OwnElements own(view, chain, probabilities, root);
  for (unsigned i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i];
    bool isResult = op->hasTrait<OpTrait::IsTerminator>() &&
                    isa<FunctionOpInterface>(op->getParentOp());
    // A size says nothing of what is stored.
    if (isResult || isa<tensor::DimOp>(op))
      continue;
    if (op->use_empty() && !raised.contains(op))
      continue;
    if (isa_and_nonnull<tensor::TensorDialect>(op->getDialect()) &&
        own.areNoneOf(op->getResult(0)))
      continue;
    // Whether the other product is attention over other values or part of a
    // backward pass: what the own value is, is not certain for either.
    if (isContraction(op))
      return ("its probabilities are also used by another product ('" +
              nameComputation(op) + "')")
          .str();
    if (!isLinearInOneOperand(op))
      return ("its probabilities are also used by '" + nameComputation(op) +
              "', which would no longer belong to the output")
          .str();
    reached.insert_range(collectReaders(op));
  }
  return "";
}
