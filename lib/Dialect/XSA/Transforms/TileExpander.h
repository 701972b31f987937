//===- TileExpander.h - The loop nest of one tile of rows -------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the recurrence of FlashAttention for one tile of query rows. The
// recurrence is in ExpandAttentionTile.cpp; RowBlocks.cpp has how the rows of a
// tile are worked on in blocks, TileResults.cpp what comes after the last key,
// MergeKeyRanges.cpp the same nest over partial results.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEEXPANDER_H
#define XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEEXPANDER_H

#include "KeyRange.h"
#include "TileOperands.h"

#include "xsa/Dialect/XSA/Transforms/TileAttention.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace xsa {

/// The values carried from one tile of keys to the next. `sum` is of the
/// weights that the output has; `exactSum`, if any, of the weights before they
/// were narrowed, for results that show it.
struct Running {
  mlir::Value max, sum, output, exactSum;
};

/// What a tile of keys needs: no masks that follow from positions, those masks,
/// or also padding, because it is the last and not filled. Where edges have
/// just the keys that are there, the last tile is an edge like others.
enum class TileKind { Full, Edge, Rest };

/// A tile of keys as the blocks of rows see it.
struct KeyTile {
  TileKind kind;
  mlir::OpFoldResult begin, size;
  MappedValue key, value;
};

class TileExpander : private TileOperands {
public:
  using TileOperands::TileOperands;

  /// The operation's results.
  llvm::SmallVector<mlir::Value> expand();
  /// The same from partial results over ranges of keys.
  llvm::SmallVector<mlir::Value> expandMerge(const PartialAttention &partial);

private:
  using BlockBody =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>;
  /// The output with the values of some keys added, times their weights.
  using ValuesFn =
      llvm::function_ref<mlir::Value(MappedValue weights, MappedValue output)>;

  void prepare();
  bool modifiesScores();
  bool hasExactSum();
  void chooseSoftmax();
  void makeScratches();

  // Blocks of rows.
  llvm::SmallVector<mlir::Value> forEachBlock(mlir::ValueRange carried,
                                              BlockBody body);
  void enterBlock(mlir::OpFoldResult index);
  mlir::Value makeCarried(mlir::AffineMap map, mlir::Type elementType);
  mlir::Value makeCarriedQuery(mlir::Type elementType);
  MappedValue take(mlir::Value carried, mlir::AffineMap map);
  mlir::Value put(mlir::Value tile, mlir::Value carried);
  Running takeAll(mlir::ValueRange carried);
  llvm::SmallVector<mlir::Value> putAll(Running tiles,
                                        mlir::ValueRange carried);

  // The recurrence.
  AttentionParts loadRowOperands();
  llvm::SmallVector<mlir::Value> start();
  mlir::Value loadQuery(mlir::Value tile, mlir::Type queryType);
  Running startBlock(Running init);
  llvm::SmallVector<mlir::Value>
  loopOverKeys(const KeyRange &range, llvm::SmallVector<mlir::Value> running);
  llvm::SmallVector<mlir::Value> loopOver(mlir::OpFoldResult begin,
                                          mlir::OpFoldResult end, TileKind kind,
                                          mlir::ValueRange running);
  KeyTile loadTile(mlir::Value begin, TileKind kind);
  bool padsEdges();
  mlir::OpFoldResult countKeys(mlir::OpFoldResult begin,
                               mlir::OpFoldResult size);
  void selectKeys(KeyTile &tile);
  mlir::Value multiply(MappedValue keys, MappedValue rows, MappedValue sum);
  MappedValue buildScores(const KeyTile &tile, MappedValue query);
  MappedValue scale(MappedValue x, MappedValue factor);
  Running step(KeyTile tile, MappedValue query, Running running);
  Running catchUp(Running running, MappedValue tileMax,
                  const SoftmaxForm &form);
  MappedValue takeOffLargeMaxima(MappedValue scores, MappedValue max,
                                 const SoftmaxForm &form);
  Running advanceInPairs(Running running, MappedValue scores,
                         MappedValue tileMax, const SoftmaxForm &formOfTile,
                         ValuesFn addValues);
  Running advance(Running running, MappedValue scores, MappedValue tileMax,
                  const SoftmaxForm &form, ValuesFn addValues,
                  MappedValue counts = {});
  MappedValue loadPartial(mlir::Value partial,
                          llvm::ArrayRef<mlir::OpFoldResult> offsets,
                          llvm::ArrayRef<unsigned> dims);
  llvm::SmallVector<mlir::Value> loopOverRanges(const PartialAttention &partial,
                                                mlir::ValueRange running);

  // Results.
  llvm::SmallVector<mlir::Value> finish(mlir::ValueRange running);
  MappedValue ownValues();
  llvm::SmallVector<mlir::Value> finishBlock(Running &running,
                                             mlir::ValueRange destinations);
  mlir::Value store(MappedValue rows, MappedValue destination);

  bool hasBlocks = false;
  int64_t maxBlocks = 1;
  mlir::Value numBlocks;
  /// The operands and the position of all rows; `parts` and `base` are those of
  /// the current block.
  AttentionParts allRows;
  /// Without blocks, `parts` with what there is per row brought in.
  AttentionParts rowOperands;
  mlir::Value allRowsBase, base;
  mlir::OpFoldResult blockIndex, blockBegin;

  mlir::AffineMap rowMap, scoreMap, outputMap, queryMap, keyMap, valueMap;
  mlir::Value query;
  SoftmaxForm softmax;
  double queryFactor = 1.0;
  bool scaleScores = false;
  mlir::Value queryScratch, scoreScratch, weightScratch, keyScratch,
      valueScratch, maskScratch, biasScratch, normalizedScratch, ownScratch,
      excludedScratch;
  llvm::SmallVector<mlir::Value> inputScratch;
  mlir::scf::ForOp rangeLoop;
};

} // namespace xsa

#endif // XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEEXPANDER_H
