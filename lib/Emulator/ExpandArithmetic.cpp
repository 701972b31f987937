//===- ExpandArithmetic.cpp - Arithmetic of NVVM on the host --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Approximate instructions become exact ones, which is within what the PTX ISA
// allows for them. Flushing of denormals is kept, since it changes results.
//
//===----------------------------------------------------------------------===//

#include "Rewrite.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace xsa::emulator;

namespace {
/// One intrinsic: `llvm.nvvm.<operation>.<modifiers>.<type>`.
class Expansion {
public:
  Expansion(IRBuilderBase &builder, CallInst &call, StringRef name)
      : builder(builder), call(call), type(call.getType()) {
    name.split(parts, '.');
  }

  Value *expand();

private:
  bool has(StringRef modifier) const { return is_contained(parts, modifier); }
  Value *getOperand(unsigned i) { return flush(call.getArgOperand(i)); }
  /// Denormals become zero, with `.ftz`.
  Value *flush(Value *value);
  Value *unary(Intrinsic::ID id, Value *value) {
    return builder.CreateUnaryIntrinsic(id, value);
  }
  Value *binary(Intrinsic::ID id, Value *a, Value *b) {
    return builder.CreateBinaryIntrinsic(id, a, b);
  }
  Value *clampBelow(Value *value);
  Value *expandFloat();
  Value *expandPack();
  Value *expandToInteger();
  Value *expandInteger();

  IRBuilderBase &builder;
  CallInst &call;
  Type *type;
  SmallVector<StringRef, 6> parts;
};
} // namespace

Value *Expansion::flush(Value *value) {
  if (!has("ftz") || !value->getType()->getScalarType()->isFloatTy())
    return value;
  Type *floats = value->getType();
  Value *isSmall = builder.CreateFCmpOLT(
      unary(Intrinsic::fabs, value),
      ConstantFP::get(floats,
                      APFloat::getSmallestNormalized(APFloat::IEEEsingle())));
  Value *zero =
      binary(Intrinsic::copysign, ConstantFP::get(floats, 0.0), value);
  return builder.CreateSelect(isSmall, zero, value);
}

/// `.relu` and `.sat`.
Value *Expansion::clampBelow(Value *value) {
  if (has("relu") || has("sat"))
    value = binary(Intrinsic::maxnum, value,
                   ConstantFP::get(value->getType(), 0.0));
  if (has("sat"))
    value = binary(Intrinsic::minnum, value,
                   ConstantFP::get(value->getType(), 1.0));
  return value;
}

Value *Expansion::expandFloat() {
  StringRef op = parts[0];
  if (has("rz") || has("rm") || has("rp") || has("xorsign"))
    return nullptr;
  Value *one = ConstantFP::get(type, 1.0);
  if (op == "ex2")
    return unary(Intrinsic::exp2, getOperand(0));
  if (op == "lg2")
    return unary(Intrinsic::log2, getOperand(0));
  if (op == "sin")
    return unary(Intrinsic::sin, getOperand(0));
  if (op == "cos")
    return unary(Intrinsic::cos, getOperand(0));
  if (op == "tanh")
    return unary(Intrinsic::tanh, getOperand(0));
  if (op == "sqrt")
    return unary(Intrinsic::sqrt, getOperand(0));
  if (op == "rsqrt")
    return builder.CreateFDiv(one, unary(Intrinsic::sqrt, getOperand(0)));
  if (op == "rcp")
    return builder.CreateFDiv(one, getOperand(0));
  if (op == "fabs")
    return unary(Intrinsic::fabs, getOperand(0));
  if (op == "div")
    return builder.CreateFDiv(getOperand(0), getOperand(1));
  if (op == "add")
    return clampBelow(builder.CreateFAdd(getOperand(0), getOperand(1)));
  if (op == "mul")
    return clampBelow(builder.CreateFMul(getOperand(0), getOperand(1)));
  if (op == "fma")
    return clampBelow(builder.CreateIntrinsic(
        type, Intrinsic::fma, {getOperand(0), getOperand(1), getOperand(2)}));
  if (op == "fmin")
    return binary(has("nan") ? Intrinsic::minimum : Intrinsic::minnum,
                  getOperand(0), getOperand(1));
  if (op == "fmax")
    return binary(has("nan") ? Intrinsic::maximum : Intrinsic::maxnum,
                  getOperand(0), getOperand(1));
  if (op == "saturate")
    return binary(
        Intrinsic::minnum,
        binary(Intrinsic::maxnum, getOperand(0), ConstantFP::get(type, 0.0)),
        one);
  return nullptr;
}

/// Conversions to 16 bits, of one number or of two: the first goes to the upper
/// half.
Value *Expansion::expandPack() {
  StringRef op = parts[0];
  if (!has("rn") || has("satfinite"))
    return nullptr;
  if (op == "f2h")
    return builder.CreateBitCast(
        builder.CreateFPTrunc(getOperand(0), builder.getHalfTy()), type);
  bool isBFloat = type->getScalarType()->isBFloatTy();
  Value *floats = nullptr;
  if (op == "f2bf16" || op == "f2f16") {
    floats = getOperand(0);
  } else if (op == "ff2bf16x2" || op == "ff2f16x2") {
    floats = PoisonValue::get(FixedVectorType::get(builder.getFloatTy(), 2));
    floats = builder.CreateInsertElement(floats, getOperand(1), uint64_t(0));
    floats = builder.CreateInsertElement(floats, getOperand(0), uint64_t(1));
  } else {
    return nullptr;
  }
  floats = clampBelow(floats);
  return isBFloat ? roundToBFloat(builder, floats)
                  : builder.CreateFPTrunc(floats, type);
}

/// {f,d}2{i,ui,ll,ull}.{rn,rz,rm,rp}
Value *Expansion::expandToInteger() {
  StringRef op = parts[0];
  if (!op.consume_front("f2") && !op.consume_front("d2"))
    return nullptr;
  bool isSigned = op == "i" || op == "ll";
  if (!isSigned && op != "ui" && op != "ull")
    return nullptr;
  if (!call.getArgOperand(0)->getType()->isFloatingPointTy() ||
      parts.size() < 2)
    return nullptr;
  auto rounding = StringSwitch<Intrinsic::ID>(parts[1])
                      .Case("rn", Intrinsic::roundeven)
                      .Case("rz", Intrinsic::trunc)
                      .Case("rm", Intrinsic::floor)
                      .Case("rp", Intrinsic::ceil)
                      .Default(Intrinsic::not_intrinsic);
  if (rounding == Intrinsic::not_intrinsic)
    return nullptr;
  Value *rounded = unary(rounding, getOperand(0));
  return builder.CreateIntrinsic(isSigned ? Intrinsic::fptosi_sat
                                          : Intrinsic::fptoui_sat,
                                 {type, rounded->getType()}, {rounded});
}

Value *Expansion::expandInteger() {
  StringRef op = parts[0];
  if (op == "mulhi" && parts.size() == 2 && type->isIntegerTy()) {
    unsigned bits = type->getIntegerBitWidth();
    Type *wide = builder.getIntNTy(2 * bits);
    bool isSigned = !parts[1].starts_with("u");
    auto extend = [&](unsigned i) {
      Value *operand = call.getArgOperand(i);
      return isSigned ? builder.CreateSExt(operand, wide)
                      : builder.CreateZExt(operand, wide);
    };
    return builder.CreateTrunc(
        builder.CreateLShr(builder.CreateMul(extend(0), extend(1)), bits),
        type);
  }
  // Rounds a float to 10 bits of mantissa, ties away from zero.
  if (op == "f2tf32" && has("rna")) {
    Value *bits =
        builder.CreateBitCast(call.getArgOperand(0), builder.getInt32Ty());
    return builder.CreateAnd(builder.CreateAdd(bits, builder.getInt32(0x1000)),
                             builder.getInt32(0xffffe000));
  }
  return nullptr;
}

Value *Expansion::expand() {
  if (Value *value = expandToInteger())
    return value;
  if (Value *value = expandInteger())
    return value;
  if (Value *value = expandPack())
    return value;
  if (!type->getScalarType()->isFloatingPointTy())
    return nullptr;
  Value *value = expandFloat();
  return value ? flush(value) : nullptr;
}

Value *xsa::emulator::roundToBFloat(IRBuilderBase &builder, Value *value) {
  Type *floats = value->getType();
  auto withScalar = [&](Type *scalar) -> Type * {
    if (auto *vector = dyn_cast<VectorType>(floats))
      return VectorType::get(scalar, vector->getElementCount());
    return scalar;
  };
  Type *words = withScalar(builder.getInt32Ty());
  auto constant = [&](uint32_t bits) { return ConstantInt::get(words, bits); };
  Value *bits = builder.CreateBitCast(value, words);
  Value *odd =
      builder.CreateAnd(builder.CreateLShr(bits, constant(16)), constant(1));
  Value *rounded =
      builder.CreateAdd(builder.CreateAdd(bits, constant(0x7fff)), odd);
  Value *isNaN = builder.CreateFCmpUNO(value, value);
  rounded = builder.CreateSelect(isNaN, constant(0x7fff0000), rounded);
  Value *halves = builder.CreateTrunc(builder.CreateLShr(rounded, constant(16)),
                                      withScalar(builder.getInt16Ty()));
  return builder.CreateBitCast(halves, withScalar(builder.getBFloatTy()));
}

/// libdevice's functions that the C library has under the same name.
static Value *expandLibdevice(IRBuilderBase &builder, CallInst &call,
                              StringRef name) {
  static const StringSet<> kSame = {
      "acosf", "acos",  "asinf",  "asin",   "atanf",  "atan",   "atan2f",
      "atan2", "cbrtf", "cbrt",   "ceilf",  "ceil",   "cosf",   "cos",
      "coshf", "cosh",  "erff",   "erf",    "erfcf",  "erfc",   "expf",
      "exp",   "exp2f", "exp2",   "exp10f", "exp10",  "expm1f", "expm1",
      "fabsf", "fabs",  "floorf", "floor",  "fmaf",   "fma",    "fmaxf",
      "fmax",  "fminf", "fmin",   "fmodf",  "fmod",   "hypotf", "hypot",
      "logf",  "log",   "log10f", "log10",  "log1pf", "log1p",  "log2f",
      "log2",  "powf",  "pow",    "rintf",  "rint",   "roundf", "round",
      "sinf",  "sin",   "sinhf",  "sinh",   "sqrtf",  "sqrt",   "tanf",
      "tan",   "tanhf", "tanh",   "truncf", "trunc"};
  if (name == "rsqrtf" || name == "rsqrt")
    return builder.CreateFDiv(
        ConstantFP::get(call.getType(), 1.0),
        builder.CreateUnaryIntrinsic(Intrinsic::sqrt, call.getArgOperand(0)));
  name.consume_front("fast_");
  if (!kSame.contains(name))
    return nullptr;
  FunctionCallee callee =
      call.getModule()->getOrInsertFunction(name, call.getFunctionType());
  return builder.CreateCall(callee, SmallVector<Value *>(call.args()));
}

Value *xsa::emulator::expandArithmetic(IRBuilderBase &builder, CallInst &call) {
  Function *callee = call.getCalledFunction();
  if (!callee)
    return nullptr;
  StringRef name = callee->getName();
  if (name.consume_front("__nv_"))
    return expandLibdevice(builder, call, name);
  if (!name.consume_front("llvm.nvvm."))
    return nullptr;
  return Expansion(builder, call, name).expand();
}
