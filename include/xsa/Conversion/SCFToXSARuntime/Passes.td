//===- Passes.td - From loops and checks to the runtime ----*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two things that compiled code cannot do alone: use threads, and report
// that a check failed.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_SCFTOXSARUNTIME_PASSES_TD
#define XSA_CONVERSION_SCFTOXSARUNTIME_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertSCFParallelToXSARuntimePass
    : Pass<"convert-scf-parallel-to-xsa-runtime", "::mlir::ModuleOp"> {
  let summary = "outline parallel loops and hand them to the runtime";
  let description = [{
    Each outermost `scf.forall` (on buffers) and `scf.parallel` becomes a call

    ```
    xsa_parallel_for(count, grain, body, context)
    ```

    where `body(begin, end, context)` is a new private function that runs some
    of the iterations, several dimensions linearised into one, and `context` is
    a struct on the caller's stack that holds the captured values. Constants are
    cloned instead of captured. `grain`, the number of iterations below which a
    piece is not worth a thread, is the loop's attribute `xsa.grain` (1 where it
    has none). Parallel loops inside other ones, loops with reductions and loops
    whose trip count is known not to exceed the grain become `scf.for`.

    Contract: no tensors. Memory that the loop allocates is freed in it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"
  ];
  let statistics = [
    Statistic<"numOutlined", "outlined-loops", "Parallel loops outlined">,
    Statistic<"numSerial", "serial-loops", "Parallel loops left serial">
  ];
}

def ConvertAssertToXSARuntimePass
    : Pass<"convert-assert-to-xsa-runtime", "::mlir::ModuleOp"> {
  let summary = "turn failed assertions into errors of the running call";
  let description = [{
    `cf.assert` becomes a branch to a call of `xsa_fail(message)`, which does
    not return: the runtime ends the call of compiled code with an error. The
    message is the assertion's own, followed by its source location where that
    is known.

    Contract: runs after `convert-scf-to-cf`, since it splits blocks; an
    assertion in a region that allows only one block is an error.
  }];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

#endif // XSA_CONVERSION_SCFTOXSARUNTIME_PASSES_TD
