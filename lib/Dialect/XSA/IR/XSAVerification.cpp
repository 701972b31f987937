//===- XSAVerification.cpp - Verifiers of the XSA operations --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of operand shapes in the operations' documentation, as code. One
// walk over named operands checks maps, dimensions and extents, so that every
// operand is held to the same rules and every message names the operand.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace xsa;

namespace {
/// What the maps of an operand must and may contain.
struct OperandRule {
  StringRef name;
  OpOperand *operand;
  AffineMap map;
  llvm::SmallBitVector required;
  llvm::SmallBitVector allowed;
};

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
template <typename OpTy>
static LogicalResult verifyOneWorld(OpTy op) {
  bool tensors = isa<TensorType>(op.getOutput().getType());
  for (OpOperand *operand : op.getShapedOperands())
    if (isa<TensorType>(operand->get().getType()) != tensors)
      return op.emitOpError("expected all shaped operands to be ")
             << (tensors ? "tensors" : "memrefs")
             << ", as 'output' is, got operand #" << operand->getOperandNumber()
             << " of type " << operand->get().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

static std::string attentionDimName(AttentionOp op, unsigned dim) {
  if (dim == op.getQueryDim())
    return "m (query rows)";
  if (dim == op.getKeyDepthDim())
    return "k1 (key depth)";
  if (dim == op.getKeyDim())
    return "k2 (keys)";
  if (dim == op.getValueDepthDim())
    return "n (value depth)";
  return ("d" + Twine(dim) + " (leading)").str();
}

/// The documentation's table: name, dimensions required besides the leading
/// ones, dimensions allowed besides the leading ones, all leading required.
static SmallVector<OperandRule> attentionRules(AttentionOp op) {
  unsigned numLoops = op.getNumLoops();
  auto dims = [&](ArrayRef<unsigned> list, bool leading) {
    llvm::SmallBitVector bits(numLoops);
    if (leading)
      bits.set(0, op.getNumLeadingDims());
    for (unsigned dim : list)
      bits.set(dim);
    return bits;
  };
  unsigned m = op.getQueryDim(), k1 = op.getKeyDepthDim();
  unsigned k2 = op.getKeyDim(), n = op.getValueDepthDim();

  SmallVector<OperandRule> rules;
  auto add = [&](int segment, StringRef name, ArrayRef<unsigned> required,
                 ArrayRef<unsigned> allowed, bool allLeading = false) {
    auto [start, size] = op.getODSOperandIndexAndLength(segment);
    for (unsigned i = 0; i < size; ++i) {
      OpOperand &operand = op->getOpOperand(start + i);
      rules.push_back({name, &operand, op.getMapOf(operand),
                       dims(required, allLeading),
                       dims(allowed, /*leading=*/true)});
    }
  };
  using Op = AttentionOp;
  add(Op::odsIndex_query, "query", {m, k1}, {m, k1});
  add(Op::odsIndex_key, "key", {k2, k1}, {k2, k1});
  add(Op::odsIndex_value, "value", {k2, n}, {k2, n});
  add(Op::odsIndex_output, "output", {m, n}, {m, n}, true);
  add(Op::odsIndex_self_value, "self_value", {m, n}, {m, n});
  add(Op::odsIndex_mask, "mask", {}, {m, k2});
  add(Op::odsIndex_bias, "bias", {}, {m, k2});
  add(Op::odsIndex_sinks, "sinks", {}, {});
  add(Op::odsIndex_strength, "strength", {}, {m});
  add(Op::odsIndex_key_lengths, "key_lengths", {}, {});
  add(Op::odsIndex_key_begin, "key_begin", {}, {m});
  add(Op::odsIndex_key_end, "key_end", {}, {m});
  add(Op::odsIndex_query_offset, "query_offset", {}, {});
  add(Op::odsIndex_score_inputs, "score_inputs", {}, {m, k2});
  add(Op::odsIndex_lse_output, "lse_output", {m}, {m}, true);
  add(Op::odsIndex_coefficient_output, "coefficient_output", {m}, {m}, true);
  return rules;
}

/// Attributes and operands that need one another.
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
  if (op.getScale() && !op.getScale()->isFinite())
    return op.emitOpError("expected 'scale' to be finite, got ")
           << op.getScaleAttr();
  if (op.getSoftcap() && !(op.getSoftcap()->isFinite() &&
                           op.getSoftcap()->convertToDouble() > 0.0))
    return op.emitOpError("expected 'softcap' to be finite and positive, got ")
           << op.getSoftcapAttr();
  for (auto [name, width] : {std::pair("window_left", op.getWindowLeft()),
                             std::pair("window_right", op.getWindowRight())})
    if (width && static_cast<int64_t>(*width) < 0)
      return op.emitOpError("expected '")
             << name << "' not to be negative, got "
             << static_cast<int64_t>(*width);
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyMapList(*this, /*minLoops=*/4)) ||
      failed(verifyOneWorld(*this)) || failed(verifyAttentionAttributes(*this)))
    return failure();
  auto dimName = [&](unsigned dim) { return attentionDimName(*this, dim); };
  ShapeVerifier verifier(*this, getNumLoops(), dimName);
  for (const OperandRule &rule : attentionRules(*this))
    if (failed(verifier.check(rule)))
      return failure();
  return success();
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

  unsigned numLoops = getNumLoops(), n = getValueDepthDim();
  llvm::SmallBitVector none(numLoops), all(numLoops, true), rows(all),
      depth(numLoops);
  rows.reset(n);
  depth.set(n);

  SmallVector<OperandRule> rules;
  auto add = [&](int segment, StringRef name,
                 const llvm::SmallBitVector &required,
                 const llvm::SmallBitVector &allowed) {
    auto [start, size] = getODSOperandIndexAndLength(segment);
    if (size == 0)
      return;
    OpOperand &operand = (*this)->getOpOperand(start);
    rules.push_back({name, &operand, getMapOf(operand), required, allowed});
  };
  add(odsIndex_input, "input", all, all);
  add(odsIndex_output, "output", all, all);
  add(odsIndex_value, "value", depth, all);
  add(odsIndex_strength, "strength", none, rows);
  add(odsIndex_coefficient_output, "coefficient_output", rows, rows);

  auto dimName = [&](unsigned dim) {
    if (dim == n)
      return std::string("n (value depth)");
    return ("d" + Twine(dim)).str();
  };
  ShapeVerifier verifier(*this, numLoops, dimName);
  for (const OperandRule &rule : rules)
    if (failed(verifier.check(rule)))
      return failure();
  return success();
}
