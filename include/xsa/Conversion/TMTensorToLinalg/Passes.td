//===- Passes.td - Passes from tm_tensor to linalg ---------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass. It is separate from the import, so that scans of constants stay
// recognisable until masks have been read.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_TMTENSORTOLINALG_PASSES_TD
#define XSA_CONVERSION_TMTENSORTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTMTensorToLinalg : Pass<"convert-tm-tensor-to-linalg"> {
  let summary = "lower the tm_tensor operations to linalg and scf on tensors";
  let description = [{
    Lowers every `tm_tensor` operation, of static and dynamic shape:

    | operation | becomes |
    |---|---|
    | `attention` | linalg: product, scale, mask, softmax in f32 (f64), product |
    | `scan` | a loop over the dimension; each step combines a whole slice |
    | `scatter` | a loop over the updates, in order; outside ones are dropped |
    | `sort` | a merge sort of each row: O(n log n), stable |
    | `topk` | an insertion into the sorted list of K for each element |

    With `attention-only` only `attention` is lowered, as the import does.

    Operations must be on tensors; one on memrefs is an error.
  }];
  let options = [
    Option<"attentionOnly", "attention-only", "bool", /*default=*/"false",
           "lower tm_tensor.attention and leave the others">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // XSA_CONVERSION_TMTENSORTOLINALG_PASSES_TD
