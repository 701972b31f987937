//===- ThreadBuilder.cpp - Code of one thread -----------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses in shared memory are offsets of 32 bits into one symbol; constants
// are added last, so that they become immediates of the instructions.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "KnownDivisor.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace xsa;

int64_t SharedTile::swizzleSpan() const {
  int64_t chunks = rowBytes() / 16;
  return std::min<int64_t>(chunks & -chunks, 8);
}

ThreadBuilder::ThreadBuilder(gpu::GPUFuncOp kernel)
    : ImplicitLocOpBuilder(kernel.getLoc(), kernel.getContext()),
      kernel(kernel), plan(kernel->getAttrOfType<KernelAttr>(kKernelAttrName)) {
  Block &entry = kernel.getBody().front();
  setInsertionPointToStart(&entry);
  if (auto shared = dyn_cast<gpu::DynamicSharedMemoryOp>(entry.front()))
    setInsertionPointAfter(shared);
  Value id = gpu::ThreadIdOp::create(*this, gpu::Dimension::x);
  Value first = arith::IndexCastOp::create(*this, getI32Type(), id);
  thread = first;
  lane = arith::AndIOp::create(*this, thread, constant(31));
  warp = arith::ShRUIOp::create(*this, thread, constant(5));
  int64_t rowThreads = plan.getRowThreads();
  laneRow =
      arith::ShRUIOp::create(*this, lane, constant(llvm::Log2_64(rowThreads)));
  Value last = arith::AndIOp::create(*this, lane, constant(rowThreads - 1));
  lanePair = last;
  // What is built "at the entry" stands before this operation.
  entryEnd = last.getDefiningOp()->getNextNode();
}

Value ThreadBuilder::add(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AddIOp::create(*this, lhs, rhs);
}

Value ThreadBuilder::add(Value lhs, int64_t rhs) {
  return rhs == 0 ? lhs : add(lhs, constant(rhs));
}

Value ThreadBuilder::multiply(Value lhs, int64_t rhs) {
  return rhs == 1 ? lhs : arith::MulIOp::create(*this, lhs, constant(rhs));
}

Value ThreadBuilder::firstRow(int64_t rowsPerWarp) {
  Value &cached = firstRows[rowsPerWarp];
  if (!cached)
    cached = atEntry([&] { return add(multiply(warp, rowsPerWarp), laneRow); });
  return cached;
}

Value ThreadBuilder::firstColumn() {
  if (!pairColumn)
    pairColumn = atEntry([&] { return multiply(lanePair, plan.getChunk()); });
  return pairColumn;
}

Value ThreadBuilder::narrow(Value index) {
  if (std::optional<int64_t> value = getConstantIntValue(index))
    return constant(std::clamp(*value, -kMaxPosition, kMaxPosition));
  Value least =
      arith::MaxSIOp::create(*this, index, constantIndex(-kMaxPosition));
  Value clamped =
      arith::MinSIOp::create(*this, least, constantIndex(kMaxPosition));
  return arith::IndexCastOp::create(*this, getI32Type(), clamped);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

SharedTile ThreadBuilder::sharedTile(Value buffer, ValueRange indices) {
  auto view = buffer.getDefiningOp<memref::ViewOp>();
  auto type = cast<MemRefType>(buffer.getType());
  SharedTile tile;
  tile.rows = type.getDimSize(1);
  tile.columns = type.getDimSize(2);
  tile.elementType = type.getElementType();
  tile.offset = *getConstantIntValue(view.getByteShift());
  int64_t stageBytes = tile.rows * tile.rowBytes();
  if (std::optional<int64_t> first = getConstantIntValue(indices.front())) {
    tile.offset += *first * stageBytes;
  } else {
    Value stage =
        arith::IndexCastOp::create(*this, getI32Type(), indices.front());
    tile.stageOffset = multiply(stage, stageBytes);
  }
  tile.base = atEntry([&]() -> Value {
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(*this, view.getSource());
    Value integer = arith::IndexCastOp::create(*this, getI64Type(), address);
    return LLVM::IntToPtrOp::create(
        *this, LLVM::LLVMPointerType::get(getContext(), 3), integer);
  });
  return tile;
}

Value ThreadBuilder::elementOffset(const SharedTile &tile, Value row,
                                   Value column) {
  Value bytes = multiply(column, tile.elementBytes());
  Value chunk = arith::ShRUIOp::create(*this, bytes, constant(4));
  Value within = arith::AndIOp::create(*this, bytes, constant(15));
  Value group = row;
  if (tile.swizzleRows() > 1)
    group = arith::ShRUIOp::create(*this, row,
                                   constant(llvm::Log2_64(tile.swizzleRows())));
  Value exchange =
      arith::AndIOp::create(*this, group, constant(tile.swizzleSpan() - 1));
  Value place = arith::XOrIOp::create(*this, chunk, exchange);
  return add(add(multiply(row, tile.rowBytes()), multiply(place, 16)), within);
}

Value ThreadBuilder::pointer(const SharedTile &tile, Value bytes,
                             int64_t constantBytes) {
  auto type = LLVM::LLVMPointerType::get(getContext(), 3);
  Value base = tile.base;
  if (Value dynamic = add(bytes, tile.stageOffset))
    base = LLVM::GEPOp::create(*this, type, getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{dynamic});
  int64_t total = tile.offset + constantBytes;
  if (total == 0)
    return base;
  return LLVM::GEPOp::create(
      *this, type, getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(total)});
}

/// Chunk and exchange are combined bit by bit, so that of the constants counts
/// just what they do to the bits of the thread; all else is added.
Value ThreadBuilder::pointer(const SharedTile &tile, Position row,
                             Position column) {
  int64_t bytes = tile.elementBytes(), span = tile.swizzleSpan();
  unsigned shift = llvm::Log2_64(tile.swizzleRows());
  int64_t firstByte = column.constant * bytes;
  int64_t exchange = row.constant >> shift & (span - 1);
  int64_t chunk = (firstByte >> 4) ^ exchange;
  int64_t threadBits =
      (column.threadBits * bytes >> 4) | (row.threadBits >> shift & (span - 1));
  int64_t exchanged = chunk & threadBits;
  int64_t added = row.constant * tile.rowBytes() + (chunk - exchanged) * 16 +
                  (firstByte & 15);
  if (!row.thread && !column.thread)
    return pointer(tile, Value(), added + exchanged * 16);
  Value &cached = elementOffsets[{
      tile.rowBytes(), span, bytes, row.thread.getAsOpaquePointer(),
      column.thread.getAsOpaquePointer(), exchanged}];
  if (!cached)
    cached = atEntry([&]() -> Value {
      Value zero = constant(0);
      Value offset = elementOffset(tile, row.thread ? row.thread : zero,
                                   column.thread ? column.thread : zero);
      return arith::XOrIOp::create(*this, offset, constant(exchanged * 16));
    });
  return pointer(tile, cached, added);
}

Value ThreadBuilder::matrixOffset(const SharedTile &tile, unsigned rowBit,
                                  int64_t chunk) {
  Value &cached =
      matrixOffsets[{tile.rowBytes(), tile.swizzleSpan(), rowBit, chunk}];
  if (cached)
    return cached;
  cached = atEntry([&]() -> Value {
    auto bit = [&](unsigned number) -> Value {
      Value shifted = arith::ShRUIOp::create(*this, lane, constant(3 + number));
      return arith::AndIOp::create(*this, shifted, constant(1));
    };
    Value within = arith::AndIOp::create(*this, lane, constant(7));
    Value row = add(within, multiply(bit(rowBit), 8));
    Value exchange = arith::AndIOp::create(
        *this,
        arith::ShRUIOp::create(*this, within,
                               constant(llvm::Log2_64(tile.swizzleRows()))),
        constant(tile.swizzleSpan() - 1));
    Value place = arith::XOrIOp::create(*this, bit(1 - rowBit), exchange);
    place = arith::XOrIOp::create(*this, place, constant(chunk));
    return add(multiply(row, tile.rowBytes()), multiply(place, 16));
  });
  return cached;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// What every row of a buffer starts at a multiple of, in elements; buffers
/// themselves start where any vector may.
static int64_t rowAlignment(Value buffer) {
  constexpr int64_t most = 64;
  auto type = cast<MemRefType>(buffer.getType());
  if (auto cast = buffer.getDefiningOp<memref::CastOp>())
    return rowAlignment(cast.getSource());
  if (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
    int64_t alignment = rowAlignment(view.getSource());
    // Along the last dimension, elements are neighbours.
    return std::gcd(alignment, knownDivisor(view.getMixedOffsets().back()));
  }
  if (!isa<BlockArgument>(buffer))
    return 1;
  if (type.getRank() == 0)
    return 1;
  if (type.getLayout().isIdentity()) {
    if (type.getRank() == 1)
      return most;
    int64_t size = type.getShape().back();
    return ShapedType::isDynamic(size) ? 1 : std::gcd(size, most);
  }
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset))
    return 1;
  int64_t alignment = std::gcd(offset, most);
  for (int64_t stride : ArrayRef<int64_t>(strides).drop_back())
    alignment = ShapedType::isDynamic(stride) ? 1 : std::gcd(alignment, stride);
  return alignment;
}

/// As they were computed, where that is known: a size that comes out of a
/// buffer tells nothing of what it is a multiple of.
static SmallVector<OpFoldResult>
mixedSizes(Value buffer, memref::ExtractStridedMetadataOp metadata) {
  auto view = buffer.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return metadata.getConstifiedMixedSizes();
  SmallVector<OpFoldResult> sizes;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  for (auto [position, size] : llvm::enumerate(view.getMixedSizes()))
    if (!dropped.test(position))
      sizes.push_back(size);
  return sizes;
}

GlobalTile ThreadBuilder::globalTile(Value buffer, ValueRange indices) {
  GlobalTile tile;
  auto type = cast<MemRefType>(buffer.getType());
  tile.elementType = type.getElementType();
  auto metadata = memref::ExtractStridedMetadataOp::create(*this, buffer);
  tile.sizes = mixedSizes(buffer, metadata);
  tile.strides = metadata.getConstifiedMixedStrides();
  bool neighbours =
      !tile.strides.empty() && getConstantIntValue(tile.strides.back()) == 1;
  tile.alignment = neighbours ? rowAlignment(buffer) : 1;

  OpFoldResult offset = metadata.getConstifiedMixedOffset();
  Value elements = getValueOrCreateConstantIndexOp(*this, getLoc(), offset);
  for (auto [index, stride] : llvm::zip_equal(indices, tile.strides)) {
    if (getConstantIntValue(index) == 0)
      continue;
    tile.alignment = 1;
    Value step = getValueOrCreateConstantIndexOp(*this, getLoc(), stride);
    elements = arith::AddIOp::create(*this, elements,
                                     arith::MulIOp::create(*this, index, step));
  }
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(*this, buffer);
  Value start = arith::AddIOp::create(
      *this, address,
      arith::MulIOp::create(*this, elements,
                            constantIndex(tile.elementBytes())));
  Value integer = arith::IndexCastOp::create(*this, getI64Type(), start);
  tile.base = LLVM::IntToPtrOp::create(
      *this, LLVM::LLVMPointerType::get(getContext(), 1), integer);
  return tile;
}

/// Bytes of `count` (i32) steps of `stride` elements, as i64.
static Value strideBytes(ThreadBuilder &b, Value count, OpFoldResult stride,
                         int64_t elementBytes) {
  Value wide = arith::ExtSIOp::create(b, b.getI64Type(), count);
  Value factor;
  if (std::optional<int64_t> constant = getConstantIntValue(stride)) {
    factor = arith::ConstantOp::create(
        b, b.getI64IntegerAttr(*constant * elementBytes));
  } else {
    Value elements =
        arith::IndexCastOp::create(b, b.getI64Type(), cast<Value>(stride));
    factor = arith::MulIOp::create(
        b, elements,
        arith::ConstantOp::create(b, b.getI64IntegerAttr(elementBytes)));
  }
  return arith::MulIOp::create(b, wide, factor);
}

Value ThreadBuilder::pointer(const GlobalTile &tile, Value row, Value column) {
  int64_t bytes = tile.elementBytes();
  Value offset;
  if (row)
    offset = strideBytes(*this, row, tile.strides.front(), bytes);
  if (column)
    offset =
        add(offset, strideBytes(*this, column, tile.strides.back(), bytes));
  if (!offset)
    return tile.base;
  return LLVM::GEPOp::create(*this, tile.base.getType(), getI8Type(), tile.base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value ThreadBuilder::advance(Value pointer, const GlobalTile &tile,
                             unsigned dim, int64_t count) {
  if (count == 0)
    return pointer;
  int64_t bytes = tile.elementBytes();
  Value offset = strideBytes(*this, constant(count), tile.strides[dim], bytes);
  return LLVM::GEPOp::create(*this, pointer.getType(), getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value ThreadBuilder::extent(const GlobalTile &tile, unsigned dim,
                            int64_t limit) {
  if (std::optional<int64_t> size = getConstantIntValue(tile.sizes[dim]))
    return constant(std::min(*size, limit));
  Value size = cast<Value>(tile.sizes[dim]);
  Value bounded = arith::MinSIOp::create(*this, size, constantIndex(limit));
  return arith::IndexCastOp::create(*this, getI32Type(), bounded);
}
