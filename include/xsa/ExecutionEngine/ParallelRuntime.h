//===- ParallelRuntime.h - What compiled code calls at run time -*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code reaches threads, memory and errors only through the functions
// here, which the JIT binds to the symbols it calls. So a host that already has
// a thread pool (PyTorch's, a server's) supplies it, and a failed check in a
// model ends the call with an error instead of the process. docs/cpu-runtime.md
// explains the choice.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EXECUTIONENGINE_PARALLELRUNTIME_H
#define XSA_EXECUTIONENGINE_PARALLELRUNTIME_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>

namespace xsa {
namespace runtime {

/// Runs the iterations `[begin, end)` of a loop.
using LoopBody = void (*)(int64_t begin, int64_t end, void *context);

/// Runs `body` over `[0, count)` in any order, in pieces of any size, on any
/// threads, and returns when all is done. `grain` is the number of iterations
/// below which a piece is not worth a thread. `host` is the host's own pointer.
using ParallelForFn = void (*)(void *host, int64_t count, int64_t grain,
                               LoopBody body, void *context);

/// A parallel-for that the host supplies.
struct ParallelFor {
  ParallelForFn run = nullptr;
  void *host = nullptr;
};

/// The parallel-for used where the host supplies none: a few threads of our
/// own, started at the first loop that is large enough.
class ThreadPool {
public:
  /// `threads` counts the calling thread; 0 means one per available core.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();

  unsigned getNumThreads() const;

  /// Never blocks on another caller's loop: a second caller runs serially.
  void run(int64_t count, int64_t grain, LoopBody body, void *context);

  ParallelFor getParallelFor();

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Number of cores that this process may use.
unsigned getNumAvailableCores();

class Device;

/// Runs `entry`, a call of compiled code, with `parallelFor` for its loops and
/// `device`, if it has kernels, for those.
/// When a check inside fails, the call is abandoned, all memory it allocated is
/// released and the check's message is returned as an error. `keep` is asked
/// after a successful call which of the still allocated pointers are results;
/// all others are released.
llvm::Error runCompiledCode(const ParallelFor &parallelFor, Device *device,
                            llvm::function_ref<void()> entry,
                            llvm::function_ref<bool(void *)> keep);

/// Runs `initialize`, which initializes compiled code, and loads the kernels
/// that it announces on `device`.
llvm::Error loadKernels(Device &device, llvm::function_ref<void()> initialize);

/// Releases a result that `keep` has kept.
void releaseResult(void *allocated);

/// Calls `bind` with the name and address of each symbol that compiled code
/// may refer to.
void forEachRuntimeSymbol(
    llvm::function_ref<void(llvm::StringRef, void *)> bind);

} // namespace runtime
} // namespace xsa

#endif // XSA_EXECUTIONENGINE_PARALLELRUNTIME_H
