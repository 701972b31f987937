//===- Passes.td - Passes on the XSA dialect ---------------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transformations that start from operations of the dialect and stay at the
// level of tensors.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_TRANSFORMS_PASSES_TD
#define XSA_DIALECT_XSA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MakeExclusive
    : InterfacePass<"xsa-make-exclusive", "mlir::FunctionOpInterface"> {
  let summary = "make every proven self attention exclusive";
  let description = [{
    Gives `xsa.attention` its exclusive form where the value row at the own
    position provably belongs to the token of the query row: where both are read
    from the same rows of the same inputs. This changes the meaning of the
    model, as asked for; a pretrained model needs fine-tuning after it.

    Attentions that are exclusive already are left as they are. Every other one
    that is not converted gets a remark that names what stands against it.

    `layers` counts self attentions in program order, exclusive ones included:
    `all`, `last:4`, or a list such as `0,3,7`.
  }];
  let options = [
    Option<"layers", "layers", "std::string", /*default=*/"\"all\"",
           "which self attentions: all, last:N, or a list of numbers">,
    Option<"denominator", "denominator", "std::string",
           /*default=*/"\"l2_clamp\"",
           "l2_clamp, sq_clamp, sq_add or raw">,
    Option<"eps", "eps", "double", /*default=*/"-1.0",
           "epsilon of the denominator (default: 1e-12 for l2_clamp, 1e-6 for "
           "sq_clamp and sq_add)">,
    Option<"strength", "strength", "double", /*default=*/"1.0",
           "how much of the component along the own value is removed">,
    Option<"assumeSelf", "assume-self", "bool", /*default=*/"false",
           "take query and value that are function arguments for one sequence">
  ];
  let statistics = [
    Statistic<"numExclusive", "made-exclusive", "Attentions made exclusive">,
    Statistic<"numAlready", "already-exclusive",
              "Attentions that were exclusive before">,
    Statistic<"numRefused", "refused", "Attentions left alone, with a remark">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // XSA_DIALECT_XSA_TRANSFORMS_PASSES_TD
