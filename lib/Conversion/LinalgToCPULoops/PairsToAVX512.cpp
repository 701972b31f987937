//===- PairsToAVX512.cpp - Contractions in pairs with AVX-512 BF16 --------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block is eight rows by two vectors of sums, which hide the latency of the
// dot product; a pair of the left operand is broadcast as one number of 32
// bits, which the instruction does when it loads.
//
//===----------------------------------------------------------------------===//

#include "ContractionInPairs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace xsa;

/// The f32, and the pairs of bf16, in a register.
static constexpr int64_t kLanes = 16;

namespace {
class AVX512Emitter : public PairEmitter {
public:
  using PairEmitter::PairEmitter;

private:
  ArrayRef<int64_t> getRowSteps() override {
    static constexpr int64_t kSteps[] = {8, 1};
    return kSteps;
  }
  int64_t getSpeedup() override { return 2; }
  void emitBlock(const PairBlock &block) override;

  SmallVector<Value> emitStep(const PairBlock &block, Value mask,
                              ValueRange sums);
  Value broadcastPair(int64_t row);
};
} // namespace

/// A pair of the left operand in all lanes.
Value AVX512Emitter::broadcastPair(int64_t row) {
  Value pair = loadVector(builder, loc, c.lhs.buffer, getIndices(c.lhs, row), 2,
                          nullptr);
  Type bits = builder.getI32Type();
  pair =
      vector::BitCastOp::create(builder, loc, VectorType::get(1, bits), pair);
  pair = vector::BroadcastOp::create(builder, loc,
                                     VectorType::get(kLanes, bits), pair);
  return vector::BitCastOp::create(
      builder, loc, VectorType::get(2 * kLanes, builder.getBF16Type()), pair);
}

/// One pair of every row with one of every column.
SmallVector<Value> AVX512Emitter::emitStep(const PairBlock &block, Value mask,
                                           ValueRange sums) {
  SmallVector<Value> rhs, next;
  for (int64_t j = 0; j < block.columns; j += kLanes)
    rhs.push_back(loadVector(builder, loc, c.rhs.buffer,
                             getIndices(c.rhs, 0, j), 2 * kLanes, mask));
  for (int64_t i = 0; i < block.rows; ++i) {
    Value a = broadcastPair(i);
    for (Value b : rhs) {
      Value sum = sums[next.size()];
      next.push_back(
          x86vector::DotBF16Op::create(builder, loc, sum.getType(), sum, a, b));
    }
  }
  return next;
}

void AVX512Emitter::emitBlock(const PairBlock &block) {
  auto type = VectorType::get(kLanes, builder.getF32Type());
  Value mask = createMask(kLanes, block.numColumns), pairMask;
  if (mask)
    pairMask = createMask(
        2 * kLanes,
        arith::MulIOp::create(builder, loc, block.numColumns, getConstant(2)));
  SmallVector<Value> sums;
  for (int64_t i = 0; i < block.rows; ++i)
    for (int64_t j = 0; j < block.columns; j += kLanes)
      sums.push_back(c.startsAtZero
                         ? arith::ConstantOp::create(builder, loc, type,
                                                     builder.getZeroAttr(type))
                               .getResult()
                         : loadVector(builder, loc, c.result.buffer,
                                      getIndices(c.result, i, j), kLanes,
                                      mask));

  auto bound = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  };
  const LoopDim &pairs = c.ranges[c.pair];
  auto loop = scf::ForOp::create(builder, loc, bound(pairs.lower),
                                 bound(pairs.upper), getConstant(1), sums);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ivs[c.pair] = loop.getInductionVar();
    scf::YieldOp::create(builder, loc,
                         emitStep(block, pairMask, loop.getRegionIterArgs()));
  }

  auto sum = loop.getResults().begin();
  for (int64_t i = 0; i < block.rows; ++i)
    for (int64_t j = 0; j < block.columns; j += kLanes)
      storeVector(builder, loc, *sum++, c.result.buffer,
                  getIndices(c.result, i, j), mask);
}

std::unique_ptr<PairEmitter>
xsa::createAVX512Emitter(OpBuilder &builder, PairContraction &contraction,
                         const CPULoopOptions &options) {
  return std::make_unique<AVX512Emitter>(builder, contraction, options);
}
