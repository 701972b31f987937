//===- TMTensorVerification.cpp - What a tm_tensor op may look like -------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers. Dynamic extents agree with everything, so that casts can be folded
// into the operations one operand at a time.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "xsa/Dialect/TMTensor/IR/TMTensor.h"

using namespace mlir;
using namespace xsa::tm_tensor;

//===----------------------------------------------------------------------===//
// Checks that several operations share
//===----------------------------------------------------------------------===//

/// Inputs and destinations are all tensors or all memrefs.
template <typename OpTy> static LogicalResult verifySemantics(OpTy op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TensorType>(operand.get().getType()) !=
        isa<TensorType>(op.getOutputs().front().getType()))
      return op.emitOpError("expected operands to be all tensors or all "
                            "memrefs, but operand #")
             << operand.getOperandNumber() << " is " << operand.get().getType()
             << " and the first destination "
             << op.getOutputs().front().getType();
  return success();
}

template <typename OpTy>
static LogicalResult verifyOperandCounts(OpTy op, unsigned minInputs,
                                         unsigned maxInputs,
                                         unsigned numOutputs) {
  unsigned inputs = op.getInputs().size();
  if (inputs < minInputs || inputs > maxInputs) {
    InFlightDiagnostic diag = op.emitOpError("expected number of inputs to be ")
                              << minInputs;
    if (maxInputs != minInputs)
      diag << " or " << maxInputs;
    return diag << ", got " << inputs;
  }
  if (op.getOutputs().size() != numOutputs)
    return op.emitOpError("expected number of destinations to be ")
           << numOutputs << ", got " << op.getOutputs().size();
  return verifySemantics(op);
}

template <typename OpTy>
static LogicalResult verifyDimension(OpTy op, int64_t rank) {
  int64_t dimension = static_cast<int64_t>(op.getDimension());
  if (dimension < 0 || dimension >= rank)
    return op.emitOpError("'dimension' must be in [0, ")
           << rank << "), got " << dimension;
  return success();
}

/// Types agree in rank and in every static extent.
static LogicalResult verifyShape(Operation *op, StringRef what, ShapedType type,
                                 ArrayRef<int64_t> expected) {
  if (succeeded(verifyCompatibleShape(type.getShape(), expected)))
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected ")
                            << what << " of shape ";
  llvm::interleave(
      expected,
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          diag << "?";
        else
          diag << extent;
      },
      [&] { diag << "x"; });
  return diag << (expected.empty() ? "rank 0" : "") << ", got " << type;
}

static LogicalResult verifyElementType(Operation *op, StringRef what,
                                       ShapedType type, Type expected) {
  if (type.getElementType() == expected)
    return success();
  return op->emitOpError("expected ")
         << what << " with element type " << expected << ", got " << type;
}

/// The block's arguments are exactly `types`.
static LogicalResult verifyArguments(Operation *op, Block &block,
                                     TypeRange types) {
  if (block.getNumArguments() != types.size())
    return op->emitOpError("expected the region to have ")
           << types.size() << " arguments, got " << block.getNumArguments();
  for (auto [index, argument, type] :
       llvm::enumerate(block.getArgumentTypes(), types))
    if (argument != type)
      return op->emitOpError("expected argument #")
             << index << " of the region to be " << type << ", got "
             << argument;
  return success();
}

/// The block yields one value of `type`.
static LogicalResult verifyYield(Block &block, Type type) {
  Operation *yield = block.getTerminator();
  if (yield->getNumOperands() != 1)
    return yield->emitOpError("expected one operand, got ")
           << yield->getNumOperands();
  if (yield->getOperand(0).getType() != type)
    return yield->emitOpError("expected an operand of type ")
           << type << ", got " << yield->getOperand(0).getType();
  return success();
}

static SmallVector<int64_t> dropDimension(ArrayRef<int64_t> shape,
                                          int64_t dimension) {
  SmallVector<int64_t> rest(shape);
  rest.erase(rest.begin() + dimension);
  return rest;
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  if (failed(verifyOperandCounts(*this, 1, 1, 2)))
    return failure();
  ShapedType input = getInputType();
  auto output = cast<ShapedType>(getOutput().getType());
  auto accumulator = cast<ShapedType>(getAccumulator().getType());
  if (failed(verifyDimension(*this, input.getRank())) ||
      failed(verifyShape(*this, "an output", output, input.getShape())) ||
      failed(verifyShape(*this, "an accumulator", accumulator,
                         dropDimension(input.getShape(), getDimension()))))
    return failure();
  Type element = input.getElementType();
  if (failed(verifyElementType(*this, "an output", output, element)))
    return failure();
  return verifyElementType(*this, "an accumulator", accumulator, element);
}

LogicalResult ScanOp::verifyRegions() {
  Block &block = getRegion().front();
  Type element = getInputType().getElementType();
  if (failed(verifyArguments(*this, block, {element, element})))
    return failure();
  return verifyYield(block, element);
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

/// One entry per index component, each naming a different dimension.
static LogicalResult verifyDimensionMap(ScatterOp op) {
  ArrayRef<int64_t> map = op.getDimensionMap();
  if (static_cast<int64_t>(map.size()) != op.getIndexDepth())
    return op.emitOpError(
               "expected 'dimension_map' to have one entry per index "
               "component, that is ")
           << op.getIndexDepth() << ", got " << map.size();
  int64_t rank = op.getOriginalType().getRank();
  for (auto [position, dimension] : llvm::enumerate(map)) {
    if (dimension < 0 || dimension >= rank)
      return op.emitOpError("entries of 'dimension_map' must be in [0, ")
             << rank << "), got " << dimension;
    if (llvm::is_contained(map.take_front(position), dimension))
      return op.emitOpError("'dimension_map' names dimension ")
             << dimension << " twice";
  }
  return success();
}

/// The window of an update fits into the trailing dimensions of the original.
static LogicalResult verifyWindow(ScatterOp op) {
  ArrayRef<int64_t> original = op.getOriginalType().getShape();
  ArrayRef<int64_t> window = op.getUpdatesType().getShape().drop_front();
  if (window.size() > original.size())
    return op.emitOpError("expected updates of rank at most ")
           << original.size() + 1 << ", got " << op.getUpdatesType();
  if (static_cast<int64_t>(original.size()) >
      op.getIndexDepth() + static_cast<int64_t>(window.size()))
    return op.emitOpError("expected index depth plus window rank to reach the "
                          "rank of the original ")
           << original.size() << ", got " << op.getIndexDepth() << " + "
           << window.size();
  for (auto [position, extents] : llvm::enumerate(
           llvm::zip_equal(window, original.take_back(window.size())))) {
    auto [part, whole] = extents;
    if (!ShapedType::isDynamic(part) && !ShapedType::isDynamic(whole) &&
        part > whole)
      return op.emitOpError("dimension ")
             << position + 1 << " of the updates has extent " << part
             << ", which exceeds " << whole << " in the original";
  }
  return success();
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyOperandCounts(*this, 2, 2, 1)))
    return failure();
  ShapedType indices = getIndicesType();
  if (indices.getRank() != 2 ||
      !(indices.getElementType().isSignlessInteger() ||
        indices.getElementType().isIndex()))
    return emitOpError("expected indices of rank 2 with signless integer or "
                       "index elements, got ")
           << indices;
  if (indices.isDynamicDim(1))
    return emitOpError("expected a static index depth (dimension 1 of the "
                       "indices), got ")
           << indices;
  ShapedType updates = getUpdatesType();
  if (updates.getRank() < 1)
    return emitOpError("expected updates of rank at least 1, got ") << updates;
  if (failed(verifyCompatibleShape(updates.getShape().take_front(),
                                   indices.getShape().take_front())))
    return emitOpError("expected as many updates as indices, got ")
           << updates << " and " << indices;
  if (failed(verifyDimensionMap(*this)) || failed(verifyWindow(*this)))
    return failure();
  return verifyElementType(*this, "updates", updates,
                           getOriginalType().getElementType());
}

LogicalResult ScatterOp::verifyRegions() {
  Block &block = getRegion().front();
  Type element = getOriginalType().getElementType();
  if (failed(verifyArguments(*this, block, {element, element})))
    return failure();
  return verifyYield(block, element);
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::verify() {
  if (failed(verifyOperandCounts(*this, 3, 4, 1)))
    return failure();
  auto query = cast<ShapedType>(getQuery().getType());
  auto key = cast<ShapedType>(getKey().getType());
  auto value = cast<ShapedType>(getValue().getType());
  int64_t rank = query.getRank();
  if (rank < 2)
    return emitOpError("expected a query of rank at least 2, got ") << query;
  for (ShapedType type :
       {query, key, value, cast<ShapedType>(getOutput().getType())}) {
    if (type.getRank() != rank)
      return emitOpError("expected operands of rank ")
             << rank << ", got " << type;
    if (!isa<FloatType>(type.getElementType()))
      return emitOpError("expected operands with float elements, got ") << type;
  }
  SmallVector<int64_t> shape(query.getShape());
  int64_t rows = shape[rank - 2], keys = key.getDimSize(rank - 2);
  auto with = [&](int64_t last2, int64_t last) {
    shape[rank - 2] = last2;
    shape[rank - 1] = last;
    return ArrayRef<int64_t>(shape);
  };
  if (failed(
          verifyShape(*this, "a key", key,
                      with(ShapedType::kDynamic, query.getShape().back()))) ||
      failed(verifyShape(*this, "a value", value,
                         with(keys, ShapedType::kDynamic))) ||
      failed(verifyShape(*this, "an output",
                         cast<ShapedType>(getOutput().getType()),
                         with(rows, value.getShape().back()))))
    return failure();
  if (!getMask())
    return success();
  auto mask = cast<ShapedType>(getMask().getType());
  if (!isa<FloatType>(mask.getElementType()) &&
      !mask.getElementType().isInteger(1))
    return emitOpError("expected a mask with i1 or float elements, got ")
           << mask;
  return verifyShape(*this, "a mask", mask, with(rows, keys));
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  if (!getInputs().empty())
    return emitOpError("expected no input, got ") << getInputs().size();
  if (getOutputs().empty())
    return emitOpError("expected at least one destination");
  if (failed(verifySemantics(*this)) ||
      failed(verifyDimension(*this, getOutputType(0).getRank())))
    return failure();
  for (unsigned i = 1, e = getOutputs().size(); i < e; ++i)
    if (failed(verifyShape(*this, "destinations", getOutputType(i),
                           getOutputType(0).getShape())))
      return failure();
  return success();
}

LogicalResult SortOp::verifyRegions() {
  Block &block = getRegion().front();
  SmallVector<Type> types;
  for (unsigned i = 0, e = getOutputs().size(); i < e; ++i)
    types.append(2, getOutputType(i).getElementType());
  if (failed(verifyArguments(*this, block, types)))
    return failure();
  return verifyYield(block, IntegerType::get(getContext(), 1));
}

//===----------------------------------------------------------------------===//
// topk
//===----------------------------------------------------------------------===//

LogicalResult TopkOp::verify() {
  if (failed(verifyOperandCounts(*this, 1, 2, 2)))
    return failure();
  ShapedType values = getValuesType();
  auto outValues = cast<ShapedType>(getOutputs()[0].getType());
  auto outPositions = cast<ShapedType>(getOutputs()[1].getType());
  if (failed(verifyDimension(*this, values.getRank())))
    return failure();
  SmallVector<int64_t> expected(values.getShape());
  expected[getDimension()] = ShapedType::kDynamic;
  if (failed(verifyShape(*this, "output values", outValues, expected)) ||
      failed(verifyShape(*this, "output positions", outPositions,
                         outValues.getShape())) ||
      failed(verifyElementType(*this, "output values", outValues,
                               values.getElementType())))
    return failure();
  Type position = outPositions.getElementType();
  if (!position.isInteger(32) && !position.isInteger(64))
    return emitOpError("expected positions with i32 or i64 elements, got ")
           << outPositions;
  if (!getPositions())
    return success();
  auto positions = cast<ShapedType>(getPositions().getType());
  if (failed(
          verifyShape(*this, "input positions", positions, values.getShape())))
    return failure();
  return verifyElementType(*this, "input positions", positions, position);
}

LogicalResult TopkOp::verifyRegions() {
  Block &block = getRegion().front();
  Type element = getValuesType().getElementType();
  if (failed(verifyArguments(*this, block, {element, element})))
    return failure();
  return verifyYield(block, IntegerType::get(getContext(), 1));
}
