//===- AttentionParts.cpp - Attention in pieces of linalg -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per term of the formula in XSAOps.td. Domains differ (whole or
// tile, attention or exclusion), so every tensor comes with its map and each
// generic runs over just the dimensions that its maps mention.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/IR/AttentionParts.h"

#include "xsa/Support/Exp2Hints.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// Parts of an operation
//===----------------------------------------------------------------------===//

AttentionParts AttentionParts::of(AttentionOp op, OpBuilder &builder) {
  AttentionParts parts;
  parts.op = op;
  parts.query = {op.getQuery(), op.getQueryMap()};
  parts.key = {op.getKey(), op.getKeyMap()};
  parts.value = {op.getValue(), op.getValueMap()};
  parts.selfValue = {op.getSelfValue(), op.getSelfValueMap()};
  parts.mask = {op.getMask(), op.getMaskMap()};
  parts.bias = {op.getBias(), op.getBiasMap()};
  parts.sinks = {op.getSinks(), op.getSinksMap()};
  parts.strength = {op.getStrength(), op.getStrengthMap()};
  parts.keyLengths = {op.getKeyLengths(), op.getKeyLengthsMap()};
  parts.keyBegin = {op.getKeyBegin(), op.getKeyBeginMap()};
  parts.keyEnd = {op.getKeyEnd(), op.getKeyEndMap()};
  parts.queryOffset = {op.getQueryOffset(), op.getQueryOffsetMap()};
  for (auto [input, map] :
       llvm::zip_equal(op.getScoreInputs(), op.getScoreInputMaps()))
    parts.scoreInputs.push_back({input, map});
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  if (op.getQueryStart())
    parts.queryStart = castPosition(b, op.getQueryStart());
  if (op.getKeyStart())
    parts.keyStart = castPosition(b, op.getKeyStart());
  for (Range range : op.getIterationDomain(builder))
    parts.sizes.push_back(range.size);
  return parts;
}

//===----------------------------------------------------------------------===//
// Generics over named dimensions
//===----------------------------------------------------------------------===//

Value xsa::buildEmpty(OpBuilder &builder, Location loc,
                      ArrayRef<OpFoldResult> sizes, AffineMap map,
                      Type elementType) {
  auto shape = llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return sizes[cast<AffineDimExpr>(expr).getPosition()];
  });
  return tensor::EmptyOp::create(builder, loc, shape, elementType);
}

Value xsa::buildFilled(OpBuilder &builder, Location loc,
                       ArrayRef<OpFoldResult> sizes, AffineMap map,
                       FloatType elementType, double value) {
  Value scalar = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(elementType, value));
  Value empty = buildEmpty(builder, loc, sizes, map, elementType);
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Value xsa::castFloat(ImplicitLocOpBuilder &builder, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(builder, type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, type, value);
  return value;
}

Value xsa::castIndex(ImplicitLocOpBuilder &builder, Value element) {
  if (element.getType().isIndex())
    return element;
  return arith::IndexCastOp::create(builder, builder.getIndexType(), element);
}

/// A position is computed from two operands, a width of up to 2^62 is added,
/// and another operand is subtracted.
static constexpr int64_t maxPosition = int64_t(1) << 60;

/// Whether a position is known not to be far beyond the limit, which it need
/// not be held to again: a counter of a loop, what came out of castPosition,
/// and sums of them, as tiling makes them.
static bool isLimited(Value position, unsigned depth = 0) {
  if (auto argument = dyn_cast<BlockArgument>(position)) {
    // The body of an operation that is being built has none yet.
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast_if_present<LoopLikeOpInterface>(parent);
    auto counters = loop ? loop.getLoopInductionVars() : std::nullopt;
    return counters && llvm::is_contained(*counters, position);
  }
  Operation *def = position.getDefiningOp();
  if (auto constant = getConstantIntValue(position))
    return *constant >= -maxPosition && *constant <= maxPosition;
  if (auto cast = dyn_cast<arith::IndexCastOp>(def))
    return cast.getIn().getType().isInteger(32);
  if (auto least = dyn_cast<arith::MinSIOp>(def))
    return matchPattern(least.getRhs(), m_Constant()) &&
           least.getLhs().getDefiningOp<arith::MaxSIOp>();
  if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(def))
    return depth < 4 &&
           llvm::all_of(
               def->getOperands(),
               [&](Value operand) { return isLimited(operand, depth + 1); });
  return isa<tensor::DimOp>(def);
}

Value xsa::castPosition(ImplicitLocOpBuilder &builder, Value element) {
  Value position = castIndex(builder, element);
  if (isLimited(position))
    return position;
  if (auto constant = getConstantIntValue(position))
    return arith::ConstantIndexOp::create(
        builder, std::clamp(*constant, -maxPosition, maxPosition));
  Value least = arith::ConstantIndexOp::create(builder, -maxPosition);
  Value greatest = arith::ConstantIndexOp::create(builder, maxPosition);
  position = arith::MaxSIOp::create(builder, position, least);
  return arith::MinSIOp::create(builder, position, greatest);
}

Value xsa::buildGeneric(OpBuilder &builder, Location loc,
                        ArrayRef<MappedValue> inputs, MappedValue init,
                        ElementFn element) {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (const MappedValue &input : inputs) {
    operands.push_back(input.value);
    maps.push_back(input.map);
  }
  maps.push_back(init.map);

  llvm::SmallBitVector unused = getUnusedDimsBitVector(maps);
  SmallVector<utils::IteratorType> iterators;
  for (unsigned dim = 0; dim < unused.size(); ++dim)
    if (!unused.test(dim))
      iterators.push_back(init.map.isFunctionOfDim(dim)
                              ? utils::IteratorType::parallel
                              : utils::IteratorType::reduction);
  for (AffineMap &map : maps)
    map = compressDims(map, unused);

  auto body = [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
    ImplicitLocOpBuilder b(nestedLoc, nested);
    auto index = [&](unsigned dim) -> Value {
      unsigned position = dim;
      for (unsigned other = 0; other < dim; ++other)
        position -= unused.test(other);
      return linalg::IndexOp::create(b, position);
    };
    linalg::YieldOp::create(b, element(b, args, index));
  };
  return linalg::GenericOp::create(builder, loc, init.value.getType(), operands,
                                   init.value, maps, iterators, body)
      .getResult(0);
}

static Value floatConstant(ImplicitLocOpBuilder &builder, Type type,
                           double value) {
  return arith::ConstantOp::create(builder, builder.getFloatAttr(type, value));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

Value xsa::buildContraction(OpBuilder &builder, Location loc, MappedValue lhs,
                            MappedValue rhs, MappedValue init) {
  return buildGeneric(
      builder, loc, {lhs, rhs}, init,
      [](ImplicitLocOpBuilder &b, ValueRange args, auto) -> Value {
        Type type = args[2].getType();
        Value product = arith::MulFOp::create(b, castFloat(b, args[0], type),
                                              castFloat(b, args[1], type));
        return arith::AddFOp::create(b, args[2], product);
      });
}

/// 0 for -inf, so that the difference of two infinities never arises: a row
/// without keys has exp(-inf - 0) = 0 for each of them.
static Value finiteMax(ImplicitLocOpBuilder &b, Value max) {
  Type type = max.getType();
  Value infinity =
      floatConstant(b, type, -std::numeric_limits<double>::infinity());
  Value isEmpty =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, max, infinity);
  return arith::SelectOp::create(b, isEmpty, floatConstant(b, type, 0.0), max);
}

Value xsa::buildRowMax(OpBuilder &builder, Location loc, MappedValue scores,
                       MappedValue init) {
  return buildGeneric(
      builder, loc, scores, init,
      [](ImplicitLocOpBuilder &b, ValueRange args, auto) -> Value {
        return arith::MaximumFOp::create(b, args[0], args[1]);
      });
}

double SoftmaxForm::toNatural() const {
  return powersOfTwo ? factor * std::log(2.0) : factor;
}

/// Up to here, rounding a product of factor and maximum is off by at most 8, so
/// that the largest weight is at most 2^8. From here on, scores that differ are
/// 16 apart when multiplied with the factor, so that all weights but those of
/// the largest score are nothing.
static constexpr double kCoarseProduct = 0x1p28;

/// The least power of two that is not below the factor, if an f32 holds it.
static double roundUpToPower(double factor) {
  int exponent;
  double fraction = std::frexp(factor, &exponent);
  return std::min(std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent),
                  0x1p127);
}

/// The factor of the row with this maximum. Where products are coarse it is a
/// power of two: its product with the maximum is exact, hence the weight of the
/// largest score 1, and what it makes of the others stays nothing.
static Value factorOfRow(ImplicitLocOpBuilder &b, Value max, double factor) {
  Type type = max.getType();
  Value isCoarse = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OGE, math::AbsFOp::create(b, max),
      floatConstant(b, type, kCoarseProduct / factor));
  return arith::SelectOp::create(b, isCoarse,
                                 floatConstant(b, type, roundUpToPower(factor)),
                                 floatConstant(b, type, factor));
}

/// A sink as a maximum: what it is to be multiplied by to be a natural
/// logarithm is taken off, within what is finite then and times the factor of a
/// row.
static Value sinkAsMax(ImplicitLocOpBuilder &b, Value sink, FloatType type,
                       const SoftmaxForm &form) {
  sink = castFloat(b, sink, type);
  if (form.toNatural() == 1.0 && !form.fused)
    return sink;
  double largest =
      APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  double limit = largest;
  if (form.fused)
    limit /= std::max(1.0, roundUpToPower(form.factor));
  double inverse = std::min(1.0 / form.toNatural(), largest);
  Value max = arith::MulFOp::create(b, sink, floatConstant(b, type, inverse));
  max = arith::MinimumFOp::create(b, max, floatConstant(b, type, limit));
  max = arith::MaximumFOp::create(b, max, floatConstant(b, type, -limit));
  // A sink of -inf is none.
  Value none = floatConstant(b, type, -std::numeric_limits<double>::infinity());
  Value isNone =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sink, none);
  return arith::SelectOp::create(b, isNone, none, max);
}

static Value isLargeMax(ImplicitLocOpBuilder &b, Value max,
                        const SoftmaxForm &form) {
  constexpr double large = 0x1p10;
  return arith::CmpFOp::create(
      b, arith::CmpFPredicate::OGE, math::AbsFOp::create(b, max),
      floatConstant(b, max.getType(), large / form.factor));
}

/// The maximum, or 0 in place of a large one.
static Value smallMax(ImplicitLocOpBuilder &b, Value max,
                      const SoftmaxForm &form) {
  return arith::SelectOp::create(b, isLargeMax(b, max, form),
                                 floatConstant(b, max.getType(), 0.0), max);
}

/// factor * (x - max).
static Value shiftedExponent(ImplicitLocOpBuilder &b, Value x, Value max,
                             const SoftmaxForm &form) {
  Type type = x.getType();
  if (form.fused) {
    Value factor;
    if (form.takesOffSmallMax) {
      max = smallMax(b, max, form);
      factor = floatConstant(b, type, form.factor);
    } else {
      factor = factorOfRow(b, max, form.factor);
    }
    Value minusMax =
        arith::NegFOp::create(b, arith::MulFOp::create(b, max, factor));
    return math::FmaOp::create(b, x, factor, minusMax);
  }
  Value shifted = arith::SubFOp::create(b, x, max);
  if (form.factor == 1.0)
    return shifted;
  return arith::MulFOp::create(b, shifted, floatConstant(b, type, form.factor));
}

/// exp(exponent), or 2^exponent.
static Value power(ImplicitLocOpBuilder &b, Value exponent,
                   const SoftmaxForm &form) {
  if (!form.powersOfTwo)
    return math::ExpOp::create(b, exponent);
  auto power = math::Exp2Op::create(b, exponent);
  power->setDiscardableAttr(kBoundedAttrName, b.getUnitAttr());
  if (form.rough)
    power->setDiscardableAttr(kRoughAttrName, b.getUnitAttr());
  return power;
}

Value xsa::buildShiftedExpElement(ImplicitLocOpBuilder &b, Value x, Value max,
                                  const SoftmaxForm &form) {
  if (!form.finiteMax)
    max = finiteMax(b, max);
  return power(b, shiftedExponent(b, x, max, form), form);
}

Value xsa::buildShiftedExp(OpBuilder &builder, Location loc, MappedValue x,
                           MappedValue max, const SoftmaxForm &form) {
  return buildGeneric(builder, loc, max, x,
                      [&](ImplicitLocOpBuilder &b, ValueRange args, auto) {
                        return buildShiftedExpElement(b, args[1], args[0],
                                                      form);
                      });
}

Value xsa::buildSinkMax(OpBuilder &builder, Location loc, MappedValue sink,
                        MappedValue init, const SoftmaxForm &form) {
  auto type = cast<FloatType>(init.getElementType());
  return buildGeneric(builder, loc, sink, init,
                      [&](ImplicitLocOpBuilder &b, ValueRange args, auto) {
                        return sinkAsMax(b, args[0], type, form);
                      });
}

Value xsa::buildSinkSum(OpBuilder &builder, Location loc, MappedValue sinkMax,
                        MappedValue init, const SoftmaxForm &form) {
  // The weight of the maximum, which is off from 1 as that of a key is.
  return buildGeneric(builder, loc, sinkMax, init,
                      [&](ImplicitLocOpBuilder &b, ValueRange args, auto) {
                        return buildShiftedExpElement(b, args[0], args[0],
                                                      form);
                      });
}

/// Whether `test` holds for some row, an i1.
static Value
buildAny(ImplicitLocOpBuilder &b, ArrayRef<MappedValue> rows,
         llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> test) {
  auto noneType = RankedTensorType::get({}, b.getI1Type());
  Value none =
      linalg::FillOp::create(
          b, ValueRange{arith::ConstantOp::create(b, b.getBoolAttr(false))},
          ValueRange{tensor::EmptyOp::create(b, noneType, ValueRange())})
          .getResult(0);
  AffineMap scalar =
      AffineMap::get(rows.front().map.getNumDims(), 0, b.getContext());
  Value any = buildGeneric(
      b, b.getLoc(), rows, {none, scalar},
      [&](ImplicitLocOpBuilder &nested, ValueRange args, auto) -> Value {
        Value holds = test(nested, args.drop_back());
        return arith::OrIOp::create(nested, holds, args.back());
      });
  return tensor::ExtractOp::create(b, any, ValueRange());
}

Value xsa::buildExceedsMax(OpBuilder &builder, Location loc, MappedValue more,
                           MappedValue max, const SoftmaxForm &form) {
  ImplicitLocOpBuilder b(loc, builder);
  // Where the factor vanishes, only the first maximum counts.
  auto type = cast<FloatType>(max.getElementType());
  double lag =
      std::min(kMaxLag * std::log(2.0) / form.toNatural(),
               APFloat::getLargest(type.getFloatSemantics()).convertToDouble());
  // A first maximum exceeds -inf by infinity; no maximum exceeds it by NaN.
  return buildAny(
      b, {more, max}, [&](ImplicitLocOpBuilder &nested, ValueRange args) {
        Value distance = arith::SubFOp::create(nested, args[0], args[1]);
        return arith::CmpFOp::create(
                   nested, arith::CmpFPredicate::OGT, distance,
                   floatConstant(nested, distance.getType(), lag))
            .getResult();
      });
}

Value xsa::buildHasLargeMax(OpBuilder &builder, Location loc, MappedValue max,
                            const SoftmaxForm &form) {
  ImplicitLocOpBuilder b(loc, builder);
  return buildAny(b, max, [&](ImplicitLocOpBuilder &nested, ValueRange args) {
    Value finite = form.finiteMax ? args[0] : finiteMax(nested, args[0]);
    return isLargeMax(nested, finite, form);
  });
}

Value xsa::buildLargeMaxTakenOff(OpBuilder &builder, Location loc,
                                 MappedValue scores, MappedValue max,
                                 const SoftmaxForm &form) {
  return buildGeneric(
      builder, loc, max, scores,
      [&](ImplicitLocOpBuilder &b, ValueRange args, auto) -> Value {
        Value finite = form.finiteMax ? args[0] : finiteMax(b, args[0]);
        Value taken =
            arith::SelectOp::create(b, isLargeMax(b, finite, form), finite,
                                    floatConstant(b, finite.getType(), 0.0));
        return arith::SubFOp::create(b, args[1], taken);
      });
}

Value xsa::buildRescaleFactor(OpBuilder &builder, Location loc, MappedValue max,
                              MappedValue more, MappedValue init,
                              const SoftmaxForm &form) {
  return buildGeneric(
      builder, loc, {max, more}, init,
      [&](ImplicitLocOpBuilder &b, ValueRange args, auto) {
        Value newMax = arith::MaximumFOp::create(b, args[0], args[1]);
        if (!form.fused)
          return buildShiftedExpElement(b, args[0], newMax, form);
        // What exponents had taken off, less what they will have, each rounded
        // as it is there: exactly 1 where the maximum stays. (A difference of
        // products might become a multiply-add, which rounds only one.)
        if (!form.finiteMax)
          newMax = finiteMax(b, newMax);
        auto shift = [&](Value m) -> Value {
          return arith::MulFOp::create(b, m, factorOfRow(b, m, form.factor));
        };
        Value before = shift(args[0]);
        Value after = arith::NegFOp::create(b, shift(newMax));
        Value one = floatConstant(b, before.getType(), 1.0);
        return power(b, math::FmaOp::create(b, before, one, after), form);
      });
}

Value xsa::buildRowSum(OpBuilder &builder, Location loc, MappedValue weights,
                       MappedValue init) {
  return buildGeneric(
      builder, loc, weights, init,
      [](ImplicitLocOpBuilder &b, ValueRange args, auto) -> Value {
        Value weight = castFloat(b, args[0], args[1].getType());
        return arith::AddFOp::create(b, weight, args[1]);
      });
}

/// x / sum, 0 where the sum is 0.
static Value divideBySum(ImplicitLocOpBuilder &b, Value x, Value sum) {
  Value zero = floatConstant(b, sum.getType(), 0.0);
  Value isEmpty =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, zero);
  Value quotient = arith::DivFOp::create(b, x, sum);
  return arith::SelectOp::create(b, isEmpty, zero, quotient);
}

Value xsa::buildNormalized(OpBuilder &builder, Location loc, MappedValue x,
                           MappedValue sum) {
  return buildGeneric(builder, loc, sum, x,
                      [](ImplicitLocOpBuilder &b, ValueRange args, auto) {
                        return divideBySum(b, args[1], args[0]);
                      });
}

Value xsa::buildReciprocal(OpBuilder &builder, Location loc, MappedValue sum,
                           MappedValue init) {
  return buildGeneric(builder, loc, sum, init,
                      [](ImplicitLocOpBuilder &b, ValueRange args, auto) {
                        Value one = floatConstant(b, args[0].getType(), 1.0);
                        return divideBySum(b, one, args[0]);
                      });
}

/// The maximum as a natural logarithm. Where it is the sink (or null), that is
/// at hand, and may be beyond what a maximum can be.
static Value toNatural(ImplicitLocOpBuilder &b, Value max, Value sink,
                       const SoftmaxForm &form) {
  auto type = cast<FloatType>(max.getType());
  Value natural = max;
  if (form.toNatural() != 1.0)
    natural =
        arith::MulFOp::create(b, max, floatConstant(b, type, form.toNatural()));
  if (!sink)
    return natural;
  Value start = sinkAsMax(b, sink, type, form);
  Value isSink =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, max, start);
  return arith::SelectOp::create(b, isSink, castFloat(b, sink, type), natural);
}

/// The sum of exponentials with the maximum taken off, from that of weights,
/// which are off by as much as the weight of the maximum is from 1.
static Value toNaturalSum(ImplicitLocOpBuilder &b, Value sum, Value max,
                          const SoftmaxForm &form) {
  if (!form.fused)
    return sum;
  Value off = shiftedExponent(b, max, max, form);
  Value correction = power(b, arith::NegFOp::create(b, off), form);
  return arith::MulFOp::create(b, sum, correction);
}

Value xsa::buildNaturalMax(OpBuilder &builder, Location loc, MappedValue max,
                           MappedValue sink, MappedValue init,
                           const SoftmaxForm &form) {
  SmallVector<MappedValue> inputs{max};
  if (sink)
    inputs.push_back(sink);
  return buildGeneric(builder, loc, inputs, init,
                      [&](ImplicitLocOpBuilder &b, ValueRange args, auto) {
                        return toNatural(b, args[0], sink ? args[1] : Value(),
                                         form);
                      });
}

Value xsa::buildNaturalSum(OpBuilder &builder, Location loc, MappedValue max,
                           MappedValue sum, MappedValue init,
                           const SoftmaxForm &form) {
  if (!form.fused)
    return sum.value;
  return buildGeneric(builder, loc, {max, sum}, init,
                      [&](ImplicitLocOpBuilder &b, ValueRange args, auto) {
                        return toNaturalSum(b, args[1], finiteMax(b, args[0]),
                                            form);
                      });
}

Value xsa::buildLogSumExp(OpBuilder &builder, Location loc, MappedValue max,
                          MappedValue sum, MappedValue sink, MappedValue init,
                          const SoftmaxForm &form) {
  SmallVector<MappedValue> inputs{max, sum};
  if (sink)
    inputs.push_back(sink);
  return buildGeneric(
      builder, loc, inputs, init,
      [&](ImplicitLocOpBuilder &b, ValueRange args, auto) -> Value {
        // log(0) makes the row without keys -inf.
        Value max = finiteMax(b, args[0]);
        Value shift = toNatural(b, max, sink ? args[2] : Value(), form);
        Value sum = toNaturalSum(b, args[1], max, form);
        Value result =
            arith::AddFOp::create(b, shift, math::LogOp::create(b, sum));
        return castFloat(b, result, args.back().getType());
      });
}

//===----------------------------------------------------------------------===//
// Exclusion
//===----------------------------------------------------------------------===//

/// n(v) from |v|^2. The square of max(|v|, eps) is max(|v|^2, eps^2).
static Value buildDenominator(ImplicitLocOpBuilder &b, ExclusionAttr exclusion,
                              Value square) {
  double eps = exclusion.getEps();
  auto clampTo = [&](double least) -> Value {
    Value bound = floatConstant(b, square.getType(), least);
    Value isSmall =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, square, bound);
    return arith::SelectOp::create(b, isSmall, bound, square);
  };
  switch (exclusion.getDenominator()) {
  case Denominator::L2Clamp:
    return clampTo(eps * eps);
  case Denominator::SqClamp:
    return clampTo(eps);
  case Denominator::SqAdd:
    return arith::AddFOp::create(b, square,
                                 floatConstant(b, square.getType(), eps));
  case Denominator::Raw:
    return square;
  }
  llvm_unreachable("every denominator is handled above");
}

Value xsa::buildExclusionCoefficient(OpBuilder &builder, Location loc,
                                     ExclusionAttr exclusion, MappedValue y,
                                     MappedValue v, AffineMap map,
                                     FloatType accumulator,
                                     ArrayRef<OpFoldResult> sizes) {
  auto zeros = [&](AffineMap rows) -> MappedValue {
    return {buildFilled(builder, loc, sizes, rows, accumulator, 0.0), rows};
  };
  // |v|^2 once per row of v: grouped heads share it.
  unsigned depth = v.map.getNumDims() - 1;
  SmallVector<AffineExpr> rowDims;
  for (AffineExpr expr : v.map.getResults())
    if (!expr.isFunctionOfDim(depth))
      rowDims.push_back(expr);
  AffineMap valueRows =
      AffineMap::get(v.map.getNumDims(), 0, rowDims, builder.getContext());
  Value square = buildContraction(builder, loc, v, v, zeros(valueRows));
  Value dot = buildContraction(builder, loc, y, v, zeros(map));
  return buildGeneric(
      builder, loc, {{square, valueRows}}, {dot, map},
      [&](ImplicitLocOpBuilder &b, ValueRange args, auto) -> Value {
        Value n = buildDenominator(b, exclusion, args[0]);
        Value zero = floatConstant(b, n.getType(), 0.0);
        Value isZero =
            arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, n, zero);
        Value quotient = arith::DivFOp::create(b, args[1], n);
        return arith::SelectOp::create(b, isZero, zero, quotient);
      });
}

Value xsa::buildExcluded(OpBuilder &builder, Location loc,
                         ExclusionAttr exclusion, MappedValue y, MappedValue v,
                         MappedValue coefficient, MappedValue strength,
                         MappedValue init) {
  SmallVector<MappedValue> inputs{y, v, coefficient};
  if (strength)
    inputs.push_back(strength);
  return buildGeneric(
      builder, loc, inputs, init,
      [&](ImplicitLocOpBuilder &b, ValueRange args, auto) -> Value {
        Value c = args[2];
        Type type = c.getType();
        if (strength)
          c = arith::MulFOp::create(b, c, castFloat(b, args[3], type));
        if (exclusion.getStrength() != 1.0)
          c = arith::MulFOp::create(
              b, c, floatConstant(b, type, exclusion.getStrength()));
        Value component =
            arith::MulFOp::create(b, c, castFloat(b, args[1], type));
        Value z =
            arith::SubFOp::create(b, castFloat(b, args[0], type), component);
        return castFloat(b, z, args.back().getType());
      });
}

Value xsa::buildConverted(OpBuilder &builder, Location loc, MappedValue x,
                          MappedValue init) {
  return buildGeneric(
      builder, loc, x, init,
      [](ImplicitLocOpBuilder &b, ValueRange args, auto) -> Value {
        return castFloat(b, args[0], args[1].getType());
      });
}
