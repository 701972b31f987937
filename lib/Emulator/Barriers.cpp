//===- Barriers.cpp - Barriers of a block ---------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier is complete when as many threads as it is for have come to it. When
// no thread can run and no barrier is complete, none ever will be.
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include "llvm/ADT/MapVector.h"

using namespace xsa::emulator;

/// A number of threads given to a barrier comes after its id.
static uint64_t getExpected(const Site &site, const uint64_t *operands,
                            unsigned numThreads) {
  return site.hasCount ? uint32_t(operands[1]) : numThreads;
}

void Block::arrive(uint32_t site, const uint64_t *operands) {
  uint32_t id = operands[0];
  if (id >= barriers.size())
    fail(current, site,
         "expected a barrier from 0 to 15, got " + llvm::Twine(id));
  else
    barriers[id].arrived.push_back(current);
}

/// Completes what barriers can be; an error if there is none.
bool Block::completeBarriers() {
  llvm::MapVector<uint32_t, llvm::SmallVector<unsigned>> waiting;
  for (unsigned t = 0; t < numThreads; ++t)
    if (threads[t].state == ThreadState::AtBarrier) {
      uint32_t id = threads[t].operands[0];
      if (id >= barriers.size())
        return fail(t, threads[t].site,
                    "expected a barrier from 0 to 15, got " + llvm::Twine(id));
      waiting[id].push_back(t);
    }
  bool completed = false;
  for (auto &[id, group] : waiting) {
    const Thread &first = threads[group.front()];
    uint64_t expected =
        getExpected(getSite(first.site), first.operands, numThreads);
    if (group.size() + barriers[id].arrived.size() < expected)
      continue;
    if (!completeBarrier(id, group))
      return false;
    completed = true;
  }
  return completed || failDeadlock();
}

/// Lanes of a warp have to come to the same aligned barrier together.
bool Block::checkAligned(llvm::ArrayRef<unsigned> waiting) {
  for (unsigned t : waiting) {
    if (!getSite(threads[t].site).aligned)
      continue;
    unsigned warp = t / kWarpSize;
    for (unsigned other = warp * kWarpSize; other < getWarpEnd(warp); ++other) {
      if (threads[other].state == ThreadState::AtBarrier &&
          threads[other].site == threads[t].site)
        continue;
      return fail(t, threads[t].site,
                  "the lanes of a warp are at different barriers: " +
                      describeThread(other) +
                      (threads[other].state == ThreadState::Done
                           ? " has ended"
                           : " is at " + describeSite(threads[other].site)));
    }
  }
  return true;
}

bool Block::completeBarrier(uint32_t id, llvm::ArrayRef<unsigned> waiting) {
  if (!checkAligned(waiting))
    return false;
  llvm::SmallVector<unsigned> taking(waiting);
  taking.append(barriers[id].arrived.begin(), barriers[id].arrived.end());
  barriers[id].arrived.clear();
  uint64_t count = 0;
  for (unsigned t : waiting) {
    const Site &site = getSite(threads[t].site);
    if (site.op == Op::BarrierReduce)
      count += threads[t].operands[site.hasCount ? 2 : 1] & 1;
  }
  for (unsigned t : waiting) {
    Thread &thread = threads[t];
    const Site &site = getSite(thread.site);
    if (site.op == Op::BarrierReduce)
      switch (BarrierReduceMode(site.mode)) {
      case BarrierReduceMode::Count:
        thread.results[0] = count;
        break;
      case BarrierReduceMode::And:
        thread.results[0] = count == waiting.size();
        break;
      case BarrierReduceMode::Or:
        thread.results[0] = count != 0;
        break;
      }
    thread.state = ThreadState::Ready;
  }
  if (taking.size() == numThreads) {
    ordering.synchronizeBlock();
    shared.synchronizedBlock();
  } else {
    ordering.synchronize(taking);
  }
  traffic.countBarrier();
  return true;
}

/// Threads wait at barriers that will not complete.
bool Block::failDeadlock() {
  unsigned numWaiting = 0, numDone = 0;
  const unsigned none = numThreads;
  unsigned firstWaiting = none, firstDone = none, otherWaiting = none;
  for (unsigned t = 0; t < numThreads; ++t) {
    if (threads[t].state == ThreadState::Done) {
      ++numDone;
      firstDone = std::min(firstDone, t);
      continue;
    }
    ++numWaiting;
    firstWaiting = std::min(firstWaiting, t);
    if (uint32_t(threads[t].operands[0]) !=
        uint32_t(threads[firstWaiting].operands[0]))
      otherWaiting = std::min(otherWaiting, t);
  }
  uint32_t site = threads[firstWaiting].site;
  if (otherWaiting != none)
    return fail(firstWaiting, site,
                "threads wait at different barriers for ever: " +
                    describeThread(otherWaiting) + " is at " +
                    describeSite(threads[otherWaiting].site));
  if (firstDone != none)
    return fail(
        firstWaiting, site,
        llvm::Twine(numWaiting) +
            " threads wait at a barrier for ever: " + llvm::Twine(numDone) +
            " have ended without coming to it, the first is " +
            describeThread(firstDone));
  return fail(
      firstWaiting, site,
      "all " + llvm::Twine(numWaiting) +
          " threads wait at a barrier for ever: it is for " +
          llvm::Twine(getExpected(getSite(site), threads[firstWaiting].operands,
                                  numThreads)) +
          " threads");
}
