//===- XSADialect.td - The XSA dialect ---------------------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect is one file, its attributes and its operations one each, so that
// a reader finds the meaning of an operation without reading the machinery.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_IR_XSADIALECT_TD
#define XSA_DIALECT_XSA_IR_XSADIALECT_TD

include "mlir/IR/DialectBase.td"

def XSA_Dialect : Dialect {
  let name = "xsa";
  let cppNamespace = "::xsa";
  let summary = "Attention, and exclusive self attention, as single operations";
  let description = [{
    Exclusive self attention (XSA, arXiv 2603.09078, Algorithm 1) removes from
    each token's attention output its component along the token's own value:

    ```
    z_i = y_i - a (y_i . v) / n(v) * v,      v = the value row of token i
    ```

    The dialect holds attention at the level at which that is one property of
    one operation: `xsa.attention` computes `y`, or `z` in its exclusive form,
    and `xsa.exclude` is the epilogue alone, for use after any other attention.
    Both work on tensors and on memrefs in destination-passing style, in any
    layout: an affine map per operand names which dimension is which, so that
    neither transposes nor repeated key/value heads have to be materialized.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // XSA_DIALECT_XSA_IR_XSADIALECT_TD
