//===- Array.h - Arrays between files, hosts and compiled code --*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element type, a shape and contiguous memory: what numpy, files and
// compiled code have in common.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EXECUTIONENGINE_ARRAY_H
#define XSA_EXECUTIONENGINE_ARRAY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mlir {
class Type;
} // namespace mlir

namespace xsa {

/// Element types, by their names in numpy (which has no bfloat16 of its own).
enum class DType {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64
};

/// "float32", "bool", ...
llvm::StringRef getName(DType dtype);
/// Bytes per element.
unsigned getSize(DType dtype);

/// The element type that results of an MLIR type have; none for types that
/// cannot cross the boundary of compiled code. `index` is 64 bits wide.
std::optional<DType> getDType(mlir::Type elementType);
/// Whether elements of `dtype` can be passed where `elementType` is expected:
/// MLIR's integers have no sign, so both signs match.
bool matches(DType dtype, mlir::Type elementType);

/// Number of elements of a shape.
int64_t getNumElements(llvm::ArrayRef<int64_t> shape);

/// "float32[2,9]", for messages.
std::string describe(DType dtype, llvm::ArrayRef<int64_t> shape);

/// Memory of someone else, contiguous with the last dimension fastest.
struct ArrayView {
  DType dtype;
  llvm::ArrayRef<int64_t> shape;
  const void *data;
};

/// An array and the memory it lies in.
struct Array {
  using Memory = std::unique_ptr<void, std::function<void(void *)>>;

  DType dtype = DType::Float32;
  llvm::SmallVector<int64_t> shape;
  /// Frees the memory. `data` may point into its middle.
  Memory memory;
  void *data = nullptr;

  /// An array with uninitialised, aligned memory of its own.
  static Array allocate(DType dtype, llvm::ArrayRef<int64_t> shape);
  /// The same where a user has chosen the shape, which may be too large.
  static llvm::Expected<Array> tryAllocate(DType dtype,
                                           llvm::ArrayRef<int64_t> shape);

  size_t getNumBytes() const { return getNumElements(shape) * getSize(dtype); }
  ArrayView getView() const { return {dtype, shape, data}; }
};

/// Rounds float32 to bfloat16 (to nearest, ties to even) and back.
Array roundToBFloat16(const ArrayView &array);
Array widenBFloat16(const ArrayView &array);

} // namespace xsa

#endif // XSA_EXECUTIONENGINE_ARRAY_H
