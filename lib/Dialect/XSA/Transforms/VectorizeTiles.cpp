//===- VectorizeTiles.cpp - Tiles of rows to vectors ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiled attention keeps one value per query row in the last dimension of its
// tiles. Here that dimension becomes a vector: contractions turn into blocks of
// sums kept in registers, with one broadcast and one multiply-add per term, and
// reductions over keys or depth are element-wise. What has another form becomes
// loops over elements.
//
//===----------------------------------------------------------------------===//

#include "ExpandExp2.h"

#include "xsa/Dialect/XSA/Transforms/Passes.h"
#include "xsa/Dialect/XSA/Transforms/TileAttention.h"
#include "xsa/Support/PassOptions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace xsa {
#define GEN_PASS_DEF_VECTORIZETILES
#include "xsa/Dialect/XSA/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// What can be vectorized
//===----------------------------------------------------------------------===//

namespace {
/// The loops of a tile operation: `lane` becomes a vector, `row` a block of
/// vectors, `term` is summed over. The last two may be absent.
struct TileLoops {
  unsigned lane;
  std::optional<unsigned> row, term;
  int64_t lanes;
};
} // namespace

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

/// How an operand is read: once per lane, once for all lanes, or in a way that
/// vectors do not have.
enum class Access { PerLane, Uniform, Unsupported };

static Access classify(Value operand, AffineMap map, unsigned lane) {
  if (!isTensor(operand) || !map.isFunctionOfDim(lane))
    return Access::Uniform;
  // Vectors of i1 have another layout in memory than tensors.
  bool isLast =
      map.getResults().back() == getAffineDimExpr(lane, map.getContext());
  bool isBool = getElementTypeOrSelf(operand.getType()).isInteger(1);
  return isLast && !isBool ? Access::PerLane : Access::Unsupported;
}

static bool hasVectorForm(Operation *op) {
  if (isa<linalg::YieldOp, linalg::IndexOp, arith::ConstantOp>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumRegions() == 0;
}

static FailureOr<TileLoops> analyze(linalg::GenericOp op, int64_t maxBits) {
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
  loops.lanes = type.getShape().back();
  if (ShapedType::isDynamic(loops.lanes) || !element.isIntOrFloat() ||
      loops.lanes * element.getIntOrFloatBitWidth() > maxBits)
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
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation() ||
        classify(operand.get(), map, loops.lane) == Access::Unsupported)
      return failure();
  }
  if (!llvm::all_of(*op.getBody(),
                    [](Operation &nested) { return hasVectorForm(&nested); }))
    return failure();
  return loops;
}

//===----------------------------------------------------------------------===//
// The body on vectors
//===----------------------------------------------------------------------===//

static Value broadcast(ImplicitLocOpBuilder &b, Value value, int64_t lanes) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, value.getType()), value);
}

/// Compare and select is one instruction on most processors, where maximumf,
/// which must propagate NaN, is several. NaN still reaches the result, through
/// the weights.
static Value buildMax(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  Value isGreater =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, lhs, rhs);
  return arith::SelectOp::create(b, isGreater, lhs, rhs);
}

/// The form of `op` on the given operands, all vectors or all scalars.
static Value buildOn(ImplicitLocOpBuilder &b, Operation *op,
                     ValueRange operands, int64_t lanes, bool contracts) {
  if (isa<arith::MaximumFOp>(op))
    return buildMax(b, operands[0], operands[1]);
  bool isVector = isa<VectorType>(operands.front().getType());
  Type element = op->getResult(0).getType();
  if (isVector && isa<math::Exp2Op>(op) && (element.isF32() || element.isF64()))
    return buildExp2(b, operands[0]);
  Type type = isVector ? VectorType::get({lanes}, element) : element;
  OperationState state(b.getLoc(), op->getName(), operands, type,
                       op->getAttrs());
  Operation *created = b.create(state);
  // A product and a sum of a contraction may become one multiply-add.
  if (auto fast = dyn_cast<arith::ArithFastMathInterface>(created);
      fast && contracts)
    created->setAttr(fast.getFastMathAttrName(),
                     arith::FastMathFlagsAttr::get(
                         b.getContext(), arith::FastMathFlags::contract));
  return created->getResult(0);
}

/// The value that the body yields. `args` are elements or vectors; scalar
/// parts of the body stay scalar. `indices` are the positions of the loops.
static Value buildBody(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                       const TileLoops &loops, ArrayRef<Value> args,
                       ArrayRef<Value> indices) {
  IRMapping mapping;
  mapping.map(op.getBody()->getArguments(), args);
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      Value position = indices[index.getDim()];
      if (index.getDim() == loops.lane)
        position = vector::StepOp::create(
            b, VectorType::get({loops.lanes}, b.getIndexType()));
      mapping.map(index.getResult(), position);
      continue;
    }
    if (nested.getNumOperands() == 0) {
      b.clone(nested, mapping);
      continue;
    }
    SmallVector<Value> operands =
        llvm::map_to_vector(nested.getOperands(), [&](Value value) {
          return mapping.lookupOrDefault(value);
        });
    bool isVector = llvm::any_of(
        operands, [](Value value) { return isa<VectorType>(value.getType()); });
    if (isVector)
      for (Value &operand : operands)
        operand = broadcast(b, operand, loops.lanes);
    mapping.map(nested.getResult(0), buildOn(b, &nested, operands, loops.lanes,
                                             loops.term.has_value()));
  }
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  return broadcast(b, mapping.lookupOrDefault(yielded), loops.lanes);
}

//===----------------------------------------------------------------------===//
// The loops around it
//===----------------------------------------------------------------------===//

/// What should be unrolled is in blocks already. The code generator's own
/// unrolling gains nothing and multiplies compile time where extents are small
/// constants.
static void forbidUnrolling(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {},
      {});
  loop->setDiscardableAttr(
      "loop_annotation",
      LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}));
}

/// A loop over [0, end) that carries `destination` through `body`.
static Value buildLoop(ImplicitLocOpBuilder &b, Value end, int64_t step,
                       Value destination,
                       llvm::function_ref<Value(Value, Value)> body) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  auto loop = scf::ForOp::create(
      b, zero, end, arith::ConstantIndexOp::create(b, step), destination);
  forbidUnrolling(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b,
                       body(loop.getInductionVar(), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

static Value getDim(ImplicitLocOpBuilder &b, Value tensor, int64_t position) {
  int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(position);
  if (!ShapedType::isDynamic(size))
    return arith::ConstantIndexOp::create(b, size);
  return tensor::DimOp::create(b, tensor, position);
}

static Value getLoopExtent(ImplicitLocOpBuilder &b, linalg::GenericOp op,
                           unsigned dim) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (auto position = map.getResultPosition(b.getAffineDimExpr(dim)))
      return getDim(b, operand.get(), *position);
  }
  llvm_unreachable("every loop of a generic is in some map");
}

static SmallVector<Value> accessIndices(AffineMap map,
                                        ArrayRef<Value> indices) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return indices[cast<AffineDimExpr>(expr).getPosition()];
  });
}

namespace {
class TileVectorizer {
public:
  TileVectorizer(OpBuilder &builder, linalg::GenericOp op, TileLoops loops,
                 int64_t maxBlock)
      : b(op.getLoc(), builder), op(op), loops(loops), maxBlock(maxBlock) {}

  Value vectorize();

private:
  std::optional<int64_t> staticExtent(unsigned dim);
  Value read(OpOperand *operand, Value from, ArrayRef<Value> indices);
  Value evaluate(ArrayRef<Value> indices, Value accumulator);
  Value buildBlock(Value destination, Value firstRow, int64_t block);
  SmallVector<Value> sumTerms(ArrayRef<Value> rows,
                              SmallVector<Value> accumulators);
  bool readsInit();

  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  TileLoops loops;
  int64_t maxBlock;
};
} // namespace

std::optional<int64_t> TileVectorizer::staticExtent(unsigned dim) {
  int64_t size = op.getStaticLoopRanges()[dim];
  if (ShapedType::isDynamic(size))
    return std::nullopt;
  return size;
}

bool TileVectorizer::readsInit() {
  return !op.getBody()->getArguments().back().use_empty();
}

/// The element or the vector of `operand` at `indices`, taken from `from`.
Value TileVectorizer::read(OpOperand *operand, Value from,
                           ArrayRef<Value> indices) {
  if (!isTensor(from))
    return from;
  // A tile filled with a constant need not be read.
  if (auto fill = from.getDefiningOp<linalg::FillOp>())
    return fill.value();
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<Value> position = accessIndices(map, indices);
  if (classify(from, map, loops.lane) == Access::Uniform)
    return tensor::ExtractOp::create(b, from, position);
  auto type =
      VectorType::get({loops.lanes}, getElementTypeOrSelf(from.getType()));
  return vector::TransferReadOp::create(b, type, from, position,
                                        /*padding=*/std::nullopt,
                                        ArrayRef<bool>{true});
}

Value TileVectorizer::evaluate(ArrayRef<Value> indices, Value accumulator) {
  SmallVector<Value> args;
  for (OpOperand *input : op.getDpsInputOperands())
    args.push_back(read(input, input->get(), indices));
  args.push_back(accumulator);
  return buildBody(b, op, loops, args, indices);
}

/// Runs the sum for a block of rows, its vectors carried by the loop.
SmallVector<Value> TileVectorizer::sumTerms(ArrayRef<Value> rows,
                                            SmallVector<Value> accumulators) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(b, zero, getLoopExtent(b, op, *loops.term),
                                 one, accumulators);
  forbidUnrolling(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> indices(op.getNumLoops(), zero);
  indices[*loops.term] = loop.getInductionVar();
  SmallVector<Value> next;
  for (auto [row, accumulator] :
       llvm::zip_equal(rows, loop.getRegionIterArgs())) {
    if (loops.row)
      indices[*loops.row] = row;
    next.push_back(evaluate(indices, accumulator));
  }
  scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

/// Computes `block` rows from `firstRow` on and writes them to `destination`.
Value TileVectorizer::buildBlock(Value destination, Value firstRow,
                                 int64_t block) {
  OpOperand *init = op.getDpsInitOperand(0);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> rows, results;
  for (int64_t i = 0; i < block; ++i)
    rows.push_back(
        i == 0 ? firstRow
               : arith::AddIOp::create(b, firstRow,
                                       arith::ConstantIndexOp::create(b, i)));
  bool isFilled = init->get().getDefiningOp<linalg::FillOp>() != nullptr;
  SmallVector<Value> indices(op.getNumLoops(), zero), accumulators;
  for (Value row : rows) {
    if (loops.row)
      indices[*loops.row] = row;
    Value start =
        readsInit() || loops.term
            ? read(init, isFilled ? init->get() : destination, indices)
            : Value();
    if (start)
      start = broadcast(b, start, loops.lanes);
    accumulators.push_back(start);
  }
  if (loops.term) {
    results = sumTerms(rows, accumulators);
  } else {
    for (auto [row, accumulator] : llvm::zip_equal(rows, accumulators)) {
      if (loops.row)
        indices[*loops.row] = row;
      results.push_back(evaluate(indices, accumulator));
    }
  }
  AffineMap map = op.getMatchingIndexingMap(init);
  for (auto [row, result] : llvm::zip_equal(rows, results)) {
    if (loops.row)
      indices[*loops.row] = row;
    destination = vector::TransferWriteOp::create(b, result, destination,
                                                  accessIndices(map, indices),
                                                  ArrayRef<bool>{true})
                      .getResult();
  }
  return destination;
}

Value TileVectorizer::vectorize() {
  // A tile filled with a constant is overwritten, not read.
  Value destination = op.getDpsInitOperand(0)->get();
  if (auto fill = destination.getDefiningOp<linalg::FillOp>())
    destination = fill.output();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  if (!loops.row)
    return buildBlock(destination, zero, 1);

  // Rows in equal blocks, then those that remain.
  std::optional<int64_t> numRows = staticExtent(*loops.row);
  int64_t block = numRows ? std::min(maxBlock, *numRows) : 1;
  if (block == 0)
    return destination;
  int64_t rest = numRows ? *numRows % block : 0;
  Value end =
      numRows ? arith::ConstantIndexOp::create(b, *numRows - rest).getResult()
              : getLoopExtent(b, op, *loops.row);
  destination =
      buildLoop(b, end, block, destination, [&](Value row, Value carried) {
        return buildBlock(carried, row, block);
      });
  return rest == 0 ? destination : buildBlock(destination, end, rest);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// Fills row by row.
static LogicalResult vectorizeFill(RewriterBase &rewriter, linalg::FillOp op,
                                   int64_t maxBits) {
  auto type = dyn_cast<RankedTensorType>(op.output().getType());
  if (!type || type.getRank() == 0 || type.getRank() > 2 ||
      ShapedType::isDynamic(type.getShape().back()) ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementType().isInteger(1))
    return failure();
  int64_t lanes = type.getShape().back();
  if (lanes * type.getElementTypeBitWidth() > maxBits)
    return failure();
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value value = broadcast(b, op.value(), lanes);
  auto write = [&](ValueRange indices, Value destination) {
    return vector::TransferWriteOp::create(b, value, destination, indices,
                                           ArrayRef<bool>{true})
        .getResult();
  };
  Value filled = type.getRank() == 1
                     ? write(zero, op.output())
                     : buildLoop(b, getDim(b, op.output(), 0), 1, op.output(),
                                 [&](Value row, Value destination) {
                                   return write({row, zero}, destination);
                                 });
  rewriter.replaceOp(op, filled);
  return success();
}

/// Element by element: copies that transpose, tiles of masks.
static LogicalResult scalarize(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics())
    return failure();
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  SmallVector<Value> indices(op.getNumLoops());
  auto element = [&](OpOperand &operand, Value from) -> Value {
    if (!isTensor(from))
      return from;
    return tensor::ExtractOp::create(
        b, from, accessIndices(op.getMatchingIndexingMap(&operand), indices));
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
        accessIndices(op.getMatchingIndexingMap(&init), indices));
  };
  std::function<Value(unsigned, Value)> nest = [&](unsigned dim,
                                                   Value destination) {
    if (dim == op.getNumLoops())
      return innermost(destination);
    return buildLoop(b, getLoopExtent(b, op, dim), 1, destination,
                     [&](Value index, Value carried) {
                       indices[dim] = index;
                       return nest(dim + 1, carried);
                     });
  };
  rewriter.replaceOp(op, nest(0, op.getDpsInits().front()));
  return success();
}

/// Makes the scratch tensors of tiles allocations. They lie outside the loops
/// over keys and hold one thing each; as `tensor.empty`, equal ones would be
/// merged, and bufferization would have to make new ones inside the loops.
static void allocateScratch(RewriterBase &rewriter,
                            ArrayRef<linalg::LinalgOp> tileOps) {
  llvm::SetVector<tensor::EmptyOp> scratch;
  for (linalg::LinalgOp op : tileOps)
    for (Value init : op.getDpsInits())
      if (auto empty = init.getDefiningOp<tensor::EmptyOp>())
        scratch.insert(empty);
  for (tensor::EmptyOp empty : scratch) {
    rewriter.setInsertionPoint(empty);
    rewriter.replaceOpWithNewOp<bufferization::AllocTensorOp>(
        empty, empty.getType(), empty.getDynamicSizes());
  }
}

static void vectorize(RewriterBase &rewriter, linalg::GenericOp op,
                      int64_t maxBits, int64_t maxBlock,
                      llvm::function_ref<void()> count) {
  FailureOr<TileLoops> loops = analyze(op, maxBits);
  if (failed(loops)) {
    (void)scalarize(rewriter, op);
    return;
  }
  rewriter.setInsertionPoint(op);
  // Sums want a block of rows in registers; single values come one by one.
  int64_t block = loops->term ? maxBlock : 1;
  rewriter.replaceOp(op,
                     TileVectorizer(rewriter, op, *loops, block).vectorize());
  count();
}

/// Folds reads of what was just written, so that values per row pass from step
/// to step as vectors, then lets the loops over keys carry them.
static LogicalResult keepInRegisters(RewriterBase &rewriter, Operation *root) {
  RewritePatternSet patterns(root->getContext());
  vector::TransferReadOp::getCanonicalizationPatterns(patterns,
                                                      root->getContext());
  vector::TransferWriteOp::getCanonicalizationPatterns(patterns,
                                                       root->getContext());
  populatePolynomialApproximateTanhPattern(patterns);
  if (failed(applyPatternsGreedily(root, std::move(patterns))))
    return failure();
  DominanceInfo dominance(root);
  eliminateCommonSubExpressions(rewriter, dominance, root);
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    (void)hoistLoopInvariantSubsets(rewriter, loop);
  return success();
}

namespace {
struct VectorizeTiles : public xsa::impl::VectorizeTilesBase<VectorizeTiles> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(checkVectorBits(context, vectorBits)))
      return failure();
    return checkOption(context, "block-rows", blockRows, 0, 64);
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // A tile has two vectors of rows.
    int64_t maxBits = 2 * vectorBits;
    int64_t maxBlock = blockRows != 0 ? blockRows : (vectorBits >= 512 ? 8 : 4);
    SmallVector<linalg::LinalgOp> tileOps;
    SmallVector<linalg::GenericOp> generics;
    SmallVector<linalg::FillOp> fills;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!op->hasAttr(kTileAttrName))
        return;
      tileOps.push_back(op);
      if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation()))
        generics.push_back(generic);
      else if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
        fills.push_back(fill);
    });
    allocateScratch(rewriter, tileOps);
    for (linalg::GenericOp op : generics)
      vectorize(rewriter, op, maxBits, maxBlock, [&] { ++numVectorized; });
    // Fills last: what reads them takes their constant.
    for (linalg::FillOp op : fills) {
      if (op->use_empty())
        rewriter.eraseOp(op);
      else
        (void)vectorizeFill(rewriter, op, maxBits);
    }
    if (!generics.empty() && failed(keepInRegisters(rewriter, getOperation())))
      signalPassFailure();
  }
};
} // namespace
