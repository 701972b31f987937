//===- Ordering.cpp - What happened before what ---------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Ordering.h.
//
//===----------------------------------------------------------------------===//

#include "Ordering.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace xsa::emulator;

void Ordering::reset(unsigned numThreads) {
  now = blockTime = 1;
  knowledge.assign(numThreads, Knowledge());
}

void Ordering::synchronize(llvm::ArrayRef<unsigned> threads) {
  ++now;
  // Other warps are known as a whole, so only a whole warp passes itself on.
  std::array<unsigned, 32> lanesOfWarp{};
  Knowledge joined;
  for (unsigned thread : threads) {
    ++lanesOfWarp[thread / kWarpSize];
    for (unsigned w = 0; w < joined.warps.size(); ++w)
      joined.warps[w] = std::max(joined.warps[w], knowledge[thread].warps[w]);
  }
  for (unsigned w = 0; w < joined.warps.size(); ++w) {
    size_t first = w * kWarpSize;
    if (first < knowledge.size() &&
        lanesOfWarp[w] == std::min<size_t>(kWarpSize, knowledge.size() - first))
      joined.warps[w] = now;
  }
  // Lanes are known to their own warp.
  llvm::SmallVector<std::array<uint32_t, kWarpSize>, 32> lanes(
      joined.warps.size(), std::array<uint32_t, kWarpSize>{});
  for (unsigned thread : threads) {
    auto &ofWarp = lanes[thread / kWarpSize];
    for (unsigned l = 0; l < kWarpSize; ++l)
      ofWarp[l] = std::max(ofWarp[l], knowledge[thread].lanes[l]);
  }
  for (unsigned thread : threads)
    lanes[thread / kWarpSize][thread % kWarpSize] = now;
  for (unsigned thread : threads) {
    knowledge[thread].time = now;
    knowledge[thread].warps = joined.warps;
    knowledge[thread].lanes = lanes[thread / kWarpSize];
  }
}
