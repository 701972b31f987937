//===- XSAAttrs.td - Attributes of the XSA dialect ---------*- tablegen -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an exclusion divides by is carried exactly: models in the wild use four
// denominators that agree on ordinary values and differ on tiny ones.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_IR_XSAATTRS_TD
#define XSA_DIALECT_XSA_IR_XSAATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "xsa/Dialect/XSA/IR/XSADialect.td"

def XSA_Denominator : I32Enum<"Denominator",
    "what the projection onto the own value is divided by", [
      I32EnumCase<"L2Clamp", 0, "l2_clamp">,
      I32EnumCase<"SqClamp", 1, "sq_clamp">,
      I32EnumCase<"SqAdd", 2, "sq_add">,
      I32EnumCase<"Raw", 3, "raw">
    ]> {
  let cppNamespace = "::xsa";
}

def XSA_Alignment : I32Enum<"Alignment",
    "which corner of the score matrix the causal diagonal runs through", [
      I32EnumCase<"TopLeft", 0, "top_left">,
      I32EnumCase<"BottomRight", 1, "bottom_right">
    ]> {
  let cppNamespace = "::xsa";
}

def XSA_AlignmentAttr : EnumAttr<XSA_Dialect, XSA_Alignment, "alignment"> {
  let assemblyFormat = "`<` $value `>`";
}

def XSA_ExclusionAttr : AttrDef<XSA_Dialect, "Exclusion"> {
  let mnemonic = "exclusion";
  let summary = "how the component along the own value is removed";
  let description = [{
    `z = y - strength * (y . v) / n(v) * v` with `n(v)` chosen by `denominator`:

    | denominator | `n(v)` | `eps` seen in models |
    |---|---|---|
    | `l2_clamp` | `max(|v|, eps)^2` (`F.normalize` used twice) | 1e-12, 1e-6, 1e-4 |
    | `sq_clamp` | `max(|v|^2, eps)` | 1e-8, 1e-6, finfo.eps |
    | `sq_add` | `|v|^2 + eps` | 1e-6 |
    | `raw` | `|v|^2` | none: `eps` is 0 |

    In every kind `v = 0` gives `z = y`: where the sum is 0/0 the component is
    defined to be absent. `strength` is a factor for all rows; operations also
    take a `strength` operand for factors per head or per token, and the two
    multiply. A strength of -1 adds the component instead of removing it.

    Example:

    ```mlir
    #xsa.exclusion<l2_clamp, eps = 1.000000e-12>
    #xsa.exclusion<raw, strength = 5.000000e-01>
    ```
  }];
  let parameters = (ins
    EnumParameter<XSA_Denominator>:$denominator,
    APFloatParameter<"a finite f64, not negative">:$epsValue,
    APFloatParameter<"a finite f64">:$strengthValue
  );
  let builders = [
    AttrBuilder<(ins "Denominator":$denominator,
                     CArg<"double", "0.0">:$eps,
                     CArg<"double", "1.0">:$strength), [{
      return $_get($_ctxt, denominator, ::llvm::APFloat(eps),
                   ::llvm::APFloat(strength));
    }]>
  ];
  let extraClassDeclaration = [{
    double getEps() const { return getEpsValue().convertToDouble(); }
    double getStrength() const { return getStrengthValue().convertToDouble(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Kernels on tiles
//===----------------------------------------------------------------------===//

def XSA_MatrixKind : I32Enum<"MatrixKind",
    "the instructions that multiply tiles on a GPU", [
      I32EnumCase<"MmaSync", 0, "mma_sync">,
      I32EnumCase<"Fma", 1, "fma">,
      I32EnumCase<"None", 2, "none">
    ]> {
  let cppNamespace = "::xsa";
}

def XSA_TileLayout : I32Enum<"TileLayout",
    "how the elements of a tile lie among the threads of a block", [
      I32EnumCase<"Accumulator", 0, "accumulator">,
      I32EnumCase<"Lhs", 1, "lhs">,
      I32EnumCase<"Rhs", 2, "rhs">,
      I32EnumCase<"Row", 3, "row">,
      I32EnumCase<"Column", 4, "column">,
      I32EnumCase<"Copy", 5, "copy">,
      I32EnumCase<"Warp", 6, "warp">,
      I32EnumCase<"PartialRow", 7, "partial_row">,
      I32EnumCase<"RowChunk", 8, "row_chunk">
    ]> {
  let cppNamespace = "::xsa";
}

def XSA_TileLayoutAttr : EnumAttr<XSA_Dialect, XSA_TileLayout, "layout"> {
  let assemblyFormat = "`<` $value `>`";
}

def XSA_KernelAttr : AttrDef<XSA_Dialect, "Kernel"> {
  let mnemonic = "kernel";
  let summary = "how a loop over tiles becomes a kernel";
  let description = [{
    What the cost model chose for one kernel: the instructions that multiply,
    warps of a block, how many tiles of keys are in shared memory at a time, and
    whether the query stays in registers or is loaded again for every tile.

    A kernel that multiplies no matrices (`unit = none`) goes through rows as
    they lie in memory: `row_threads` neighbouring threads share a row, in
    chunks of `chunk` elements.

    Example:

    ```mlir
    #xsa.kernel<name = "main_attention0", unit = mma_sync, warps = 4, stages = 2, query_in_registers = true>
    #xsa.kernel<name = "main_exclude0", unit = none, warps = 4, stages = 1, query_in_registers = false, row_threads = 8, chunk = 8>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"of the kernel">:$name,
    EnumParameter<XSA_MatrixKind>:$unit,
    "int64_t":$warps,
    "int64_t":$stages,
    "bool":$query_in_registers,
    DefaultValuedParameter<"int64_t", "4">:$row_threads,
    DefaultValuedParameter<"int64_t", "2">:$chunk
  );
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name, "MatrixKind":$unit,
                     "int64_t":$warps, "int64_t":$stages,
                     "bool":$query_in_registers), [{
      return $_get($_ctxt, name, unit, warps, stages, query_in_registers, 4, 2);
    }]>
  ];
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // XSA_DIALECT_XSA_IR_XSAATTRS_TD
