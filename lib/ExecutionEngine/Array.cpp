//===- Array.cpp - Arrays between files, hosts and compiled code ----------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Array.h.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/Array.h"

#include "HostMemory.h"
#include "xsa/Support/ByteSize.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace xsa;

llvm::StringRef xsa::getName(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "bool";
  case DType::Int8:
    return "int8";
  case DType::Int16:
    return "int16";
  case DType::Int32:
    return "int32";
  case DType::Int64:
    return "int64";
  case DType::UInt8:
    return "uint8";
  case DType::UInt16:
    return "uint16";
  case DType::UInt32:
    return "uint32";
  case DType::UInt64:
    return "uint64";
  case DType::Float16:
    return "float16";
  case DType::BFloat16:
    return "bfloat16";
  case DType::Float32:
    return "float32";
  case DType::Float64:
    return "float64";
  }
  llvm_unreachable("unknown element type");
}

unsigned xsa::getSize(DType dtype) {
  switch (dtype) {
  case DType::Bool:
  case DType::Int8:
  case DType::UInt8:
    return 1;
  case DType::Int16:
  case DType::UInt16:
  case DType::Float16:
  case DType::BFloat16:
    return 2;
  case DType::Int32:
  case DType::UInt32:
  case DType::Float32:
    return 4;
  case DType::Int64:
  case DType::UInt64:
  case DType::Float64:
    return 8;
  }
  llvm_unreachable("unknown element type");
}

std::optional<DType> xsa::getDType(Type type) {
  if (isa<IndexType>(type))
    return DType::Int64;
  if (type.isF64())
    return DType::Float64;
  if (type.isF32())
    return DType::Float32;
  if (type.isF16())
    return DType::Float16;
  if (type.isBF16())
    return DType::BFloat16;
  if (!type.isSignlessInteger())
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return DType::Bool;
  case 8:
    return DType::Int8;
  case 16:
    return DType::Int16;
  case 32:
    return DType::Int32;
  case 64:
    return DType::Int64;
  default:
    return std::nullopt;
  }
}

/// The signed type of the same width, for unsigned ones.
static DType dropSign(DType dtype) {
  switch (dtype) {
  case DType::UInt8:
    return DType::Int8;
  case DType::UInt16:
    return DType::Int16;
  case DType::UInt32:
    return DType::Int32;
  case DType::UInt64:
    return DType::Int64;
  default:
    return dtype;
  }
}

bool xsa::matches(DType dtype, Type elementType) {
  return dropSign(dtype) == getDType(elementType);
}

int64_t xsa::getNumElements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string xsa::describe(DType dtype, llvm::ArrayRef<int64_t> shape) {
  std::string text = getName(dtype).str() + "[";
  llvm::interleave(
      shape, [&](int64_t size) { text += std::to_string(size); },
      [&] { text += ","; });
  return text + "]";
}

llvm::Expected<Array> Array::tryAllocate(DType dtype,
                                         llvm::ArrayRef<int64_t> shape) {
  if (!xsa::getNumBytes(shape, getSize(dtype)))
    return llvm::createStringError(describe(dtype, shape) +
                                   ": the size in bytes does not fit in 64 "
                                   "bits");
  Array array;
  array.dtype = dtype;
  array.shape = llvm::to_vector(shape);
  size_t bytes = llvm::alignTo(array.getNumBytes() + 1, kHostAlignment);
  void *memory = allocateHostMemory(bytes);
  if (!memory)
    return llvm::createStringError(describe(dtype, shape) +
                                   ": out of memory: could not allocate " +
                                   llvm::Twine(bytes) + " bytes");
  array.memory = Memory(memory, [](void *pointer) { std::free(pointer); });
  array.data = memory;
  return array;
}

Array Array::allocate(DType dtype, llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<Array> array = tryAllocate(dtype, shape);
  if (!array)
    llvm::report_bad_alloc_error(llvm::toString(array.takeError()).c_str());
  return std::move(*array);
}

Array xsa::roundToBFloat16(const ArrayView &array) {
  Array result = Array::allocate(DType::BFloat16, array.shape);
  auto *from = static_cast<const uint32_t *>(array.data);
  auto *to = static_cast<uint16_t *>(result.data);
  for (int64_t i = 0, n = getNumElements(array.shape); i < n; ++i) {
    uint32_t bits = from[i];
    bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
    // Adding just under half a unit, plus one where the kept part is odd.
    uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
    to[i] = isNaN ? (bits >> 16) | 0x40 : rounded >> 16;
  }
  return result;
}

Array xsa::widenBFloat16(const ArrayView &array) {
  Array result = Array::allocate(DType::Float32, array.shape);
  auto *from = static_cast<const uint16_t *>(array.data);
  auto *to = static_cast<uint32_t *>(result.data);
  for (int64_t i = 0, n = getNumElements(array.shape); i < n; ++i)
    to[i] = uint32_t(from[i]) << 16;
  return result;
}
