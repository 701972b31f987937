//===- AVX512.cpp - Instructions of AVX-512 on vectors --------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The intrinsics that LLVM has for them, register by register.
//
//===----------------------------------------------------------------------===//

#include "AVX512.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

static constexpr int64_t kLanes = 16;

/// Of a normal f32.
static constexpr float kLeastExponent = -126.0f;

/// Rounding as the processor is set to.
static constexpr int32_t kCurrentRounding = 4;

bool xsa::avx512::fits(VectorType type) {
  return type.getRank() == 1 && !type.isScalable() &&
         type.getElementTypeBitWidth() == 32 &&
         type.getDimSize(0) % kLanes == 0;
}

/// `emit` on each register of `vectors`, which are of one type.
static Value forEachRegister(ImplicitLocOpBuilder &b, ValueRange vectors,
                             function_ref<Value(ValueRange registers)> emit) {
  auto type = cast<VectorType>(vectors.front().getType());
  int64_t lanes = type.getDimSize(0);
  if (lanes == kLanes)
    return emit(vectors);
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t begin = 0; begin < lanes; begin += kLanes) {
    SmallVector<Value> registers;
    for (Value vector : vectors)
      registers.push_back(vector::ExtractStridedSliceOp::create(
          b, vector, begin, kLanes, /*strides=*/1));
    result = vector::InsertStridedSliceOp::create(b, emit(registers), result,
                                                  begin, /*strides=*/1);
  }
  return result;
}

static Value constant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
}

static Value call(ImplicitLocOpBuilder &b, StringRef name, ValueRange args) {
  return LLVM::CallIntrinsicOp::create(b, args.front().getType(),
                                       b.getStringAttr(name), args)
      .getResult(0);
}

/// All lanes of a register.
static Value getFullMask(ImplicitLocOpBuilder &b) {
  return constant(b, b.getI16Type(), -1);
}

Value xsa::avx512::buildFraction(ImplicitLocOpBuilder &b, Value x) {
  return forEachRegister(b, x, [&](ValueRange registers) {
    Value in = registers[0];
    // Downwards, to integers.
    Value mode = constant(b, b.getI32Type(), 1);
    return call(b, "llvm.x86.avx512.mask.reduce.ps.512",
                {in, mode, in, getFullMask(b),
                 constant(b, b.getI32Type(), kCurrentRounding)});
  });
}

Value xsa::avx512::buildScale(ImplicitLocOpBuilder &b, Value x, Value y) {
  return forEachRegister(b, {x, y}, [&](ValueRange registers) {
    Type type = registers[0].getType();
    auto splat = [&](float value) -> Value {
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(cast<ShapedType>(type), value));
    };
    // NaN is kept.
    Value isNormal = arith::CmpFOp::create(b, arith::CmpFPredicate::UGE,
                                           registers[1], splat(kLeastExponent));
    Value mask = LLVM::BitcastOp::create(b, b.getI16Type(), isNormal);
    return call(b, "llvm.x86.avx512.mask.scalef.ps.512",
                {registers[0], registers[1], splat(0.0f), mask,
                 constant(b, b.getI32Type(), kCurrentRounding)});
  });
}

Value xsa::avx512::buildOrAnd(ImplicitLocOpBuilder &b, Value x, Value y,
                              Value z) {
  return forEachRegister(b, {x, y, z}, [&](ValueRange registers) {
    // The table of x | (y & z): bit 4x + 2y + z.
    constexpr int64_t table = 0xF8;
    return call(b, "llvm.x86.avx512.pternlog.d.512",
                {registers[0], registers[1], registers[2],
                 constant(b, b.getI32Type(), table)});
  });
}
