//===- RecomputeAddresses.cpp - Registers that loops need not keep --------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows the loops over keys needs addresses of the same rows and heads
// as what stands before them, and optimizations that merge equal computations
// keep them in registers all the way, where none are left. To compute them
// again is a few instructions for a block. They start from thread and block as
// a shuffle gives them to each lane, of itself: no optimization knows that they
// are the same numbers.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/TilesToNVVM/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace xsa {
#define GEN_PASS_DEF_RECOMPUTEADDRESSES
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

namespace {
class Recomputer {
public:
  explicit Recomputer(scf::ForOp lastLoop)
      : lastLoop(lastLoop),
        b(lastLoop.getLoc(), lastLoop->getBlock(), ++lastLoop->getIterator()) {}

  /// `value` from what only holds after the loops; itself if it does not depend
  /// on thread and block, or takes more than arithmetic.
  Value recompute(Value value);

private:
  bool isAddress(Operation *op) const;
  Value readAgain(Value id);

  scf::ForOp lastLoop;
  ImplicitLocOpBuilder b;
  IRMapping recomputed;
};
} // namespace

bool Recomputer::isAddress(Operation *op) const {
  return op && op->getBlock() == lastLoop->getBlock() &&
         op->isBeforeInBlock(lastLoop) && op->getNumRegions() == 0 &&
         isPure(op) && llvm::all_of(op->getResultTypes(), [](Type type) {
           return type.isIntOrIndex() || isa<LLVM::LLVMPointerType>(type);
         });
}

Value Recomputer::readAgain(Value id) {
  Value narrow = arith::IndexCastUIOp::create(b, b.getI32Type(), id);
  auto number = [&](int32_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  };
  Value own =
      NVVM::ShflOp::create(b, b.getI32Type(), number(-1), narrow, number(0),
                           number(31), NVVM::ShflKind::bfly, UnitAttr());
  return arith::IndexCastUIOp::create(b, id.getType(), own);
}

Value Recomputer::recompute(Value value) {
  if (Value known = recomputed.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!isAddress(op))
    return value;
  if (isa<gpu::ThreadIdOp, gpu::BlockIdOp>(op)) {
    recomputed.map(value, readAgain(value));
    return recomputed.lookup(value);
  }
  bool changes = false;
  for (Value operand : op->getOperands())
    changes |= recompute(operand) != operand;
  if (changes)
    b.clone(*op, recomputed);
  else
    recomputed.map(op->getResults(), op->getResults());
  return recomputed.lookup(value);
}

namespace {
struct RecomputeAddresses
    : public xsa::impl::RecomputeAddressesBase<RecomputeAddresses> {
  using Base::Base;

  void runOnOperation() override {
    Block &entry = getOperation().getBody().front();
    scf::ForOp last;
    for (scf::ForOp loop : entry.getOps<scf::ForOp>())
      last = loop;
    if (!last)
      return;
    SmallVector<Operation *> after;
    for (Operation &op : llvm::make_range(++last->getIterator(), entry.end()))
      after.push_back(&op);
    Recomputer recomputer(last);
    for (Operation *top : after)
      top->walk([&](Operation *op) {
        for (OpOperand &operand : op->getOpOperands())
          operand.set(recomputer.recompute(operand.get()));
      });
  }
};
} // namespace
