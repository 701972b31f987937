//===- Traffic.cpp - What a warp's accesses cost --------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global memory is moved in sectors of 32 bytes. Shared memory has 32 banks of
// 4 bytes; accesses of 8 and 16 bytes are served for half and quarter warps at
// a time, and every further word of a bank in one of these costs a conflict.
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <array>

using namespace xsa::emulator;

void Traffic::flush(unsigned warp) {
  size_t begin = warp * kWarpSize;
  size_t end = std::min<size_t>(begin + kWarpSize, logs.size());
  std::vector<Group> groups;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, unsigned> groupOf;
  llvm::DenseMap<uint32_t, uint32_t> executions;
  for (size_t thread = begin; thread < end; ++thread) {
    executions.clear();
    for (const Entry &entry : logs[thread]) {
      // Kind and site: a copy both loads and stores.
      uint32_t site = entry.site * 4 + unsigned(entry.kind);
      auto [found, isNew] = groupOf.try_emplace({site, executions[site]++},
                                                unsigned(groups.size()));
      if (isNew)
        groups.push_back({entry.kind, entry.size, {}});
      Group &group = groups[found->second];
      group.addresses.push_back(entry.address);
      group.size = std::max(group.size, entry.size);
    }
    logs[thread].clear();
  }
  for (const Group &group : groups)
    count(group);
}

void Traffic::count(const Group &group) {
  if (group.kind != Kind::Shared)
    return countGlobal(group);
  // Long accesses are several instructions of 16 bytes.
  for (uint32_t done = 0; done < group.size; done += 16) {
    llvm::SmallVector<uint64_t, kWarpSize> addresses;
    for (uint64_t address : group.addresses)
      addresses.push_back(address + done);
    countConflicts(addresses, std::min<uint32_t>(16, group.size - done));
  }
}

void Traffic::countGlobal(const Group &group) {
  llvm::SmallVector<std::pair<uint64_t, uint32_t>, 2 * kWarpSize> sectors;
  for (uint64_t address : group.addresses)
    for (uint64_t byte = address, end = address + group.size; byte < end;) {
      uint64_t next = std::min((byte | 31) + 1, end);
      uint64_t mask = ((uint64_t(1) << (next - byte)) - 1) << (byte & 31);
      sectors.emplace_back(byte / 32, uint32_t(mask));
      byte = next;
    }
  llvm::sort(sectors);
  uint64_t numSectors = 0, numBytes = 0;
  for (size_t i = 0; i < sectors.size();) {
    uint64_t sector = sectors[i].first;
    uint32_t mask = 0;
    for (; i < sectors.size() && sectors[i].first == sector; ++i)
      mask |= sectors[i].second;
    ++numSectors;
    numBytes += llvm::popcount(mask);
  }
  bool isLoad = group.kind == Kind::GlobalLoad;
  (isLoad ? stats.globalLoadBytes : stats.globalStoreBytes) += numBytes;
  (isLoad ? stats.globalLoadSectors : stats.globalStoreSectors) += numSectors;
}

void Traffic::countConflicts(llvm::ArrayRef<uint64_t> addresses,
                             uint32_t size) {
  if (!enabled)
    return;
  size_t lanesAtOnce = size <= 4 ? 32 : size <= 8 ? 16 : 8;
  for (size_t first = 0; first < addresses.size(); first += lanesAtOnce) {
    llvm::SmallVector<uint64_t, kWarpSize> words;
    for (uint64_t address : addresses.slice(
             first, std::min(lanesAtOnce, addresses.size() - first)))
      for (uint64_t word = address / 4; word <= (address + size - 1) / 4;
           ++word)
        words.push_back(word);
    llvm::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<unsigned, 32> wordsOfBank{};
    unsigned most = 1;
    for (uint64_t word : words)
      most = std::max(most, ++wordsOfBank[word % 32]);
    stats.sharedBankConflicts += most - 1;
  }
}
