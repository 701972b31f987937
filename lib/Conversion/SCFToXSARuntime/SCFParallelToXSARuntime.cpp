//===- SCFParallelToXSARuntime.cpp - Parallel loops as runtime calls ------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream lowers parallel loops to OpenMP, which brings its own threads into
// processes that already have some. Here a loop's body becomes a function and
// whoever runs the compiled code decides on which threads it runs.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/SCFToXSARuntime/Passes.h"
#include "xsa/Support/EqualRegions.h"
#include "xsa/Support/StackScope.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace xsa {
#define GEN_PASS_DEF_CONVERTSCFPARALLELTOXSARUNTIMEPASS
#include "xsa/Conversion/SCFToXSARuntime/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

//===----------------------------------------------------------------------===//
// The two kinds of parallel loops seen alike
//===----------------------------------------------------------------------===//

namespace {
/// Bounds and body of an `scf.forall` or `scf.parallel`.
struct ParallelLoop {
  Operation *op;
  SmallVector<OpFoldResult> lower, upper, step;

  Block *getBody() { return &op->getRegion(0).front(); }
  unsigned getNumDims() { return lower.size(); }
  int64_t getGrain() {
    auto attr = op->getAttrOfType<IntegerAttr>(kGrainAttrName);
    return attr ? attr.getInt() : 1;
  }
};
} // namespace

static ParallelLoop describe(Operation *op) {
  if (auto forall = dyn_cast<scf::ForallOp>(op))
    return {op, forall.getMixedLowerBound(), forall.getMixedUpperBound(),
            forall.getMixedStep()};
  auto parallel = cast<scf::ParallelOp>(op);
  return {op, getAsOpFoldResult(parallel.getLowerBound()),
          getAsOpFoldResult(parallel.getUpperBound()),
          getAsOpFoldResult(parallel.getStep())};
}

static bool isParallelLoop(Operation *op) {
  return isa<scf::ForallOp, scf::ParallelOp>(op);
}

/// The number of iterations, where it is known.
static std::optional<int64_t> getStaticCount(ParallelLoop &loop) {
  int64_t count = 1;
  for (auto [lower, upper, step] :
       llvm::zip_equal(loop.lower, loop.upper, loop.step)) {
    std::optional<int64_t> l = getConstantIntValue(lower);
    std::optional<int64_t> u = getConstantIntValue(upper);
    std::optional<int64_t> s = getConstantIntValue(step);
    if (!l || !u || !s || *s <= 0)
      return std::nullopt;
    count *= *u > *l ? llvm::divideCeil(*u - *l, *s) : 0;
  }
  return count;
}

/// Clones the body without its terminator, in place of whose iteration
/// variables stand `ivs`. Stack memory of a size that is known goes to `head`:
/// an iteration of a serial loop does not give it back.
static void cloneBody(OpBuilder &builder, OpBuilder head, ParallelLoop &loop,
                      ValueRange ivs, IRMapping &mapping) {
  mapping.map(loop.getBody()->getArguments().take_front(loop.getNumDims()),
              ivs);
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isStackMemory = isa<memref::AllocaOp>(op) && op.getNumOperands() == 0;
    (isStackMemory ? head : builder).clone(op, mapping);
  }
}

/// Replaces the loop by a nest of `scf.for`.
static void makeSerial(ParallelLoop &loop) {
  OpBuilder builder(loop.op);
  Location loc = loop.op->getLoc();
  SmallVector<Value> ivs;
  for (unsigned d = 0; d < loop.getNumDims(); ++d) {
    auto value = [&](OpFoldResult bound) {
      return getValueOrCreateConstantIndexOp(builder, loc, bound);
    };
    auto forOp = scf::ForOp::create(builder, loc, value(loop.lower[d]),
                                    value(loop.upper[d]), value(loop.step[d]));
    ivs.push_back(forOp.getInductionVar());
    builder.setInsertionPointToStart(forOp.getBody());
  }
  IRMapping mapping;
  cloneBody(builder, getStackHead(loop.op->getParentRegion()), loop, ivs,
            mapping);
  loop.op->erase();
}

//===----------------------------------------------------------------------===//
// Outlining
//===----------------------------------------------------------------------===//

namespace {
/// Outlines the parallel loops of one module.
class Outliner {
public:
  explicit Outliner(ModuleOp module)
      : module(module), symbols(module), converter(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        index(IndexType::get(module.getContext())) {}

  LogicalResult outline(ParallelLoop &loop);

private:
  func::FuncOp declareRuntime();
  LogicalResult findCaptures(ParallelLoop &loop);
  Value packCaptures(OpBuilder &builder, ParallelLoop &loop);
  func::FuncOp createBody(ParallelLoop &loop);
  func::FuncOp shareBody(func::FuncOp body);
  SmallVector<Value> countPerDim(OpBuilder &builder, ParallelLoop &loop);

  ModuleOp module;
  SymbolTable symbols;
  LLVMTypeConverter converter;
  Type pointer, index;
  func::FuncOp runtime;
  EqualRegions bodies;

  // Of the loop at hand: what its body uses from outside, as values to pass
  // and as constants to repeat.
  SmallVector<Value> captures;
  SmallVector<Operation *> constants;
  LLVM::LLVMStructType contextType;
};
} // namespace

/// `xsa_parallel_for(count, grain, body, context)`.
func::FuncOp Outliner::declareRuntime() {
  if (!runtime) {
    OpBuilder builder(module.getBodyRegion());
    runtime = func::FuncOp::create(
        builder, module.getLoc(), "xsa_parallel_for",
        builder.getFunctionType({index, index, pointer, pointer}, {}));
    runtime.setPrivate();
    symbols.insert(runtime);
  }
  return runtime;
}

LogicalResult Outliner::findCaptures(ParallelLoop &loop) {
  captures.clear();
  constants.clear();
  SetVector<Value> used;
  getUsedValuesDefinedAbove(loop.op->getRegions(), used);
  // The bounds are needed again to compute an iteration's position.
  for (ArrayRef<OpFoldResult> bounds :
       {ArrayRef(loop.lower), ArrayRef(loop.upper), ArrayRef(loop.step)})
    for (OpFoldResult bound : bounds)
      if (auto value = dyn_cast<Value>(bound))
        used.insert(value);

  SmallVector<Type> types;
  for (Value value : used) {
    Operation *def = value.getDefiningOp();
    if (def && (def->hasTrait<OpTrait::ConstantLike>() ||
                isa<memref::GetGlobalOp, ub::PoisonOp>(def))) {
      constants.push_back(def);
      continue;
    }
    Type type = converter.convertType(value.getType());
    if (!type)
      return loop.op->emitError("cannot run this loop in parallel: it uses a "
                                "value of type ")
             << value.getType() << " from outside";
    captures.push_back(value);
    types.push_back(type);
  }
  contextType = LLVM::LLVMStructType::getLiteral(module.getContext(), types);
  return success();
}

/// Stores the captures in a struct at the head of the function, so that a loop
/// around this one does not grow the stack.
Value Outliner::packCaptures(OpBuilder &builder, ParallelLoop &loop) {
  Location loc = loop.op->getLoc();
  auto function = loop.op->getParentOfType<func::FuncOp>();
  OpBuilder head(&function.getBody().front(),
                 function.getBody().front().begin());
  Value one = LLVM::ConstantOp::create(head, loc, head.getI64Type(), 1);
  Value context = LLVM::AllocaOp::create(head, loc, pointer, contextType, one);
  for (auto [i, value] : llvm::enumerate(captures)) {
    Type type = contextType.getBody()[i];
    Value field =
        LLVM::GEPOp::create(builder, loc, pointer, contextType, context,
                            ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    if (type != value.getType())
      value = UnrealizedConversionCastOp::create(builder, loc, type, value)
                  .getResult(0);
    LLVM::StoreOp::create(builder, loc, value, field);
  }
  return context;
}

/// The trip count of each dimension.
SmallVector<Value> Outliner::countPerDim(OpBuilder &builder,
                                         ParallelLoop &loop) {
  Location loc = loop.op->getLoc();
  SmallVector<Value> counts;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (unsigned d = 0; d < loop.getNumDims(); ++d) {
    auto value = [&](OpFoldResult bound) {
      return getValueOrCreateConstantIndexOp(builder, loc, bound);
    };
    Value range = arith::SubIOp::create(builder, loc, value(loop.upper[d]),
                                        value(loop.lower[d]));
    Value count =
        arith::CeilDivSIOp::create(builder, loc, range, value(loop.step[d]));
    counts.push_back(arith::MaxSIOp::create(builder, loc, count, zero));
  }
  return counts;
}

/// `func(begin, end, context)`: unpacks the context and runs the iterations.
func::FuncOp Outliner::createBody(ParallelLoop &loop) {
  Location loc = loop.op->getLoc();
  auto parent = loop.op->getParentOfType<func::FuncOp>();
  OpBuilder builder(parent);
  auto function = func::FuncOp::create(
      builder, loc, (parent.getName() + "_parallel").str(),
      builder.getFunctionType({index, index, pointer}, {}));
  function.setPrivate();
  symbols.insert(function, Block::iterator(parent));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);

  IRMapping mapping;
  for (Operation *op : constants)
    builder.clone(*op, mapping);
  Value context = entry->getArgument(2);
  for (auto [i, value] : llvm::enumerate(captures)) {
    Type type = contextType.getBody()[i];
    Value field =
        LLVM::GEPOp::create(builder, loc, pointer, contextType, context,
                            ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
    Value loaded = LLVM::LoadOp::create(builder, loc, type, field);
    if (type != value.getType())
      loaded = UnrealizedConversionCastOp::create(builder, loc, value.getType(),
                                                  loaded)
                   .getResult(0);
    mapping.map(value, loaded);
  }

  ParallelLoop inner = loop;
  for (SmallVector<OpFoldResult> *bounds :
       {&inner.lower, &inner.upper, &inner.step})
    for (OpFoldResult &bound : *bounds)
      if (auto value = dyn_cast<Value>(bound))
        bound = mapping.lookup(value);
  SmallVector<Value> counts = countPerDim(builder, inner);

  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto forOp = scf::ForOp::create(builder, loc, entry->getArgument(0),
                                  entry->getArgument(1), one);
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPointToStart(forOp.getBody());
  // The last dimension varies fastest.
  Value rest = forOp.getInductionVar();
  SmallVector<Value> ivs(loop.getNumDims());
  for (unsigned d = loop.getNumDims(); d-- > 0;) {
    Value position = rest;
    if (d > 0) {
      position = arith::RemUIOp::create(builder, loc, rest, counts[d]);
      rest = arith::DivUIOp::create(builder, loc, rest, counts[d]);
    }
    Value step = getValueOrCreateConstantIndexOp(builder, loc, inner.step[d]);
    Value lower = getValueOrCreateConstantIndexOp(builder, loc, inner.lower[d]);
    ivs[d] = arith::AddIOp::create(
        builder, loc, lower,
        arith::MulIOp::create(builder, loc, position, step));
  }
  cloneBody(builder, OpBuilder(entry, entry->begin()), inner, ivs, mapping);
  return function;
}

/// An earlier function that does the same as `body`, which is erased then, or
/// `body` itself.
func::FuncOp Outliner::shareBody(func::FuncOp body) {
  auto shared = cast<func::FuncOp>(bodies.findOrAdd(body));
  if (shared != body)
    symbols.erase(body);
  return shared;
}

LogicalResult Outliner::outline(ParallelLoop &loop) {
  if (failed(findCaptures(loop)))
    return failure();
  Location loc = loop.op->getLoc();
  func::FuncOp body = shareBody(createBody(loop));
  OpBuilder builder(loop.op);
  Value context = packCaptures(builder, loop);
  Value function = func::ConstantOp::create(
      builder, loc, body.getFunctionType(), body.getSymName());
  function = UnrealizedConversionCastOp::create(builder, loc, pointer, function)
                 .getResult(0);
  Value count = arith::ConstantIndexOp::create(builder, loc, 1);
  for (Value dim : countPerDim(builder, loop))
    count = arith::MulIOp::create(builder, loc, count, dim);
  Value grain = arith::ConstantIndexOp::create(builder, loc, loop.getGrain());
  func::CallOp::create(builder, loc, declareRuntime(),
                       ValueRange{count, grain, function, context});
  loop.op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertSCFParallelToXSARuntime
    : public xsa::impl::ConvertSCFParallelToXSARuntimePassBase<
          ConvertSCFParallelToXSARuntime> {
  using Base::Base;

  void runOnOperation() override {
    // Inner loops first: they become serial before the outer one is cloned.
    SmallVector<Operation *> nested, outermost;
    getOperation().walk([&](Operation *op) {
      if (!isParallelLoop(op))
        return;
      bool inner = op->getParentOfType<scf::ForallOp>() ||
                   op->getParentOfType<scf::ParallelOp>();
      (inner ? nested : outermost).push_back(op);
    });
    for (Operation *op : nested)
      if (op->getNumResults() == 0)
        serialize(op);

    Outliner outliner(getOperation());
    for (Operation *op : outermost) {
      ParallelLoop loop = describe(op);
      std::optional<int64_t> count = getStaticCount(loop);
      if (op->getNumResults() != 0) {
        // Upstream's serial lowering knows reductions; tensors are refused
        // there.
        ++numSerial;
        continue;
      }
      if ((count && *count <= loop.getGrain()) ||
          !op->getParentOfType<func::FuncOp>()) {
        serialize(op);
        continue;
      }
      if (failed(outliner.outline(loop)))
        return signalPassFailure();
      ++numOutlined;
    }
  }

private:
  void serialize(Operation *op) {
    ParallelLoop loop = describe(op);
    makeSerial(loop);
    ++numSerial;
  }
};
} // namespace
