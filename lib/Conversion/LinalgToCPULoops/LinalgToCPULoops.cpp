//===- LinalgToCPULoops.cpp - Linalg on buffers as CPU loops --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's lowering keeps every sum in memory, where LLVM cannot vectorise
// it, and makes either all loops parallel or none. Here sums live in scalars,
// and only loops that are worth a thread are parallel.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/LinalgToCPULoops/Passes.h"
#include "xsa/Support/PassOptions.h"

#include "ContractionInPairs.h"
#include "LoopNest.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

namespace xsa {
#define GEN_PASS_DEF_CONVERTLINALGTOCPULOOPSPASS
#include "xsa/Conversion/LinalgToCPULoops/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Plain loops
//===----------------------------------------------------------------------===//

namespace {
/// Lowers one operation on buffers to loops of scalar code.
class PlainLoops {
public:
  PlainLoops(OpBuilder &builder, LinalgOp op, const CPULoopOptions &options)
      : builder(builder), op(op), loc(op.getLoc()), options(options) {}

  void emit();

private:
  void chooseOrder();
  int64_t estimateBodyWork();
  int64_t estimateInnerWork();
  void emitInner(unsigned position);
  SmallVector<Value> emitReduction(unsigned position, ValueRange sums);
  SmallVector<Value> emitBody(ValueRange outputs);
  SmallVector<Value> getIndices(OpOperand &operand);
  Value load(OpOperand &operand);
  void store(ValueRange values);
  scf::ForOp createLoop(unsigned dim, ValueRange carried = {});

  OpBuilder &builder;
  LinalgOp op;
  Location loc;
  const CPULoopOptions &options;

  SmallVector<LoopDim> ranges;
  /// Dimensions from the outermost loop inwards.
  SmallVector<unsigned> order;
  /// The first `numOuter` of them may run in parallel.
  unsigned numOuter = 0;
  /// The last `numSums` of them carry their results in scalars.
  unsigned numSums = 0;
  /// Loop variable of each dimension.
  SmallVector<Value> ivs;
};
} // namespace

/// The dimension that the last index of a map is, if it is one.
static std::optional<unsigned> getLastDim(AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(map.getNumResults() - 1));
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

/// Parallel dimensions in the order of the result, so that writes are
/// contiguous; then the reductions, or, where the operands are contiguous along
/// the last parallel dimension, the reductions before that one.
void PlainLoops::chooseOrder() {
  AffineMap outputMap =
      op.getNumDpsInits() ? op.getMatchingIndexingMap(op.getDpsInitOperand(0))
                          : AffineMap::getMultiDimIdentityMap(op.getNumLoops(),
                                                              op.getContext());
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (AffineExpr expr : outputMap.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      if (!llvm::is_contained(order, dim.getPosition()))
        order.push_back(dim.getPosition());
  SmallVector<unsigned> reductions;
  for (auto [dim, kind] : llvm::enumerate(kinds)) {
    if (kind == utils::IteratorType::reduction)
      reductions.push_back(dim);
    else if (!llvm::is_contained(order, dim))
      order.push_back(dim);
  }
  unsigned numParallel = order.size();
  numSums = reductions.size();
  numOuter = numSums ? numParallel : numParallel > 1 ? numParallel - 1 : 1;
  numOuter = std::min(numOuter, numParallel);
  order.append(reductions);
  if (reductions.empty() || numParallel == 0)
    return;

  unsigned last = order[numParallel - 1];
  bool contiguousAlongLast =
      llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
        AffineMap map = op.getMatchingIndexingMap(operand);
        return getLastDim(map) == last || !map.isFunctionOfDim(last);
      });
  std::optional<int64_t> count = getStaticTripCount(ranges[last]);
  if (contiguousAlongLast && getLastDim(outputMap) == last &&
      (!count || *count >= 8)) {
    std::rotate(order.begin() + numParallel - 1, order.begin() + numParallel,
                order.end());
    numOuter = numParallel - 1;
    numSums = 0;
  }
}

/// Scalar operations of one execution of the body, function calls weighted.
int64_t PlainLoops::estimateBodyWork() {
  int64_t work = 1;
  op.getBlock()->walk([&](Operation *inner) {
    bool isCall = isa_and_nonnull<math::MathDialect>(inner->getDialect());
    work += isCall ? 16 : 1;
  });
  return work;
}

int64_t PlainLoops::estimateInnerWork() {
  int64_t work = estimateBodyWork();
  for (unsigned dim : ArrayRef(order).drop_front(numOuter))
    work *= std::max<int64_t>(getStaticTripCount(ranges[dim]).value_or(64), 1);
  return work;
}

scf::ForOp PlainLoops::createLoop(unsigned dim, ValueRange carried) {
  Value step = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(
      builder, loc,
      getValueOrCreateConstantIndexOp(builder, loc, ranges[dim].lower),
      getValueOrCreateConstantIndexOp(builder, loc, ranges[dim].upper), step,
      carried);
  ivs[dim] = loop.getInductionVar();
  return loop;
}

SmallVector<Value> PlainLoops::getIndices(OpOperand &operand) {
  SmallVector<Value> indices;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    OpFoldResult index = affine::makeComposedFoldedAffineApply(
        builder, loc, map.getSubMap(i), getAsOpFoldResult(ivs));
    indices.push_back(getValueOrCreateConstantIndexOp(builder, loc, index));
  }
  return indices;
}

Value PlainLoops::load(OpOperand &operand) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(builder, loc, operand.get(),
                                getIndices(operand));
}

void PlainLoops::store(ValueRange values) {
  for (auto [operand, value] : llvm::zip_equal(op.getDpsInitsMutable(), values))
    memref::StoreOp::create(builder, loc, value, operand.get(),
                            getIndices(operand));
}

/// Lets LLVM reorder the sum or product that carries output `i`: only then can
/// it be vectorised, and more partial sums only make it more accurate.
static void allowReassociation(Operation *combiner) {
  if (!combiner || !isa<arith::AddFOp, arith::MulFOp>(combiner))
    return;
  combiner->setAttr(
      "fastmath", arith::FastMathFlagsAttr::get(combiner->getContext(),
                                                arith::FastMathFlags::reassoc));
}

/// One execution of the body; returns what it yields.
SmallVector<Value> PlainLoops::emitBody(ValueRange outputs) {
  Block *body = op.getBlock();
  IRMapping mapping;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (!argument.use_empty())
      mapping.map(argument, load(*operand));
  }
  for (auto [operand, value] :
       llvm::zip_equal(op.getDpsInitsMutable(), outputs))
    mapping.map(op.getMatchingBlockArgument(&operand), value);

  for (Operation &inner : body->without_terminator()) {
    Operation *clone = builder.clone(inner, mapping);
    SmallVector<linalg::IndexOp> indices;
    clone->walk([&](linalg::IndexOp index) { indices.push_back(index); });
    for (linalg::IndexOp index : indices) {
      Value iv = ivs[index.getDim()];
      if (index == clone)
        mapping.map(inner.getResult(0), iv);
      index.replaceAllUsesWith(iv);
      index.erase();
    }
  }
  SmallVector<Value> yielded;
  for (auto [operand, value] : llvm::zip_equal(
           op.getDpsInitsMutable(), body->getTerminator()->getOperands())) {
    Operation *combiner = value.getDefiningOp();
    Value output = op.getMatchingBlockArgument(&operand);
    yielded.push_back(mapping.lookupOrDefault(value));
    if (numSums && combiner &&
        llvm::is_contained(combiner->getOperands(), output))
      allowReassociation(yielded.back().getDefiningOp());
  }
  return yielded;
}

/// The innermost loops, which carry their results; returns the final ones.
SmallVector<Value> PlainLoops::emitReduction(unsigned position,
                                             ValueRange sums) {
  if (position == order.size())
    return emitBody(sums);
  scf::ForOp loop = createLoop(order[position], sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      emitReduction(position + 1, loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return loop.getResults();
}

/// The serial loops from `position` on.
void PlainLoops::emitInner(unsigned position) {
  if (position + numSums < order.size()) {
    scf::ForOp loop = createLoop(order[position]);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    return emitInner(position + 1);
  }
  SmallVector<Value> outputs;
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    bool isRead = numSums || !op.getMatchingBlockArgument(&operand).use_empty();
    outputs.push_back(isRead ? load(operand) : Value());
  }
  store(emitReduction(position, outputs));
}

void PlainLoops::emit() {
  for (Range range : op.createLoopRanges(builder, loc))
    ranges.push_back({range.offset, range.size, 1});
  ivs.resize(ranges.size());
  chooseOrder();
  SmallVector<LoopDim> outer;
  for (unsigned dim : ArrayRef(order).take_front(numOuter))
    outer.push_back(ranges[dim]);
  buildLoopNest(builder, op, outer, estimateInnerWork(), options,
                [&](OpBuilder &inner, ValueRange outerIvs) {
                  OpBuilder::InsertionGuard guard(builder);
                  builder.restoreInsertionPoint(inner.saveInsertionPoint());
                  for (auto [dim, iv] : llvm::zip_equal(
                           ArrayRef(order).take_front(numOuter), outerIvs))
                    ivs[dim] = iv;
                  emitInner(numOuter);
                });
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertLinalgToCPULoops
    : public xsa::impl::ConvertLinalgToCPULoopsPassBase<
          ConvertLinalgToCPULoops> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(checkVectorBits(context, vectorBits)))
      return failure();
    return checkOption(context, "parallel-work", parallelWork, 1,
                       std::numeric_limits<int64_t>::max());
  }

  void runOnOperation() override;

private:
  void lowerInPairs(const CPULoopOptions &options);
  LogicalResult lower(LinalgOp op, const CPULoopOptions &options);
};
} // namespace

/// Copies between contiguous buffers stay: they become one memcpy.
static bool isStridedCopy(memref::CopyOp op) {
  auto isContiguous = [](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return type && type.getLayout().isIdentity();
  };
  return !isContiguous(op.getSource()) || !isContiguous(op.getTarget());
}

/// Contractions that have an instruction of their own go first, while a fill of
/// their result still is one operation.
void ConvertLinalgToCPULoops::lowerInPairs(const CPULoopOptions &options) {
  SmallVector<LinalgOp> ops;
  getOperation()->walk([&](linalg::GenericOp op) {
    if (op.hasPureBufferSemantics())
      ops.push_back(op);
  });
  for (LinalgOp op : ops) {
    OpBuilder builder(op);
    if (!emitContractionInPairs(builder, op, options))
      continue;
    op.erase();
    ++numInPairs;
  }
}

LogicalResult ConvertLinalgToCPULoops::lower(LinalgOp op,
                                             const CPULoopOptions &options) {
  if (!op.hasPureBufferSemantics())
    return op.emitOpError("is not on buffers; bufferize first");
  OpBuilder builder(op);
  if (emitContractionTiles(builder, op, options)) {
    ++numTiled;
  } else {
    PlainLoops(builder, op, options).emit();
    ++numLoops;
  }
  op.erase();
  return success();
}

void ConvertLinalgToCPULoops::runOnOperation() {
  getOperation()->walk([](memref::CopyOp op) {
    if (!isStridedCopy(op) || !isa<MemRefType>(op.getSource().getType()) ||
        !isa<MemRefType>(op.getTarget().getType()))
      return;
    OpBuilder builder(op);
    linalg::makeMemRefCopyOp(builder, op.getLoc(), op.getSource(),
                             op.getTarget());
    op.erase();
  });
  CPULoopOptions options{vectorBits, parallelWork, bf16Dot};
  lowerInPairs(options);
  SmallVector<LinalgOp> ops;
  getOperation()->walk([&](LinalgOp op) { ops.push_back(op); });
  for (LinalgOp op : ops)
    if (failed(lower(op, options)))
      return signalPassFailure();
}
