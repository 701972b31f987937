//===- Fiber.h - Threads of a block as fibers -------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block's threads run interleaved on one thread of the host: each on a stack
// of its own, until it waits for others. Boost.Context switches the stacks.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_FIBER_H
#define XSA_LIB_EMULATOR_FIBER_H

#include <cstddef>
#include <memory>

namespace xsa {
namespace emulator {

class FiberPool {
public:
  /// Address space only: pages are used as they are touched.
  static constexpr size_t kStackBytes = size_t(256) << 10;
  /// Of it, what is for the emulator and for values that have no registers.
  static constexpr size_t kReservedBytes = size_t(64) << 10;

  FiberPool();
  ~FiberPool();

  /// Makes fiber `index` ready to run `body(argument)` from its start. One that
  /// was suspended is forgotten without unwinding its stack.
  void start(unsigned index, void (*body)(void *), void *argument);
  /// Runs a fiber until it suspends or ends; called outside of fibers.
  void resume(unsigned index);
  /// Goes back to the caller of `resume`; called in a fiber.
  void suspend();

  /// Whether a function with so many bytes of variables can be called; asked
  /// in the fiber.
  bool hasRoom(unsigned index, size_t bytes) const;
  /// Whether memory lies on the stack of a fiber.
  bool isOnStack(unsigned index, const void *pointer, size_t size) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_FIBER_H
