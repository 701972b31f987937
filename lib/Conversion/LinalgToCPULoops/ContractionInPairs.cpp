//===- ContractionInPairs.cpp - Sums of products of pairs -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ContractionInPairs.h. The operand that has the columns must hold the
// pairs of neighbouring columns next to each other, the other one the pairs of
// a row; everything else may be strided in any way.
//
//===----------------------------------------------------------------------===//

#include "ContractionInPairs.h"

#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <limits>

using namespace mlir;
using namespace xsa;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Which contractions
//===----------------------------------------------------------------------===//

/// Whether the factor's elements are bf16, widened to f32 and nothing else.
static bool isWidenedBF16(const Factor &factor) {
  return getElementTypeOrSelf(factor.buffer.getType()).isBF16() &&
         factor.casts.size() == 1 && isa<arith::ExtFOp>(factor.casts[0]) &&
         factor.casts[0]->getResult(0).getType().isF32();
}

/// Whether the last two indices are `dim` and the half of a pair, and pairs
/// along `dim` are neighbours in memory.
static bool holdsPairsAlong(const Factor &factor, unsigned dim, unsigned half) {
  unsigned rank = factor.dims.size();
  if (rank < 2 || factor.dims[rank - 2] != dim ||
      !factor.isContiguousAlong(half))
    return false;
  auto type = cast<MemRefType>(factor.buffer.getType());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  return type.getShape().back() == 2 && strides[rank - 2] == 2;
}

/// Sorts the dimensions out; fails if this is no contraction in pairs.
static LogicalResult findDims(const Contraction &contraction,
                              PairContraction &c) {
  if (contraction.reductions.size() != 2 || c.result.dims.empty() ||
      !c.result.dims.back() ||
      !c.result.isContiguousAlong(*c.result.dims.back()) || !c.lhs.dims.back())
    return failure();
  c.column = *c.result.dims.back();
  unsigned half = *c.lhs.dims.back();
  if (!llvm::is_contained(contraction.reductions, half))
    return failure();
  c.pair = contraction.reductions[contraction.reductions[0] == half ? 1 : 0];
  if (!holdsPairsAlong(c.lhs, c.pair, half) ||
      !holdsPairsAlong(c.rhs, c.column, half) || !c.rhs.has(c.pair) ||
      c.lhs.has(c.column))
    return failure();
  auto size = [&](unsigned dim) {
    return getStaticTripCount(c.ranges[dim])
        .value_or(std::numeric_limits<int64_t>::max());
  };
  std::optional<unsigned> row;
  for (unsigned dim : contraction.parallel) {
    if (dim == c.column)
      continue;
    c.outer.push_back(dim);
    // The longest, or one whose length is not known.
    if (c.lhs.has(dim) && !c.rhs.has(dim) && (!row || size(dim) >= size(*row)))
      row = dim;
  }
  if (!row)
    return failure();
  llvm::erase(c.outer, *row);
  c.row = *row;
  return success();
}

static FailureOr<PairContraction> readPairContraction(OpBuilder &builder,
                                                      LinalgOp op) {
  FailureOr<Contraction> contraction = readContraction(builder, op);
  if (failed(contraction) ||
      !getElementTypeOrSelf(contraction->result.buffer.getType()).isF32() ||
      !llvm::all_of(contraction->factors, isWidenedBF16))
    return failure();
  for (unsigned lhs : {0, 1}) {
    PairContraction pairs;
    pairs.op = op;
    pairs.lhs = contraction->factors[lhs];
    pairs.rhs = contraction->factors[1 - lhs];
    pairs.result = contraction->result;
    pairs.ranges = contraction->ranges;
    if (succeeded(findDims(*contraction, pairs)))
      return pairs;
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Zero fills
//===----------------------------------------------------------------------===//

/// Whether an operation may read or write a buffer, by what is known of it.
static bool mayAccess(Operation *op, Value buffer, AliasAnalysis &aliases) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [&](MemoryEffects::EffectInstance &effect) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      return false;
    return !effect.getValue() ||
           !aliases.alias(effect.getValue(), buffer).isNo();
  });
}

/// The fill of the result with zero that `op` is the first to read, in the same
/// block.
static linalg::FillOp findZeroFill(LinalgOp op) {
  Value buffer = op.getDpsInitOperand(0)->get();
  AliasAnalysis aliases(op->getParentOp());
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (auto fill = dyn_cast<linalg::FillOp>(before);
        fill && fill.getDpsInitOperand(0)->get() == buffer)
      return matchPattern(fill.getInputs()[0], m_PosZeroFloat()) ? fill
                                                                 : nullptr;
    if (mayAccess(before, buffer, aliases))
      return nullptr;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Loops over blocks
//===----------------------------------------------------------------------===//

/// The buffer with both halves of its pairs in one dimension.
static Value joinPairs(OpBuilder &builder, Location loc, const Factor &factor) {
  SmallVector<ReassociationIndices> groups;
  unsigned rank = factor.dims.size();
  for (unsigned i = 0; i + 1 < rank; ++i)
    groups.push_back({i});
  groups.back().push_back(rank - 1);
  return memref::CollapseShapeOp::create(builder, loc, factor.buffer, groups);
}

PairEmitter::PairEmitter(OpBuilder &builder, PairContraction &contraction,
                         const CPULoopOptions &options)
    : builder(builder), c(contraction), options(options),
      loc(contraction.op.getLoc()) {
  for (Factor *factor : {&c.lhs, &c.rhs}) {
    factor->buffer = joinPairs(builder, loc, *factor);
    factor->dims.pop_back();
  }
  ivs.resize(c.ranges.size());
}

Value PairEmitter::getConstant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value PairEmitter::add(Value a, int64_t b) {
  return b ? arith::AddIOp::create(builder, loc, a, getConstant(b)).getResult()
           : a;
}

SmallVector<Value> PairEmitter::getIndices(const Factor &factor, int64_t row,
                                           int64_t column) {
  SmallVector<Value> indices;
  for (std::optional<unsigned> dim : factor.dims) {
    if (!dim) {
      indices.push_back(getConstant(0));
      continue;
    }
    int64_t offset = dim == c.row ? row : dim == c.column ? column : 0;
    indices.push_back(add(ivs[*dim], offset));
  }
  if (&factor != &c.result)
    indices.back() =
        arith::MulIOp::create(builder, loc, indices.back(), getConstant(2));
  return indices;
}

Value PairEmitter::createMask(int64_t lanes, Value count) {
  if (!count)
    return nullptr;
  return vector::CreateMaskOp::create(
      builder, loc, VectorType::get(lanes, builder.getI1Type()), count);
}

Value PairEmitter::countRest(unsigned dim) {
  Value upper =
      getValueOrCreateConstantIndexOp(builder, loc, c.ranges[dim].upper);
  return arith::SubIOp::create(builder, loc, upper, ivs[dim]);
}

/// The loops over all blocks of one size; without `rows`, of all rows.
void PairEmitter::emitPart(std::optional<LoopDim> rows, bool rowEdge,
                           LoopDim columns, bool columnEdge) {
  SmallVector<LoopDim> dims;
  SmallVector<unsigned> which = c.outer;
  for (unsigned dim : c.outer)
    dims.push_back(c.ranges[dim]);
  // Rows vary fastest: a block's columns of the right operand stay in caches.
  dims.push_back(columns);
  which.push_back(c.column);
  if (rows) {
    dims.push_back(*rows);
    which.push_back(c.row);
  }
  auto count = [&](unsigned dim) {
    return std::max<int64_t>(getStaticTripCount(c.ranges[dim]).value_or(64), 1);
  };
  int64_t work = 2 * count(c.pair) * (rows ? rows->step : count(c.row)) *
                 columns.step / getSpeedup();
  buildLoopNest(builder, c.op, dims, work, options,
                [&](OpBuilder &inner, ValueRange loopIvs) {
                  OpBuilder::InsertionGuard guard(builder);
                  builder.restoreInsertionPoint(inner.saveInsertionPoint());
                  for (auto [dim, iv] : llvm::zip_equal(which, loopIvs))
                    ivs[dim] = iv;
                  PairBlock block{rows ? rows->step : 0, columns.step, nullptr,
                                  nullptr};
                  if (rowEdge)
                    block.numRows = countRest(c.row);
                  if (columnEdge)
                    block.numColumns = countRest(c.column);
                  emitBlock(block);
                });
}

void PairEmitter::emit() {
  for (auto [columns, columnEdge] :
       splitRange(builder, loc, c.ranges[c.column], {32, 16}, 16)) {
    if (takesAllRows()) {
      emitPart(std::nullopt, /*rowEdge=*/false, columns, columnEdge);
      continue;
    }
    for (auto [rows, rowEdge] : splitRange(builder, loc, c.ranges[c.row],
                                           getRowSteps(), getRowSteps().back()))
      emitPart(rows, rowEdge, columns, columnEdge);
  }
}

bool xsa::emitContractionInPairs(OpBuilder &builder, LinalgOp op,
                                 const CPULoopOptions &options) {
  if (options.bf16Dot == BF16Dot::None)
    return false;
  FailureOr<PairContraction> pairs = readPairContraction(builder, op);
  if (failed(pairs))
    return false;
  if (linalg::FillOp fill = findZeroFill(op)) {
    pairs->startsAtZero = true;
    fill.erase();
  }
  std::unique_ptr<PairEmitter> emitter =
      options.bf16Dot == BF16Dot::AMX
          ? createAMXEmitter(builder, *pairs, options)
          : createAVX512Emitter(builder, *pairs, options);
  emitter->emit();
  return true;
}
