//===- AttentionScores.cpp - From products to masked scores ---------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that can happen to a score between q.k and the softmax, in the
// order that XSAOps.td states, in the body of one generic: scale, soft cap,
// bias, score region, then the masks. Which keys a row sees is defined here.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/IR/AttentionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;
using namespace xsa;

namespace {
/// The body of the generic. Optional operands take the slots of its inputs in
/// the order in which the constructor adds them.
class ScoreBody {
public:
  ScoreBody(OpBuilder &builder, Location loc, const AttentionParts &parts,
            const ScoreOptions &options);

  ArrayRef<MappedValue> getInputs() const { return inputs; }

  /// Whether scores would come out unchanged.
  bool isIdentity();

  Value build(ImplicitLocOpBuilder &b, ValueRange args,
              function_ref<Value(unsigned)> index);

private:
  std::optional<unsigned> addInput(const MappedValue &input);
  Value buildModified(ImplicitLocOpBuilder &b, Value score, ValueRange args);
  Value buildRowPosition(ImplicitLocOpBuilder &b, ValueRange args, Value row);
  Value callRegion(ImplicitLocOpBuilder &b, Value score, ValueRange args,
                   Value row, Value key);
  void buildDistances(ImplicitLocOpBuilder b);
  Value buildVisibility(ImplicitLocOpBuilder &b, ValueRange args, Value row,
                        Value key, function_ref<Value(unsigned)> index);

  const AttentionParts &parts;
  AttentionOp op;
  ScoreOptions options;
  bool rowMasks, keyMasks;
  SmallVector<MappedValue> inputs;
  std::optional<unsigned> bias, mask, lengths, begin, end, offset;
  unsigned firstScoreInput;
  /// Extents M and K2 as index values, where positions depend on them.
  Value rows, keys;
  /// With narrow positions, what is added to the number of a key before it is
  /// compared with that of a row, for the masks before and after the row.
  Value toLow, toHigh;
};
} // namespace

ScoreBody::ScoreBody(OpBuilder &builder, Location loc,
                     const AttentionParts &parts, const ScoreOptions &options)
    : parts(parts), op(parts.op), options(options) {
  bool masks = options.applyPositionMasks;
  rowMasks =
      masks && (op.getCausal() || op.getWindowLeft() || op.getWindowRight());
  keyMasks = masks && (parts.keyLengths || parts.keyBegin || parts.keyEnd);
  bool placesRows =
      (rowMasks && !options.narrowPositions) || op.hasScoreRegion();

  bias = addInput(parts.bias);
  mask = addInput(parts.mask);
  if (placesRows)
    offset = addInput(parts.queryOffset);
  bool alignsEnds =
      placesRows && !offset && op.getAlignment() == Alignment::BottomRight;
  if (keyMasks || alignsEnds)
    lengths = addInput(parts.keyLengths);
  if (masks) {
    begin = addInput(parts.keyBegin);
    end = addInput(parts.keyEnd);
  }
  firstScoreInput = inputs.size();
  llvm::append_range(inputs, parts.scoreInputs);

  auto extent = [&](unsigned dim) {
    return getValueOrCreateConstantIndexOp(builder, loc, parts.sizes[dim]);
  };
  if (alignsEnds) {
    rows = extent(op.getQueryDim());
    keys = lengths ? Value() : extent(op.getKeyDim());
  }
  if (rowMasks && options.narrowPositions)
    buildDistances(ImplicitLocOpBuilder(loc, builder));
}

std::optional<unsigned> ScoreBody::addInput(const MappedValue &input) {
  if (!input)
    return std::nullopt;
  inputs.push_back(input);
  return inputs.size() - 1;
}

bool ScoreBody::isIdentity() {
  bool scales = options.applyScale && op.getScale() &&
                op.getScale()->convertToDouble() != 1.0;
  bool checksKeys = options.applyPositionMasks && parts.validKeys;
  return !scales && !op.getSoftcap() && !op.hasScoreRegion() && !rowMasks &&
         !checksKeys && inputs.empty();
}

static Value constant(ImplicitLocOpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

static Value shift(ImplicitLocOpBuilder &b, Value position, int64_t distance) {
  if (distance == 0)
    return position;
  return arith::AddIOp::create(b, position,
                               arith::ConstantIndexOp::create(b, distance));
}

/// Scale, soft cap, bias.
Value ScoreBody::buildModified(ImplicitLocOpBuilder &b, Value score,
                               ValueRange args) {
  Type type = score.getType();
  if (options.applyScale && op.getScale())
    score = arith::MulFOp::create(
        b, score, constant(b, type, op.getScale()->convertToDouble()));
  if (op.getSoftcap()) {
    Value cap = constant(b, type, op.getSoftcap()->convertToDouble());
    Value ratio = arith::DivFOp::create(b, score, cap);
    score = arith::MulFOp::create(b, math::TanhOp::create(b, ratio), cap);
  }
  if (bias)
    score = arith::AddFOp::create(b, score, castFloat(b, args[*bias], type));
  return score;
}

/// p = base + query_start + i. See "which keys a row sees" in XSAOps.td.
Value ScoreBody::buildRowPosition(ImplicitLocOpBuilder &b, ValueRange args,
                                  Value row) {
  if (parts.rowsPerHead)
    row = arith::RemUIOp::create(
        b, row, arith::ConstantIndexOp::create(b, parts.rowsPerHead));
  if (parts.queryStart)
    row = arith::AddIOp::create(b, row, parts.queryStart);
  if (offset)
    return arith::AddIOp::create(b, row, castPosition(b, args[*offset]));
  if (op.getAlignment() == Alignment::TopLeft)
    return row;
  Value last = lengths ? castPosition(b, args[*lengths]) : keys;
  return arith::AddIOp::create(b, row, arith::SubIOp::create(b, last, rows));
}

Value ScoreBody::callRegion(ImplicitLocOpBuilder &b, Value score,
                            ValueRange args, Value row, Value key) {
  SmallVector<Value> regionArgs{score};
  llvm::append_range(regionArgs,
                     args.slice(firstScoreInput, parts.scoreInputs.size()));
  regionArgs.append({row, key});
  Block &body = op.getScoreRegion().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), regionArgs);
  for (Operation &nested : body.without_terminator())
    b.clone(nested, mapping);
  auto yield = cast<YieldOp>(body.getTerminator());
  return mapping.lookupOrDefault(yield.getScore());
}

/// Tiles hold masks as bytes.
static Value castBool(ImplicitLocOpBuilder &b, Value element) {
  Type type = element.getType();
  if (type.isInteger(1))
    return element;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, element, zero);
}

/// Row i sees key j where j + keyStart is at least i + base - left and at most
/// i + base + right. What does not depend on i and j goes to one side, and is
/// cut to what more than all rows and keys differ by.
void ScoreBody::buildDistances(ImplicitLocOpBuilder b) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value distance =
      b.createOrFold<arith::SubIOp>(parts.keyStart ? parts.keyStart : zero,
                                    castPosition(b, parts.queryOffset.value));
  auto narrow = [&](int64_t further) -> Value {
    constexpr int64_t kLimit = int64_t(1) << 30;
    Value wide = shift(b, distance, further);
    wide = b.createOrFold<arith::MaxSIOp>(
        wide, arith::ConstantIndexOp::create(b, -kLimit));
    wide = b.createOrFold<arith::MinSIOp>(
        wide, arith::ConstantIndexOp::create(b, kLimit));
    return arith::IndexCastOp::create(b, b.getI32Type(), wide);
  };
  if (op.getWindowLeft())
    toLow = narrow(*op.getWindowLeft());
  std::optional<int64_t> right = op.getWindowRight();
  if (op.getCausal())
    right = std::min<int64_t>(right.value_or(0), 0);
  if (right)
    toHigh = narrow(-*right);
}

/// i1 whether row sees key, or null if nothing hides a key.
Value ScoreBody::buildVisibility(ImplicitLocOpBuilder &b, ValueRange args,
                                 Value row, Value key,
                                 function_ref<Value(unsigned)> index) {
  Value visible;
  auto require = [&](Value condition) {
    visible = visible ? arith::AndIOp::create(b, visible, condition).getResult()
                      : condition;
  };
  auto requireKey = [&](arith::CmpIPredicate predicate, Value bound) {
    require(arith::CmpIOp::create(b, predicate, key, bound));
  };
  using arith::CmpIPredicate;
  auto requireDistance = [&](CmpIPredicate predicate, Value further) {
    auto number = [&](unsigned dim) -> Value {
      return arith::IndexCastOp::create(b, b.getI32Type(), index(dim));
    };
    Value moved = arith::AddIOp::create(b, number(op.getKeyDim()), further);
    require(
        arith::CmpIOp::create(b, predicate, moved, number(op.getQueryDim())));
  };
  if (toLow)
    requireDistance(CmpIPredicate::sge, toLow);
  if (toHigh)
    requireDistance(CmpIPredicate::sle, toHigh);
  bool isWide = rowMasks && !options.narrowPositions;
  if (isWide && op.getCausal())
    requireKey(CmpIPredicate::sle, row);
  if (isWide && op.getWindowLeft())
    requireKey(CmpIPredicate::sge, shift(b, row, -*op.getWindowLeft()));
  if (isWide && op.getWindowRight())
    requireKey(CmpIPredicate::sle, shift(b, row, *op.getWindowRight()));
  if (mask)
    require(castBool(b, args[*mask]));
  if (keyMasks && lengths)
    requireKey(CmpIPredicate::slt, castIndex(b, args[*lengths]));
  if (begin)
    requireKey(CmpIPredicate::sge, castIndex(b, args[*begin]));
  if (end)
    requireKey(CmpIPredicate::slt, castIndex(b, args[*end]));
  if (options.applyPositionMasks && parts.validKeys)
    require(arith::CmpIOp::create(b, CmpIPredicate::slt, index(op.getKeyDim()),
                                  parts.validKeys));
  return visible;
}

Value ScoreBody::build(ImplicitLocOpBuilder &b, ValueRange args,
                       function_ref<Value(unsigned)> index) {
  Type type = args.back().getType();
  Value score = buildModified(b, args.back(), args);
  Value row, key;
  bool masksRows = rowMasks && !options.narrowPositions;
  if (masksRows || op.hasScoreRegion())
    row = buildRowPosition(b, args, index(op.getQueryDim()));
  if (masksRows || keyMasks || op.hasScoreRegion()) {
    key = index(op.getKeyDim());
    if (parts.keyStart)
      key = arith::AddIOp::create(b, key, parts.keyStart);
  }
  if (op.hasScoreRegion())
    score = callRegion(b, score, args, row, key);
  if (Value visible = buildVisibility(b, args, row, key, index))
    score = arith::SelectOp::create(
        b, visible, score,
        constant(b, type, -std::numeric_limits<double>::infinity()));
  return score;
}

Value xsa::buildModifiedScores(OpBuilder &builder, Location loc,
                               const AttentionParts &parts, MappedValue scores,
                               ScoreOptions options) {
  ScoreBody body(builder, loc, parts, options);
  if (body.isIdentity())
    return scores.value;
  return buildGeneric(builder, loc, body.getInputs(), scores,
                      [&](ImplicitLocOpBuilder &b, ValueRange args,
                          auto index) { return body.build(b, args, index); });
}
