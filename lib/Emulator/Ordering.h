//===- Ordering.h - What happened before what -------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses of different threads are ordered only if barriers are between
// them. A barrier among all threads of a block orders everything before it; one
// among some threads (lanes of a warp, or named barriers) orders what they did,
// and what they knew. This keeps that knowledge as vector clocks.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_ORDERING_H
#define XSA_LIB_EMULATOR_ORDERING_H

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <vector>

namespace xsa {
namespace emulator {

constexpr unsigned kWarpSize = 32;

class Ordering {
public:
  void reset(unsigned numThreads);

  /// The time of what a thread does now: that of its last synchronization.
  uint32_t getTime(unsigned thread) const {
    return std::max(knowledge[thread].time, blockTime);
  }
  /// Whether what `other` did at `time` is ordered before what `thread` does
  /// now.
  bool isBefore(unsigned other, uint32_t time, unsigned thread) const {
    if (other == thread || time < blockTime)
      return true;
    const Knowledge &known = knowledge[thread];
    return other / kWarpSize == thread / kWarpSize
               ? time < known.lanes[other % kWarpSize]
               : time < known.warps[other / kWarpSize];
  }
  /// The time before which everything is ordered before everything now.
  uint32_t getBlockTime() const { return blockTime; }

  void synchronizeBlock() { blockTime = ++now; }
  void synchronize(llvm::ArrayRef<unsigned> threads);

private:
  /// What is known of others: all they did before these times.
  struct Knowledge {
    uint32_t time = 0;
    std::array<uint32_t, kWarpSize> lanes{};
    std::array<uint32_t, 32> warps{};
  };

  uint32_t now = 0;
  uint32_t blockTime = 0;
  std::vector<Knowledge> knowledge;
};

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_ORDERING_H
