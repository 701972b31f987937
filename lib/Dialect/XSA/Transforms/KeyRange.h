//===- KeyRange.h - Which key tiles a query tile visits ---------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of query rows sees an interval of the keys, and in the middle of it
// keys that all its rows see. The bounds, rounded to tiles, split the loop over
// keys into parts with and without masks; tiles outside are never visited.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_TRANSFORMS_KEYRANGE_H
#define XSA_LIB_DIALECT_XSA_TRANSFORMS_KEYRANGE_H

#include "xsa/Dialect/XSA/IR/AttentionParts.h"

namespace xsa {

/// An interval of keys.
struct KeyInterval {
  mlir::OpFoldResult begin, end;
};

/// Multiples of the key tile, in ascending order. The tiles in
/// [begin, fullBegin) and [fullEnd, wholeEnd) need masks that follow from
/// positions, those in between none; the one in [wholeEnd, end), if any, has
/// fewer keys than a tile.
struct KeyRange {
  mlir::OpFoldResult begin, fullBegin, fullEnd, wholeEnd, end;
  /// Which parts can have tiles at all.
  bool hasLowerEdge = false, hasUpperEdge = false, hasRest = false;
};

/// `parts` has scalars for the operands per batch, and as many keys as exist;
/// `base` is the position of its first query row, null where no mask depends on
/// it.
KeyRange buildKeyRange(mlir::OpBuilder &builder, mlir::Location loc,
                       const AttentionParts &parts, mlir::Value base,
                       int64_t keyTile);

/// How many keys may be read: those below `key_lengths`. Beyond, anything may
/// lie, and a NaN survives a weight of 0.
mlir::OpFoldResult buildExistingKeys(mlir::OpBuilder &builder,
                                     mlir::Location loc,
                                     const AttentionParts &parts);

/// The part of `keys` that some row of `parts` may see, its length a multiple
/// of `grain` where `keys` reach that far. Not before `keys`, never negative.
/// With `alignsBegin` it begins at a multiple of `grain`.
KeyInterval buildVisibleKeys(mlir::OpBuilder &builder, mlir::Location loc,
                             const AttentionParts &parts, mlir::Value base,
                             KeyInterval keys, int64_t grain, bool alignsBegin);

} // namespace xsa

#endif // XSA_LIB_DIALECT_XSA_TRANSFORMS_KEYRANGE_H
