//===- Block.cpp - One block of threads -----------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scheduling, and what a thread can do alone.
//
//===----------------------------------------------------------------------===//

#include "Block.h"

using namespace xsa::emulator;

Block::Block(const Launch &launch, FiberPool &fibers, KernelStats &stats)
    : launch(launch), fibers(fibers), shared(ordering), traffic(stats),
      numThreads(launch.shape.block.getCount()) {}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

namespace {
struct ThreadStart {
  void (*entry)(void **);
  void **parameters;
};
} // namespace

unsigned Block::getWarpEnd(unsigned warp) const {
  return std::min(numThreads, (warp + 1) * kWarpSize);
}

std::string Block::run(Dim3 blockIndex) {
  index = blockIndex;
  error.clear();
  uint64_t sharedBytes = llvm::alignTo(launch.module.staticSharedBytes,
                                       launch.module.sharedAlignment) +
                         launch.shape.dynamicSharedBytes;
  ordering.reset(numThreads);
  shared.reset(sharedBytes);
  traffic.reset(numThreads);
  threads.resize(numThreads);
  for (NamedBarrier &barrier : barriers)
    barrier.arrived.clear();

  ThreadStart start{launch.kernel.entry,
                    const_cast<void **>(launch.parameters.data())};
  for (unsigned t = 0; t < numThreads; ++t) {
    threads[t].state = ThreadState::Ready;
    threads[t].copies.clear();
    fibers.start(
        t,
        [](void *argument) {
          auto *start = static_cast<ThreadStart *>(argument);
          start->entry(start->parameters);
        },
        &start);
  }
  unsigned numWarps = llvm::divideCeil(numThreads, kWarpSize);
  auto isDone = [](const Thread &thread) {
    return thread.state == ThreadState::Done;
  };
  while (!llvm::all_of(threads, isDone)) {
    for (unsigned warp = 0; warp < numWarps; ++warp)
      if (!runWarp(warp))
        return std::move(error);
    if (!llvm::all_of(threads, isDone) && !completeBarriers())
      return std::move(error);
  }
  return {};
}

/// Runs the lanes of a warp until all have ended or wait for other warps.
bool Block::runWarp(unsigned warp) {
  for (;;) {
    for (unsigned t = warp * kWarpSize; t < getWarpEnd(warp); ++t)
      if (threads[t].state == ThreadState::Ready) {
        runThread(t);
        if (!error.empty())
          return false;
      }
    traffic.flush(warp);
    bool completed = false;
    if (!completeCollective(warp, completed))
      return false;
    if (!completed)
      return true;
  }
}

void Block::runThread(unsigned thread) {
  current = thread;
  // A thread that comes back without waiting for anything has ended.
  threads[thread].state = ThreadState::Done;
  fibers.resume(thread);
}

void Block::wait(ThreadState state, uint32_t site, uint64_t *operands,
                 uint64_t *results) {
  Thread &thread = threads[current];
  thread.state = state;
  thread.site = site;
  thread.operands = operands;
  thread.results = results;
  fibers.suspend();
}

/// Leaves a thread that is never run again.
void Block::abandon() {
  for (;;)
    fibers.suspend();
}

//===----------------------------------------------------------------------===//
// What a thread does
//===----------------------------------------------------------------------===//

Dim3 Block::getThreadIndex(unsigned thread) const {
  const Dim3 &size = launch.shape.block;
  return {thread % size.x, thread / size.x % size.y,
          thread / (size.x * size.y)};
}

uint64_t Block::readRegister(SpecialRegister reg) const {
  using R = SpecialRegister;
  unsigned lane = current % kWarpSize;
  uint32_t bit = uint32_t(1) << lane;
  switch (reg) {
  case R::TidX:
    return getThreadIndex(current).x;
  case R::TidY:
    return getThreadIndex(current).y;
  case R::TidZ:
    return getThreadIndex(current).z;
  case R::NtidX:
    return launch.shape.block.x;
  case R::NtidY:
    return launch.shape.block.y;
  case R::NtidZ:
    return launch.shape.block.z;
  case R::CtaidX:
    return index.x;
  case R::CtaidY:
    return index.y;
  case R::CtaidZ:
    return index.z;
  case R::NctaidX:
    return launch.shape.grid.x;
  case R::NctaidY:
    return launch.shape.grid.y;
  case R::NctaidZ:
    return launch.shape.grid.z;
  case R::LaneId:
    return lane;
  case R::WarpId:
    return current / kWarpSize;
  case R::NumWarps:
    return llvm::divideCeil(numThreads, kWarpSize);
  case R::WarpSize:
    return kWarpSize;
  case R::LaneMaskEq:
    return bit;
  case R::LaneMaskLt:
    return bit - 1;
  case R::LaneMaskLe:
    return bit | (bit - 1);
  case R::LaneMaskGt:
    return uint32_t(~(bit | (bit - 1)));
  case R::LaneMaskGe:
    return uint32_t(~(bit - 1));
  case R::DynamicSharedBytes:
    return launch.shape.dynamicSharedBytes;
  case R::TotalSharedBytes:
    return shared.getSize();
  case R::Zero:
    return 0;
  case R::One:
    return 1;
  case R::Clock:
    return clock;
  }
  return 0;
}

/// Picks bytes of two registers, mode `default` of the PTX instruction.
static uint32_t permuteBytes(uint32_t low, uint32_t high, uint32_t selector) {
  uint64_t bytes = uint64_t(high) << 32 | low;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned select = selector >> (4 * i) & 15;
    uint32_t byte = bytes >> (8 * (select & 7)) & 0xff;
    if (select & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

void Block::execute(uint32_t siteIndex, uint64_t *operands, uint64_t *results) {
  const Site &site = getSite(siteIndex);
  ++clock;
  bool ok = true;
  switch (site.op) {
  case Op::Load:
  case Op::Store:
  case Op::Atomic:
    break;
  case Op::CopyMemory:
  case Op::FillMemory:
    ok = executeMove(site, siteIndex, operands);
    break;
  case Op::Barrier:
  case Op::BarrierReduce:
    wait(ThreadState::AtBarrier, siteIndex, operands, results);
    break;
  case Op::BarrierArrive:
    arrive(siteIndex, operands);
    ok = error.empty();
    break;
  case Op::SyncWarp:
  case Op::Shuffle:
  case Op::Vote:
  case Op::Match:
  case Op::Reduce:
  case Op::Elect:
  case Op::MultiplyMatrices:
  case Op::LoadMatrix:
  case Op::StoreMatrix:
    wait(ThreadState::AtCollective, siteIndex, operands, results);
    break;
  case Op::AsyncCopy:
  case Op::AsyncCommit:
  case Op::AsyncWait:
  case Op::AsyncWaitAll:
    ok = executeAsync(siteIndex, operands);
    break;
  case Op::ActiveMask: {
    // Lanes that have not ended; which of them run together is not defined.
    uint32_t mask = 0;
    unsigned warp = current / kWarpSize;
    for (unsigned t = warp * kWarpSize; t < getWarpEnd(warp); ++t)
      if (t == current || threads[t].state != ThreadState::Done)
        mask |= uint32_t(1) << (t % kWarpSize);
    results[0] = mask;
    break;
  }
  case Op::IsShared:
    results[0] = operands[0] >= SharedMemory::kGenericWindow &&
                 operands[0] < GlobalMemory::kFirstAddress;
    break;
  case Op::IsGlobal:
    results[0] = operands[0] >= GlobalMemory::kFirstAddress;
    break;
  case Op::Permute:
    results[0] = permuteBytes(operands[0], operands[1], operands[2]);
    break;
  case Op::Divide:
    if (operands[0] == kDivisionByZero)
      ok = fail(current, siteIndex, "integer division by zero");
    else if (operands[0] == kDivisionOverflow)
      ok = fail(current, siteIndex,
                "integer division overflows: the least number divided by -1");
    break;
  case Op::CheckStack:
    if (!fibers.hasRoom(current, site.size))
      ok = fail(current, siteIndex,
                "the thread's stack is full: it has " +
                    llvm::Twine(FiberPool::kStackBytes) +
                    " bytes in the emulator");
    break;
  case Op::Unreachable:
    ok = fail(current, siteIndex, "the kernel has come to 'unreachable'");
    break;
  case Op::Exit:
    threads[current].state = ThreadState::Done;
    abandon();
  case Op::Trap:
    ok = fail(current, siteIndex, "the kernel trapped");
    break;
  case Op::Unsupported:
    ok =
        fail(current, siteIndex, "the emulator does not know this instruction");
    break;
  }
  if (!ok)
    abandon();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string describe(const Dim3 &index) {
  return ("(" + llvm::Twine(index.x) + ", " + llvm::Twine(index.y) + ", " +
          llvm::Twine(index.z) + ")")
      .str();
}

std::string Block::describeThread(unsigned thread) const {
  return "thread " + describe(getThreadIndex(thread));
}

std::string Block::describeSite(uint32_t site) const {
  const Site &described = getSite(site);
  std::string text = "'" + described.text + "'";
  if (described.function != launch.kernel.name)
    text += " in '" + described.function + "'";
  return text;
}

bool Block::fail(unsigned thread, uint32_t site, const llvm::Twine &what) {
  // The first error is the one that counts.
  if (error.empty())
    error = ("kernel '" + llvm::Twine(launch.kernel.name) + "': " + what +
             "\n  in block " + describe(index) + ", " + describeThread(thread) +
             "\n  at " + describeSite(site))
                .str();
  return false;
}
