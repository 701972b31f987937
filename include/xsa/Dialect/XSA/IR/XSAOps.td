//===- XSAOps.td - Operations of the XSA dialect -----------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention is a structured operation here, as matmul is in linalg: a domain of
// named dimensions, a map per operand, a destination. Everything that changes
// which keys a query sees is an operand or attribute that survives tiling.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_IR_XSAOPS_TD
#define XSA_DIALECT_XSA_IR_XSAOPS_TD

include "mlir/Dialect/Linalg/IR/LinalgBase.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/RuntimeVerifiableOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"
include "xsa/Dialect/XSA/IR/XSAAttrs.td"
include "xsa/Dialect/XSA/IR/XSAInterfaces.td"

def XSA_FloatShaped : AnyTypeOf<
    [TensorRankOf<[F64, F32, F16, BF16], [0, 1, 2, 3, 4, 5, 6, 7, 8]>,
     MemRefOf<[F64, F32, F16, BF16]>],
    "ranked tensor or memref of f64, f32, f16 or bf16 values">;

def XSA_BoolShaped : AnyTypeOf<
    [TensorRankOf<[I1], [0, 1, 2, 3, 4, 5, 6, 7, 8]>, MemRefOf<[I1]>],
    "ranked tensor or memref of i1 values">;

def XSA_IntShaped : AnyTypeOf<
    [TensorRankOf<[I32, I64, Index], [0, 1, 2, 3, 4, 5, 6, 7, 8]>,
     MemRefOf<[I32, I64, Index]>],
    "ranked tensor or memref of i32, i64 or index values">;

def XSA_AnyShaped : AnyTypeOf<
    [TensorRankOf<[AnyType], [0, 1, 2, 3, 4, 5, 6, 7, 8]>, MemRefOf<[AnyType]>],
    "ranked tensor or memref">;

class XSA_Op<string mnemonic, list<Trait> traits = []>
    : Op<XSA_Dialect, mnemonic, traits>;

/// What both structured operations are.
class XSA_StructuredOp<string mnemonic, list<Trait> traits = []>
    : XSA_Op<mnemonic, !listconcat(traits, [
        AttrSizedOperandSegments, XSA_StructuredOpInterface,
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, [
          "reifyResultShapes"]>,
        DeclareOpInterfaceMethods<TilingInterface, [
          "getIterationDomain", "getLoopIteratorTypes",
          "getTiledImplementation", "getResultTilePosition",
          "generateResultTileValue", "getIterationDomainTileFromResultTile",
          "getIterationDomainTileFromOperandTiles",
          "getTiledImplementationFromOperandTiles"]>,
        RuntimeVerifiableOpInterface, AggregatedOpInterface])> {
  // Declared by hand: upstream's declarations of these interface methods name
  // types without their namespace.
  code interfaceMethods = [{
    /// AggregatedOpInterface: the reference decomposition into linalg.
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>
    decomposeOperation(::mlir::OpBuilder &builder);

    /// DestinationStyleOpInterface: the destinations come last.
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      auto [start, size] = getODSOperandIndexAndLength(odsIndex_output);
      return ::mlir::MutableOperandRange(*this, start,
                                         getNumOperands() - start);
    }

    /// RuntimeVerifiableOpInterface: asserts that dynamic sizes agree.
    void generateRuntimeVerification(
        ::mlir::OpBuilder &builder, ::mlir::Location loc,
        ::llvm::function_ref<std::string(::mlir::Operation *, ::llvm::StringRef)>
            message);
  }];

  // What follows from the indexing maps alone is written once, in
  // StructuredOps.h.
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
      return detail::reifyResultShapes(*this, builder, reifiedReturnShapes);
    }
    void $cppClass::getEffects(detail::Effects &effects) {
      detail::getEffects(*this, effects);
    }
    ::llvm::SmallVector<::mlir::Range>
    $cppClass::getIterationDomain(::mlir::OpBuilder &builder) {
      return detail::getIterationDomain(*this, builder);
    }
    ::llvm::LogicalResult $cppClass::getResultTilePosition(
        ::mlir::OpBuilder &, unsigned resultNumber,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        detail::FoldResults &resultOffsets, detail::FoldResults &resultSizes) {
      return detail::getResultTilePosition(*this, resultNumber, offsets, sizes,
                                           resultOffsets, resultSizes);
    }
    ::mlir::FailureOr<::mlir::TilingResult> $cppClass::generateResultTileValue(
        ::mlir::OpBuilder &builder, unsigned resultNumber,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return detail::generateResultTileValue(*this, builder, resultNumber,
                                             offsets, sizes);
    }
    ::llvm::LogicalResult $cppClass::getIterationDomainTileFromResultTile(
        ::mlir::OpBuilder &builder, unsigned resultNumber,
        ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &domainOffsets,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &domainSizes) {
      return detail::getIterationDomainTileFromResultTile(
          *this, builder, resultNumber, offsets, sizes, domainOffsets,
          domainSizes);
    }
    ::llvm::LogicalResult $cppClass::getIterationDomainTileFromOperandTiles(
        ::mlir::OpBuilder &builder, ::llvm::ArrayRef<unsigned> operandNumbers,
        ::llvm::ArrayRef<detail::FoldResults> allOffsets,
        ::llvm::ArrayRef<detail::FoldResults> allSizes,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &domainOffsets,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &domainSizes) {
      return detail::getIterationDomainTileFromOperandTiles(
          *this, builder, operandNumbers, allOffsets, allSizes, domainOffsets,
          domainSizes);
    }
    ::mlir::FailureOr<::mlir::TilingResult>
    $cppClass::getTiledImplementationFromOperandTiles(
        ::mlir::OpBuilder &builder, ::llvm::ArrayRef<unsigned> operandNumbers,
        ::llvm::ArrayRef<detail::FoldResults> allOffsets,
        ::llvm::ArrayRef<detail::FoldResults> allSizes) {
      return detail::getTiledImplementationFromOperandTiles(
          *this, builder, operandNumbers, allOffsets, allSizes);
    }
  }];
}

//===----------------------------------------------------------------------===//
// xsa.attention
//===----------------------------------------------------------------------===//

def XSA_AttentionOp : XSA_StructuredOp<"attention"> {
  let summary = "softmax attention, exclusive or not, in any layout";
  let description = [{
    Attention over an iteration domain whose last four dimensions are, in this
    order, `m` (query rows), `k1` (query and key depth), `k2` (keys) and `n`
    (value depth); all dimensions before them are leading dimensions: batches,
    key/value heads, query heads of a group, in any number and order. Each
    operand has an affine map, a projected permutation from the domain to its
    dimensions, so every layout and every broadcast is expressed in place. A
    leading dimension that the maps of `key` and `value` leave out is a query
    head group (grouped-query attention): no head is repeated.

    ```
    s_ij = scale * sum_k1 q_i,k1 k_j,k1           soft cap: s = cap * tanh(s / cap)
    s_ij = score_region(s_ij + bias_ij)           then masked keys are dropped
    p_ij = exp(s_ij) / (sum_j exp(s_ij) + exp(sink))
    y_i  = sum_j p_ij v_j
    z_i  = y_i - a (y_i . v) / n(v) * v           exclusive form, v = self_value_i
    ```

    Sums run in the accumulator type: f64 if any of query, key, value is f64,
    else f32. `scale` and `softcap` are finite in it. A row whose keys are all
    masked gives 0.

    **Which keys a row sees.** Row `i` stands at position
    `p = base + query_start + i` among the keys, key `j` at `key_start + j`.
    `base` is `query_offset` where that operand is given; else 0 with
    `alignment = top_left`; else `key_lengths - M` where key lengths are given;
    else `K2 - M`, so that the last query row stands at the last key
    (`bottom_right`, the default). A key at position `j` is kept if all hold:

    | given | keeps |
    |---|---|
    | `causal` | `j <= p` |
    | `window_left = w` | `j >= p - w` |
    | `window_right = w` | `j <= p + w` |
    | `mask` (i1) | `mask_ij` is true |
    | `key_lengths` | `j < key_lengths` |
    | `key_begin`, `key_end` | `key_begin_i <= j < key_end_i` |

    Positions in operands are held to 2^60 either way, so that no sum of
    positions overflows.

    Keys at and beyond `key_lengths` are no numbers of the operation: what lies
    there, NaN included, does not reach the result of the reference nor of the
    form for CPUs; kernels for GPUs read it, times 0. Keys that other masks hide
    have to be finite.

    `key_begin` and `key_end` carry any mask that is an interval per row in
    O(M) memory. Packed variable-length sequences are such a mask: a row of the
    sequence that occupies keys `[b, e)` has `key_begin = b`, `key_end = e`.

    `query_start` and `key_start` say where in the whole sequence a tile lies;
    tiling sets them, so that masks and score regions survive it.

    **Score region.** The optional region maps a score to a score. Its
    arguments are the score (accumulator type), one element of each of
    `score_inputs`, the query position `p` and the key position (both `index`).
    ALiBi is such a region; so is any other position bias.

    **Exclusive form.** With `exclusion`, the operand `self_value` holds for
    each query row the value row of its own token, usually a slice of `value`;
    `n` must then not be tiled. `strength` (per head, per token, or a scalar
    tensor) multiplies the strength of the attribute.

    **Results.** `output`; on request (`lse_output`) the natural logarithm of
    the sum of exponentials of the masked scores, the sink included, which is
    -inf for an empty row; on request (`coefficient_output`, exclusive form
    only) `c = (y . v) / n(v)`. Destinations are written, never read. On memrefs a
    destination may be the memory of another operand: it is written after
    everything has been read.

    `max_output` and `sum_output`, only together, are the log-sum-exp in two
    parts: a number `M` near the largest score, and the sum of exponentials of
    the scores minus `M`; `log(sum) + M` is the log-sum-exp. Of an empty row they
    are -inf and 0. Attentions of a row to parts of its keys are merged by them,
    with `w_r = sum_r exp(M_r - max_r M_r)`:

    ```
    y_i  = sum_r w_r y_i,r / sum_r w_r
    ```

    A log-sum-exp would do only as long as scores are not so large that it is
    rounded to the score, as where a mask adds the lowest finite number to all
    keys of a row: parts would count alike, however many keys they have. (`M` is
    what an implementation takes off. It need not be the maximum itself, but is
    at most `8 log 2` below it.)

    `indexing_maps` holds one map per shaped operand, in the order of the
    operands.

    Shapes, by dimension (`lead` any subset of the leading ones, in any order
    with the others):

    | operand | dimensions | element type |
    |---|---|---|
    | `query`, `key`, `value` | lead m k1; lead k2 k1; lead k2 n | float |
    | `self_value` | lead m n | float |
    | `mask`; `bias`, `score_inputs` | any of lead, m, k2 | i1; float, any |
    | `sinks` | lead | float |
    | `strength` | any of lead, m | float |
    | `key_lengths`, `query_offset` | lead | i32, i64, index |
    | `key_begin`, `key_end` | any of lead, m | i32, i64, index |
    | `output` | all lead, m, n | float |
    | `lse_output`, `max_output`, `sum_output`, `coefficient_output` | all lead, m | float |

    Example: causal grouped-query XSA, 8 query heads on 2 key/value heads.

    ```mlir
    #q = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, g, m, k1)>
    #k = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, k2, k1)>
    #v = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, k2, n)>
    #s = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, m, n)>
    #o = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, g, m, n)>
    %z = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>,
                        indexing_maps = [#q, #k, #v, #s, #o], scale = 1.250000e-01 : f64}
        ins(%q, %k, %v : tensor<1x2x4x128x64xf32>, tensor<1x2x128x64xf32>, tensor<1x2x128x64xf32>)
        self_value(%v : tensor<1x2x128x64xf32>)
        outs(%init : tensor<1x2x4x128x64xf32>) -> tensor<1x2x4x128x64xf32>
    ```
  }];

  let arguments = (ins
    XSA_FloatShaped:$query,
    XSA_FloatShaped:$key,
    XSA_FloatShaped:$value,
    Optional<XSA_FloatShaped>:$self_value,
    Optional<XSA_BoolShaped>:$mask,
    Optional<XSA_FloatShaped>:$bias,
    Optional<XSA_FloatShaped>:$sinks,
    Optional<XSA_FloatShaped>:$strength,
    Optional<XSA_IntShaped>:$key_lengths,
    Optional<XSA_IntShaped>:$key_begin,
    Optional<XSA_IntShaped>:$key_end,
    Optional<XSA_IntShaped>:$query_offset,
    Variadic<XSA_AnyShaped>:$score_inputs,
    Optional<Index>:$query_start,
    Optional<Index>:$key_start,
    XSA_FloatShaped:$output,
    Optional<XSA_FloatShaped>:$lse_output,
    Optional<XSA_FloatShaped>:$max_output,
    Optional<XSA_FloatShaped>:$sum_output,
    Optional<XSA_FloatShaped>:$coefficient_output,
    AffineMapArrayAttr:$indexing_maps,
    OptionalAttr<F64Attr>:$scale,
    OptionalAttr<F64Attr>:$softcap,
    UnitAttr:$causal,
    DefaultValuedAttr<XSA_AlignmentAttr, "::xsa::Alignment::BottomRight">:$alignment,
    OptionalAttr<I64Attr>:$window_left,
    OptionalAttr<I64Attr>:$window_right,
    OptionalAttr<XSA_ExclusionAttr>:$exclusion
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$score_region);

  let assemblyFormat = [{
    attr-dict
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,` type($value) `)`
    oilist(
        `self_value` `(` $self_value `:` type($self_value) `)`
      | `mask` `(` $mask `:` type($mask) `)`
      | `bias` `(` $bias `:` type($bias) `)`
      | `sinks` `(` $sinks `:` type($sinks) `)`
      | `strength` `(` $strength `:` type($strength) `)`
      | `key_lengths` `(` $key_lengths `:` type($key_lengths) `)`
      | `key_begin` `(` $key_begin `:` type($key_begin) `)`
      | `key_end` `(` $key_end `:` type($key_end) `)`
      | `query_offset` `(` $query_offset `:` type($query_offset) `)`
      | `score_inputs` `(` $score_inputs `:` type($score_inputs) `)`
      | `query_start` `(` $query_start `)`
      | `key_start` `(` $key_start `)`
    )
    `outs` `(` $output `:` type($output) `)`
    oilist(
        `lse` `(` $lse_output `:` type($lse_output) `)`
      | `max` `(` $max_output `:` type($max_output) `)`
      | `sum` `(` $sum_output `:` type($sum_output) `)`
      | `coefficient` `(` $coefficient_output `:` type($coefficient_output) `)`
    )
    (`score` $score_region^)?
    (`->` type($results)^)?
  }];

  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 0;

  let extraClassDeclaration = interfaceMethods # [{
    unsigned getNumLeadingDims() { return getNumLoops() - 4; }
    unsigned getQueryDim() { return getNumLoops() - 4; }
    unsigned getKeyDepthDim() { return getNumLoops() - 3; }
    unsigned getKeyDim() { return getNumLoops() - 2; }
    unsigned getValueDepthDim() { return getNumLoops() - 1; }

    /// The map of each operand; null for an absent optional one.
    ::mlir::AffineMap getQueryMap();
    ::mlir::AffineMap getKeyMap();
    ::mlir::AffineMap getValueMap();
    ::mlir::AffineMap getSelfValueMap();
    ::mlir::AffineMap getMaskMap();
    ::mlir::AffineMap getBiasMap();
    ::mlir::AffineMap getSinksMap();
    ::mlir::AffineMap getStrengthMap();
    ::mlir::AffineMap getKeyLengthsMap();
    ::mlir::AffineMap getKeyBeginMap();
    ::mlir::AffineMap getKeyEndMap();
    ::mlir::AffineMap getQueryOffsetMap();
    ::llvm::SmallVector<::mlir::AffineMap> getScoreInputMaps();
    ::mlir::AffineMap getOutputMap();
    ::mlir::AffineMap getLseMap();
    ::mlir::AffineMap getMaxMap();
    ::mlir::AffineMap getSumMap();
    ::mlir::AffineMap getCoefficientMap();

    /// Sets, replaces or (with a null value) removes the optional shaped operand
    /// of segment `odsIndex`, one of the constants `odsIndex_...`, and its map.
    void assignOperand(unsigned odsIndex, ::mlir::Value value,
                       ::mlir::AffineMap map);

    /// f64 if any of query, key, value is f64, else f32.
    ::mlir::FloatType getAccumulatorType();

    bool isExclusive() { return getExclusion().has_value(); }
    bool hasScoreRegion() { return !getScoreRegion().empty(); }

    /// Whether the result depends on where query rows stand among the keys.
    bool usesPositions();

    /// Whether the sum of a row's weights is in a result other than by division.
    bool showsSums() { return getLseOutput() || getSumOutput(); }
  }];
}

//===----------------------------------------------------------------------===//
// xsa.exclude
//===----------------------------------------------------------------------===//

def XSA_ExcludeOp : XSA_StructuredOp<"exclude"> {
  let summary = "removes from each row its component along the own value";
  let description = [{
    The epilogue of exclusive self attention alone (arXiv 2603.09078,
    Algorithm 1), for use after any attention:

    ```
    z = y - a (y . v) / n(v) * v
    ```

    row by row over the last dimension `n` of the iteration domain; all others
    are parallel. `value` may leave out parallel dimensions (grouped heads).
    `a` is the strength of `exclusion` times the operand `strength` where given.
    Sums run in f64 if `input` or `value` is f64, else in f32.

    Results: `z`, and on request (`coefficient_output`) `c = (y . v) / n(v)`,
    one per row. `indexing_maps` holds one map per operand, in their order:
    `input` and `output` have all dimensions, `value` has `n`, `strength` and
    the coefficient do not.

    Example:

    ```mlir
    #y = affine_map<(b, h, g, t, n) -> (b, t, h, g, n)>
    #v = affine_map<(b, h, g, t, n) -> (b, t, h, n)>
    %z = xsa.exclude {exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>,
                      indexing_maps = [#y, #v, #y]}
        ins(%y, %v : tensor<2x128x2x4x64xbf16>, tensor<2x128x2x64xbf16>)
        outs(%init : tensor<2x128x2x4x64xbf16>) -> tensor<2x128x2x4x64xbf16>
    ```
  }];

  let arguments = (ins
    XSA_FloatShaped:$input,
    XSA_FloatShaped:$value,
    Optional<XSA_FloatShaped>:$strength,
    XSA_FloatShaped:$output,
    Optional<XSA_FloatShaped>:$coefficient_output,
    AffineMapArrayAttr:$indexing_maps,
    XSA_ExclusionAttr:$exclusion
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);

  let assemblyFormat = [{
    attr-dict
    `ins` `(` $input `,` $value `:` type($input) `,` type($value) `)`
    (`strength` `(` $strength^ `:` type($strength) `)`)?
    `outs` `(` $output `:` type($output) `)`
    (`coefficient` `(` $coefficient_output^ `:` type($coefficient_output) `)`)?
    (`->` type($results)^)?
  }];

  let hasVerifier = 1;
  let hasCanonicalizer = 1;

  let extraClassDeclaration = interfaceMethods # [{
    unsigned getValueDepthDim() { return getNumLoops() - 1; }

    ::mlir::AffineMap getInputMap();
    ::mlir::AffineMap getValueMap();
    ::mlir::AffineMap getStrengthMap();
    ::mlir::AffineMap getOutputMap();
    ::mlir::AffineMap getCoefficientMap();

    /// f64 if input or value is f64, else f32.
    ::mlir::FloatType getAccumulatorType();
    ::mlir::Value getCoefficient();
  }];
}

//===----------------------------------------------------------------------===//
// xsa.yield
//===----------------------------------------------------------------------===//

def XSA_YieldOp : XSA_Op<"yield", [Pure, Terminator, HasParent<"AttentionOp">]> {
  let summary = "ends a score region with the modified score";
  let description = [{
    Yields the score that takes the place of the score region's first argument,
    in the accumulator type of the attention.

    Example: ALiBi, `score + slope * (key position - query position)`.

    ```mlir
    score {
    ^bb0(%s: f32, %slope: f32, %p: index, %j: index):
      %d = arith.subi %j, %p : index
      %i = arith.index_cast %d : index to i64
      %f = arith.sitofp %i : i64 to f32
      %b = arith.mulf %slope, %f : f32
      %r = arith.addf %s, %b : f32
      xsa.yield %r : f32
    }
    ```
  }];
  let arguments = (ins AnyFloat:$score);
  let assemblyFormat = "attr-dict $score `:` type($score)";
}

#endif // XSA_DIALECT_XSA_IR_XSAOPS_TD
