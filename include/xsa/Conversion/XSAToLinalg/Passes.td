//===- Passes.td - Passes from XSA to linalg ---------------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decomposition is one pass with two modes, because a host compiler with a
// good attention of its own wants only the epilogue taken apart.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_XSATOLINALG_PASSES_TD
#define XSA_CONVERSION_XSATOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertXSAToLinalg : Pass<"convert-xsa-to-linalg"> {
  let summary = "decompose the XSA operations into linalg on tensors";
  let description = [{
    Replaces `xsa.attention` and `xsa.exclude` by the linalg operations that
    define their meaning, one generic per term of the formula. All features and
    shapes are covered. The scores are a whole tensor, so memory is quadratic in
    the sequence length: `xsa-tile-attention` is the form to execute.

    With `mode=exclude-only` attention stays, without its exclusive part: each
    exclusive attention becomes a plain `xsa.attention` followed by the epilogue
    in linalg. The plain result is then rounded to the element type of the
    output before the epilogue reads it, as in models that write both.

    An operation on memrefs is read through `bufferization.to_tensor` and written
    through `bufferization.materialize_in_destination`.
  }];
  let options = [
    Option<"mode", "mode", "::xsa::XSAToLinalgMode",
           /*default=*/"::xsa::XSAToLinalgMode::Full",
           "what to decompose", [{::llvm::cl::values(
             clEnumValN(::xsa::XSAToLinalgMode::Full, "full",
                        "attention and exclusion"),
             clEnumValN(::xsa::XSAToLinalgMode::ExcludeOnly, "exclude-only",
                        "exclusion alone, plain attention stays"))}]>
  ];
  let statistics = [
    Statistic<"numAttentions", "num-attentions",
              "attentions decomposed or split">,
    Statistic<"numExclusions", "num-exclusions", "xsa.exclude decomposed">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // XSA_CONVERSION_XSATOLINALG_PASSES_TD
