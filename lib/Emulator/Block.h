//===- Block.h - One block of threads ---------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the threads of a block as fibers and does for them what needs other
// threads or memory. A thread runs until it waits or ends; then the next one
// does. When nobody can run, what was waited for is there, or never will be.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_BLOCK_H
#define XSA_LIB_EMULATOR_BLOCK_H

#include "AsyncCopies.h"
#include "Fiber.h"
#include "GlobalMemory.h"
#include "KernelState.h"
#include "Ordering.h"
#include "SharedMemory.h"
#include "Traffic.h"

#include "llvm/ADT/Twine.h"

#include <array>
#include <string>
#include <vector>

namespace xsa {
namespace emulator {

/// When asynchronous copies land: the two extremes of what hardware may do.
enum class CopyLanding { AtOnce, AtWait };

/// What all blocks of a launch share.
struct Launch {
  const KernelModule::State &module;
  const Kernel &kernel;
  LaunchShape shape;
  llvm::ArrayRef<void *> parameters;
  GlobalMemory &memory;
  CopyLanding landing;
};

/// An access by a pointer into a variable of the thread.
struct LocalAccess {
  uint64_t address, size;
  uint64_t object, objectSize;
};

class Block {
public:
  Block(const Launch &launch, FiberPool &fibers, KernelStats &stats);

  /// Runs the block to its end. The text of an error is empty if there is none.
  std::string run(Dim3 index);
  Traffic &getTraffic() { return traffic; }

  // What compiled code calls, on a thread's fiber.

  /// Checks an access and returns where its bytes are.
  void *access(uint64_t address, uint32_t site);
  void *accessShared(uint64_t address, uint32_t site);
  /// Checks an access to a variable of the thread.
  void checkLocal(const LocalAccess &access, uint32_t site);
  /// Executes an instruction that is not a plain access.
  void execute(uint32_t site, uint64_t *operands, uint64_t *results);
  uint64_t readRegister(SpecialRegister reg) const;

private:
  enum class ThreadState : uint8_t { Ready, AtCollective, AtBarrier, Done };

  struct Thread {
    ThreadState state = ThreadState::Ready;
    uint32_t site = 0;
    uint64_t *operands = nullptr;
    uint64_t *results = nullptr;
    AsyncCopies copies;
  };

  /// Arrivals that did not wait.
  struct NamedBarrier {
    std::vector<unsigned> arrived;
  };

  // Block.cpp
  bool runWarp(unsigned warp);
  void runThread(unsigned thread);
  void wait(ThreadState state, uint32_t site, uint64_t *operands,
            uint64_t *results);
  [[noreturn]] void abandon();
  unsigned getWarpEnd(unsigned warp) const;
  Dim3 getThreadIndex(unsigned thread) const;
  const Site &getSite(uint32_t site) const { return launch.module.sites[site]; }

  // Barriers.cpp
  bool completeBarriers();
  bool completeBarrier(uint32_t id, llvm::ArrayRef<unsigned> waiting);
  bool checkAligned(llvm::ArrayRef<unsigned> waiting);
  void arrive(uint32_t site, const uint64_t *operands);
  bool failDeadlock();

  // Collectives.cpp
  bool completeCollective(unsigned warp, bool &completed);
  bool completeGroup(unsigned warp, unsigned first, bool &completed);
  bool executeCollective(unsigned warp, uint32_t site, uint32_t mask);
  bool executeShuffle(unsigned warp, const Site &site, uint32_t mask);
  void executeVote(unsigned warp, const Site &site, uint32_t mask);
  void executeMatch(unsigned warp, const Site &site, uint32_t mask);
  void executeReduce(unsigned warp, const Site &site, uint32_t mask);
  void executeMultiply(unsigned warp, const Site &site);
  bool executeMatrixAccess(unsigned warp, uint32_t site);
  bool failDiverged(unsigned warp);

  // MemoryAccess.cpp
  void *checkShared(uint64_t address, uint64_t size, uint32_t site,
                    unsigned thread, bool writes, bool reads);
  void *checkGlobal(uint64_t address, uint64_t size, uint32_t site,
                    unsigned thread, bool writes, bool reads);
  void *checkAny(uint64_t address, uint64_t size, uint32_t site,
                 unsigned thread, bool writes, bool reads);
  bool checkAlignment(uint64_t address, uint32_t site, unsigned thread,
                      llvm::StringRef space);
  bool failShared(const SharedMemory::Report &report,
                  const SharedMemory::Access &access, bool writes);
  std::string describeShared(uint64_t offset) const;
  std::string describeBuffer(uint64_t address) const;
  bool executeMove(const Site &site, uint32_t index, const uint64_t *operands);
  bool executeAsync(uint32_t site, const uint64_t *operands);
  bool beginCopy(uint32_t site, const uint64_t *operands);
  void finishCopies(unsigned thread, unsigned keep, bool all);

  // Messages; `fail` returns false so that it can be returned.
  bool fail(unsigned thread, uint32_t site, const llvm::Twine &what);
  std::string describeThread(unsigned thread) const;
  std::string describeSite(uint32_t site) const;

  const Launch launch;
  FiberPool &fibers;
  Ordering ordering;
  SharedMemory shared;
  Traffic traffic;
  Dim3 index;
  unsigned numThreads;
  unsigned current = 0;
  std::vector<Thread> threads;
  std::array<NamedBarrier, 16> barriers;
  std::string error;
  uint64_t clock = 0;
};

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_BLOCK_H
