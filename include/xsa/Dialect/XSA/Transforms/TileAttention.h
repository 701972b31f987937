//===- TileAttention.h - Online softmax on tiles ----------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One builder makes the loop nest and the recurrence of tiled attention for all
// targets. What differs between targets is in the policy.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_TRANSFORMS_TILEATTENTION_H
#define XSA_DIALECT_XSA_TRANSFORMS_TILEATTENTION_H

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace xsa {

/// Marks the linalg operations that work on tiles, for the target's steps that
/// follow.
inline constexpr llvm::StringLiteral kTileAttrName = "xsa.tile";

/// What a target wants of the tiled form.
struct TilePolicy {
  /// Query rows and keys of one tile. Tiles of tensors have these extents even
  /// where fewer rows or keys exist.
  int64_t queryTile = 16;
  int64_t keyTile = 64;
  /// Rows of a tile that are worked on together; the tile's blocks of rows go
  /// through each tile of keys one after the other. 0: all rows are one block.
  int64_t rowBlock = 0;
  /// The rows of an operation with `packHeads`: so many of each head. They are
  /// at most `queryTile` in all.
  int64_t rowsPerHead = 0;
  /// Where masks or the end of the keys cut into a tile, each block of rows
  /// takes just the keys that it sees, rounded up to multiples of `keyGrain`.
  /// Otherwise tiles of keys are always whole, and what is missing is masked.
  bool exactKeys = false;
  int64_t keyGrain = 8;
  /// The products take terms in pairs, as instructions for bf16 do: query rows
  /// and weights are kept in pairs of terms (TermPairs.h), values transposed.
  /// Blocks of keys then begin and end at multiples of `keyGrain`, an even
  /// number; the last is padded. Needs `exactKeys`, `rowsInnermost`, an even
  /// depth of keys, and inputs that are not widened.
  bool termsInPairs = false;
  /// Under causal masks begin with the tiles of rows that see most keys, so
  /// that workers which take them in order end at about the same time.
  bool heavyTilesFirst = false;
  /// Masks compare positions in 32 bits, of which a vector holds twice as many.
  bool narrowPositions = false;
  /// Softmax in powers of two: log2(e) goes into the scale.
  bool powersOfTwo = true;
  /// Separate loops for the key tiles that need no positional mask.
  bool splitMaskedTiles = true;
  /// Tiles keep query rows in their last dimension, so that a vector holds one
  /// value of each row and reductions over keys or depth need no shuffles.
  /// Otherwise rows come first, as matrix instructions want.
  bool rowsInnermost = true;
  /// Copy query, key and value tiles into the accumulator type where they have
  /// another, once per tile instead of once per use, and scale the query there.
  /// Otherwise the products multiply in the types of the operands, as matrix
  /// instructions do: weights are narrowed to the type of the values, and the
  /// scale goes into the exponential.
  bool widenInputs = true;
  /// With `widenInputs`: keys and values too. Otherwise the products convert
  /// them where they read them, which is as good if that is once.
  bool widenKeys = true;
  /// Copy tiles of keys and of values whose rows lie apart, as they do where
  /// heads are between them. Rows that are a power of two apart share few lines
  /// of a cache, and products read them again for each block of rows.
  bool packKeys = false, packValues = false;
  /// Sum the weights as the second product sees them, narrowed: what they lose
  /// cancels in the quotient, and a matrix unit can sum them too.
  bool sumNarrowWeights = false;
  /// With `sumNarrowWeights`: results that show a sum get one of the weights as
  /// they were. Not needed where the sum is only what others are merged by.
  bool showExactSums = false;
  /// The own values of the rows are the values at the rows' positions: take
  /// them from there, where a target may find them among its tiles of values.
  bool ownAmongValues = false;

  /// The policy for CPUs with vectors of `vectorBits` and, if `hasBF16Dot`,
  /// instructions that multiply bf16 in pairs of terms.
  static TilePolicy forCPU(AttentionOp op, int64_t vectorBits, bool hasBF16Dot);
};

/// Replaces `op`, which must be on tensors, by parallel loops over leading
/// dimensions and tiles of query rows, and a loop over tiles of keys in each.
/// Returns the parallel loop; null where there is nothing to attend to.
mlir::FailureOr<mlir::scf::ForallOp> tileAttention(mlir::RewriterBase &rewriter,
                                                   AttentionOp op,
                                                   const TilePolicy &policy);

/// The attentions of rows to ranges of keys, and how they become one result.
struct SplitAttention {
  /// One iteration per tile of rows and range of keys; null where there is
  /// nothing to attend to.
  mlir::scf::ForallOp ranges;
  /// One iteration per tile of `mergeTile` rows.
  mlir::scf::ForallOp merge;
};

/// The same as `tileAttention`, with the keys split into `splits` ranges, at
/// least 1, so that few query rows are work for many. Where there is one query
/// row, the heads that share keys are the rows of a tile, and with
/// `policy.rowsPerHead` so are the rows of these heads. Exclusion comes after
/// the ranges are merged.
mlir::FailureOr<SplitAttention> splitAttention(mlir::RewriterBase &rewriter,
                                               AttentionOp op,
                                               const TilePolicy &policy,
                                               mlir::OpFoldResult splits,
                                               int64_t mergeTile);

/// Partial results of an attention over ranges of keys: outputs in the
/// accumulator type, with dimensions (range, leading..., row, depth), and the
/// maximum and the sum of their softmax, with dimensions (range, leading...,
/// row).
struct PartialAttention {
  mlir::Value output, max, sum;
};

/// Rewrites an attention of one tile of rows to the merge of what `partial` has
/// for these rows.
mlir::LogicalResult expandMergeTile(mlir::RewriterBase &rewriter,
                                    AttentionOp tile,
                                    const PartialAttention &partial,
                                    const TilePolicy &policy);

/// Rewrites an attention of one query tile (every leading dimension 1, at most
/// `queryTile` rows) to the loop over tiles of keys.
mlir::LogicalResult expandAttentionTile(mlir::RewriterBase &rewriter,
                                        AttentionOp op,
                                        const TilePolicy &policy);

} // namespace xsa

#endif // XSA_DIALECT_XSA_TRANSFORMS_TILEATTENTION_H
