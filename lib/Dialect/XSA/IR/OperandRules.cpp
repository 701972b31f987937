//===- OperandRules.cpp - What each operand's map may contain -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills the tables from the operations' documentation.
//
//===----------------------------------------------------------------------===//

#include "OperandRules.h"

using namespace mlir;
using namespace xsa;
using namespace xsa::detail;

bool OperandRule::accepts(AffineMap other) const {
  if (!other.isProjectedPermutation())
    return false;
  llvm::SmallBitVector present(required.size());
  for (AffineExpr result : other.getResults())
    present.set(cast<AffineDimExpr>(result).getPosition());
  llvm::SmallBitVector missing(required), surplus(present);
  missing.reset(present);
  surplus.reset(allowed);
  return missing.none() && surplus.none();
}

SmallVector<OperandRule> xsa::detail::getOperandRules(AttentionOp op) {
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
  // Required and allowed dimensions besides the leading ones, which are always
  // allowed and, for results, all required.
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
  add(Op::odsIndex_max_output, "max_output", {m}, {m}, true);
  add(Op::odsIndex_sum_output, "sum_output", {m}, {m}, true);
  add(Op::odsIndex_coefficient_output, "coefficient_output", {m}, {m}, true);
  return rules;
}

SmallVector<OperandRule> xsa::detail::getOperandRules(ExcludeOp op) {
  unsigned numLoops = op.getNumLoops(), n = op.getValueDepthDim();
  llvm::SmallBitVector none(numLoops), all(numLoops, true), rows(all),
      depth(numLoops);
  rows.reset(n);
  depth.set(n);

  SmallVector<OperandRule> rules;
  auto add = [&](int segment, StringRef name,
                 const llvm::SmallBitVector &required,
                 const llvm::SmallBitVector &allowed) {
    auto [start, size] = op.getODSOperandIndexAndLength(segment);
    if (size == 0)
      return;
    OpOperand &operand = op->getOpOperand(start);
    rules.push_back({name, &operand, op.getMapOf(operand), required, allowed});
  };
  using Op = ExcludeOp;
  add(Op::odsIndex_input, "input", all, all);
  add(Op::odsIndex_output, "output", all, all);
  add(Op::odsIndex_value, "value", depth, all);
  add(Op::odsIndex_strength, "strength", none, rows);
  add(Op::odsIndex_coefficient_output, "coefficient_output", rows, rows);
  return rules;
}

std::string xsa::detail::getDimensionName(AttentionOp op, unsigned dim) {
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

std::string xsa::detail::getDimensionName(ExcludeOp op, unsigned dim) {
  if (dim == op.getValueDepthDim())
    return "n (value depth)";
  return ("d" + Twine(dim)).str();
}
