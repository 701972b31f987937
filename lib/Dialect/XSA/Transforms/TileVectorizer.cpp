//===- TileVectorizer.cpp - One tile operation to vectors -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions hold a block of sums in registers, with one broadcast and one
// multiply-add per term and vector; reductions over keys or depth are
// element-wise. Nothing is left for LLVM's vectorizer to find.
//
//===----------------------------------------------------------------------===//

#include "TileVectorizer.h"

#include "TileBody.h"
#include "xsa/Dialect/XSA/Transforms/TileAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace xsa;

int64_t VectorTarget::getBlockRows(int64_t bits) const {
  if (blockRows != 0)
    return blockRows;
  // AVX-512 has twice the registers of what came before it.
  int64_t registers = vectorBits >= 512 ? 32 : 16;
  int64_t perVector = llvm::divideCeil(bits, vectorBits);
  return std::clamp<int64_t>((registers - perVector - 1) / perVector, 1, 8);
}

//===----------------------------------------------------------------------===//
// What can be vectorized
//===----------------------------------------------------------------------===//

FailureOr<TileLoops> xsa::analyzeTile(linalg::GenericOp op,
                                      const VectorTarget &target) {
  if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics())
    return failure();
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap initMap = op.getMatchingIndexingMap(init);
  if (!initMap.isProjectedPermutation() || initMap.getNumResults() == 0)
    return failure();

  TileLoops loops;
  loops.lane = initMap.getDimPosition(initMap.getNumResults() - 1);
  auto type = cast<RankedTensorType>(init->get().getType());
  Type element = type.getElementType();
  if (!element.isIntOrFloat())
    return failure();
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (dim == loops.lane)
      continue;
    std::optional<unsigned> &role =
        iterator == utils::IteratorType::parallel ? loops.row : loops.term;
    if (role)
      return failure();
    role = dim;
  }
  int64_t extent = type.getShape().back();
  bool inOneVector =
      !ShapedType::isDynamic(extent) && target.isOneVector(extent, element);
  // LLVM takes other vectors apart into powers of two, and has no code for one
  // bf16.
  bool hasHalves = llvm::any_of(op->getOperandTypes(), [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 16;
  });
  if (hasHalves && extent % 2 != 0)
    inOneVector = false;
  loops.lanes = inOneVector ? extent : 0;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation() ||
        classifyAccess(operand.get(), map, loops.lane) ==
            TileAccess::Unsupported)
      return failure();
  }
  if (!hasVectorForm(op))
    return failure();
  return loops;
}

/// Whether all lanes of `op` are one vector and nothing is summed.
static bool isElementwise(FailureOr<TileLoops> loops) {
  return succeeded(loops) && !loops->term && loops->lanes != 0;
}

linalg::GenericOp xsa::findFusingContraction(linalg::GenericOp op,
                                             const VectorTarget &target) {
  if (!isElementwise(analyzeTile(op, target)) || !op->hasOneUse())
    return nullptr;
  OpOperand &use = *op->use_begin();
  auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!user || !user->hasAttr(kTileAttrName) || !user.isDpsInit(&use))
    return nullptr;
  FailureOr<TileLoops> loops = analyzeTile(user, target);
  if (failed(loops) || !loops->term || !loops->row || loops->lanes == 0)
    return nullptr;
  // Both have the same rows and lanes, since they share the tensor.
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return map.isPermutation() && map.getNumDims() == 2 ? user : nullptr;
}

linalg::GenericOp xsa::findChangedSum(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      !op.hasPureTensorSemantics() || !hasVectorForm(op))
    return nullptr;
  OpOperand *init = op.getDpsInitOperand(0);
  auto sum = init->get().getDefiningOp<linalg::GenericOp>();
  if (!sum || !sum->hasAttr(kTileAttrName) || !sum->hasOneUse() ||
      sum.getNumReductionLoops() == 0)
    return nullptr;
  AffineMap map = op.getMatchingIndexingMap(init);
  AffineMap sumMap = sum.getMatchingIndexingMap(sum.getDpsInitOperand(0));
  if (!map.isPermutation() || map.getNumResults() == 0 ||
      !sumMap.isProjectedPermutation())
    return nullptr;
  unsigned lane = map.getDimPosition(map.getNumResults() - 1);
  bool isReadable = llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return map.isProjectedPermutation() &&
           classifyAccess(operand.get(), map, lane) != TileAccess::Unsupported;
  });
  return isReadable ? sum : nullptr;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void xsa::setUnrolling(scf::ForOp loop, int32_t count) {
  Builder b(loop.getContext());
  auto unroll = LLVM::LoopUnrollAttr::get(
      b.getContext(), /*disable=*/b.getBoolAttr(count == 1),
      /*count=*/count == 1 ? IntegerAttr() : b.getI32IntegerAttr(count), {}, {},
      {}, {}, {});
  loop->setDiscardableAttr(
      "loop_annotation",
      LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {}, unroll, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

Value xsa::buildTileLoop(ImplicitLocOpBuilder &b, Value begin, Value end,
                         int64_t step, Value destination,
                         llvm::function_ref<Value(Value, Value)> body) {
  auto loop = scf::ForOp::create(
      b, begin, end, arith::ConstantIndexOp::create(b, step), destination);
  setUnrolling(loop, 1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b,
                       body(loop.getInductionVar(), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

namespace {
class TileVectorizer {
public:
  TileVectorizer(OpBuilder &builder, linalg::GenericOp op, TileLoops loops,
                 const VectorTarget &target, linalg::GenericOp change)
      : b(op.getLoc(), builder), op(op), change(change), loops(loops),
        lanes(loops.lanes), target(target),
        indices(op.getNumLoops(), constant(0)) {}

  Value vectorize();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value lhs, int64_t rhs) {
    return rhs == 0 ? lhs : arith::AddIOp::create(b, lhs, constant(rhs));
  }
  void enterRow(Value row) {
    if (loops.row)
      indices[*loops.row] = row;
  }
  std::optional<int64_t> staticExtent(unsigned dim);
  Type getElementType() {
    return getElementTypeOrSelf(op.getDpsInits().front().getType());
  }
  int64_t getVectorsPerRow();
  bool isReadOnce();
  Value vectorizeLanes(Value destination);
  Value vectorizeTerms(Value destination);
  Value vectorizeRows(Value destination);
  Value emitBlocks(Value destination, Value begin, Value end, int64_t block);
  Value buildBlock(Value destination, Value firstRow, int64_t block);
  Value read(OpOperand *operand, Value from);
  Value readStart(Value destination);
  Value evaluate(Value accumulator);
  scf::ForOp buildTerms(Value begin, Value end, int64_t step,
                        ArrayRef<Value> rows, ValueRange sums);
  SmallVector<Value> sumTerms(ArrayRef<Value> rows, Value destination);
  Value sumInParts(Value sum, Operation *combiner);
  bool readsInit() { return !op.getBody()->getArguments().back().use_empty(); }

  ImplicitLocOpBuilder b;
  linalg::GenericOp op, change;
  TileLoops loops;
  int64_t lanes;
  const VectorTarget &target;
  /// Where each loop stands.
  SmallVector<Value> indices;
  /// What is read once for all rows and terms.
  SmallVector<Value> sharedInputs;
  /// The terms that are summed, where not all are at once.
  Value firstTerm, endOfTerms;
};
} // namespace

std::optional<int64_t> TileVectorizer::staticExtent(unsigned dim) {
  int64_t size = op.getStaticLoopRanges()[dim];
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return size;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TileVectorizer::read(OpOperand *operand, Value from) {
  return readTileOperand(b, op, operand, from, indices, loops.lane, lanes);
}

Value TileVectorizer::evaluate(Value accumulator) {
  return buildTileElement(b, op, indices, loops.lane, lanes, accumulator,
                          sharedInputs);
}

/// What the init holds at the current row: a constant where it is filled, a
/// changed value where an operation before this one waits to be fused.
Value TileVectorizer::readStart(Value destination) {
  if (!readsInit() && !loops.term)
    return Value();
  OpOperand *init = op.getDpsInitOperand(0);
  Value from = init->get();
  if (auto producer = from.getDefiningOp<linalg::GenericOp>();
      producer && findFusingContraction(producer, target) == op) {
    TileLoops producerLoops = *analyzeTile(producer, target);
    TileVectorizer fused(b, producer, producerLoops, target, {});
    fused.indices[*producerLoops.row] = indices[*loops.row];
    return fused.evaluate(fused.readStart(destination));
  }
  if (!from.getDefiningOp<linalg::FillOp>())
    from = destination;
  return broadcastLanes(b, read(init, from), lanes);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// A loop over terms that carries a vector per row.
scf::ForOp TileVectorizer::buildTerms(Value begin, Value end, int64_t step,
                                      ArrayRef<Value> rows, ValueRange sums) {
  auto loop = scf::ForOp::create(b, begin, end, constant(step), sums);
  // A second term gives the processor's front end room; more do not help.
  setUnrolling(loop, rows.size() > 1 ? 2 : 1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next;
  for (auto [i, sum] : llvm::enumerate(loop.getRegionIterArgs())) {
    // One sum per row, or parts of one sum.
    indices[*loops.term] =
        add(loop.getInductionVar(), rows.empty() ? int64_t(i) : 0);
    if (!rows.empty())
      indices[*loops.row] = rows[i];
    next.push_back(evaluate(sum));
  }
  scf::YieldOp::create(b, next);
  return loop;
}

/// One vector of sums would wait for itself at every term: four parts do not.
Value TileVectorizer::sumInParts(Value sum, Operation *combiner) {
  constexpr int64_t kParts = 4;
  Value extent = getLoopExtent(b, op, *loops.term);
  Value whole = b.createOrFold<arith::SubIOp>(
      extent, b.createOrFold<arith::RemUIOp>(extent, constant(kParts)));
  SmallVector<Value> parts(kParts, buildNeutral(b, combiner, lanes));
  parts.front() = sum;
  scf::ForOp loop = buildTerms(constant(0), whole, kParts, {}, parts);
  sum = loop.getResult(0);
  for (Value part : loop.getResults().drop_front())
    sum = combine(b, combiner, sum, part);
  std::optional<int64_t> size = staticExtent(*loops.term);
  if (size && *size % kParts == 0)
    return sum;
  return buildTerms(whole, extent, 1, {}, sum).getResult(0);
}

/// Runs the sums for a block of rows. A sum's rounding grows with its size and
/// with the number of terms that are added one after another. So sums that a
/// tile holds already are added to once, when the terms of this tile are
/// summed, and sums that begin here are added in parts.
SmallVector<Value> TileVectorizer::sumTerms(ArrayRef<Value> rows,
                                            Value destination) {
  constexpr int64_t kMostTerms = 48;
  Operation *combiner = findCombiner(op);
  if (!loops.row && combiner)
    return {sumInParts(readStart(destination), combiner)};
  auto readStarts = [&] {
    return llvm::map_to_vector(rows, [&](Value row) {
      enterRow(row);
      return readStart(destination);
    });
  };
  auto run = [&](Value begin, Value end, ValueRange from) {
    return llvm::to_vector_of<Value>(
        buildTerms(begin, end, 1, loops.row ? rows : ArrayRef<Value>(), from)
            .getResults());
  };
  Value begin = firstTerm ? firstTerm : constant(0);
  Value end = firstTerm ? endOfTerms : getLoopExtent(b, op, *loops.term);
  if (!combiner)
    return run(begin, end, readStarts());

  SmallVector<Value> neutral(rows.size(), buildNeutral(b, combiner, lanes));
  auto addTo = [&](SmallVector<Value> sums, ValueRange parts) {
    for (auto [sum, part] : llvm::zip_equal(sums, parts))
      sum = combine(b, combiner, sum, part);
    return sums;
  };
  if (!op.getDpsInits().front().getDefiningOp<linalg::FillOp>()) {
    SmallVector<Value> sums = run(begin, end, neutral);
    return addTo(readStarts(), sums);
  }
  std::optional<int64_t> terms = staticExtent(*loops.term);
  if (!terms || *terms <= kMostTerms)
    return run(begin, end, readStarts());
  // Parts of like size, of an even number of terms.
  int64_t numParts = llvm::divideCeil(*terms, kMostTerms);
  int64_t size = llvm::alignTo<2>(llvm::divideCeil(*terms, numParts));
  SmallVector<Value> sums = run(begin, constant(size), readStarts());
  for (int64_t part = size; part < *terms; part += size)
    sums = addTo(sums, run(constant(part),
                           constant(std::min(part + size, *terms)), neutral));
  return sums;
}

//===----------------------------------------------------------------------===//
// Blocks of rows
//===----------------------------------------------------------------------===//

/// Computes `block` rows from `firstRow` on and writes them to `destination`.
Value TileVectorizer::buildBlock(Value destination, Value firstRow,
                                 int64_t block) {
  SmallVector<Value> rows, results;
  for (int64_t i = 0; i < block; ++i)
    rows.push_back(add(firstRow, i));
  if (loops.term) {
    results = sumTerms(rows, destination);
  } else {
    for (Value row : rows) {
      enterRow(row);
      results.push_back(evaluate(readStart(destination)));
    }
  }
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [row, result] : llvm::zip_equal(rows, results)) {
    enterRow(row);
    result = buildTileChange(b, op, change, indices, lanes, result);
    destination =
        writeLanes(b, result, destination, getAccessIndices(map, indices));
  }
  return destination;
}

/// Blocks of equal size over the rows in [begin, end).
Value TileVectorizer::emitBlocks(Value destination, Value begin, Value end,
                                 int64_t block) {
  return buildTileLoop(b, begin, end, block, destination,
                       [&](Value row, Value carried) {
                         return buildBlock(carried, row, block);
                       });
}

/// Rows of a contraction in blocks that fill the registers, and evenly: 64 rows
/// are nine blocks of six and two of five, not a rest of four. A number of rows
/// that is not known is mostly a multiple of four.
Value TileVectorizer::vectorizeRows(Value destination) {
  sharedInputs = readSharedInputs(b, op, indices, loops.lane, lanes);
  if (!loops.row)
    return buildBlock(destination, constant(0), 1);
  int64_t bits = lanes * getElementType().getIntOrFloatBitWidth();
  int64_t most = loops.term ? target.getBlockRows(bits) : 1;
  std::optional<int64_t> rows = staticExtent(*loops.row);
  if (!rows) {
    Value end = getLoopExtent(b, op, *loops.row);
    most = llvm::bit_floor<uint64_t>(most);
    if (most == 1)
      return emitBlocks(destination, constant(0), end, 1);
    Value whole = b.createOrFold<arith::SubIOp>(
        end, b.createOrFold<arith::RemUIOp>(end, constant(most)));
    destination = emitBlocks(destination, constant(0), whole, most);
    return emitBlocks(destination, whole, end, 1);
  }
  if (*rows == 0)
    return destination;
  int64_t numBlocks = llvm::divideCeil(*rows, most);
  int64_t small = *rows / numBlocks;
  int64_t numLarge = *rows % numBlocks;
  Value middle = constant(numLarge * (small + 1));
  if (numLarge > 0)
    destination = emitBlocks(destination, constant(0), middle, small + 1);
  return emitBlocks(destination, middle, constant(*rows), small);
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// Registers that a row's vector takes: two, but of a contraction with few rows
/// so many that together they have sums enough to hide their latency.
int64_t TileVectorizer::getVectorsPerRow() {
  constexpr int64_t kSums = 8;
  if (!loops.term || !loops.row)
    return 2;
  int64_t rows = staticExtent(*loops.row).value_or(kSums);
  return llvm::bit_floor<uint64_t>(
      std::clamp<int64_t>(kSums / std::max<int64_t>(rows, 1), 2, kSums));
}

/// Over a last dimension of any length: vectors of falling length where it is
/// known, else vectors and then single elements.
Value TileVectorizer::vectorizeLanes(Value destination) {
  auto emit = [&](Value begin, Value end, int64_t width) {
    lanes = width;
    destination = buildTileLoop(b, begin, end, width, destination,
                                [&](Value lane, Value carried) {
                                  indices[loops.lane] = lane;
                                  return vectorizeRows(carried);
                                });
  };
  int64_t most = target.getMaxLanes(getElementType()) * getVectorsPerRow() / 2;
  std::optional<int64_t> extent = staticExtent(loops.lane);
  if (!extent) {
    Value end = getLoopExtent(b, op, loops.lane);
    Value whole = b.createOrFold<arith::SubIOp>(
        end, b.createOrFold<arith::RemUIOp>(end, constant(most)));
    emit(constant(0), whole, most);
    emit(whole, end, 1);
    return destination;
  }
  for (int64_t begin = 0; begin < *extent;) {
    int64_t width =
        std::min<int64_t>(most, llvm::bit_floor<uint64_t>(*extent - begin));
    int64_t end = begin + (*extent - begin) / width * width;
    emit(constant(begin), constant(end), width);
    begin = end;
  }
  return destination;
}

/// Whether one operand of a contraction is much and read once: so few rows are
/// multiplied with it that no tile of it comes back.
bool TileVectorizer::isReadOnce() {
  constexpr int64_t kFewRows = 8;
  if (!loops.row || !loops.term || loops.lanes != 0 || change)
    return false;
  std::optional<int64_t> rows = staticExtent(*loops.row);
  Operation *producer = op.getDpsInits().front().getDefiningOp();
  return rows && *rows <= kFewRows &&
         !isa_and_nonnull<linalg::FillOp>(producer);
}

/// Some terms at a time, each with all lanes. Terms lie one after another in
/// memory, lanes in each: so memory is read in its order, which is what
/// processors fetch ahead, and the sums between are in a cache.
Value TileVectorizer::vectorizeTerms(Value destination) {
  constexpr int64_t kTerms = 16;
  Value extent = getLoopExtent(b, op, *loops.term);
  return buildTileLoop(b, constant(0), extent, kTerms, destination,
                       [&](Value term, Value carried) {
                         firstTerm = term;
                         endOfTerms = add(term, kTerms);
                         std::optional<int64_t> terms =
                             staticExtent(*loops.term);
                         if (!terms || *terms % kTerms != 0)
                           endOfTerms =
                               arith::MinUIOp::create(b, endOfTerms, extent);
                         return vectorizeLanes(carried);
                       });
}

Value TileVectorizer::vectorize() {
  // A tile filled with a constant is overwritten, not read, and one that was
  // to be changed first is changed here.
  Value destination = op.getDpsInits().front();
  if (auto producer = destination.getDefiningOp<linalg::GenericOp>();
      producer && findFusingContraction(producer, target) == op)
    destination = producer.getDpsInits().front();
  if (auto fill = destination.getDefiningOp<linalg::FillOp>())
    destination = fill.output();
  if (isReadOnce())
    return vectorizeTerms(destination);
  return loops.lanes == 0 ? vectorizeLanes(destination)
                          : vectorizeRows(destination);
}

Value xsa::vectorizeTile(OpBuilder &builder, linalg::GenericOp op,
                         TileLoops loops, const VectorTarget &target,
                         linalg::GenericOp change) {
  return TileVectorizer(builder, op, loops, target, change).vectorize();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value xsa::scalarizeTile(OpBuilder &builder, linalg::GenericOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  SmallVector<Value> indices(op.getNumLoops());
  auto element = [&](OpOperand &operand, Value from) -> Value {
    if (!isa<RankedTensorType>(from.getType()))
      return from;
    return tensor::ExtractOp::create(
        b, from,
        getAccessIndices(op.getMatchingIndexingMap(&operand), indices));
  };
  auto innermost = [&](Value destination) -> Value {
    OpOperand &init = *op.getDpsInitOperand(0);
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands())
      mapping.map(op.getMatchingBlockArgument(input),
                  element(*input, input->get()));
    mapping.map(op.getMatchingBlockArgument(&init), element(init, destination));
    for (Operation &nested : op.getBody()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(nested))
        mapping.map(index.getResult(), indices[index.getDim()]);
      else
        b.clone(nested, mapping);
    }
    Value yielded = op.getBody()->getTerminator()->getOperand(0);
    return tensor::InsertOp::create(
        b, mapping.lookupOrDefault(yielded), destination,
        getAccessIndices(op.getMatchingIndexingMap(&init), indices));
  };
  std::function<Value(unsigned, Value)> nest = [&](unsigned dim,
                                                   Value destination) {
    if (dim == op.getNumLoops())
      return innermost(destination);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    return buildTileLoop(b, zero, getLoopExtent(b, op, dim), 1, destination,
                         [&](Value index, Value carried) {
                           indices[dim] = index;
                           return nest(dim + 1, carried);
                         });
  };
  return nest(0, op.getDpsInits().front());
}
