//===- KnownDivisor.cpp - What a position is a multiple of ----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The greatest common divisor of 0 and x is x, so 0 stands for a value that
// everything divides.
//
//===----------------------------------------------------------------------===//

#include "KnownDivisor.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace xsa;

/// Products stay far from overflow: no width depends on more than this.
static constexpr int64_t kMostDivisor = int64_t(1) << 20;

static int64_t product(int64_t lhs, int64_t rhs) {
  if (lhs > kMostDivisor || rhs > kMostDivisor)
    return std::max(lhs, rhs);
  return lhs * rhs;
}

/// The largest divisor of a constant; the least number has one that is no
/// number of its type.
static int64_t ofConstant(int64_t value) {
  return value == std::numeric_limits<int64_t>::min() ? 1 : std::abs(value);
}

/// Operands of affine operations are dims, then symbols.
static int64_t divisorOf(AffineExpr expr, unsigned numDims,
                         ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return ofConstant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return knownDivisor(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return knownDivisor(operands[numDims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = divisorOf(binary.getLHS(), numDims, operands);
  int64_t rhs = divisorOf(binary.getRHS(), numDims, operands);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod:
    return std::gcd(lhs, rhs);
  case AffineExprKind::Mul:
    return product(lhs, rhs);
  default:
    return 1;
  }
}

static int64_t divisorOf(AffineMap map, ValueRange operands) {
  int64_t divisor = 0;
  for (AffineExpr expr : map.getResults())
    divisor = std::gcd(divisor, divisorOf(expr, map.getNumDims(), operands));
  return divisor;
}

int64_t xsa::knownDivisor(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return ofConstant(*constant);
  auto dynamic = cast<Value>(value);
  if (auto arg = dyn_cast<BlockArgument>(dynamic)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg != loop.getInductionVar())
      return 1;
    return std::gcd(knownDivisor(loop.getLowerBound()),
                    knownDivisor(loop.getStep()));
  }
  return llvm::TypeSwitch<Operation *, int64_t>(dynamic.getDefiningOp())
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [](auto op) {
            return divisorOf(op.getAffineMap(), op.getOperands());
          })
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(
          [](auto op) {
            return std::gcd(knownDivisor(op.getLhs()),
                            knownDivisor(op.getRhs()));
          })
      .Case<arith::MulIOp>([](arith::MulIOp op) {
        return product(knownDivisor(op.getLhs()), knownDivisor(op.getRhs()));
      })
      .Default([](Operation *) { return 1; });
}
