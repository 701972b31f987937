//===- TileOperands.h - Operands of attention as tiles ----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the recurrence works on: an operand's part for a block of rows and some
// keys, in the layout and element type that the policy asks for. Whether that
// is a view or a copy, padded or not, is decided here.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEOPERANDS_H
#define XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEOPERANDS_H

#include "xsa/Dialect/XSA/IR/AttentionParts.h"
#include "xsa/Dialect/XSA/Transforms/TileAttention.h"

namespace xsa {

/// Marks linalg operations on tiles as they are made.
class TileMarker : public mlir::OpBuilder::Listener {
public:
  explicit TileMarker(mlir::OpBuilder::Listener *next) : next(next) {}

  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint previous) override;

private:
  mlir::OpBuilder::Listener *next;
};

/// The part of an operand between `begin` and `begin + size` along `dim`.
MappedValue buildSlice(mlir::OpBuilder &builder, mlir::Location loc,
                       MappedValue operand, unsigned dim,
                       mlir::OpFoldResult begin, mlir::OpFoldResult size);

/// Copies what exists of `operand` (`validSizes`, by dimension of the domain)
/// into the tile `scratch` (`tileSizes`), converted and times `factor`; the
/// rest of the tile is 0.
mlir::Value buildTileCopy(mlir::OpBuilder &builder, mlir::Location loc,
                          MappedValue operand, MappedValue scratch,
                          llvm::ArrayRef<mlir::OpFoldResult> tileSizes,
                          llvm::ArrayRef<mlir::OpFoldResult> validSizes,
                          double factor = 1.0);

class TileOperands {
public:
  TileOperands(mlir::OpBuilder &builder, AttentionOp op,
               const TilePolicy &policy);

  mlir::AffineMap mapOf(llvm::ArrayRef<unsigned> dims);
  /// The dimensions of `map` with query rows where the policy wants them.
  mlir::AffineMap tileLayoutOf(mlir::AffineMap map);
  /// Leading dimensions are 1 in a tile. An operand that has no others becomes
  /// a scalar.
  MappedValue dropLeading(MappedValue operand);
  /// The position of the first query row, by the table in XSAOps.td.
  mlir::Value buildBase();

  /// An uninitialized tensor of the extents of tiles.
  mlir::Value makeScratch(mlir::AffineMap layout, mlir::Type elementType);
  /// The part of an operand between `begin` and `begin + size` along `dim`.
  MappedValue slice(MappedValue operand, unsigned dim, mlir::OpFoldResult begin,
                    mlir::OpFoldResult size);
  /// The part of `scratch` that a tile of the current extents fills.
  mlir::Value fit(mlir::Value scratch, mlir::AffineMap layout);
  /// Copies what exists of `operand` into a tile, converted and times
  /// `factor`; the rest of the tile is 0.
  MappedValue copyToTile(MappedValue operand, mlir::AffineMap layout,
                         mlir::Type elementType, mlir::Value scratch,
                         double factor = 1.0);
  /// An operand per row, or a scalar, for the whole tile of rows.
  MappedValue loadRows(MappedValue operand);
  /// A tile of keys or values: in place where it has the type and the extent
  /// that is wanted, unless it is to be packed.
  MappedValue loadKeys(MappedValue operand, mlir::AffineMap layout,
                       mlir::Value scratch, bool packs);
  /// A tile of mask, bias or score input, laid out as the scores.
  MappedValue loadScoreOperand(MappedValue operand, mlir::Value scratch);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  AttentionOp op;
  TilePolicy policy;
  mlir::FloatType type;
  unsigned m, k1, k2, n;
  /// The operands without leading dimensions, their rows those of the tile or
  /// of the current block.
  AttentionParts parts;
  /// Extents of tiles, and how much of them exists.
  llvm::SmallVector<mlir::OpFoldResult> tileSizes, validSizes;
};

} // namespace xsa

#endif // XSA_LIB_DIALECT_XSA_TRANSFORMS_TILEOPERANDS_H
