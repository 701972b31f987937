//===- CheckRuntimeValues.cpp - What data must not decide -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that is given tokens, or positions of what it keeps, is given
// indices, and sizes with the arrays. Ones that are out of range would read or
// write other memory, and a division by zero ends the process. What the
// compiler or an importer computes from loops and sizes is right, and stays
// unchecked.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace xsa {
#define GEN_PASS_DEF_CHECKRUNTIMEVALUESPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

/// Whether anything but loops, sizes and constants goes into `value`.
static bool isFromData(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
      if (!loop || arg != loop.getInductionVar())
        return true;
      values.insert(loop.getLowerBound());
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isa<linalg::IndexOp, tensor::DimOp>(op))
      continue;
    if (!isa<arith::ArithDialect>(op->getDialect()))
      return true;
    values.insert_range(op->getOperands());
  }
  return false;
}

static bool isFromData(OpFoldResult value) {
  return isa<Value>(value) && isFromData(cast<Value>(value));
}

namespace {
/// Asserts before an operation.
class Checker {
public:
  explicit Checker(Operation *op) : b(op->getLoc(), op) {}

  void checkIndices(Value array, ValueRange indices);
  void checkDim(tensor::DimOp op);
  void checkSlice(Value array, OffsetSizeAndStrideOpInterface slice);
  void checkCast(Value from, Value to);
  void checkReshape(tensor::ReshapeOp op);
  void checkDivision(Value dividend, Value divisor, bool isSigned);

private:
  using Predicate = arith::CmpIPredicate;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value toValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  Value compare(Predicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  }
  Value getSize(Value array, unsigned dim);
  void require(Value condition, const Twine &text) {
    cf::AssertOp::create(b, condition, text.str());
  }

  ImplicitLocOpBuilder b;
};
} // namespace

/// "dimension 1 of size 4", as far as it is known.
static std::string describeDim(Value array, unsigned dim) {
  auto type = cast<ShapedType>(array.getType());
  std::string text = "dimension " + std::to_string(dim);
  if (!type.isDynamicDim(dim))
    text += " of size " + std::to_string(type.getDimSize(dim));
  return text;
}

Value Checker::getSize(Value array, unsigned dim) {
  auto type = cast<ShapedType>(array.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (isa<TensorType>(type))
    return b.createOrFold<tensor::DimOp>(array, dim);
  return b.createOrFold<memref::DimOp>(array, dim);
}

void Checker::checkIndices(Value array, ValueRange indices) {
  for (auto [dim, index] : llvm::enumerate(indices)) {
    if (!isFromData(index))
      continue;
    // Negative ones are large.
    require(compare(Predicate::ult, index, getSize(array, dim)),
            "index out of range in " + describeDim(array, dim));
  }
}

void Checker::checkDim(tensor::DimOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!type || !isFromData(op.getIndex()))
    return;
  require(compare(Predicate::ult, op.getIndex(), constant(type.getRank())),
          "dimension out of range in a tensor of rank " +
              Twine(type.getRank()));
}

/// Also a slice that is known, of an array whose size is not.
void Checker::checkSlice(Value array, OffsetSizeAndStrideOpInterface slice) {
  auto type = cast<ShapedType>(array.getType());
  for (auto [dim, offset, size, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedSizes(),
                       slice.getMixedStrides())) {
    bool isKnown = getConstantIntValue(offset) && getConstantIntValue(size) &&
                   getConstantIntValue(stride);
    bool mayLeave = isKnown && type.isDynamicDim(dim);
    if (!mayLeave && !isFromData(offset) && !isFromData(size) &&
        !isFromData(stride))
      continue;
    Value begin = toValue(offset), count = toValue(size);
    Value extent = getSize(array, dim);
    // Unsigned, so that nothing negative fits.
    Value fits;
    if (isConstantIntValue(stride, 1)) {
      Value begins = compare(Predicate::ule, begin, extent);
      Value rest = arith::SubIOp::create(b, extent, begin);
      Value isShort = compare(Predicate::ule, count, rest);
      fits = arith::AndIOp::create(b, begins, isShort);
    } else {
      // No product of numbers up to an extent overflows.
      Value step = toValue(stride);
      Value steps = arith::SubIOp::create(b, count, constant(1));
      Value length = arith::MulIOp::create(b, steps, step);
      Value last = arith::AddIOp::create(b, begin, length);
      Value raised = arith::AddIOp::create(b, step, extent);
      Value most = arith::AddIOp::create(b, extent, extent);
      fits = compare(Predicate::ult, raised, most);
      for (Value number : {begin, steps, last}) {
        Value isInside = compare(Predicate::ult, number, extent);
        fits = arith::AndIOp::create(b, fits, isInside);
      }
      Value isEmpty = compare(Predicate::eq, count, constant(0));
      fits = arith::OrIOp::create(b, fits, isEmpty);
    }
    require(fits, "slice out of range in " + describeDim(array, dim));
  }
}

/// A static size in the result is that of the source.
void Checker::checkCast(Value from, Value to) {
  auto fromType = cast<ShapedType>(from.getType());
  auto toType = cast<ShapedType>(to.getType());
  if (!fromType.hasRank() || !toType.hasRank())
    return;
  for (int64_t dim = 0; dim < toType.getRank(); ++dim) {
    if (!fromType.isDynamicDim(dim) || toType.isDynamicDim(dim))
      continue;
    Value size = getSize(from, dim);
    require(compare(Predicate::eq, size, constant(toType.getDimSize(dim))),
            "dimension " + Twine(dim) + " is not of size " +
                Twine(toType.getDimSize(dim)) + " as its type says");
  }
}

void Checker::checkReshape(tensor::ReshapeOp op) {
  auto fromType = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto shapeType = cast<RankedTensorType>(op.getShape().getType());
  if (!fromType || shapeType.isDynamicDim(0))
    return;
  Value elements = constant(1), shaped = constant(1);
  for (int64_t dim = 0; dim < fromType.getRank(); ++dim)
    elements = arith::MulIOp::create(b, elements, getSize(op.getSource(), dim));
  Value fits = arith::ConstantOp::create(b, b.getBoolAttr(true));
  for (int64_t dim = 0; dim < shapeType.getDimSize(0); ++dim) {
    Value size = tensor::ExtractOp::create(b, op.getShape(), constant(dim));
    if (!size.getType().isIndex())
      size = arith::IndexCastOp::create(b, b.getIndexType(), size);
    fits = arith::AndIOp::create(b, fits,
                                 compare(Predicate::sge, size, constant(0)));
    shaped = arith::MulIOp::create(b, shaped, size);
  }
  fits =
      arith::AndIOp::create(b, fits, compare(Predicate::eq, elements, shaped));
  require(fits, "the shape has another number of elements");
}

void Checker::checkDivision(Value dividend, Value divisor, bool isSigned) {
  Type type = divisor.getType();
  if (!type.isIntOrIndex() || !isFromData(divisor))
    return;
  auto isNot = [&](Value value, const APInt &number) -> Value {
    Value other = arith::ConstantOp::create(b, b.getIntegerAttr(type, number));
    return compare(Predicate::ne, value, other);
  };
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  require(isNot(divisor, APInt::getZero(width)), "integer division by zero");
  if (!isSigned)
    return;
  Value isLarger = isNot(dividend, APInt::getSignedMinValue(width));
  Value isOther = isNot(divisor, APInt::getAllOnes(width));
  require(arith::OrIOp::create(b, isLarger, isOther),
          "integer division of the least number by -1");
}

static void check(Operation *op) {
  Checker checker(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<tensor::ExtractOp>([&](auto extract) {
        checker.checkIndices(extract.getTensor(), extract.getIndices());
      })
      .Case<tensor::InsertOp>([&](auto insert) {
        checker.checkIndices(insert.getDest(), insert.getIndices());
      })
      .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
        checker.checkIndices(access.getMemRef(), access.getIndices());
      })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>(
          [&](auto slice) { checker.checkSlice(slice.getSource(), slice); })
      .Case<tensor::InsertSliceOp>(
          [&](auto slice) { checker.checkSlice(slice.getDest(), slice); })
      .Case<tensor::DimOp>([&](auto dim) { checker.checkDim(dim); })
      .Case<tensor::CastOp, memref::CastOp>(
          [&](auto cast) { checker.checkCast(cast.getSource(), cast); })
      .Case<tensor::ReshapeOp>(
          [&](auto reshape) { checker.checkReshape(reshape); })
      .Case<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp>([&](auto division) {
        checker.checkDivision(division.getLhs(), division.getRhs(),
                              /*isSigned=*/true);
      })
      .Case<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(
          [&](auto division) {
            checker.checkDivision(division.getLhs(), division.getRhs(),
                                  /*isSigned=*/false);
          });
}

namespace {
struct CheckRuntimeValues
    : public xsa::impl::CheckRuntimeValuesPassBase<CheckRuntimeValues> {
  using Base::Base;

  void runOnOperation() override { getOperation()->walk(check); }
};
} // namespace
