//===- Passes.td - From linalg on buffers to CPU loops -----*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last step at which an operation's structure is known: here it is decided
// what runs in parallel and what is vectorised by us instead of by LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_LINALGTOCPULOOPS_PASSES_TD
#define XSA_CONVERSION_LINALGTOCPULOOPS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToCPULoopsPass
    : Pass<"convert-linalg-to-cpu-loops"> {
  let summary = "lower linalg on buffers to parallel, vectorized loops";
  let description = [{
    Contractions of two operands become register tiles of explicit vectors,
    which LLVM cannot form by itself (it may not reorder floating-point sums):
    a tile of the result stays in vector registers over the whole reduction.
    The tile runs along the result's innermost dimension where the operands are
    contiguous there, else along the innermost reduction dimension. Edges of
    dimensions that are no multiple of the tile are masked or done row by row.
    Products of f16 and bf16 are summed in f32.

    With `bf16-dot=amx` or `bf16-dot=avx512`, contractions of bf16 in pairs,
    `out(i, j) += lhs(i, k, r) * rhs(k, j, r)` where `r` is below 2 and products
    are f32, use the instruction for that. Both operands hold the two of a pair
    next to each other, the left one then the pairs of a row, the right one those
    of all columns, and the result is contiguous along `j`; other strides may be
    any, and so may other parallel dimensions. A fill of the result with zero
    that comes before in the same block is not done. The instructions take
    numbers too small for a normal f32 as zero.

    All other operations become loops in the order of the result's dimensions,
    with the reduction innermost in scalars that carry the sums; those sums are
    marked `reassoc`, so that LLVM vectorises them. Copies become loops too.

    An operation outside parallel loops whose work is at least `parallel-work`
    scalar operations, or is not known, becomes an `scf.parallel` with an
    `xsa.grain` attribute; inside parallel loops everything is serial.

    Contract: buffers only.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256",
           "width in bits of the vector registers to fill">,
    Option<"parallelWork", "parallel-work", "int64_t", /*default=*/"65536",
           "number of scalar operations that is worth another thread">,
    Option<"bf16Dot", "bf16-dot", "::xsa::BF16Dot",
           /*default=*/"::xsa::BF16Dot::None",
           "instruction for sums of products of bf16 in pairs",
           "::xsa::getBF16DotValues()">
  ];
  let statistics = [
    Statistic<"numTiled", "contractions", "Contractions made register tiles">,
    Statistic<"numInPairs", "contractions-in-pairs",
              "Contractions lowered to an instruction for pairs of bf16">,
    Statistic<"numLoops", "loops", "Operations lowered to plain loops">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::amx::AMXDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::x86vector::X86VectorDialect"
  ];
}

#endif // XSA_CONVERSION_LINALGTOCPULOOPS_PASSES_TD
