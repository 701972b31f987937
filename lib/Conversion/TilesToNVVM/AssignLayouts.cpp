//===- AssignLayouts.cpp - How each tile lies among the threads -----------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts start at the products: their results are accumulators, their operands
// are what the matrix unit takes. From there they spread over everything
// element-wise, through loops, and from vectors of two dimensions to those of
// one that are reduced from them or broadcast to them.
//
//===----------------------------------------------------------------------===//

#include "MatrixUnit.h"

#include "xsa/Conversion/TilesToNVVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace xsa {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

static VectorType vectorType(Value value) {
  return dyn_cast<VectorType>(value.getType());
}

/// Constants lie in any layout.
static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

namespace {
class LayoutAssigner {
public:
  LogicalResult assign(gpu::GPUFuncOp kernel);

private:
  void splitReads(gpu::GPUFuncOp kernel);
  void seed(Operation *op);
  void spread(Operation *op);
  void set(Value value, TileLayout layout);
  void unify(ValueRange values);
  std::optional<TileLayout> lookup(Value value) {
    auto found = layouts.find(value);
    return found == layouts.end() ? std::nullopt
                                  : std::optional<TileLayout>(found->second);
  }

  DenseMap<Value, TileLayout> layouts;
  /// Of tiles that are neither operands nor results of products.
  TileLayout tileLayout = TileLayout::Accumulator;
  bool changed = false;
};
} // namespace

void LayoutAssigner::set(Value value, TileLayout layout) {
  if (!vectorType(value) || isConstant(value))
    return;
  changed |= layouts.try_emplace(value, layout).second;
}

/// Values that lie alike.
void LayoutAssigner::unify(ValueRange values) {
  for (Value value : values)
    if (std::optional<TileLayout> layout = lookup(value))
      for (Value other : values)
        set(other, *layout);
}

/// The operand of a product that `use` is, if it is one.
static std::optional<TileLayout> operandLayout(OpOperand &use) {
  if (!isa<vector::ContractionOp>(use.getOwner()))
    return std::nullopt;
  switch (use.getOperandNumber()) {
  case 0:
    return TileLayout::Lhs;
  case 1:
    return TileLayout::Rhs;
  default:
    return TileLayout::Accumulator;
  }
}

/// Numbers of rows and of columns are the same vector where a tile is square.
static void splitSteps(gpu::GPUFuncOp kernel) {
  SmallVector<vector::StepOp> steps;
  kernel.walk([&](vector::StepOp step) { steps.push_back(step); });
  for (vector::StepOp step : steps)
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(step->getUses())))
      use.set(OpBuilder(step).clone(*step)->getResult(0));
}

/// A tile that is read for a product and for something else is read twice.
void LayoutAssigner::splitReads(gpu::GPUFuncOp kernel) {
  SmallVector<vector::TransferReadOp> reads;
  kernel.walk([&](vector::TransferReadOp read) { reads.push_back(read); });
  for (vector::TransferReadOp read : reads) {
    llvm::MapVector<int, vector::TransferReadOp> copies;
    for (OpOperand &use : llvm::make_early_inc_range(read->getUses())) {
      std::optional<TileLayout> layout = operandLayout(use);
      int key = layout ? int(*layout) : -1;
      if (copies.empty())
        copies[key] = read;
      vector::TransferReadOp &copy = copies[key];
      if (!copy)
        copy = cast<vector::TransferReadOp>(
            OpBuilder(read).clone(*read.getOperation()));
      use.set(copy);
    }
  }
}

void LayoutAssigner::seed(Operation *op) {
  if (auto contract = dyn_cast<vector::ContractionOp>(op)) {
    set(contract.getAcc(), TileLayout::Accumulator);
    set(contract.getResult(), TileLayout::Accumulator);
    for (OpOperand &operand : contract->getOpOperands().take_front(2)) {
      // Computed operands are accumulators that the unit repacks.
      bool isRead = operand.get().getDefiningOp<vector::TransferReadOp>();
      set(operand.get(),
          isRead ? *operandLayout(operand) : TileLayout::Accumulator);
    }
    return;
  }
  if (auto reduction = dyn_cast<vector::MultiDimReductionOp>(op)) {
    VectorType source = reduction.getSourceVectorType();
    if (source.getRank() == 1)
      return set(reduction.getSource(), TileLayout::Warp);
    set(reduction.getSource(), tileLayout);
    bool overColumns = reduction.isReducedDim(1);
    TileLayout layout = overColumns ? TileLayout::Row : TileLayout::Column;
    set(reduction.getResult(), layout);
    set(reduction.getAcc(), layout);
    return;
  }
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op)) {
    VectorType from = cast.getSourceVectorType(),
               to = cast.getResultVectorType();
    if (from.getRank() == 1 && to.getRank() == 2) {
      set(cast.getSource(),
          to.getDimSize(1) == 1 ? TileLayout::Row : TileLayout::Column);
      set(cast.getResult(), tileLayout);
    }
    return;
  }
  if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
    if (read.getVectorType().getRank() == 2 && !lookup(read) &&
        llvm::none_of(read->getUses(),
                      [](OpOperand &use) { return operandLayout(use); }))
      set(read, tileLayout);
    return;
  }
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    if (write.getVectorType().getRank() == 2)
      set(write.getVector(), tileLayout);
}

void LayoutAssigner::spread(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    for (auto [init, arg, yielded, result] :
         llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                         yield.getResults(), loop.getResults()))
      unify({init, arg, yielded, result});
    return;
  }
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (vectorType(broadcast.getSource()))
      unify({broadcast.getSource(), broadcast.getResult()});
    if (broadcast.getResultVectorType().getRank() == 2)
      set(broadcast.getResult(), tileLayout);
    return;
  }
  if (OpTrait::hasElementwiseMappableTraits(op)) {
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    unify(values);
    for (Value result : op->getResults())
      if (vectorType(result) && vectorType(result).getRank() == 2)
        set(result, tileLayout);
  }
}

/// A sum that a loop only scales and adds to need not be whole in the loop: its
/// parts stay in the lanes of a row and are added after the loop.
static void keepSumsPartial(scf::ForOp loop, KernelAttr plan) {
  auto layout = TileLayoutAttr::get(loop.getContext(), TileLayout::PartialRow);
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [arg, yielded] :
       llvm::zip_equal(loop.getRegionIterArgs(), yield.getResults())) {
    auto sum = yielded.getDefiningOp<vector::MultiDimReductionOp>();
    if (!sum || sum.getKind() != vector::CombiningKind::ADD ||
        !sum->hasOneUse() || !arg.hasOneUse() || sumsByProduct(sum, plan))
      continue;
    auto scaled = sum.getAcc().getDefiningOp<arith::MulFOp>();
    bool isScaled = scaled && scaled->hasOneUse() &&
                    llvm::is_contained(scaled->getOperands(), arg);
    if (sum.getAcc() != arg && !isScaled)
      continue;
    sum->setDiscardableAttr(kLayoutAttrName, layout);
    if (isScaled)
      scaled->setDiscardableAttr(kLayoutAttrName, layout);
  }
}

/// Vectors of one dimension that nothing ties to a tile are per row.
static bool isLoose(Value value) {
  return vectorType(value) && !isConstant(value) &&
         vectorType(value).getRank() == 1;
}

/// A vector of one dimension that is spread over rows has a value per column:
/// the step over one row of a tile says so.
static void separateColumns(gpu::GPUFuncOp kernel) {
  kernel.walk([](vector::BroadcastOp op) {
    VectorType from = vectorType(op.getSource());
    if (!from || from.getRank() != 1 || op.getResultVectorType().getRank() != 2)
      return;
    OpBuilder b(op);
    auto row = VectorType::get({1, from.getDimSize(0)}, from.getElementType());
    op.getSourceMutable().assign(
        vector::ShapeCastOp::create(b, op.getLoc(), row, op.getSource()));
  });
}

LogicalResult LayoutAssigner::assign(gpu::GPUFuncOp kernel) {
  if (kernel->getAttrOfType<KernelAttr>(kKernelAttrName).getUnit() ==
      MatrixKind::None)
    tileLayout = TileLayout::RowChunk;
  separateColumns(kernel);
  splitReads(kernel);
  splitSteps(kernel);
  kernel.walk([&](Operation *op) { seed(op); });
  auto spreadAll = [&] {
    do {
      changed = false;
      kernel.walk([&](Operation *op) { spread(op); });
    } while (changed);
  };
  spreadAll();
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isLoose(result) && !lookup(result)) {
        set(result, TileLayout::Row);
        spreadAll();
      }
  });

  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    Value tile;
    if (auto write = dyn_cast<vector::TransferWriteOp>(op))
      tile = write.getVector();
    else if (op->getNumResults() == 1 && !isa<scf::ForOp>(op))
      tile = op->getResult(0);
    if (!tile || !vectorType(tile) || isConstant(tile))
      return WalkResult::advance();
    std::optional<TileLayout> layout = lookup(tile);
    if (!layout)
      return op->emitOpError("has a tile without a layout");
    op->setDiscardableAttr(kLayoutAttrName,
                           TileLayoutAttr::get(op->getContext(), *layout));
    return WalkResult::advance();
  });
  auto plan = kernel->getAttrOfType<KernelAttr>(kKernelAttrName);
  kernel.walk([&](scf::ForOp loop) { keepSumsPartial(loop, plan); });
  return failure(result.wasInterrupted());
}

namespace {
struct AssignLayouts : public xsa::impl::AssignLayoutsBase<AssignLayouts> {
  using Base::Base;

  void runOnOperation() override {
    if (!getOperation()->hasAttr(kKernelAttrName))
      return;
    if (failed(LayoutAssigner().assign(getOperation())))
      signalPassFailure();
  }
};
} // namespace
