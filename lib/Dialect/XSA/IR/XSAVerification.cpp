//===- XSAVerification.cpp - Verifiers of the XSA operations --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over named operands checks maps, dimensions and extents, so that
// every operand is held to the same rules and every message names it.
//
//===----------------------------------------------------------------------===//

#include "OperandRules.h"

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace xsa;
using namespace xsa::detail;

namespace {
/// Checks maps and shapes of one operation. `dimName` turns a dimension of the
/// domain into the name it has in the documentation.
class ShapeVerifier {
public:
  ShapeVerifier(Operation *op, unsigned numLoops,
                llvm::function_ref<std::string(unsigned)> dimName)
      : op(op), dimName(dimName), extents(numLoops, ShapedType::kDynamic),
        extentOwners(numLoops) {}

  LogicalResult check(const OperandRule &rule) {
    if (failed(checkMap(rule)))
      return failure();
    return checkExtents(rule);
  }

private:
  LogicalResult checkMap(const OperandRule &rule) {
    auto type = cast<ShapedType>(rule.operand->get().getType());
    if (!rule.map.isProjectedPermutation())
      return op->emitOpError("expected the map of '")
             << rule.name << "' to be a projected permutation, got "
             << AffineMapAttr::get(rule.map);
    if (static_cast<int64_t>(rule.map.getNumResults()) != type.getRank())
      return op->emitOpError("expected the map of '")
             << rule.name << "' to have " << type.getRank()
             << " results, one for each dimension of " << type << ", got "
             << rule.map.getNumResults();

    llvm::SmallBitVector present(extents.size());
    for (AffineExpr result : rule.map.getResults())
      present.set(cast<AffineDimExpr>(result).getPosition());
    for (unsigned dim = 0; dim < extents.size(); ++dim) {
      if (rule.required.test(dim) && !present.test(dim))
        return op->emitOpError("expected the map of '")
               << rule.name << "' to contain dimension " << dimName(dim)
               << ", got " << AffineMapAttr::get(rule.map);
      if (!rule.allowed.test(dim) && present.test(dim))
        return op->emitOpError("expected the map of '")
               << rule.name << "' not to contain dimension " << dimName(dim)
               << ", got " << AffineMapAttr::get(rule.map);
    }
    return success();
  }

  LogicalResult checkExtents(const OperandRule &rule) {
    auto type = cast<ShapedType>(rule.operand->get().getType());
    for (auto [size, result] :
         llvm::zip_equal(type.getShape(), rule.map.getResults())) {
      if (ShapedType::isDynamic(size))
        continue;
      unsigned dim = cast<AffineDimExpr>(result).getPosition();
      if (ShapedType::isDynamic(extents[dim])) {
        extents[dim] = size;
        extentOwners[dim] = rule.name;
        continue;
      }
      if (extents[dim] != size)
        return op->emitOpError("expected '")
               << rule.name << "' to have size " << extents[dim]
               << " in dimension " << dimName(dim) << ", as '"
               << extentOwners[dim] << "' has, got " << size;
    }
    return success();
  }

  Operation *op;
  llvm::function_ref<std::string(unsigned)> dimName;
  SmallVector<int64_t> extents;
  SmallVector<StringRef> extentOwners;
};
} // namespace

/// The indexing maps as such: one per operand, all over one domain.
template <typename OpTy>
static LogicalResult verifyMapList(OpTy op, unsigned minLoops) {
  SmallVector<AffineMap> maps = op.getMaps();
  unsigned expected = op.getShapedOperands().size();
  if (maps.size() != expected)
    return op.emitOpError("expected ")
           << expected << " maps in 'indexing_maps', one for each shaped "
           << "operand, got " << maps.size();
  unsigned numLoops = maps.front().getNumDims();
  if (numLoops < minLoops)
    return op.emitOpError("expected maps over at least ")
           << minLoops << " dimensions, got " << numLoops;
  for (AffineMap map : maps) {
    if (map.getNumDims() != numLoops)
      return op.emitOpError("expected all maps over the same number of "
                            "dimensions, got ")
             << numLoops << " and " << map.getNumDims();
    if (map.getNumSymbols() != 0)
      return op.emitOpError("expected maps without symbols, got ")
             << AffineMapAttr::get(map);
  }
  return success();
}

/// Operands must be all tensors or all memrefs.
template <typename OpTy> static LogicalResult verifyOneWorld(OpTy op) {
  bool tensors = isa<TensorType>(op.getOutput().getType());
  for (OpOperand *operand : op.getShapedOperands())
    if (isa<TensorType>(operand->get().getType()) != tensors)
      return op.emitOpError("expected all shaped operands to be ")
             << (tensors ? "tensors" : "memrefs")
             << ", as 'output' is, got operand #" << operand->getOperandNumber()
             << " of type " << operand->get().getType();
  return success();
}

template <typename OpTy> static LogicalResult verifyShapes(OpTy op) {
  auto dimName = [&](unsigned dim) { return getDimensionName(op, dim); };
  ShapeVerifier verifier(op, op.getNumLoops(), dimName);
  for (const OperandRule &rule : getOperandRules(op))
    if (failed(verifier.check(rule)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

static APFloat roundTo(FloatType type, APFloat number) {
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number;
}

/// Numbers in range, attributes and operands that need one another.
static LogicalResult verifyAttentionAttributes(AttentionOp op) {
  if (op.getExclusion() && !op.getSelfValue())
    return op.emitOpError("with 'exclusion' needs the operand 'self_value'");
  if (!op.getExclusion()) {
    auto needsExclusion = [&](Value operand, StringRef name) -> LogicalResult {
      if (!operand)
        return success();
      return op.emitOpError("operand '")
             << name << "' needs the attribute 'exclusion'";
    };
    if (failed(needsExclusion(op.getSelfValue(), "self_value")) ||
        failed(needsExclusion(op.getStrength(), "strength")) ||
        failed(needsExclusion(op.getCoefficientOutput(), "coefficient_output")))
      return failure();
  }
  if (op.getMaxOutput() && !op.getSumOutput())
    return op.emitOpError("operand 'max_output' needs the operand "
                          "'sum_output'");
  if (op.getSumOutput() && !op.getMaxOutput())
    return op.emitOpError("operand 'sum_output' needs the operand "
                          "'max_output'");
  // Scores are computed in the accumulator type: infinity times 0 is no number.
  FloatType type = op.getAccumulatorType();
  if (op.getScale() && !roundTo(type, *op.getScale()).isFinite())
    return op.emitOpError("expected 'scale' to be finite as ")
           << type << ", got " << op.getScaleAttr();
  if (op.getSoftcap()) {
    APFloat cap = roundTo(type, *op.getSoftcap());
    if (!cap.isFinite() || cap.isNegative() || cap.isZero())
      return op.emitOpError("expected 'softcap' to be finite and positive as ")
             << type << ", got " << op.getSoftcapAttr();
  }
  // Positions are added to widths, which must not overflow.
  constexpr int64_t maxWindow = int64_t(1) << 62;
  for (auto [name, width] : {std::pair("window_left", op.getWindowLeft()),
                             std::pair("window_right", op.getWindowRight())})
    if (width && (static_cast<int64_t>(*width) < 0 ||
                  static_cast<int64_t>(*width) > maxWindow))
      return op.emitOpError("expected '")
             << name << "' to be between 0 and 2^62, got "
             << static_cast<int64_t>(*width);
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyMapList(*this, /*minLoops=*/4)) ||
      failed(verifyOneWorld(*this)) || failed(verifyAttentionAttributes(*this)))
    return failure();
  return verifyShapes(*this);
}

LogicalResult AttentionOp::verifyRegions() {
  if (getScoreRegion().empty()) {
    if (!getScoreInputs().empty())
      return emitOpError("operand 'score_inputs' needs a score region");
    return success();
  }
  SmallVector<Type> expected{getAccumulatorType()};
  for (Value input : getScoreInputs())
    expected.push_back(getElementTypeOrSelf(input.getType()));
  expected.append(2, IndexType::get(getContext()));

  Block &body = getScoreRegion().front();
  if (!llvm::equal(body.getArgumentTypes(), expected)) {
    InFlightDiagnostic diag =
        emitOpError("expected the score region's arguments to be (");
    llvm::interleaveComma(expected, diag);
    diag << "): the score, an element of each of 'score_inputs', query and key "
            "position; got (";
    llvm::interleaveComma(body.getArgumentTypes(), diag);
    return diag << ")";
  }
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield)
    return emitOpError("expected the score region to end in 'xsa.yield'");
  if (yield.getScore().getType() != getAccumulatorType())
    return yield.emitOpError("expected a score of the accumulator type ")
           << getAccumulatorType() << ", got " << yield.getScore().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// ExcludeOp
//===----------------------------------------------------------------------===//

LogicalResult ExcludeOp::verify() {
  if (failed(verifyMapList(*this, /*minLoops=*/1)) ||
      failed(verifyOneWorld(*this)))
    return failure();
  return verifyShapes(*this);
}
