//===- ConstantTensor.cpp - Reads constants -------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of constant attributes as doubles, in whatever form a model holds
// them.
//
//===----------------------------------------------------------------------===//

#include "TensorExprDetail.h"
#include "xsa/Analysis/ConstantEvaluator.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace xsa;

std::optional<double> ConstantTensor::at(ArrayRef<int64_t> indices) const {
  int64_t linear = 0;
  for (auto [index, size] : llvm::zip_equal(indices, shape)) {
    if (index < 0 || index >= size)
      return std::nullopt;
    linear = linear * size + index;
  }
  return data[linear];
}

std::optional<double> ConstantTensor::getUniform() const {
  if (data.empty() ||
      llvm::any_of(data, [&](double x) { return x != data.front(); }))
    return std::nullopt;
  return data.front();
}

//===----------------------------------------------------------------------===//
// Reading constants
//===----------------------------------------------------------------------===//

static bool appendElement(std::vector<double> &data, const APInt &bits,
                          Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat x(floatType.getFloatSemantics(), bits);
    bool losesInfo;
    x.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    data.push_back(x.convertToDouble());
    return true;
  }
  double x =
      type.isInteger(1) ? double(!bits.isZero()) : double(bits.getSExtValue());
  data.push_back(x);
  return xsa::detail::isExactInteger(x);
}

static bool readDense(DenseElementsAttr dense, std::vector<double> &data) {
  Type type = dense.getElementType();
  if (auto floats = dyn_cast<DenseFPElementsAttr>(Attribute(dense)))
    return llvm::all_of(floats.getValues<APFloat>(), [&](const APFloat &x) {
      return appendElement(data, x.bitcastToAPInt(), type);
    });
  if (auto ints = dyn_cast<DenseIntElementsAttr>(Attribute(dense)))
    return llvm::all_of(ints.getValues<APInt>(), [&](const APInt &x) {
      return appendElement(data, x, type);
    });
  return false;
}

static bool readResource(DenseResourceElementsAttr resource,
                         std::vector<double> &data) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  Type type = resource.getElementType();
  if (!blob || !type.isIntOrFloat())
    return false;
  unsigned bytes = (type.getIntOrFloatBitWidth() + 7) / 8;
  ArrayRef<char> raw = blob->getData();
  int64_t count = resource.getType().getNumElements();
  if (bytes > 8 || static_cast<int64_t>(raw.size()) < count * bytes)
    return false;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t word = 0;
    for (unsigned byte = 0; byte < bytes; ++byte)
      word |= uint64_t(uint8_t(raw[i * bytes + byte])) << (8 * byte);
    APInt bits(type.getIntOrFloatBitWidth(), word, /*isSigned=*/false,
               /*implicitTrunc=*/true);
    if (!appendElement(data, bits, type))
      return false;
  }
  return true;
}

bool ConstantTensor::read(ElementsAttr attribute) {
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return readDense(dense, data);
  auto resource = dyn_cast<DenseResourceElementsAttr>(attribute);
  return resource && readResource(resource, data);
}
