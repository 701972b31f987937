//===- HostMemory.cpp - Memory of models on the host ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HostMemory.h.
//
//===----------------------------------------------------------------------===//

#include "HostMemory.h"

#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#ifdef __linux__
#include <sys/mman.h>
#endif

/// The size of a huge page on most systems.
static constexpr size_t kHugePage = size_t(2) << 20;

void *xsa::allocateHostMemory(size_t numBytes) {
  bool isLarge = numBytes >= kHugePage;
  void *memory = nullptr;
  if (::posix_memalign(&memory, isLarge ? kHugePage : kHostAlignment, numBytes))
    return nullptr;
#ifdef __linux__
  // Advice, which a system is free to ignore. A last page that is not filled
  // stays small, so that nothing more is used than was asked for.
  if (isLarge)
    (void)::madvise(memory, llvm::alignDown(numBytes, kHugePage),
                    MADV_HUGEPAGE);
#endif
  return memory;
}
