//===- HostMemory.h - Memory of models on the host --------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where arrays and the buffers of compiled code come from.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EXECUTIONENGINE_HOSTMEMORY_H
#define XSA_LIB_EXECUTIONENGINE_HOSTMEMORY_H

#include <cstddef>

namespace xsa {

/// The alignment of all memory: a cache line, and the longest vector.
inline constexpr size_t kHostAlignment = 64;

/// `numBytes` bytes, to be given back with `std::free`; null where there are
/// not so many. Large memory is in huge pages where the system has them:
/// streams of keys and values end at each page, and tiles that touch a page per
/// row need more translations than a processor holds.
void *allocateHostMemory(size_t numBytes);

} // namespace xsa

#endif // XSA_LIB_EXECUTIONENGINE_HOSTMEMORY_H
