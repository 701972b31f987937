//===- SplitKeys.h - Attention to ranges of keys ----------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A few query rows on many keys are work for many blocks only if the keys are
// shared out. Each range of keys is an attention like any other, which may not
// exclude yet: the output it would exclude from is only a part.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_TRANSFORMS_SPLITKEYS_H
#define XSA_LIB_DIALECT_XSA_TRANSFORMS_SPLITKEYS_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/IR/PatternMatch.h"

namespace xsa {

/// How the keys of an attention are shared out.
struct KeyRanges {
  /// The number of ranges, and the tiles of keys that each has at most.
  mlir::OpFoldResult splits, tiles;
  int64_t keyTile;

  static KeyRanges of(mlir::OpBuilder &builder, AttentionOp op,
                      mlir::OpFoldResult splits, int64_t keyTile);
};

/// `op` without exclusion and sinks, on a domain with a dimension of `splits`
/// ranges of keys in front that only the results have: the output in the
/// accumulator type, maximum and sum. Until `restrictToKeyRange`, each of them
/// is of all keys.
AttentionOp buildPartialAttention(mlir::OpBuilder &builder, AttentionOp op,
                                  mlir::OpFoldResult splits);

/// Of `tile`, an attention of some rows, only what the range of keys with
/// number `range` gives. The last ranges may have fewer keys than others, or
/// none.
void restrictToKeyRange(mlir::RewriterBase &rewriter, AttentionOp tile,
                        mlir::Value range, const KeyRanges &ranges);

} // namespace xsa

#endif // XSA_LIB_DIALECT_XSA_TRANSFORMS_SPLITKEYS_H
