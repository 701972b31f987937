//===- SimplifyScatters.cpp - Scatters at known positions to slices -------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters to ONNX and TOSA write an assignment to a slice, `x[..., :8] = y`,
// as a scatter whose indices are computed from constants. As a scatter it hides
// which element goes where from every analysis; as an insertion it does not.
//
//===----------------------------------------------------------------------===//

#include "xsa/Analysis/ConstantEvaluator.h"
#include "xsa/Analysis/TensorView.h"
#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"
#include "xsa/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <numeric>

namespace xsa {
#define GEN_PASS_DEF_SIMPLIFYSCATTERS
#include "xsa/Conversion/ImportToLinalg/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;
using tm_tensor::ScatterOp;

namespace {

/// A slice of a tensor of `extents`, in row-major order.
struct Box {
  SmallVector<int64_t> extents, offsets, sizes;
};

/// A scatter and where its updates go, over the leading dimensions of the
/// original.
struct KnownScatter {
  ScatterOp op;
  Box box;
};
} // namespace

static int64_t product(ArrayRef<int64_t> factors) {
  return std::accumulate(factors.begin(), factors.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// The digits of `number` in the mixed radix of `extents`.
static SmallVector<int64_t> delinearize(int64_t number,
                                        ArrayRef<int64_t> extents) {
  SmallVector<int64_t> digits(extents.size());
  for (unsigned i = extents.size(); i-- > 0; number /= extents[i])
    digits[i] = number % extents[i];
  return digits;
}

/// The box that `positions` run through one after the other, if they do.
static std::optional<Box> findBox(ArrayRef<int64_t> positions,
                                  ArrayRef<int64_t> extents) {
  Box box;
  box.extents.assign(extents.begin(), extents.end());
  box.offsets = delinearize(positions.front(), extents);
  SmallVector<int64_t> last = delinearize(positions.back(), extents);
  for (auto [begin, end] : llvm::zip_equal(box.offsets, last)) {
    if (end < begin)
      return std::nullopt;
    box.sizes.push_back(end - begin + 1);
  }
  if (product(box.sizes) != static_cast<int64_t>(positions.size()))
    return std::nullopt;
  for (auto [number, position] : llvm::enumerate(positions)) {
    int64_t expected = 0;
    for (auto [digit, offset, extent] :
         llvm::zip_equal(delinearize(number, box.sizes), box.offsets, extents))
      expected = expected * extent + offset + digit;
    if (position != expected)
      return std::nullopt;
  }
  return box;
}

/// Extents, `total` in all, in which arithmetic progressions of progressions
/// are a box: each stride is the size of what lies inside its dimension.
static std::optional<SmallVector<int64_t>>
splitByStrides(ArrayRef<int64_t> positions, int64_t total) {
  SmallVector<int64_t> extents, rest(positions);
  int64_t inner = 1;
  while (rest.size() > 1) {
    int64_t stride = rest[1] - rest[0];
    if (stride < inner || stride % inner != 0)
      return std::nullopt;
    if (stride > inner)
      extents.insert(extents.begin(), stride / inner);
    inner = stride;
    size_t run = 1;
    while (run < rest.size() && rest[run] - rest[run - 1] == stride)
      ++run;
    SmallVector<int64_t> starts;
    for (size_t i = 0; i < rest.size(); i += run)
      starts.push_back(rest[i]);
    rest = std::move(starts);
  }
  if (total % inner != 0)
    return std::nullopt;
  extents.insert(extents.begin(), total / inner);
  return extents;
}

/// Whether the scatter overwrites, has static shapes, and its updates are
/// whole elements of the dimensions that the indices name (the leading ones).
static bool isOverwriteOfWholeElements(ScatterOp op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  Block &body = op.getRegion().front();
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      body.getTerminator()->getOperand(0) != body.getArgument(0))
    return false;
  ArrayRef<int64_t> original = op.getOriginalType().getShape();
  ArrayRef<int64_t> updates = op.getUpdatesType().getShape();
  int64_t depth = op.getIndexDepth();
  return llvm::all_of(op.getDimensionMap(),
                      [&](int64_t d) { return d < depth; }) &&
         updates.drop_front() == original.drop_front(depth) &&
         updates.front() > 0 && product(original) > 0;
}

/// The linear position of each update over the leading dimensions, if all are
/// known and inside.
static std::optional<SmallVector<int64_t>>
evaluatePositions(ScatterOp op, ConstantEvaluator &evaluator) {
  const ConstantTensor *indices = evaluator.get(op.getIndices());
  if (!indices)
    return std::nullopt;
  unsigned depth = op.getIndexDepth();
  ArrayRef<int64_t> leading = op.getOriginalType().getShape().take_front(depth);
  SmallVector<int64_t> positions;
  for (int64_t n = 0, e = op.getUpdatesType().getDimSize(0); n < e; ++n) {
    SmallVector<int64_t> at(depth);
    for (auto [component, dimension] : llvm::enumerate(op.getDimensionMap()))
      at[dimension] =
          static_cast<int64_t>(indices->data[n * depth + component]);
    int64_t position = 0;
    for (auto [index, extent] : llvm::zip_equal(at, leading)) {
      if (index < 0 || index >= extent)
        return std::nullopt;
      position = position * extent + index;
    }
    positions.push_back(position);
  }
  return positions;
}

/// The slice that a scatter assigns to, in the original's own leading
/// dimensions if it is one there.
static std::optional<Box> findSlice(ScatterOp op,
                                    ConstantEvaluator &evaluator) {
  if (!isOverwriteOfWholeElements(op))
    return std::nullopt;
  std::optional<SmallVector<int64_t>> positions =
      evaluatePositions(op, evaluator);
  if (!positions)
    return std::nullopt;
  ArrayRef<int64_t> leading =
      op.getOriginalType().getShape().take_front(op.getIndexDepth());
  if (std::optional<Box> box = findBox(*positions, leading))
    return box;
  std::optional<SmallVector<int64_t>> extents =
      splitByStrides(*positions, product(leading));
  return extents ? findBox(*positions, *extents) : std::nullopt;
}

/// `tensor` with its first `numLeading` dimensions replaced by `leading`.
static Value reshapeLeading(OpBuilder &builder, Location loc, Value tensor,
                            unsigned numLeading, ArrayRef<int64_t> leading) {
  auto type = cast<RankedTensorType>(tensor.getType());
  ArrayRef<int64_t> trailing = type.getShape().drop_front(numLeading);
  if (type.getShape().take_front(numLeading) == leading)
    return tensor;
  auto getType = [&](ArrayRef<int64_t> front) {
    SmallVector<int64_t> shape(front);
    llvm::append_range(shape, trailing);
    return RankedTensorType::get(shape, type.getElementType());
  };
  auto getGroups = [&](unsigned numFront) {
    SmallVector<ReassociationIndices> groups(
        1, llvm::to_vector(llvm::seq<int64_t>(0, numFront)));
    for (unsigned i = 0, e = trailing.size(); i < e; ++i)
      groups.push_back({static_cast<int64_t>(numFront + i)});
    return groups;
  };
  if (numLeading > 1)
    tensor = tensor::CollapseShapeOp::create(builder, loc,
                                             getType({product(leading)}),
                                             tensor, getGroups(numLeading));
  if (leading.size() > 1)
    tensor = tensor::ExpandShapeOp::create(builder, loc, getType(leading),
                                           tensor, getGroups(leading.size()));
  return tensor;
}

/// Replaces the scatter by an insertion into the slice.
static void replaceByInsertion(KnownScatter &scatter) {
  auto &[op, box] = scatter;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  unsigned depth = op.getIndexDepth();
  ArrayRef<int64_t> shape = op.getOriginalType().getShape();
  Value original =
      reshapeLeading(builder, loc, op.getOriginal(), depth, box.extents);
  Value updates = reshapeLeading(builder, loc, op.getUpdates(), 1, box.sizes);
  unsigned rank = cast<ShapedType>(original.getType()).getRank();
  SmallVector<int64_t> offsets(box.offsets), sizes(box.sizes);
  offsets.append(rank - offsets.size(), 0);
  llvm::append_range(sizes, shape.drop_front(depth));
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(1));
  Value inserted = tensor::InsertSliceOp::create(
      builder, loc, updates, original,
      getAsIndexOpFoldResult(builder.getContext(), offsets),
      getAsIndexOpFoldResult(builder.getContext(), sizes), strides);
  Value result = reshapeLeading(builder, loc, inserted, box.extents.size(),
                                shape.take_front(depth));
  op->replaceAllUsesWith(ValueRange{result});
  op->erase();
}

namespace {
struct SimplifyScattersPass
    : public xsa::impl::SimplifyScattersBase<SimplifyScattersPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ScatterOp> scatters;
    getOperation()->walk([&](ScatterOp op) { scatters.push_back(op); });
    if (scatters.empty())
      return markAllAnalysesPreserved();

    // The evaluator remembers values: nothing is changed while it is asked.
    SmallVector<KnownScatter> known;
    {
      ExprContext context(&getContext());
      TensorView view(context);
      ConstantEvaluator evaluator(view);
      for (ScatterOp op : scatters)
        if (std::optional<Box> box = findSlice(op, evaluator))
          known.push_back({op, std::move(*box)});
    }
    for (KnownScatter &scatter : known)
      replaceByInsertion(scatter);
    numScatters += known.size();
  }
};
} // namespace
