//===- OutlineKernels.cpp - Loops over tiles become kernels ---------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Done by hand rather than by way of gpu.launch, because the body is not yet
// the code of a thread: it works on tiles of a whole block until
// xsa-distribute-tiles.
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"

#include "xsa/Conversion/TilesToNVVM/Passes.h"
#include "xsa/Support/EqualRegions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Transforms/RegionUtils.h"

namespace xsa {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// Brings operations without memory that feed the loop into it, so that only
/// buffers and numbers are arguments.
static void sinkConstants(scf::ForallOp loop) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getRegion(), captured);
  OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
  for (Value value : captured) {
    Operation *op = value.getDefiningOp();
    if (!op || !op->hasTrait<OpTrait::ConstantLike>())
      continue;
    Operation *copy = builder.clone(*op);
    replaceAllUsesInRegionWith(value, copy->getResult(0), loop.getRegion());
  }
}

/// Loops that carry a buffer from iteration to iteration use it where it is, so
/// that it can be seen what the kernel does to it.
static void useBuffersDirectly(scf::ForallOp loop) {
  loop.walk([](scf::ForOp inner) {
    for (auto [init, arg, yielded, result] :
         llvm::zip_equal(inner.getInitArgs(), inner.getRegionIterArgs(),
                         inner.getYieldedValues(), inner.getResults())) {
      if (!isa<MemRefType>(arg.getType()) || yielded != arg)
        continue;
      arg.replaceAllUsesWith(init);
      result.replaceAllUsesWith(init);
    }
  });
}

/// Whether two views are the same part of the same buffer.
static bool areSameView(Value lhs, Value rhs) {
  if (lhs == rhs)
    return true;
  Operation *left = lhs.getDefiningOp(), *right = rhs.getDefiningOp();
  return isa_and_nonnull<memref::SubViewOp>(left) && right &&
         OperationEquivalence::isEquivalentTo(
             left, right, OperationEquivalence::IgnoreLocations);
}

/// What was written in place is copied to its place by bufferization, which
/// leaves it to others to see that there is nothing to do. All threads of a
/// block would do it.
static void eraseSelfCopies(scf::ForallOp loop) {
  loop.walk([](memref::CopyOp copy) {
    if (areSameView(copy.getSource(), copy.getTarget()))
      copy.erase();
  });
}

/// "write" for buffers that the kernel stores to, "read" for those it loads
/// from; both are absent where it does both.
static StringRef accessOf(BlockArgument arg) {
  bool reads = false, writes = false;
  SmallVector<Value> aliases{arg};
  while (!aliases.empty()) {
    for (Operation *user : aliases.pop_back_val().getUsers()) {
      if (isa<vector::TransferWriteOp, memref::StoreOp>(user))
        writes = true;
      else if (isa<vector::TransferReadOp, memref::LoadOp>(user))
        reads = true;
      else if (isa<ViewLikeOpInterface>(user))
        aliases.push_back(user->getResult(0));
    }
  }
  if (reads && writes)
    return "";
  return writes ? "write" : "read";
}

namespace {
class Outliner {
public:
  Outliner(gpu::GPUModuleOp kernels, EqualRegions &known, scf::ForallOp loop)
      : kernels(kernels), known(known), loop(loop), b(loop.getLoc(), loop) {}

  void outline();

private:
  gpu::GPUFuncOp makeKernel(ArrayRef<Value> captured);
  void moveBody(gpu::GPUFuncOp kernel, ArrayRef<Value> captured);
  gpu::GPUFuncOp share(gpu::GPUFuncOp kernel);
  void launch(gpu::GPUFuncOp kernel, ArrayRef<Value> captured);
  SmallVector<OpFoldResult> tripCounts(OpBuilder &builder,
                                       const IRMapping &mapping);

  gpu::GPUModuleOp kernels;
  EqualRegions &known;
  scf::ForallOp loop;
  ImplicitLocOpBuilder b;
};
} // namespace

static OpFoldResult mapped(OpFoldResult value, const IRMapping &mapping) {
  if (auto dynamic = dyn_cast<Value>(value))
    return mapping.lookupOrDefault(dynamic);
  return value;
}

/// Iterations of each dimension of the loop, from values that are mapped.
SmallVector<OpFoldResult> Outliner::tripCounts(OpBuilder &builder,
                                               const IRMapping &mapping) {
  SmallVector<OpFoldResult> counts;
  AffineExpr low = builder.getAffineDimExpr(0),
             high = builder.getAffineDimExpr(1);
  for (auto [lower, upper, step] :
       llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                       loop.getMixedStep()))
    counts.push_back(affine::makeComposedFoldedAffineApply(
        builder, loop.getLoc(),
        (high - low).ceilDiv(*getConstantIntValue(step)),
        {mapped(lower, mapping), mapped(upper, mapping)}));
  return counts;
}

gpu::GPUFuncOp Outliner::makeKernel(ArrayRef<Value> captured) {
  auto plan = loop->getAttrOfType<KernelAttr>(kKernelAttrName);
  auto type = b.getFunctionType(
      llvm::map_to_vector(captured,
                          [](Value value) { return value.getType(); }),
      {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&kernels.getBodyRegion().front());
  auto kernel = gpu::GPUFuncOp::create(b, plan.getName(), type);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel->setDiscardableAttr(kKernelAttrName, plan);
  if (loop->hasAttr(kOwnInStagesAttrName))
    kernel->setDiscardableAttr(kOwnInStagesAttrName, b.getUnitAttr());
  kernel->setAttr(
      "known_block_size",
      b.getDenseI32ArrayAttr({int32_t(plan.getWarps() * 32), 1, 1}));
  return kernel;
}

/// One block per iteration, the last dimension fastest.
void Outliner::moveBody(gpu::GPUFuncOp kernel, ArrayRef<Value> captured) {
  Block &entry = kernel.getBody().front();
  for (auto [value, arg] : llvm::zip_equal(captured, entry.getArguments()))
    replaceAllUsesInRegionWith(value, arg, loop.getRegion());
  ImplicitLocOpBuilder inner(loop.getLoc(), OpBuilder::atBlockBegin(&entry));
  IRMapping mapping;
  for (auto [value, arg] : llvm::zip_equal(captured, entry.getArguments()))
    mapping.map(value, arg);
  auto local = [&](OpFoldResult value) -> Value {
    return getValueOrCreateConstantIndexOp(inner, inner.getLoc(),
                                           mapped(value, mapping));
  };
  Value block = gpu::BlockIdOp::create(inner, gpu::Dimension::x);
  SmallVector<OpFoldResult> basis = tripCounts(inner, mapping);
  SmallVector<Value> ids(basis.size());
  Value rest = block;
  for (size_t position = basis.size(); position-- > 1;) {
    Value count = local(basis[position]);
    ids[position] = arith::RemUIOp::create(inner, rest, count);
    rest = arith::DivUIOp::create(inner, rest, count);
  }
  ids[0] = rest;
  for (auto [id, lower, step, induction] :
       llvm::zip_equal(ids, loop.getMixedLowerBound(), loop.getMixedStep(),
                       loop.getInductionVars())) {
    Value scaled = arith::MulIOp::create(inner, id, local(step));
    induction.replaceAllUsesWith(
        arith::AddIOp::create(inner, scaled, local(lower)));
  }
  gpu::ReturnOp::create(inner);
  Operation *end = &entry.back();
  loop.getTerminator()->erase();
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody()))
    op.moveBefore(end);
  for (BlockArgument arg : entry.getArguments())
    if (isa<MemRefType>(arg.getType()))
      if (StringRef access = accessOf(arg); !access.empty())
        kernel.setArgAttr(arg.getArgNumber(), kAccessAttrName,
                          b.getStringAttr(access));
}

/// An earlier kernel that does the same as `kernel`, which is erased then, or
/// `kernel` itself.
gpu::GPUFuncOp Outliner::share(gpu::GPUFuncOp kernel) {
  // All that a kernel is but its name, which the plan has too.
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  auto plan = kernel->getAttrOfType<KernelAttr>(kKernelAttrName);
  attributes.set(kKernelAttrName,
                 KernelAttr::get(plan.getContext(), /*name=*/"", plan.getUnit(),
                                 plan.getWarps(), plan.getStages(),
                                 plan.getQueryInRegisters(),
                                 plan.getRowThreads(), plan.getChunk()));
  auto shared = cast<gpu::GPUFuncOp>(
      known.findOrAdd(kernel, attributes.getDictionary(kernel.getContext())));
  if (shared != kernel)
    kernel.erase();
  return shared;
}

void Outliner::launch(gpu::GPUFuncOp kernel, ArrayRef<Value> captured) {
  auto plan = loop->getAttrOfType<KernelAttr>(kKernelAttrName);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value blocks = one;
  for (OpFoldResult count : tripCounts(b, IRMapping())) {
    Value value = getValueOrCreateConstantIndexOp(b, b.getLoc(), count);
    blocks = arith::MulIOp::create(b, blocks, value);
  }
  Value threads = arith::ConstantIndexOp::create(b, plan.getWarps() * 32);
  // xsa-stage-tiles writes the size that the kernel needs.
  Value sharedSize = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  gpu::LaunchFuncOp::create(b, kernel, gpu::KernelDim3{blocks, one, one},
                            gpu::KernelDim3{threads, one, one}, sharedSize,
                            captured);
}

void Outliner::outline() {
  useBuffersDirectly(loop);
  eraseSelfCopies(loop);
  sinkConstants(loop);
  SetVector<Value> values;
  getUsedValuesDefinedAbove(loop.getRegion(), values);
  for (OpFoldResult bound : llvm::concat<OpFoldResult>(
           loop.getMixedLowerBound(), loop.getMixedUpperBound()))
    if (auto value = dyn_cast<Value>(bound))
      values.insert(value);
  SmallVector<Value> captured(values.begin(), values.end());
  gpu::GPUFuncOp kernel = makeKernel(captured);
  moveBody(kernel, captured);
  launch(share(kernel), captured);
  loop.erase();
}

namespace {
struct OutlineKernels : public xsa::impl::OutlineKernelsBase<OutlineKernels> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation().walk([&](scf::ForallOp loop) {
      if (loop->hasAttr(kKernelAttrName))
        loops.push_back(loop);
    });
    if (loops.empty())
      return;
    OpBuilder builder(&getContext());
    auto kernels = gpu::GPUModuleOp::create(builder, getOperation().getLoc(),
                                            "xsa_kernels");
    // A model may have a symbol of this name.
    SymbolTable(getOperation()).insert(kernels);
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            builder.getUnitAttr());
    EqualRegions known;
    for (scf::ForallOp loop : loops) {
      if (loop->getNumResults()) {
        loop.emitError("must be on buffers to become a kernel");
        return signalPassFailure();
      }
      Outliner(kernels, known, loop).outline();
    }
  }
};
} // namespace
