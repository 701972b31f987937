//===- TMTensorOps.td - Operations of the tm_tensor dialect *- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assembly formats, attribute names and operand groups follow torch-mlir
// exactly, since text and bytecode written there are read here. What is ours is
// the documentation, the verifiers and the standard MLIR interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_TMTENSOR_IR_TMTENSOROPS_TD
#define XSA_DIALECT_TMTENSOR_IR_TMTENSOROPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "xsa/Dialect/TMTensor/IR/TMTensorDialect.td"

def TMTensor_Shaped : AnyTypeOf<[AnyRankedTensor, AnyMemRef],
    "ranked tensor or memref", "::mlir::ShapedType">;

class TMTensor_Op<string mnemonic, list<Trait> traits = []>
    : Op<TMTensor_Dialect, mnemonic, !listconcat(traits, [
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let hasVerifier = 1;

  code destinations = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
  }];
}

/// An operation whose region combines or compares elements.
class TMTensor_RegionOp<string mnemonic, list<Trait> traits = []>
    : TMTensor_Op<mnemonic, !listconcat(traits, [
        RecursiveMemoryEffects,
        SingleBlockImplicitTerminator<"::xsa::tm_tensor::YieldOp">])> {
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// tm_tensor.scan
//===----------------------------------------------------------------------===//

def TMTensor_ScanOp : TMTensor_RegionOp<"scan"> {
  let summary = "prefix combination along one dimension";
  let description = [{
    Combines the elements of the input along `dimension` with the region `f`,
    whose arguments are the previous output and the next input:

    ```
    inclusive:  out[0] = in[0]     out[i] = f(out[i-1], in[i])
    exclusive:  out[0] = acc       out[i] = f(out[i-1], in[i-1])
    ```

    The first destination receives `out`; the second, `acc`, receives the last
    value that was combined and keeps its own where nothing was (an extent of
    0 or 1 along `dimension`). Only an exclusive scan reads a destination.

    | operand | shape |
    |---|---|
    | input | any, of rank at least 1 |
    | output | that of the input |
    | accumulator | that of the input without `dimension` |

    All three have the same element type.

    Example: a cumulative sum over the last dimension.

    ```mlir
    %sum:2 = tm_tensor.scan dimension(1) inclusive(true)
        ins(%x : tensor<2x8xi64>) outs(%init, %acc : tensor<2x8xi64>, tensor<2xi64>) {
    ^bb0(%previous: i64, %next: i64):
      %s = arith.addi %previous, %next : i64
      tm_tensor.yield %s : i64
    } -> tensor<2x8xi64>, tensor<2xi64>
    ```
  }];

  let arguments = (ins
    Variadic<TMTensor_Shaped>:$inputs,
    Variadic<TMTensor_Shaped>:$outputs,
    I64Attr:$dimension,
    BoolAttr:$inclusive
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);

  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)` attr-dict
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];

  let extraClassDeclaration = destinations # [{
    ::mlir::Value getInput() { return getInputs()[0]; }
    ::mlir::Value getOutput() { return getOutputs()[0]; }
    ::mlir::Value getAccumulator() { return getOutputs()[1]; }
    ::mlir::ShapedType getInputType() {
      return ::llvm::cast<::mlir::ShapedType>(getInput().getType());
    }
  }];
}

//===----------------------------------------------------------------------===//
// tm_tensor.scatter
//===----------------------------------------------------------------------===//

def TMTensor_ScatterOp : TMTensor_RegionOp<"scatter"> {
  let summary = "combines updates into a tensor at given positions";
  let description = [{
    For every update `n` and every position `w` inside an update, with `d` the
    number of leading dimensions of the original that the update does not have:

    ```
    at         = 0 for the first d dimensions, then w
    at[map[k]] += indices[n, k]              for each k
    out[at]    = f(updates[n, w], out[at])
    ```

    `map` is `dimension_map`. The region `f` receives the update first and the
    current value second. Updates are applied in order of `n`; with
    `unique_indices(true)` the writer promises that no two of them meet.
    Elements that fall outside the original are dropped.

    | operand | shape |
    |---|---|
    | updates | number of updates, then the trailing window of the original |
    | indices | number of updates x index depth; the depth is static |
    | original (`outs`) | any |

    Example: `out[indices[n, 0], :] = updates[n, :]`.

    ```mlir
    %out = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
        ins(%updates, %indices : tensor<2x3xf32>, tensor<2x1xi32>)
        outs(%original : tensor<4x3xf32>) {
    ^bb0(%update: f32, %current: f32):
      tm_tensor.yield %update : f32
    } -> tensor<4x3xf32>
    ```
  }];

  let arguments = (ins
    Variadic<TMTensor_Shaped>:$inputs,
    Variadic<TMTensor_Shaped>:$outputs,
    DenseI64ArrayAttr:$dimension_map,
    DefaultValuedAttr<BoolAttr, "true">:$unique_indices
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);

  let assemblyFormat = [{
    attr-dict `unique_indices` `(` $unique_indices `)`
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];

  let extraClassDeclaration = destinations # [{
    ::mlir::Value getUpdates() { return getInputs()[0]; }
    ::mlir::Value getIndices() { return getInputs()[1]; }
    ::mlir::Value getOriginal() { return getOutputs()[0]; }
    ::mlir::ShapedType getUpdatesType() {
      return ::llvm::cast<::mlir::ShapedType>(getUpdates().getType());
    }
    ::mlir::ShapedType getIndicesType() {
      return ::llvm::cast<::mlir::ShapedType>(getIndices().getType());
    }
    ::mlir::ShapedType getOriginalType() {
      return ::llvm::cast<::mlir::ShapedType>(getOriginal().getType());
    }
    int64_t getIndexDepth() { return getIndicesType().getDimSize(1); }
  }];
}

//===----------------------------------------------------------------------===//
// tm_tensor.attention
//===----------------------------------------------------------------------===//

def TMTensor_AttentionOp : TMTensor_Op<"attention"> {
  let summary = "scaled dot product attention with an optional mask";
  let description = [{
    ```
    out = softmax(scale * query . key^T + mask) . value
    ```

    `scale` is the attribute, or `1 / sqrt(K1)` without it. A mask of i1 keeps
    the scores where it is true and makes the others -inf; a mask of floats is
    added. A row in which every score is -inf gives 0.

    | operand | shape |
    |---|---|
    | query, key, value | B.. x M x K1; B.. x K2 x K1; B.. x K2 x N |
    | mask (optional) | B.. x M x K2 |
    | output | B.. x M x N |

    `B..` is any number of batch dimensions. The destination is not read.

    Example:

    ```mlir
    %y = tm_tensor.attention
        ins(%q, %k, %v, %mask : tensor<4x12x8xf32>, tensor<4x12x8xf32>,
            tensor<4x12x8xf32>, tensor<4x12x12xi1>)
        outs(%init : tensor<4x12x8xf32>) -> tensor<4x12x8xf32>
    ```
  }];

  let arguments = (ins
    Variadic<TMTensor_Shaped>:$inputs,
    Variadic<TMTensor_Shaped>:$outputs,
    OptionalAttr<F64Attr>:$scale
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);

  let assemblyFormat = [{
    attr-dict
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    (`->` type($results)^)?
  }];

  let extraClassDeclaration = destinations # [{
    ::mlir::Value getQuery() { return getInputs()[0]; }
    ::mlir::Value getKey() { return getInputs()[1]; }
    ::mlir::Value getValue() { return getInputs()[2]; }
    /// Null without a mask.
    ::mlir::Value getMask() {
      return getInputs().size() > 3 ? getInputs()[3] : ::mlir::Value();
    }
    ::mlir::Value getOutput() { return getOutputs()[0]; }
  }];
}

//===----------------------------------------------------------------------===//
// tm_tensor.sort
//===----------------------------------------------------------------------===//

def TMTensor_SortOp : TMTensor_RegionOp<"sort"> {
  let summary = "sorts tensors together along one dimension";
  let description = [{
    Sorts the destinations along `dimension`, all by the same permutation, so
    that the region holds for neighbours. Its arguments are, for each
    destination in turn, the earlier and the later element; it yields true
    where they are in order. Both strict (`<`) and non-strict (`<=`) orders are
    accepted, and in both equal elements keep their order (a stable sort).

    All destinations have the same shape; there are no inputs.

    Example: ascending values, with the positions they came from.

    ```mlir
    %sorted:2 = tm_tensor.sort dimension(1)
        outs(%x, %positions : tensor<2x8xf32>, tensor<2x8xi64>) {
    ^bb0(%a: f32, %b: f32, %ia: i64, %ib: i64):
      %c = arith.cmpf ole, %a, %b : f32
      tm_tensor.yield %c : i1
    } -> tensor<2x8xf32>, tensor<2x8xi64>
    ```
  }];

  let arguments = (ins
    Variadic<AnyType>:$inputs,
    Variadic<TMTensor_Shaped>:$outputs,
    I64Attr:$dimension
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);

  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];

  let extraClassDeclaration = destinations # [{
    ::mlir::ShapedType getOutputType(unsigned i) {
      return ::llvm::cast<::mlir::ShapedType>(getOutputs()[i].getType());
    }
  }];
}

//===----------------------------------------------------------------------===//
// tm_tensor.topk
//===----------------------------------------------------------------------===//

def TMTensor_TopkOp : TMTensor_RegionOp<"topk"> {
  let summary = "the first K elements along one dimension, with their positions";
  let description = [{
    Inserts every element of the input along `dimension`, one after the other,
    into the sorted list of K elements that the destinations hold. The region
    yields true where its first argument (the element) goes before its second
    (an entry of the list): `>` selects the largest, `<` the smallest. Between
    equal elements the one with the smaller position goes first.

    The destinations are read: they start with what everything goes before, for
    example -inf for the largest.

    | operand | shape | element type |
    |---|---|---|
    | input values | any | T |
    | input positions (optional) | that of the input | i32, i64 |
    | output values | that of the input, K along `dimension` | T |
    | output positions | that of the output | i32, i64 |

    Without input positions the position of an element is its index along
    `dimension`.

    Example: the three largest of eight.

    ```mlir
    %top:2 = tm_tensor.topk dimension(1) ins(%x : tensor<2x8xf32>)
        outs(%lowest, %zero : tensor<2x3xf32>, tensor<2x3xi32>) {
    ^bb0(%element: f32, %entry: f32):
      %c = arith.cmpf ogt, %element, %entry : f32
      tm_tensor.yield %c : i1
    } -> tensor<2x3xf32>, tensor<2x3xi32>
    ```
  }];

  let arguments = (ins
    Variadic<TMTensor_Shaped>:$inputs,
    Variadic<TMTensor_Shaped>:$outputs,
    I64Attr:$dimension
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$region);

  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];

  let extraClassDeclaration = destinations # [{
    ::mlir::Value getValues() { return getInputs()[0]; }
    /// Null where positions are the indices along the dimension.
    ::mlir::Value getPositions() {
      return getInputs().size() > 1 ? getInputs()[1] : ::mlir::Value();
    }
    ::mlir::ShapedType getValuesType() {
      return ::llvm::cast<::mlir::ShapedType>(getValues().getType());
    }
  }];
}

//===----------------------------------------------------------------------===//
// tm_tensor.yield
//===----------------------------------------------------------------------===//

def TMTensor_YieldOp : Op<TMTensor_Dialect, "yield", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["ScanOp", "ScatterOp", "SortOp", "TopkOp"]>]> {
  let summary = "ends a region of the dialect with its value";
  let description = [{
    Yields the combined element (`scan`, `scatter`) or the outcome of the
    comparison (`sort`, `topk`).

    Example:

    ```mlir
    tm_tensor.yield %s : i64
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ /* the implicit terminator: no operands */ }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // XSA_DIALECT_TMTENSOR_IR_TMTENSOROPS_TD
