//===- StageKernelBuffers.cpp - Host buffers on their way to a GPU --------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are launched on memrefs of the host as if there were one memory. This
// gives each launch copies on the device, made before it and copied back after
// it as far as the kernel needs them.
//
//===----------------------------------------------------------------------===//

#include "xsa/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

namespace xsa {
#define GEN_PASS_DEF_STAGEKERNELBUFFERSPASS
#include "xsa/Transforms/Passes.h.inc"
} // namespace xsa

using namespace mlir;

static constexpr StringLiteral kAccessName = "xsa.access";

namespace {
/// What kernels of a launch do with a buffer.
struct Access {
  bool reads = false;
  bool writes = false;
};

/// A buffer of the host and its copies.
struct Stage {
  Access access;
  /// The host's memory, contiguous: the buffer itself or a copy.
  Value host;
  Value device;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is to be staged
//===----------------------------------------------------------------------===//

/// The memref that a chain of views begins at.
static Value getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// A memref that is on the device already.
static bool isOnDevice(Value root) {
  return root.getDefiningOp<gpu::AllocOp>() != nullptr;
}

/// Contents that nobody may write.
static bool isConstant(Value root) {
  auto get = root.getDefiningOp<memref::GetGlobalOp>();
  if (!get)
    return false;
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      get, get.getNameAttr());
  return global && global.getConstant();
}

/// Position of each operand among the kernel's arguments: in the LLVM dialect a
/// memref has become pointers, an offset, sizes and strides.
static SmallVector<unsigned> getArgumentPositions(gpu::LaunchFuncOp launch,
                                                  FunctionOpInterface kernel) {
  bool isExpanded = kernel.getNumArguments() != launch.getNumKernelOperands();
  SmallVector<unsigned> positions;
  unsigned next = 0;
  for (Value operand : launch.getKernelOperands()) {
    positions.push_back(next);
    auto type = dyn_cast<MemRefType>(operand.getType());
    next += type && isExpanded ? 3 + 2 * type.getRank() : 1;
  }
  return positions;
}

/// What the kernel says of its arguments; nothing said means both.
static FailureOr<Access> getAccess(FunctionOpInterface kernel,
                                   unsigned position) {
  if (position >= kernel.getNumArguments())
    return Access{true, true};
  auto name = kernel.getArgAttrOfType<StringAttr>(position, kAccessName);
  if (!name)
    return Access{true, true};
  Access access{name.getValue() != "write", name.getValue() != "read"};
  if (access.reads && access.writes && name.getValue() != "read_write")
    return kernel->emitOpError("expected \"read\", \"write\" or "
                               "\"read_write\" in '")
           << kAccessName << "' of argument " << position << ", got " << name;
  return access;
}

using Stages = llvm::MapVector<Value, Stage>;

/// The buffers of the host that a launch needs.
static FailureOr<Stages> collectStages(gpu::LaunchFuncOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      launch, launch.getKernel());
  if (!kernel) {
    launch.emitOpError("there is no kernel ") << launch.getKernel();
    return failure();
  }
  SmallVector<unsigned> positions = getArgumentPositions(launch, kernel);
  Stages stages;
  for (auto [operand, position] :
       llvm::zip_equal(launch.getKernelOperands(), positions)) {
    if (!isa<BaseMemRefType>(operand.getType()))
      continue;
    Value root = getRoot(operand);
    if (isOnDevice(root))
      continue;
    auto type = dyn_cast<MemRefType>(root.getType());
    if (!type) {
      launch.emitOpError("expected buffers with a rank, got ")
          << root.getType();
      return failure();
    }
    FailureOr<Access> access = getAccess(kernel, position);
    if (failed(access))
      return failure();
    Access &all = stages[root].access;
    // What a view leaves out has to survive the copy back.
    all.reads |= access->reads || root != operand;
    all.writes |= access->writes && !isConstant(root);
  }
  return stages;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static SmallVector<Value> getDynamicSizes(OpBuilder &builder, Location loc,
                                          Value buffer) {
  SmallVector<Value> sizes;
  auto type = cast<MemRefType>(buffer.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(builder.createOrFold<memref::DimOp>(loc, buffer, dim));
  return sizes;
}

/// Operations on the device, each after the one before.
namespace {
class Stream {
public:
  Stream(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc),
        tokenType(gpu::AsyncTokenType::get(builder.getContext())),
        token(gpu::WaitOp::create(builder, loc, tokenType, ValueRange())
                  .getAsyncToken()) {}

  Value allocate(MemRefType type, ValueRange sizes) {
    auto op = gpu::AllocOp::create(builder, loc, type, tokenType, token, sizes,
                                   /*symbolOperands=*/ValueRange());
    token = op.getAsyncToken();
    return op.getMemref();
  }
  void copy(Value to, Value from) {
    token = gpu::MemcpyOp::create(builder, loc, tokenType, token, to, from)
                .getAsyncToken();
  }
  void release(Value buffer) {
    token = gpu::DeallocOp::create(builder, loc, tokenType, token, buffer)
                .getAsyncToken();
  }
  void wait() { gpu::WaitOp::create(builder, loc, Type(), token); }

private:
  OpBuilder &builder;
  Location loc;
  Type tokenType;
  Value token;
};
} // namespace

/// Copies go between contiguous memory only.
static void makeContiguous(OpBuilder &builder, Location loc, Value root,
                           Stage &stage) {
  auto type = cast<MemRefType>(root.getType());
  stage.host = root;
  if (type.getLayout().isIdentity())
    return;
  auto contiguous = MemRefType::get(type.getShape(), type.getElementType());
  stage.host = memref::AllocOp::create(builder, loc, contiguous,
                                       getDynamicSizes(builder, loc, root));
  if (stage.access.reads)
    memref::CopyOp::create(builder, loc, root, stage.host);
}

/// The operand's views, on the device's buffer.
static FailureOr<Value> rebuildViews(OpBuilder &builder, Value operand,
                                     Value root, Value device) {
  SmallVector<Operation *> views;
  for (Value value = operand; value != root;
       value = cast<ViewLikeOpInterface>(value.getDefiningOp()).getViewSource())
    views.push_back(value.getDefiningOp());
  if (device.getType() != root.getType()) {
    if (!memref::CastOp::areCastCompatible(device.getType(), root.getType()))
      return failure();
    device = memref::CastOp::create(builder, operand.getLoc(), root.getType(),
                                    device);
  }
  IRMapping mapping;
  mapping.map(root, device);
  for (Operation *view : llvm::reverse(views))
    builder.clone(*view, mapping);
  return mapping.lookup(operand);
}

static LogicalResult stageLaunch(gpu::LaunchFuncOp launch) {
  FailureOr<Stages> stages = collectStages(launch);
  if (failed(stages))
    return failure();
  if (stages->empty())
    return success();
  if (launch.getAsyncToken() || !launch.getAsyncDependencies().empty())
    return launch.emitOpError("has an async token, but buffers of the host: "
                              "expected buffers of gpu.alloc");
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  for (auto &[root, stage] : *stages)
    makeContiguous(builder, loc, root, stage);
  Stream before(builder, loc);
  for (auto &[root, stage] : *stages) {
    auto type = cast<MemRefType>(stage.host.getType());
    stage.device =
        before.allocate(MemRefType::get(type.getShape(), type.getElementType()),
                        getDynamicSizes(builder, loc, stage.host));
    if (stage.access.reads)
      before.copy(stage.device, stage.host);
  }
  before.wait();
  for (OpOperand &operand : launch->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    Value root = getRoot(operand.get());
    auto *found = stages->find(root);
    if (found == stages->end())
      continue;
    FailureOr<Value> staged =
        rebuildViews(builder, operand.get(), root, found->second.device);
    if (failed(staged))
      return launch.emitOpError("cannot copy a buffer of type ")
             << root.getType() << " to the device: its strides are static and "
             << "not those of contiguous memory";
    operand.set(*staged);
  }

  builder.setInsertionPointAfter(launch);
  Stream after(builder, loc);
  for (auto &[root, stage] : *stages) {
    if (stage.access.writes)
      after.copy(stage.host, stage.device);
    after.release(stage.device);
  }
  after.wait();
  for (auto &[root, stage] : *stages) {
    if (stage.host == root)
      continue;
    if (stage.access.writes)
      memref::CopyOp::create(builder, loc, stage.host, root);
    memref::DeallocOp::create(builder, loc, stage.host);
  }
  return success();
}

namespace {
struct StageKernelBuffers
    : public xsa::impl::StageKernelBuffersPassBase<StageKernelBuffers> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<gpu::LaunchFuncOp> launches;
    getOperation().walk(
        [&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
    for (gpu::LaunchFuncOp launch : launches)
      if (failed(stageLaunch(launch)))
        return signalPassFailure();
  }
};
} // namespace
