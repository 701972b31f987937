//===- Passes.td - Passes from linalg to XSA ---------------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the pass that finds attention in linalg on tensors.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_LINALGTOXSA_PASSES_TD
#define XSA_CONVERSION_LINALGTOXSA_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseAttention
    : InterfacePass<"xsa-raise-attention", "mlir::FunctionOpInterface"> {
  let summary = "find attention in linalg and raise it to xsa.attention";
  let description = [{
    Recognises attention by what it computes: a product of softmax
    probabilities and values, whose scores are a product of queries and keys.
    Layout operations, the place of scales and divisions, casts, the way masks
    are written do not matter. The meaning of the model is kept; the freedoms
    taken are reassociation of floating-point sums, scores and probabilities
    that are not rounded to a narrower type in between, and rows in which every
    key is masked, which give 0 where the model gave NaN.

    A model that removes from the output its component along the own value gets
    the exclusive form, with the model's own denominator, or `xsa.exclude` where
    the output is changed in between.

    What looked like attention and was left alone gets a remark that names the
    first condition that failed.

    It runs on functions of any dialect, so its place in a pipeline is nested:
    `--pass-pipeline='builtin.module(func.func(xsa-raise-attention))'`; for a flag
    there is `--raise-attention-to-xsa`.

    The old operations are left to die: they stay only where something else
    uses them.

    `strict` leaves alone what only some of these freedoms make attention:
    rows that may keep no key, epsilons in the sum. Finite mask values then stay
    biases, or values in place of scores. docs/recognition.md lists them all.

    `report` prints a table of what was found. The statistics below hold the
    same numbers, but an LLVM built without assertions, as packages are, leaves
    statistics out.
  }];
  let options = [
    Option<"strict", "strict", "bool", /*default=*/"false",
           "refuse attention whose results may change beyond rounding">,
    Option<"report", "report", "bool", /*default=*/"false",
           "print a table of the attentions found, with features and decisions">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::math::MathDialect", "mlir::tensor::TensorDialect",
    "::xsa::XSADialect"
  ];
  let statistics = [
    Statistic<"numFound", "found", "Attentions found, raised or refused">,
    Statistic<"numRaised", "raised", "Attentions raised">,
    Statistic<"numExclusive", "already-exclusive",
              "Attentions that the model already writes as exclusive">,
    Statistic<"numRefused", "refused", "Attentions left alone, with a remark">
  ];
}

#endif // XSA_CONVERSION_LINALGTOXSA_PASSES_TD
