//===- ByteSize.h - Sizes that addresses can reach --------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and files can claim any sizes. Those whose product does not fit in 64
// bits have to be found before memory is asked for with what is left of them.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_SUPPORT_BYTESIZE_H
#define XSA_SUPPORT_BYTESIZE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace xsa {

/// The bytes of an array; none where they, or its strides, do not fit. Sizes
/// that are 0 or not known count as 1: strides are products of the others.
inline std::optional<int64_t> getNumBytes(llvm::ArrayRef<int64_t> shape,
                                          int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (int64_t size : shape)
    if (llvm::MulOverflow(bytes, std::max<int64_t>(size, 1), bytes))
      return std::nullopt;
  return bytes;
}

} // namespace xsa

#endif // XSA_SUPPORT_BYTESIZE_H
