//===- NpyHeader.h - The header of a .npy file ------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .npy file is a magic string, a version, the length of a Python dictionary
// literal, that literal, and the elements. Format: numpy/lib/format.py.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EXECUTIONENGINE_NPYHEADER_H
#define XSA_LIB_EXECUTIONENGINE_NPYHEADER_H

#include "xsa/ExecutionEngine/Array.h"

#include "llvm/Support/Error.h"

namespace xsa {

struct NpyHeader {
  DType dtype = DType::Float32;
  bool swapBytes = false;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;
  /// Bytes before the elements.
  size_t size = 0;
};

/// Bytes that say how long a header is.
inline constexpr size_t kNpyPrefixSize = 12;

/// The length of the header that starts with these bytes.
llvm::Expected<size_t> getNpyHeaderSize(llvm::StringRef prefix);

/// Reads a whole header.
llvm::Expected<NpyHeader> parseNpyHeader(llvm::StringRef bytes);

/// The header of an array in C order and this machine's byte order.
std::string formatNpyHeader(DType dtype, llvm::ArrayRef<int64_t> shape);

} // namespace xsa

#endif // XSA_LIB_EXECUTIONENGINE_NPYHEADER_H
