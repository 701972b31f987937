//===- Traffic.h - What a warp's accesses cost ------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes run one after another, the hardware runs them together. So accesses are
// logged, and the lanes' logs are put side by side whenever the warp has come
// to a common point: the n-th execution of an instruction in one lane belongs
// to the n-th of the others.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_TRAFFIC_H
#define XSA_LIB_EMULATOR_TRAFFIC_H

#include "Ordering.h"
#include "xsa/Emulator/Emulator.h"

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace xsa {
namespace emulator {

class Traffic {
public:
  enum class Kind : uint8_t { GlobalLoad, GlobalStore, Shared };

  explicit Traffic(KernelStats &stats) : stats(stats) {}

  void reset(unsigned numThreads) {
    logs.resize(numThreads);
    for (auto &log : logs)
      log.clear();
  }
  void setEnabled(bool value) { enabled = value; }

  void log(unsigned thread, Kind kind, uint32_t site, uint64_t address,
           uint32_t size) {
    if (enabled && size)
      logs[thread].push_back({address, site, size, kind});
  }
  /// The lanes of a warp have met.
  void flush(unsigned warp);

  /// One access of shared memory by up to 32 lanes, 16 bytes or less each.
  void countConflicts(llvm::ArrayRef<uint64_t> addresses, uint32_t size);
  void countMultiply() { stats.mma += enabled; }
  void countBarrier() { stats.barriers += enabled; }

private:
  struct Entry {
    uint64_t address;
    uint32_t site;
    uint32_t size;
    Kind kind;
  };
  /// What the lanes do together.
  struct Group {
    Kind kind;
    uint32_t size;
    llvm::SmallVector<uint64_t, kWarpSize> addresses;
  };

  void count(const Group &group);
  void countGlobal(const Group &group);

  KernelStats &stats;
  bool enabled = true;
  std::vector<std::vector<Entry>> logs;
};

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_TRAFFIC_H
