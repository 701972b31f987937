//===- AttentionLowering.cpp - tm_tensor.attention to linalg --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention is written out as exporters write it, one generic per step, so that
// the matcher reads it as it reads every other model. Everything between the
// two products is in f32, or f64 where an operand is.
//
//===----------------------------------------------------------------------===//

#include "LoweringUtils.h"
#include "xsa/Conversion/TMTensorToLinalg/TMTensorToLinalg.h"
#include "xsa/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace xsa::tm_tensor;

/// Widens or narrows a float to `type`.
static Value convertFloat(OpBuilder &builder, Location loc, Value value,
                          Type type) {
  return convertScalarToDtype(builder, loc, value, type,
                              /*isUnsignedCast=*/false);
}

namespace {

/// Builds the steps of one attention. Scores have the batch dimensions, then
/// rows, then keys; "rows" below are scores reduced over the keys, kept as an
/// extent of 1 as exporters do.
class AttentionBuilder {
public:
  AttentionBuilder(OpBuilder &builder, AttentionOp op)
      : builder(builder), loc(op.getLoc()), op(op),
        numBatch(cast<ShapedType>(op.getQuery().getType()).getRank() - 2) {
    compute = builder.getF32Type();
    for (Type type : op.getOperandTypes())
      if (getElementTypeOrSelf(type).isF64())
        compute = builder.getF64Type();
    queryExtents = getMixedExtents(op.getQuery());
    scoreExtents = queryExtents;
    scoreExtents.back() = getMixedExtents(op.getKey())[numBatch];
  }

  Value build() {
    Value scores = multiply(op.getQuery(), op.getKey(),
                            /*transposed=*/true, scoreExtents);
    scores = scale(scores);
    if (op.getMask())
      scores = mask(scores);
    Value probabilities = softmax(scores);
    SmallVector<OpFoldResult> extents = queryExtents;
    extents.back() = getMixedExtents(op.getValue()).back();
    Value output = multiply(probabilities, op.getValue(),
                            /*transposed=*/false, extents);
    return finish(output, extents);
  }

private:
  using Body = llvm::function_ref<Value(OpBuilder &, ValueRange)>;

  SmallVector<OpFoldResult> getMixedExtents(Value tensor) {
    return getAsOpFoldResult(getExtents(builder, loc, tensor));
  }

  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(compute, value));
  }

  Value filled(ArrayRef<OpFoldResult> extents, Value value) {
    Value empty =
        tensor::EmptyOp::create(builder, loc, extents, value.getType());
    return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
  }

  /// left . right over batches, accumulated in the compute type.
  Value multiply(Value left, Value right, bool transposed,
                 ArrayRef<OpFoldResult> extents) {
    SmallVector<AffineExpr> dims(numBatch + 3);
    bindDimsList(builder.getContext(), MutableArrayRef(dims));
    AffineExpr row = dims[numBatch], column = dims[numBatch + 1],
               inner = dims[numBatch + 2];
    auto map = [&](AffineExpr a, AffineExpr b) {
      SmallVector<AffineExpr> exprs(dims.begin(), dims.begin() + numBatch);
      exprs.append({a, b});
      return AffineMap::get(dims.size(), 0, exprs, builder.getContext());
    };
    SmallVector<AffineMap> maps = {
        map(row, inner), transposed ? map(column, inner) : map(inner, column),
        map(row, column)};
    SmallVector<utils::IteratorType> iterators(dims.size(),
                                               utils::IteratorType::parallel);
    iterators.back() = utils::IteratorType::reduction;
    Value init = filled(extents, constant(0.0));
    auto generic = linalg::GenericOp::create(
        builder, loc, init.getType(), ValueRange{left, right}, init, maps,
        iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
          Value product = arith::MulFOp::create(
              b, loc, convertFloat(b, loc, args[0], compute),
              convertFloat(b, loc, args[1], compute));
          Value sum = arith::AddFOp::create(b, loc, product, args[2]);
          linalg::YieldOp::create(b, loc, sum);
        });
    return generic.getResult(0);
  }

  /// Applies `body` to the elements of `inputs`, which have the shape of the
  /// scores, or of rows where they have one key.
  Value mapScores(ValueRange inputs, Type elementType, Body body) {
    unsigned rank = numBatch + 2;
    SmallVector<AffineMap> maps;
    for (Value input : inputs)
      maps.push_back(isRow(input) ? getRowMap()
                                  : builder.getMultiDimIdentityMap(rank));
    maps.push_back(builder.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    Value empty =
        tensor::EmptyOp::create(builder, loc, scoreExtents, elementType);
    auto generic = linalg::GenericOp::create(
        builder, loc, empty.getType(), inputs, empty, maps, iterators,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          linalg::YieldOp::create(b, loc, body(b, args));
        });
    return generic.getResult(0);
  }

  /// Reduces scores over the keys with `body`(element, accumulated).
  Value reduceScores(Value scores, Value identity, Body body) {
    unsigned rank = numBatch + 2;
    SmallVector<OpFoldResult> extents = scoreExtents;
    extents.back() = builder.getIndexAttr(1);
    Value init = filled(extents, identity);
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    iterators.back() = utils::IteratorType::reduction;
    SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(rank),
                                   getRowMap()};
    auto generic = linalg::GenericOp::create(
        builder, loc, init.getType(), scores, init, maps, iterators,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          linalg::YieldOp::create(b, loc, body(b, args));
        });
    rows.insert(generic.getResult(0));
    return generic.getResult(0);
  }

  bool isRow(Value value) { return rows.contains(value); }

  AffineMap getRowMap() {
    unsigned rank = numBatch + 2;
    SmallVector<AffineExpr> exprs(rank);
    bindDimsList(builder.getContext(), MutableArrayRef(exprs));
    exprs.back() = builder.getAffineConstantExpr(0);
    return AffineMap::get(rank, 0, exprs, builder.getContext());
  }

  /// The attribute, or 1 / sqrt(K1).
  Value getScale() {
    if (op.getScale())
      return constant(op.getScale()->convertToDouble());
    OpFoldResult depth = queryExtents.back();
    if (std::optional<int64_t> known = getConstantIntValue(depth))
      return constant(1.0 / std::sqrt(static_cast<double>(*known)));
    Value integer = arith::IndexCastOp::create(
        builder, loc, builder.getI64Type(), cast<Value>(depth));
    Value root = math::SqrtOp::create(
        builder, loc, arith::SIToFPOp::create(builder, loc, compute, integer));
    return arith::DivFOp::create(builder, loc, constant(1.0), root);
  }

  Value scale(Value scores) {
    Value factor = getScale();
    return mapScores(scores, compute, [&](OpBuilder &b, ValueRange args) {
      return arith::MulFOp::create(b, loc, args[0], factor);
    });
  }

  /// A boolean mask replaces scores by -inf, a float one is added.
  Value mask(Value scores) {
    if (!getElementTypeOrSelf(op.getMask().getType()).isInteger(1))
      return mapScores({scores, op.getMask()}, compute,
                       [&](OpBuilder &b, ValueRange args) {
                         Value bias = convertFloat(b, loc, args[1], compute);
                         return arith::AddFOp::create(b, loc, args[0], bias);
                       });
    Value masked = constant(-std::numeric_limits<double>::infinity());
    return mapScores(
        {scores, op.getMask()}, compute, [&](OpBuilder &b, ValueRange args) {
          return arith::SelectOp::create(b, loc, args[1], args[0], masked);
        });
  }

  Value softmax(Value scores) {
    Value lowest = constant(-std::numeric_limits<double>::infinity());
    Value maximum =
        reduceScores(scores, lowest, [&](OpBuilder &b, ValueRange args) {
          return arith::MaximumFOp::create(b, loc, args[0], args[1]);
        });
    Value weights = mapScores(
        {scores, maximum}, compute, [&](OpBuilder &b, ValueRange args) {
          Value shifted = arith::SubFOp::create(b, loc, args[0], args[1]);
          return math::ExpOp::create(b, loc, shifted);
        });
    Value sum = reduceScores(
        weights, constant(0.0), [&](OpBuilder &b, ValueRange args) {
          return arith::AddFOp::create(b, loc, args[0], args[1]);
        });
    Value probabilities =
        mapScores({weights, sum}, compute, [&](OpBuilder &b, ValueRange args) {
          return arith::DivFOp::create(b, loc, args[0], args[1]);
        });
    return op.getMask() ? clearEmptyRows(scores, probabilities, lowest)
                        : probabilities;
  }

  /// Rows whose scores are all -inf are 0, where the quotient is not a number.
  Value clearEmptyRows(Value scores, Value probabilities, Value lowest) {
    Value dropped = mapScores(
        scores, builder.getI1Type(), [&](OpBuilder &b, ValueRange args) {
          return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                       args[0], lowest);
        });
    Value yes =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    Value empty =
        reduceScores(dropped, yes, [&](OpBuilder &b, ValueRange args) {
          return arith::AndIOp::create(b, loc, args[0], args[1]);
        });
    Value zero = constant(0.0);
    return mapScores(
        {empty, probabilities}, compute, [&](OpBuilder &b, ValueRange args) {
          return arith::SelectOp::create(b, loc, args[0], zero, args[1]);
        });
  }

  /// Narrows the output to the type of the destination.
  Value finish(Value output, ArrayRef<OpFoldResult> extents) {
    auto type = cast<RankedTensorType>(op.getOutput().getType());
    if (type.getElementType() != compute) {
      unsigned rank = numBatch + 2;
      Value empty =
          tensor::EmptyOp::create(builder, loc, extents, type.getElementType());
      SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
      SmallVector<utils::IteratorType> iterators(rank,
                                                 utils::IteratorType::parallel);
      output =
          linalg::GenericOp::create(
              builder, loc, empty.getType(), output, empty, maps, iterators,
              [&](OpBuilder &b, Location loc, ValueRange args) {
                linalg::YieldOp::create(
                    b, loc,
                    convertFloat(b, loc, args[0], type.getElementType()));
              })
              .getResult(0);
    }
    if (output.getType() == type)
      return output;
    return tensor::CastOp::create(builder, loc, type, output);
  }

  OpBuilder &builder;
  Location loc;
  AttentionOp op;
  unsigned numBatch;
  FloatType compute;
  SmallVector<OpFoldResult> queryExtents, scoreExtents;
  /// What was reduced over the keys.
  DenseSet<Value> rows;
};

/// Replaces an attention by the linalg operations that define it.
struct LowerAttention : public OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOnTensors(op))
      return rewriter.notifyMatchFailure(op, "expected operands on tensors");
    rewriter.replaceOp(op, AttentionBuilder(rewriter, op).build());
    return success();
  }
};
} // namespace

void xsa::populateTMTensorAttentionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerAttention>(patterns.getContext());
}
