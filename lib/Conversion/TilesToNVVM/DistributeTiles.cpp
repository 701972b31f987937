//===- DistributeTiles.cpp - From tiles to fragments ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation on a tile becomes what one thread does of it. Nothing here
// knows attention: operations are products, reductions over rows, broadcasts,
// reads and writes, and anything element-wise.
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "ElementwiseOps.h"
#include "GlobalReads.h"
#include "GlobalWrites.h"
#include "KernelPlan.h"
#include "Layouts.h"
#include "MatrixUnit.h"
#include "RowChunks.h"
#include "SharedAccess.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/TypeSwitch.h"

namespace xsa {
#define GEN_PASS_DEF_DISTRIBUTETILES
#include "xsa/Conversion/TilesToNVVM/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

static bool isTile(Value value) { return isa<VectorType>(value.getType()); }

/// Whether the value that a loop yields is a sum that the four lanes of a row
/// have parts of.
static bool isPartial(Value yielded) {
  Operation *op = yielded.getDefiningOp();
  auto layout =
      op ? op->getAttrOfType<TileLayoutAttr>(kLayoutAttrName) : nullptr;
  return layout && layout.getValue() == TileLayout::PartialRow;
}

static bool isShared(Value buffer) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
      cast<MemRefType>(buffer.getType()));
}

namespace {
class Distributor {
public:
  explicit Distributor(gpu::GPUFuncOp kernel) : b(kernel) {
    if (b.getPlan().getUnit() == MatrixKind::MmaSync)
      unit = createMmaSyncUnit();
    else if (b.getPlan().getUnit() == MatrixKind::Fma)
      unit = createFmaUnit();
  }

  LogicalResult distribute();

private:
  // Values.
  Fragment &fragmentOf(Value tile);
  FragmentShape shapeOf(const Fragment &fragment) {
    return FragmentShape(fragment.type, fragment.layout, b.getPlan());
  }
  Fragment emptyFragment(Value tile);
  Value valueAt(const Fragment &from, const FragmentShape &to,
                FragmentIndex index);

  // Operations.
  LogicalResult convertBlock(Block &block);
  LogicalResult convertOp(Operation *op);
  LogicalResult convertLoop(scf::ForOp loop);
  LogicalResult convertElementwise(Operation *op);
  LogicalResult convertBroadcast(vector::BroadcastOp op);
  LogicalResult convertStep(vector::StepOp op);
  LogicalResult convertReduction(vector::MultiDimReductionOp op);
  LogicalResult convertContraction(vector::ContractionOp op);
  LogicalResult convertRead(vector::TransferReadOp op);
  LogicalResult convertWrite(vector::TransferWriteOp op);
  Value reduceWarp(vector::MultiDimReductionOp op);
  Value shuffle(Value value, int64_t distance);
  Value combineLanesOfRow(vector::CombiningKind kind, Value value);
  Value keepInFirstLane(Value value);

  ThreadBuilder b;
  std::unique_ptr<MatrixUnit> unit;
  DenseMap<Value, Fragment> fragments;
  SmallVector<Operation *> dead;
};
} // namespace

//===----------------------------------------------------------------------===//
// Fragments of values
//===----------------------------------------------------------------------===//

Fragment Distributor::emptyFragment(Value tile) {
  Fragment fragment;
  fragment.type = cast<VectorType>(tile.getType());
  if (Operation *op = tile.getDefiningOp())
    if (auto layout = op->getAttrOfType<TileLayoutAttr>(kLayoutAttrName))
      fragment.layout = layout.getValue();
  return fragment;
}

/// Constants become fragments where they are used.
Fragment &Distributor::fragmentOf(Value tile) {
  auto found = fragments.find(tile);
  if (found != fragments.end())
    return found->second;
  Fragment fragment = emptyFragment(tile);
  DenseElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements)) && elements.isSplat()) {
    if (fragment.type.getRank() == 1)
      fragment.layout = TileLayout::Row;
    FragmentShape shape = shapeOf(fragment);
    Value value = b.atEntry([&]() -> Value {
      auto attribute = elements.getSplatValue<TypedAttr>();
      if (shape.packed)
        attribute = DenseElementsAttr::get(cast<ShapedType>(shape.valueType()),
                                           attribute);
      else if (shape.elementType.isIndex())
        // Distances of windows that a model writes as the largest integer.
        attribute = b.getI32IntegerAttr(
            std::clamp(cast<IntegerAttr>(attribute).getInt(), -kMaxPosition,
                       kMaxPosition));
      return arith::ConstantOp::create(b, attribute);
    });
    fragment.values.assign(shape.size(), value);
  }
  return fragments[tile] = fragment;
}

/// The value of `from` at an index of a shape that it broadcasts to.
Value Distributor::valueAt(const Fragment &from, const FragmentShape &to,
                           FragmentIndex index) {
  FragmentShape shape = shapeOf(from);
  Value value = from.values[shape.numberOf(index)];
  if (to.packed && !shape.packed)
    return vector::BroadcastOp::create(
        b, VectorType::get(to.width, value.getType()), value);
  if (shape.packed && !to.packed)
    return vector::ExtractOp::create(b, value, index.side % shape.width);
  return value;
}

//===----------------------------------------------------------------------===//
// Element-wise operations
//===----------------------------------------------------------------------===//

/// The values of all elements that share an index of `to`, for a pair of them.
LogicalResult Distributor::convertElementwise(Operation *op) {
  Fragment result = emptyFragment(op->getResult(0));
  FragmentShape shape = shapeOf(result);
  SmallVector<Fragment> operands;
  SmallVector<bool> perRow;
  for (Value operand : op->getOperands()) {
    Fragment fragment;
    if (isTile(operand)) {
      fragment = fragmentOf(operand);
    } else {
      fragment.type = VectorType::get({1, 1}, operand.getType());
      fragment.values = {operand};
    }
    perRow.push_back(llvm::all_equal(fragment.values) ||
                     !shapeOf(fragment).spansColumns());
    operands.push_back(fragment);
  }
  // Rows are seen through a broadcast as equal values along a row.
  for (auto [fragment, isPerRow] : llvm::zip_equal(operands, perRow)) {
    FragmentShape from = shapeOf(fragment);
    if (isPerRow)
      continue;
    isPerRow = true;
    for (int64_t number = 0; number < from.size() && isPerRow; ++number) {
      FragmentIndex index = from.at(number);
      index.columnBlock = index.side = 0;
      isPerRow =
          fragment.values[number] == fragment.values[from.numberOf(index)];
    }
  }
  for (int64_t number = 0; number < shape.size(); ++number) {
    FragmentIndex index = shape.at(number);
    bool converts = isa<arith::ExtFOp, arith::TruncFOp>(op);
    FragmentShape from = shapeOf(operands[0]);
    if (converts && from.packed != shape.packed) {
      if (shape.packed) {
        FragmentIndex second = index;
        second.side = index.side + 1;
        result.values.push_back(buildPair(
            b, operands[0].values[from.numberOf(index)],
            operands[0].values[from.numberOf(second)], shape.elementType));
      } else {
        Value wide =
            arith::ExtFOp::create(b, VectorType::get(2, shape.elementType),
                                  operands[0].values[from.numberOf(index)]);
        result.values.push_back(
            vector::ExtractOp::create(b, wide, index.side % 2));
      }
      continue;
    }
    SmallVector<Value> values;
    for (const Fragment &operand : operands)
      values.push_back(valueAt(operand, shape, index));
    result.values.push_back(
        buildElement(b, op, values, shape.valueType(), perRow));
  }
  fragments[op->getResult(0)] = result;
  return success();
}

LogicalResult Distributor::convertBroadcast(vector::BroadcastOp op) {
  Fragment result = emptyFragment(op.getResult());
  FragmentShape shape = shapeOf(result);
  Fragment source;
  if (isTile(op.getSource())) {
    source = fragmentOf(op.getSource());
  } else {
    Value scalar = op.getSource();
    if (scalar.getType().isIndex())
      scalar = b.narrow(scalar);
    source.type = VectorType::get({1, 1}, scalar.getType());
    source.values = {scalar};
  }
  for (int64_t number = 0; number < shape.size(); ++number)
    result.values.push_back(valueAt(source, shape, shape.at(number)));
  fragments[op.getResult()] = result;
  return success();
}

LogicalResult Distributor::convertStep(vector::StepOp op) {
  Fragment result = emptyFragment(op.getResult());
  FragmentShape shape = shapeOf(result);
  for (int64_t number = 0; number < shape.size(); ++number) {
    FragmentIndex index = shape.at(number);
    if (result.layout != TileLayout::Column) {
      result.values.push_back(shape.row(b, index));
      continue;
    }
    Value column = shape.column(b, index);
    if (!shape.packed) {
      result.values.push_back(column);
      continue;
    }
    SmallVector<Value> columns;
    for (int64_t side = 0; side < shape.width; ++side)
      columns.push_back(b.add(column, side));
    result.values.push_back(vector::FromElementsOp::create(
        b, cast<VectorType>(shape.valueType()), columns));
  }
  fragments[op.getResult()] = result;
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and products
//===----------------------------------------------------------------------===//

Value Distributor::shuffle(Value value, int64_t distance) {
  return NVVM::ShflOp::create(b, value.getType(), b.constant(-1), value,
                              b.constant(distance), b.constant(31),
                              NVVM::ShflKind::bfly, UnitAttr());
}

/// Every lane of a row gets what all of them have together.
Value Distributor::combineLanesOfRow(vector::CombiningKind kind, Value value) {
  for (int64_t distance = 1; distance < b.getPlan().getRowThreads();
       distance *= 2)
    value = buildCombined(b, kind, value, shuffle(value, distance));
  return value;
}

/// A value per row as a sum over the lanes of the row.
Value Distributor::keepInFirstLane(Value value) {
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.lanePair,
                                        b.constant(0));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  return arith::SelectOp::create(b, isFirst, value, zero);
}

/// Over the columns that the thread has, then over the lanes of a row.
LogicalResult Distributor::convertReduction(vector::MultiDimReductionOp op) {
  if (op.getSourceVectorType().getRank() == 1) {
    op.replaceAllUsesWith(reduceWarp(op));
    return success();
  }
  Fragment source = fragmentOf(op.getSource());
  Fragment start = fragmentOf(op.getAcc());
  Fragment result = emptyFragment(op.getResult());
  if (!op.isReducedDim(1) || op.isReducedDim(0))
    return op.emitOpError("reduces over something else than columns");
  if (sumsByProduct(op, b.getPlan())) {
    auto wide = op.getSource().getDefiningOp<arith::ExtFOp>();
    result.values = start.values;
    unit->sumRows(b, fragmentOf(wide.getIn()), result);
    fragments[op.getResult()] = result;
    return success();
  }
  FragmentShape from = shapeOf(source), to = shapeOf(result);
  vector::CombiningKind kind = op.getKind();
  for (int64_t number = 0; number < to.size(); ++number) {
    FragmentIndex index = to.at(number);
    Value sum;
    for (int64_t block = 0; block < from.columnBlocks; ++block)
      for (int64_t side = 0; side < from.sides; ++side) {
        Value next = source.values[from.numberOf(
            {index.rowBlock, index.half, block, side})];
        sum = sum ? buildCombined(b, kind, sum, next) : next;
      }
    if (from.packed) {
      Value neighbours = sum;
      sum = vector::ExtractOp::create(b, neighbours, 0);
      for (int64_t side = 1; side < from.width; ++side) {
        Value next = vector::ExtractOp::create(b, neighbours, side);
        sum = buildCombined(b, kind, sum, next);
      }
    }
    if (layoutOf(op) != TileLayout::PartialRow)
      sum = combineLanesOfRow(kind, sum);
    result.values.push_back(buildCombined(b, kind, sum, start.values[number]));
  }
  fragments[op.getResult()] = result;
  return success();
}

/// Every warp reduces the whole vector: lane i has the elements i + 32 n.
Value Distributor::reduceWarp(vector::MultiDimReductionOp op) {
  Fragment source = fragmentOf(op.getSource());
  vector::CombiningKind kind = op.getKind();
  Value result;
  for (Value value : source.values)
    result = result ? buildCombined(b, kind, result, value) : value;
  for (int64_t distance : {1, 2, 4, 8, 16})
    result = buildCombined(b, kind, result, shuffle(result, distance));
  Type type = op.getResult().getType();
  if (type.isIndex())
    result = arith::IndexCastOp::create(b, type, result);
  return buildCombined(b, kind, result, op.getAcc());
}

LogicalResult Distributor::convertContraction(vector::ContractionOp op) {
  if (!unit)
    return op.emitOpError("is a product in a kernel without a matrix unit");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<vector::IteratorType> iterators = op.getIteratorTypesArray();
  auto operand = [&](unsigned number) {
    ProductOperand result;
    result.fragment = fragmentOf(op->getOperand(number));
    unsigned last = maps[number].getDimPosition(1);
    result.sumsOverLast = iterators[last] == vector::IteratorType::reduction;
    return result;
  };
  ProductOperand left = operand(0), right = operand(1);
  Operation *producer = op.getLhs().getDefiningOp();
  if (left.fragment.shared && producer->getBlock() != op->getBlock() &&
      left.fragment.values.empty()) {
    // Loaded once, where it was read.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(producer);
    unit->loadLeft(b, left);
    fragments[op.getLhs()] = left.fragment;
  }
  Fragment accumulator = fragmentOf(op.getAcc());
  accumulator.layout = TileLayout::Accumulator;
  if (failed(unit->multiply(b, left, right, accumulator)))
    return failure();
  fragments[op.getResult()] = accumulator;
  return success();
}

//===----------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------===//

LogicalResult Distributor::convertRead(vector::TransferReadOp op) {
  Fragment fragment = emptyFragment(op.getResult());
  if (layoutOf(op) == TileLayout::Copy)
    return success();
  if (isShared(op.getBase())) {
    fragment.shared = b.sharedTile(op.getBase(), op.getIndices());
    // Without the dimension of stages.
    SmallVector<AffineExpr> exprs;
    AffineMap map = op.getPermutationMap();
    for (unsigned result = 0; result < map.getNumResults(); ++result)
      exprs.push_back(b.getAffineDimExpr(map.getDimPosition(result) - 1));
    fragment.sharedMap =
        AffineMap::get(map.getNumDims() - 1, 0, exprs, b.getContext());
    if (fragment.layout == TileLayout::Accumulator)
      readShared(b, fragment);
  } else if (fragment.layout == TileLayout::RowChunk) {
    buildChunkLoads(b, op, fragment);
  } else {
    readGlobal(b, op, fragment);
  }
  fragments[op.getResult()] = fragment;
  return success();
}

LogicalResult Distributor::convertWrite(vector::TransferWriteOp op) {
  if (layoutOf(op) == TileLayout::Copy) {
    auto read = op.getVector().getDefiningOp<vector::TransferReadOp>();
    if (isShared(op.getBase()))
      buildCopyToShared(b, b.globalTile(read.getBase(), read.getIndices()),
                        b.sharedTile(op.getBase(), op.getIndices()));
    else
      buildCopyToGlobal(b, b.sharedTile(read.getBase(), read.getIndices()),
                        b.globalTile(op.getBase(), op.getIndices()));
    return success();
  }
  Fragment fragment = fragmentOf(op.getVector());
  if (isShared(op.getBase()))
    writeShared(b, op, fragment);
  else if (fragment.layout == TileLayout::RowChunk)
    buildChunkStores(b, op, fragment);
  else
    writeGlobal(b, op, fragment);
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Each tile among the loop's values becomes the values of its fragment.
LogicalResult Distributor::convertLoop(scf::ForOp loop) {
  SmallVector<Value> inits;
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [init, yielded] :
       llvm::zip_equal(loop.getInitArgs(), yield.getResults())) {
    if (!isTile(init)) {
      inits.push_back(init);
      continue;
    }
    SmallVector<Value> values = fragmentOf(init).values;
    if (isPartial(yielded))
      for (Value &value : values)
        value = keepInFirstLane(value);
    llvm::append_range(inits, values);
  }
  auto next = scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(),
                                 loop.getStep(), inits);
  if (!next.getBody()->empty())
    next.getBody()->back().erase();
  loop.getInductionVar().replaceAllUsesWith(next.getInductionVar());
  auto take = [&](ValueRange from, ValueRange to) {
    for (auto [value, init] : llvm::zip_equal(from, loop.getInitArgs())) {
      if (!isTile(init)) {
        value.replaceAllUsesWith(to.front());
        to = to.drop_front();
        continue;
      }
      Fragment fragment = fragmentOf(init);
      for (Value &element : fragment.values) {
        element = to.front();
        to = to.drop_front();
      }
      fragments[value] = fragment;
    }
  };
  take(loop.getRegionIterArgs(), next.getRegionIterArgs());
  take(loop.getResults(), next.getResults());
  b.setInsertionPointAfter(next);
  for (auto [result, yielded] :
       llvm::zip_equal(loop.getResults(), yield.getResults()))
    if (isPartial(yielded))
      for (Value &value : fragments[result].values)
        value = combineLanesOfRow(vector::CombiningKind::ADD, value);
  SmallVector<Operation *> ops =
      llvm::map_to_vector(*loop.getBody(), [](Operation &op) { return &op; });
  for (Operation *op : ops)
    op->moveBefore(next.getBody(), next.getBody()->end());
  dead.push_back(loop);
  if (failed(convertBlock(*next.getBody())))
    return failure();
  SmallVector<Value> yielded;
  for (Value value : yield.getResults()) {
    if (isTile(value))
      llvm::append_range(yielded, fragmentOf(value).values);
    else
      yielded.push_back(value);
  }
  b.setInsertionPoint(yield);
  scf::YieldOp::create(b, yielded);
  yield.erase();
  return success();
}

LogicalResult Distributor::convertOp(Operation *op) {
  b.setInsertionPoint(op);
  b.setLoc(op->getLoc());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return convertLoop(loop);
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return convertBlock(*choice.thenBlock());
  bool onTiles = llvm::any_of(op->getOperands(), isTile) ||
                 llvm::any_of(op->getResults(), isTile);
  if (!onTiles || isa<scf::YieldOp>(op))
    return success();
  dead.push_back(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::ConstantOp>([](auto) { return success(); })
      .Case<vector::TransferReadOp>(
          [&](auto read) { return convertRead(read); })
      .Case<vector::TransferWriteOp>(
          [&](auto write) { return convertWrite(write); })
      .Case<vector::ContractionOp>(
          [&](auto contract) { return convertContraction(contract); })
      .Case<vector::MultiDimReductionOp>(
          [&](auto reduction) { return convertReduction(reduction); })
      .Case<vector::BroadcastOp>(
          [&](auto broadcast) { return convertBroadcast(broadcast); })
      .Case<vector::StepOp>([&](auto step) { return convertStep(step); })
      .Case<vector::ShapeCastOp>([&](vector::ShapeCastOp cast) {
        // A vector per row or column, as a tile of extent 1.
        Fragment fragment = fragmentOf(cast.getSource());
        fragment.type = cast.getResultVectorType();
        fragment.layout = emptyFragment(cast.getResult()).layout;
        fragments[cast.getResult()] = fragment;
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (OpTrait::hasElementwiseMappableTraits(other) &&
            other->getNumResults() == 1)
          return convertElementwise(other);
        return other->emitOpError("has no form on fragments");
      });
}

LogicalResult Distributor::convertBlock(Block &block) {
  SmallVector<Operation *> ops =
      llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : ops)
    if (failed(convertOp(op)))
      return failure();
  return success();
}

LogicalResult Distributor::distribute() {
  if (failed(convertBlock(b.getKernel().getBody().front())))
    return failure();
  for (Operation *op : dead)
    op->dropAllReferences();
  for (Operation *op : dead) {
    op->dropAllUses();
    op->erase();
  }
  // What is not said the assembler guesses: it may hold registers back for more
  // blocks than shared memory lets an SM have, and spill for them.
  if (unit)
    b.getKernel()->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                           b.getI32IntegerAttr(1));
  b.getKernel()->removeDiscardableAttr(kKernelAttrName);
  b.getKernel()->removeDiscardableAttr(kOwnInStagesAttrName);
  return success();
}

namespace {
struct DistributeTiles
    : public xsa::impl::DistributeTilesBase<DistributeTiles> {
  using Base::Base;

  void runOnOperation() override {
    if (!getOperation()->hasAttr(kKernelAttrName))
      return;
    if (failed(verifyLayouts(getOperation())) ||
        failed(Distributor(getOperation()).distribute()))
      signalPassFailure();
  }
};
} // namespace
