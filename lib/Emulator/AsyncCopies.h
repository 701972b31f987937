//===- AsyncCopies.h - Copies on their way ----------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The groups of `cp.async` copies that one thread has begun and not waited for.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_ASYNCCOPIES_H
#define XSA_LIB_EMULATOR_ASYNCCOPIES_H

#include <cstdint>
#include <deque>
#include <vector>

namespace xsa {
namespace emulator {

struct AsyncCopy {
  uint32_t site;
  uint64_t sharedOffset;
  uint32_t size;
  /// Where the bytes come from; the rest is filled with zeros.
  const char *source;
  uint32_t sourceSize;
};

class AsyncCopies {
public:
  void clear() {
    open.clear();
    groups.clear();
  }
  void begin(const AsyncCopy &copy) { open.push_back(copy); }
  void commit() {
    groups.push_back(std::move(open));
    open.clear();
  }
  /// Calls `land` for all copies except those of the newest `keep` groups; with
  /// `all` also for those not committed yet.
  template <typename Land> void finish(unsigned keep, bool all, Land land) {
    while (groups.size() > keep) {
      for (const AsyncCopy &copy : groups.front())
        land(copy);
      groups.pop_front();
    }
    if (!all)
      return;
    for (const AsyncCopy &copy : open)
      land(copy);
    open.clear();
  }

private:
  std::vector<AsyncCopy> open;
  std::deque<std::vector<AsyncCopy>> groups;
};

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_ASYNCCOPIES_H
