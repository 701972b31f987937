//===- TMTensorDialect.td - The tm_tensor dialect ----------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// torch-mlir writes cumulative sums, scatters and sorts in a dialect of its own
// that the packaged MLIR does not have. Models could not even be parsed without
// it, so its operations are defined here again, with their syntax and meaning.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_TMTENSOR_IR_TMTENSORDIALECT_TD
#define XSA_DIALECT_TMTENSOR_IR_TMTENSORDIALECT_TD

include "mlir/IR/DialectBase.td"

def TMTensor_Dialect : Dialect {
  let name = "tm_tensor";
  let cppNamespace = "::xsa::tm_tensor";
  let summary = "torch-mlir's tensor operations beyond linalg, for reading its exports";
  let description = [{
    The operations that torch-mlir's exporters put beside linalg: scans,
    scatters, sorts, top-k selections and attention. Syntax, attributes and
    meaning are those of torch-mlir; the implementation is independent of it.

    All operations are in destination-passing style. On tensors each result has
    the type of one `outs` operand; on memrefs there are no results and the
    `outs` operands are written. Two choices that torch-mlir leaves open are
    made here: a scatter drops updates that fall outside its destination, and a
    sort is stable.

    `--convert-tm-tensor-to-linalg` lowers the dialect. A program that already
    registers torch-mlir's own `tm_tensor` dialect must not register this one.
  }];
}

#endif // XSA_DIALECT_TMTENSOR_IR_TMTENSORDIALECT_TD
