//===- ExternalConstants.cpp - Constants outside compiled code ------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ExternalConstants.h.
//
//===----------------------------------------------------------------------===//

#include "ExternalConstants.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace xsa;

/// Constants below this size are worth more to the optimizer than they cost.
static constexpr int64_t kMinBytes = 256;

/// A constant's elements as compiled code reads them: in the context's memory
/// where they lie there like that, else in an array of their own.
static const void *getElements(ElementsAttr value, DType dtype,
                               std::vector<Array> &expanded) {
  int64_t count = value.getNumElements();
  int64_t numBytes = count * getSize(dtype);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    ArrayRef<char> data = resource.getData();
    return int64_t(data.size()) >= numBytes ? data.data() : nullptr;
  }
  auto dense = cast<DenseElementsAttr>(value);
  ArrayRef<char> raw = dense.getRawData();
  if (!dense.isSplat() && int64_t(raw.size()) == numBytes &&
      dtype != DType::Bool)
    return raw.data();

  Array array = Array::allocate(dtype, count);
  auto *bytes = static_cast<char *>(array.data);
  if (dtype == DType::Bool) {
    for (auto [i, element] : llvm::enumerate(dense.getValues<bool>()))
      bytes[i] = element;
  } else {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(bytes + i * getSize(dtype), raw.data(), getSize(dtype));
  }
  expanded.push_back(std::move(array));
  return bytes;
}

/// The largest alignment, up to a cache line, that an address has.
static int64_t getAlignmentOf(const void *address) {
  auto bits = reinterpret_cast<uintptr_t>(address);
  return std::min<int64_t>(64, bits & -bits);
}

FailureOr<ExternalConstants> xsa::externalizeConstants(ModuleOp module) {
  ExternalConstants constants;
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto value = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
    if (!value || !global.getConstant() ||
        !isa<DenseElementsAttr, DenseResourceElementsAttr>(value))
      continue;
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(value);
        resource && !resource.getRawHandle().getBlob())
      return global.emitError("the module refers to the resource '")
             << resource.getRawHandle().getKey() << "' but does not contain it";
    std::optional<DType> dtype = getDType(value.getElementType());
    if (!dtype || value.getNumElements() * getSize(*dtype) < kMinBytes)
      continue;
    const void *address = getElements(value, *dtype, constants.expanded);
    if (!address)
      return global.emitError("the data of a constant of type ")
             << value.getType() << " is too short";
    global.removeValueAttr();
    global.setLinkage(LLVM::Linkage::External);
    global.setAlignment(getAlignmentOf(address));
    constants.symbols.emplace_back(global.getSymName().str(), address);
  }
  return constants;
}
