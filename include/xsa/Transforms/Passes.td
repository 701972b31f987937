//===- Passes.td - Passes around the lowering --------------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a lowering of whole models needs besides attention: the contract with
// the caller at its start, fusion in its middle, a check at its end.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_TRANSFORMS_PASSES_TD
#define XSA_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PrepareEntryPointsPass
    : Pass<"xsa-prepare-entry-points", "::mlir::ModuleOp"> {
  let summary = "state the contract between a model and its caller";
  let description = [{
    For each public function with a body: arguments are never written
    (`bufferization.writable = false`), results are buffers of their own, also
    where one value is returned twice or an argument is returned, and the
    function gets the C interface (`llvm.emit_c_interface`).
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def FuseElementwisePass
    : Pass<"xsa-fuse-elementwise"> {
  let summary = "fuse chains of element-wise operations on tensors";
  let description = [{
    Upstream's fusion of `linalg.generic` with three restrictions: a producer is
    fused only into its single user; never into a contraction, which would compute it
    once per product and hide the contraction from the vectoriser; and into a
    user that iterates over more elements only if it calls no functions and
    divides nothing. Concatenations, paddings and linalg operations that are
    more than one loop nest (softmax) are decomposed first, so that they take
    part.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def KeepMatrixTilesPass
    : Pass<"xsa-keep-matrix-tiles", "::mlir::func::FuncOp"> {
  let summary = "keep LLVM from making calls of loops beside AMX tiles";
  let description = [{
    A call ends what AMX tiles hold and how they are configured, so that LLVM
    configures them again after each, which takes longer than most of what is
    called. Functions with operations of the `amx` dialect get the attributes
    `no-builtin-memset` and `no-builtin-memcpy`, with which loops that fill or
    copy memory stay loops.
  }];
}

def LegalizeScalarsPass
    : Pass<"xsa-legalize-scalars", "::mlir::ModuleOp"> {
  let summary = "expand arithmetic that processors lack, on scalars and vectors";
  let description = [{
    f16 and bf16 arithmetic and functions are computed in f32, rounded after
    each operation as if they had been computed in their own type; bf16
    conversions become integer operations, since many processors and C runtimes
    have none; integer powers and rounding divisions are expanded, and so are `maxnumf` and
    `minnumf` of scalars, whose reductions LLVM 22 vectorizes wrongly. `expm1` and
    `log1p` become calls of the C library: upstream's lowerings of them lose all
    digits near 0.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerBoolVectorsPass : Pass<"xsa-lower-bool-vectors"> {
  let summary = "read and write vectors of bools as the bytes that buffers have";
  let description = [{
    A buffer of bools has a byte for each. LLVM's vectors of bools have a bit for
    each, so that a vector of them can neither be loaded from such a buffer nor
    stored to it. Transfers, loads and stores of vectors of `i1` become those of
    vectors of `i8`, compared with 0 or extended.

    Contract: runs right before vectors and buffers are converted to the LLVM
    dialect, where `memref<...xi1>` and `memref<...xi8>` have one descriptor: the
    `builtin.unrealized_conversion_cast` between them disappears there.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitVectorsPass : Pass<"xsa-split-vectors"> {
  let summary = "split vectors of three registers into registers";
  let description = [{
    Operations on vectors of one dimension whose number of lanes is no power of
    two, but a multiple of one that is 8 or more, are done on parts of that size:
    on three vectors of 16 lanes in place of one of 48. Loops carry the parts.
    LLVM halves vectors by itself; others it widens to the next power of two, and
    takes comparisons and selections of them apart into elements.

    Contract: runs on structured control flow and buffers. What has no form on
    parts (shuffles, vectors of more dimensions) stays, between slices.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerVectorMathPass : Pass<"xsa-lower-vector-math"> {
  let summary = "2^x of vectors in arithmetic or instructions";
  let description = [{
    `math.exp2` of vectors of `f32` and `f64` becomes arithmetic: LLVM would call
    a function for each lane. It is right to 2 units in the last place; to 1.1e-4
    where `xsa.rough` allows that. Results below the least normal number can be 0.
    `xsa.bounded` says that the argument is at most 127.

    With `avx512`, whole registers of `f32` take `vreduceps` and `vscalefps` (of
    AVX-512 F and DQ), a third less arithmetic, and `x | (y & z)` of `i32` takes
    `vpternlogd`: where it puts halves of lanes beside each other, LLVM makes a
    permutation of words, which Intel's processors do in three steps.

    Contract: runs on vectors before `convert-math-to-llvm`.
  }];
  let options = [
    Option<"avx512", "avx512", "bool", /*default=*/"false",
           "the processor has AVX-512 (F and DQ)">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"
  ];
}

def ExpandDynamicReshapesPass : Pass<"xsa-expand-dynamic-reshapes"> {
  let summary = "compute the strides of reshapes with several unknown sizes";
  let description = [{
    `memref.expand_shape` with more than one dynamic size in a group becomes a
    `memref.reinterpret_cast`: upstream's expansion of strided metadata computes
    one unknown size from the others and does not expect two.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect"
  ];
}

def CheckBuffersPass : Pass<"xsa-check-buffers"> {
  let summary = "check at run time that sizes agree where they must";
  let description = [{
    Adds assertions where dynamic sizes could disagree: between the operands of
    linalg operations, in expanded shapes; and where a buffer is made whose size
    is negative, or does not fit in 63 bits of bytes. A model with such a fault
    ends with an error instead of reading past the end of a buffer.
    Only operations at the top level of functions are checked, which is where
    models have theirs; what the compiler's own tiling makes is inside loops.

    Contract: buffers only. Runs before linalg is lowered.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def PrefetchTilesPass : Pass<"xsa-prefetch-tiles"> {
  let summary = "ask for the next tile of a large array before it is read";
  let description = [{
    Where a loop takes one tile of a large array after the other, prefetches of
    the lines of the next one go before the work on this one. A processor
    foresees by itself what comes next in few rows at a time; a tile of a mask or
    a bias has pieces of many.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def CheckRuntimeValuesPass : Pass<"xsa-check-runtime-values"> {
  let summary = "check at run time that indices and divisors from data are right";
  let description = [{
    Adds assertions where the elements of tensors or arguments decide about
    memory: indices of elements (a token that is not in the vocabulary, a
    position behind the end), slices, reshapes, and casts to static sizes. Also before
    integer divisions by such numbers: by zero, and of the least number by -1.
    What only loops, sizes and constants go into is not checked.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

def CheckRegisteredPass : Pass<"xsa-check-registered", "::mlir::ModuleOp"> {
  let summary = "report operations of dialects that nobody knows";
  let description = [{
    Upstream's steps crash on some of them, where `--allow-unregistered-dialect`
    let them in.
  }];
}

def CheckBufferizablePass
    : Pass<"xsa-check-bufferizable", "::mlir::ModuleOp"> {
  let summary = "report operations on tensors that cannot become buffers";
  let description = [{
    The errors that one-shot bufferization would stop with, but with the
    operation's name and dialect. Also types whose static sizes make more bytes
    than a signed number of 64 bits holds: later steps compute sizes modulo
    2^64, and the rest can be small enough to be allocated.
  }];
}

def StageKernelBuffersPass
    : Pass<"xsa-stage-kernel-buffers", "::mlir::ModuleOp"> {
  let summary = "give kernel launches copies of the host's buffers";
  let description = [{
    For each `gpu.launch_func` on memrefs of the host: `gpu.alloc`, a copy to
    the device, the launch, a copy back, `gpu.dealloc`. A kernel's argument with
    the attribute `xsa.access = "read"` is not copied back, one with `"write"`
    is not copied to the device: the kernel has to write all of it. Views are
    taken of the copy of the buffer that they are views of, so views of one
    buffer stay views of one buffer. Memrefs of `gpu.alloc` stay as they are.

    Contract: buffers only; runs while the kernels are functions, since a
    `gpu.binary` says nothing of their arguments.
  }];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"
  ];
}

def CheckLoweredPass : Pass<"xsa-check-lowered", "::mlir::ModuleOp"> {
  let summary = "report what a lowering to LLVM left behind";
  let description = [{
    An operation that is not of the LLVM dialect is an error that names it, its
    dialect and its location, instead of a failed translation later. Compiled
    kernels and their launches, which the translation handles, are left.
  }];
}

#endif // XSA_TRANSFORMS_PASSES_TD
