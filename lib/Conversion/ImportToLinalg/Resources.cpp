//===- Resources.cpp - Looking into dense_resource constants --------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Resources.h. Also holds the pass that reports bad resources.
//
//===----------------------------------------------------------------------===//

#include "Resources.h"
#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Operation.h"

namespace xsa {
#define GEN_PASS_DEF_CHECKRESOURCES
#include "xsa/Conversion/ImportToLinalg/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// Bits of one stored element; 0 for types that have no fixed size.
static int64_t getElementBits(Type type) {
  if (type.isIndex())
    return 64;
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getElementBits(complex.getElementType());
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

int64_t xsa::getExpectedBytes(ShapedType type) {
  return llvm::divideCeil(getElementBits(type.getElementType()), 8) *
         type.getNumElements();
}

ResourceState xsa::getResourceState(DenseResourceElementsAttr resource) {
  const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  ShapedType type = resource.getType();
  int64_t bits = getElementBits(type.getElementType());
  if (!blob)
    return ResourceState::NoData;
  int64_t bytes = blob->getData().size(), elements = type.getNumElements();
  // Types below a byte are found packed and with a byte per element.
  bool fits = bytes == getExpectedBytes(type) ||
              (bits < 8 && bytes == static_cast<int64_t>(
                                        llvm::divideCeil(bits * elements, 8)));
  return bits == 0 || fits ? ResourceState::Good : ResourceState::WrongSize;
}

DenseElementsAttr xsa::getAsDenseElements(DenseResourceElementsAttr resource) {
  ShapedType type = resource.getType();
  int64_t bits = getElementBits(type.getElementType());
  if (bits == 0 || bits % 8 != 0 ||
      getResourceState(resource) != ResourceState::Good)
    return {};
  return DenseElementsAttr::getFromRawBuffer(
      type, resource.getRawHandle().getBlob()->getData());
}

namespace {
struct CheckResourcesPass
    : public xsa::impl::CheckResourcesBase<CheckResourcesPass> {
  using Base::Base;

  /// Reports what is wrong with a resource of `op`, if anything.
  LogicalResult check(Operation *op, DenseResourceElementsAttr resource) {
    switch (getResourceState(resource)) {
    case ResourceState::Good:
      return success();
    case ResourceState::NoData:
      if (!requireData)
        return success();
      return op->emitError("resource '")
             << resource.getRawHandle().getKey()
             << "' has no data: it is elided or missing from the file";
    case ResourceState::WrongSize:
      return op->emitError("resource '")
             << resource.getRawHandle().getKey() << "' of type "
             << resource.getType() << " needs "
             << getExpectedBytes(resource.getType()) << " bytes, got "
             << resource.getRawHandle().getBlob()->getData().size();
    }
    llvm_unreachable("all states are handled");
  }

  void runOnOperation() override {
    bool failedAny = false;
    getOperation()->walk([&](Operation *op) {
      op->getAttrDictionary().walk([&](DenseResourceElementsAttr resource) {
        failedAny |= failed(check(op, resource));
      });
    });
    if (failedAny)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
