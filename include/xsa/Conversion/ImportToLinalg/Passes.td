//===- Passes.td - Passes that read importers' output ------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What importers write is brought to linalg on tensors in small steps, each of
// which can be run and tested alone; `--xsa-import-to-linalg` runs them all.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_IMPORTTOLINALG_PASSES_TD
#define XSA_CONVERSION_IMPORTTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckImportable : Pass<"xsa-check-importable"> {
  let summary = "report operations that cannot be imported";
  let description = [{
    Fails with an error at the first operation of each dialect that this build
    does not know, naming the operation and its dialect and saying what to run
    first (for StableHLO, `torch-mlir-opt --stablehlo-legalize-to-linalg`).
    Nothing is changed.
  }];
}

def CheckResources : Pass<"xsa-check-resources"> {
  let summary = "check that dense_resource constants hold what they say";
  let description = [{
    Fails with an error at every constant whose `dense_resource` has another
    number of bytes than its type needs. A resource without data (elided, or
    missing from the file) is no error unless `require-data` is set: such a
    model can be rewritten and printed, but not run. Lowerings that end in
    executable code set it.
  }];
  let options = [
    Option<"requireData", "require-data", "bool", /*default=*/"false",
           "a resource without data is an error too">
  ];
}

def ImportGlobals : Pass<"xsa-import-globals", "::mlir::ModuleOp"> {
  let summary = "turn ml_program globals that never change into constants";
  let description = [{
    A load of an immutable global, or of a private one that nothing stores to,
    becomes an `arith.constant`. Globals that are stored to, and those defined
    elsewhere, stay with their loads and stores.
  }];
  let statistics = [
    Statistic<"numLoads", "num-loads", "loads replaced by constants">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ImportTosa : Pass<"xsa-import-tosa", "::mlir::ModuleOp"> {
  let summary = "convert TOSA to linalg through the upstream passes";
  let description = [{
    Runs upstream's passes on functions that contain TOSA: shape inference,
    decompositions, broadcasting, control flow, then the conversions to linalg,
    tensor, arith and ml_program. `tosa.scatter` with one batch becomes
    `tm_tensor.scatter` instead of a loop, so that `xsa-simplify-scatters` can
    read it.

    Folders of the TOSA dialect read constants element by element and abort on
    a `dense_resource`. So these constants are out of their sight meanwhile:
    small ones become ordinary dense constants, the others (weights) are hidden
    and come back unchanged as `arith.constant`.

    (A resource as zero point or shift is out of reach: upstream's verifier
    reads those while parsing.)

    A TOSA operation that remains is an error that names it.
  }];
  let statistics = [
    Statistic<"numHidden", "num-hidden",
              "resource constants hidden from folders">
  ];
}

def SimplifyScatters : Pass<"xsa-simplify-scatters"> {
  let summary = "turn scatters at known positions into slice insertions";
  let description = [{
    Assignments to slices reach ONNX and TOSA as scatters with computed indices.
    A `tm_tensor.scatter` that overwrites whole elements at positions known at
    compile time, which together are a slice of the original (of the original
    reshaped, if need be), becomes a `tensor.insert_slice`.
  }];
  let statistics = [
    Statistic<"numScatters", "num-scatters", "scatters turned into insertions">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif // XSA_CONVERSION_IMPORTTOLINALG_PASSES_TD
