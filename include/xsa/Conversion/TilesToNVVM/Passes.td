//===- Passes.td - From tiles to NVVM kernels --------------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps in order: tile with a plan for the chip, tiles as vectors, (buffers,)
// kernels, a layout for each vector, shared memory, threads. docs/gpu-lowering.md
// tells the whole.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_TILESTONVVM_PASSES_TD
#define XSA_CONVERSION_TILESTONVVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileAttentionForGPU : Pass<"xsa-tile-attention-for-gpu", "::mlir::func::FuncOp"> {
  let summary = "tile every xsa.attention that fits a fused GPU kernel";
  let description = [{
    Chooses tile sizes, warps and stages for each `xsa.attention` by the cost
    model of the chip, rewrites it to online softmax on tiles with rows first,
    and marks the loop over tiles with the choice (`xsa.kernel`).

    Where few query rows meet many keys, as in decoding, the keys are split into
    ranges for a block each, and a second kernel merges what they give, then
    excludes. The heads that share keys are the rows of a tile there.

    An attention that the kernels do not cover is left as it is, with a warning
    that names what is not covered; with `strict`, that is an error.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_80\"",
           "GPU to compile for, sm_80 or later (default: sm_80)">,
    Option<"queryTile", "query-tile", "int64_t", /*default=*/"0",
           "query rows of a tile (0: by the cost model)">,
    Option<"keyTile", "key-tile", "int64_t", /*default=*/"0",
           "keys of a tile (0: by the cost model)">,
    Option<"warps", "warps", "int64_t", /*default=*/"0",
           "warps of a block (0: by the cost model)">,
    Option<"stages", "stages", "int64_t", /*default=*/"0",
           "tiles of keys in shared memory (0: by the cost model)">,
    Option<"keySplits", "key-splits", "int64_t", /*default=*/"0",
           "ranges that keys are split into, merged by a second kernel (0: by "
           "the cost model)">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "an attention that cannot be fused is an error">,
    Option<"printPlan", "print-plan", "bool", /*default=*/"false",
           "remark at each attention which sizes were chosen, and their cost">,
    Option<"printChoices", "print-choices", "bool", /*default=*/"false",
           "as print-plan, with a table of all sizes that fit, the cheapest first">
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "attentions tiled">,
    Statistic<"numLeft", "num-left", "attentions left to another target">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TileExcludeForGPU : Pass<"xsa-tile-exclude-for-gpu", "::mlir::func::FuncOp"> {
  let summary = "tile every xsa.exclude to rows for a kernel bound by memory";
  let description = [{
    Rewrites each `xsa.exclude` to tiles of rows and marks the loop over tiles
    with the plan of the cost model (`xsa.kernel`): how many threads share a row,
    and how wide their accesses are. Own values are brought in once for all heads
    that share them.

    An operation that the kernels do not cover is left as it is, with a warning
    that names what is not covered; with `strict`, that is an error.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_80\"",
           "GPU to compile for">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "an exclusion that cannot become a kernel is an error">,
    Option<"printPlan", "print-plan", "bool", /*default=*/"false",
           "a remark at each exclusion tells the choice">
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "exclusions tiled">,
    Statistic<"numLeft", "num-left", "exclusions left to another target">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TilesToVectors : Pass<"xsa-tiles-to-vectors", "::mlir::func::FuncOp"> {
  let summary = "turn tiles of tensors into n-D vectors";
  let description = [{
    In loops marked `xsa.kernel`, tensors that stand for a tile become vectors:
    loads are `vector.transfer_read` that pads with zeros, stores
    `vector.transfer_write`, products of matrices `vector.contract`, reductions
    over rows `vector.multi_reduction`, all else element-wise arithmetic. Where
    the matrix unit is used, extents become multiples of its 16.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"
  ];
}

def OutlineKernels : Pass<"xsa-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "outline loops over tiles as gpu.func and gpu.launch_func";
  let description = [{
    Each `scf.forall` marked `xsa.kernel`, on buffers, becomes a kernel in a
    `gpu.module` (`xsa_kernels`; a number is added where that name is taken), with one block per iteration on a grid of one
    dimension, in the order of the loop. Loops that do the same, as in the layers
    of a model, share the first one's kernel. The body stays as it is: whole tiles as
    vectors, which all threads of a block work on. Buffers are arguments of the kernel, marked with
    what it does to them (`xsa.access`).
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect"
  ];
}

def AssignLayouts : Pass<"xsa-assign-layouts", "::mlir::gpu::GPUFuncOp"> {
  let summary = "decide how each tile lies among the threads";
  let description = [{
    Gives every vector in a kernel a layout, on the operation that makes it
    (`xsa.layout`): operands of products that are read from memory have the
    operand's, results the accumulator's, vectors of one dimension are rows or
    columns of an accumulator. Everything element-wise follows its operands.
  }];
}

def StageTiles : Pass<"xsa-stage-tiles", "::mlir::ModuleOp"> {
  let summary = "bring tiles to shared memory, ahead of their use";
  let description = [{
    Tiles that the matrix unit takes from shared memory are copied there, those
    read in loops over keys by asynchronous copies several iterations ahead.
    Consecutive loops over the same keys share one stream of copies. Tiles that
    are stored pass through shared memory too, so that global memory sees whole
    rows.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def DistributeTiles : Pass<"xsa-distribute-tiles", "::mlir::gpu::GPUFuncOp"> {
  let summary = "distribute the tiles of a block over its threads";
  let description = [{
    Rewrites a kernel on whole tiles to the code of one thread: each vector
    becomes the scalars that its layout gives to a thread, products become
    instructions of the matrix unit, reductions over rows end in shuffles.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def RecomputeAddresses : Pass<"xsa-recompute-addresses", "::mlir::gpu::GPUFuncOp"> {
  let summary = "compute addresses after a kernel's loops anew";
  let description = [{
    What follows the last loop of a kernel computes its indices and pointers
    again, from the numbers of thread and block, instead of taking them from
    before the loops: values that are only needed at both ends would hold
    registers in between. The numbers pass a shuffle of each lane with itself,
    so that later optimizations do not merge the two computations.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::NVVM::NVVMDialect"
  ];
}

#endif // XSA_CONVERSION_TILESTONVVM_PASSES_TD
