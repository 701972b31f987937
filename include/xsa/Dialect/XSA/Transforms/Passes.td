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

    It runs on functions of any dialect, so its place in a pipeline is nested:
    `--pass-pipeline='builtin.module(func.func(xsa-make-exclusive))'`; for a flag
    there is `--convert-attention-to-xsa`.

    `layers` counts self attentions in program order, exclusive ones included:
    `all`, `last:4`, or a list such as `0,3,7`. Numbers that a function has no
    self attention for are a warning.

    `report` prints a table of the function's attentions. The statistics below
    hold the same numbers, but an LLVM built without assertions, as packages
    are, leaves statistics out.
  }];
  let options = [
    Option<"layers", "layers", "std::string", /*default=*/"\"all\"",
           "which self attentions: all, last:N, or a list of numbers">,
    Option<"denominator", "denominator", "std::string",
           /*default=*/"\"l2_clamp\"",
           "l2_clamp, sq_clamp, sq_add or raw">,
    Option<"eps", "eps", "std::optional<double>", /*default=*/"std::nullopt",
           "epsilon of the denominator (default: 1e-12 for l2_clamp, 1e-6 for "
           "sq_clamp and sq_add)">,
    Option<"strength", "strength", "double", /*default=*/"1.0",
           "how much of the component along the own value is removed">,
    Option<"assumeSelf", "assume-self", "bool", /*default=*/"false",
           "take query and value that are function arguments for one sequence">,
    Option<"report", "report", "bool", /*default=*/"false",
           "print a table of the attentions, with features and decisions">
  ];
  let statistics = [
    Statistic<"numExclusive", "made-exclusive", "Attentions made exclusive">,
    Statistic<"numAlready", "already-exclusive",
              "Attentions that were exclusive before">,
    Statistic<"numRefused", "refused", "Attentions left alone, with a remark">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
    "::xsa::XSADialect"
  ];
}

def FuseOutputCast : Pass<"xsa-fuse-output-cast"> {
  let summary = "let operations write the type that their only user converts to";
  let description = [{
    An importer often writes the conversion of an attention's output to the
    model's type as an element-wise operation after it. Where nothing else reads
    the wide output, `xsa.attention` or `xsa.exclude` writes the narrow one
    itself, rounding once as before: left alone, that is a pass over memory of
    its own. Reshapes may lie between.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def TileAttention : Pass<"xsa-tile-attention"> {
  let summary = "rewrite xsa.attention to online softmax on tiles";
  let description = [{
    Each `xsa.attention` becomes an `scf.forall` over its leading dimensions and
    tiles of query rows, and in it loops over tiles of keys that carry the
    running maximum, sum and output (FlashAttention, arXiv 2205.14135). The
    exclusion is applied to the tile before it is stored.

    - Tiles of keys that the causal mask, windows, `key_lengths` or
      `key_begin`/`key_end` hide from all rows of the tile are not visited.
    - Tiles in which these masks keep every key run in a loop without them;
      loops before (windows, `key_begin`) and after it (diagonal, lengths, keys
      that do not fill a tile) apply them.
    - The rows of a tile go through each tile of keys in blocks, one after the
      other, so that keys and values are brought into caches (and converted, in
      low precision) once for many rows.
    - Tiles have static shapes even where the tensors are dynamic. Missing rows
      are never stored. At edges, of masks or of the number of keys, each block
      takes just the keys that its rows see; with `exact-keys=false` tiles stay
      whole and missing keys are masked.
    - With `bf16-dot`, products of bf16 that are summed in f32 take their terms
      in pairs: query rows and weights are kept as [term / 2, row, 2], values
      transposed, and edges of keys are padded to multiples of 32. Weights are
      rounded to bf16 for the second product; for their sum only where a result
      with more bits than bf16 would show the difference.
    - Memory beyond operands and results is a few tiles per iteration.
    - An operation on memrefs is read through `bufferization.to_tensor` and
      written through `bufferization.materialize_in_destination`.

    The result is linalg on tensors, marked with the attribute `xsa.tile`;
    `xsa-vectorize-tiles` is the step that follows on CPUs. An attention whose
    type says that a dimension has no elements becomes its definition in linalg
    instead, unmarked.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256",
           "width in bits of the vectors for which tile sizes are chosen">,
    Option<"bf16Dot", "bf16-dot", "::xsa::BF16Dot",
           /*default=*/"::xsa::BF16Dot::None",
           "instruction for sums of products of bf16 in pairs",
           "::xsa::getBF16DotValues()">,
    Option<"queryTile", "query-tile", "int64_t", /*default=*/"0",
           "query rows of a tile (0: by the size of caches)">,
    Option<"rowBlock", "row-block", "int64_t", /*default=*/"0",
           "query rows that are worked on together (0: by vector width)">,
    Option<"keyTile", "key-tile", "int64_t", /*default=*/"0",
           "keys of a tile (0: at most 64, or 256 with few query rows)">,
    Option<"exactKeys", "exact-keys", "bool", /*default=*/"true",
           "at edges take just the keys that exist and are seen, instead of "
           "masking those of a whole tile">,
    Option<"powersOfTwo", "powers-of-two", "bool", /*default=*/"true",
           "softmax in powers of two">,
    Option<"splitMaskedTiles", "split-masked-tiles", "bool",
           /*default=*/"true",
           "separate loops for tiles that need no positional mask">,
    Option<"rowsInnermost", "rows-innermost", "bool", /*default=*/"true",
           "query rows are the last dimension of tiles where they fill vectors">
  ];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "attentions tiled">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def VectorizeTiles : Pass<"xsa-vectorize-tiles"> {
  let summary = "turn the rows of attention tiles into vectors";
  let description = [{
    Follows `xsa-tile-attention` on CPUs, still on tensors. In each linalg
    operation marked `xsa.tile` the last dimension of the destination, which
    holds one value per query row, becomes a vector. Contractions keep a block
    of vectors in registers over their sum, as large as there are registers for;
    maxima and sums over keys are element-wise on vectors. Where tiles have rows
    first, vectors run along the terms of a sum and are added up at its end. An
    element-wise change of a sum's result (masks, biases and caps of scores) is
    made while the result is in registers; what is multiplied and added per
    element after the last tile of keys, where it is read. Copies that transpose
    go through squares of registers; what brings terms together in pairs
    interleaves vectors, and contractions of pairs are left for
    `convert-linalg-to-cpu-loops`. The running maximum and sum become vectors
    carried by the loop over keys where all rows are one block.

    Operations that are not of this form become loops over elements. Vectors of
    bools are read from masks as such: `xsa-lower-bool-vectors` makes bytes of
    them once tensors are buffers.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"256",
           "width in bits of the vectors that the tiles were chosen for">,
    Option<"blockRows", "block-rows", "int64_t", /*default=*/"0",
           "rows of a contraction kept in registers (0: by vector width)">
  ];
  let statistics = [
    Statistic<"numVectorized", "num-vectorized", "tile operations vectorized">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
  ];
}

def VerifyDynamicSizes : Pass<"xsa-verify-dynamic-sizes"> {
  let summary = "assert that the operands' dynamic sizes agree";
  let description = [{
    Inserts before each `xsa.attention` and `xsa.exclude` a `cf.assert` for every
    pair of sizes that the operation needs to be equal and that the verifier
    could not compare. Lowerings take the size of a dimension from one operand
    and rely on the others; upstream's `generate-runtime-verification` does the
    same for all operations, memrefs included.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // XSA_DIALECT_XSA_TRANSFORMS_PASSES_TD
