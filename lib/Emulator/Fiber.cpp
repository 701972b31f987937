//===- Fiber.cpp - Threads of a block as fibers ---------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one file that is compiled with exceptions: Boost's header mentions them.
// None is ever thrown, since suspended fibers are not destroyed but forgotten.
// AddressSanitizer has to be told of each switch.
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include "llvm/Support/ErrorHandling.h"

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define XSA_EMULATOR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define XSA_EMULATOR_ASAN 1
#endif
#endif

#ifdef XSA_EMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

using namespace xsa::emulator;
namespace ctx = boost::context;

namespace {
/// Boost asks for stacks through this; ours are kept by the pool.
struct BorrowedStack {
  ctx::stack_context allocate() { return {}; }
  void deallocate(ctx::stack_context &) {}
};

/// The stack to switch from and to, as the sanitizer knows it.
struct SanitizerStack {
  const void *bottom = nullptr;
  size_t size = 0;
  void *fake = nullptr;

  /// Called on this stack before leaving it for `to`.
  void leaveFor(const SanitizerStack &to, bool forever = false) {
#ifdef XSA_EMULATOR_ASAN
    __sanitizer_start_switch_fiber(forever ? nullptr : &fake, to.bottom,
                                   to.size);
#else
    (void)to;
    (void)forever;
#endif
  }
  /// Called on this stack after coming back from `from`.
  void arriveFrom(SanitizerStack &from) {
#ifdef XSA_EMULATOR_ASAN
    __sanitizer_finish_switch_fiber(fake, &from.bottom, &from.size);
#else
    (void)from;
#endif
  }
};

struct Slot {
  char *memory = nullptr;
  SanitizerStack stack;
  /// Never destroyed: a destructor would unwind the fiber's stack.
  alignas(ctx::fiber) char fiber[sizeof(ctx::fiber)];

  ctx::fiber &getFiber() { return *reinterpret_cast<ctx::fiber *>(fiber); }
};
} // namespace

struct FiberPool::State {
  size_t pageBytes = sysconf(_SC_PAGESIZE);
  std::vector<Slot> slots;
  /// The caller of `resume`, while a fiber runs.
  alignas(ctx::fiber) char callerMemory[sizeof(ctx::fiber)];
  SanitizerStack callerStack;
  unsigned running = 0;

  ctx::fiber &getCaller() {
    return *reinterpret_cast<ctx::fiber *>(callerMemory);
  }

  /// A stack above a page that nothing may touch.
  char *allocateStack() {
    void *memory =
        mmap(nullptr, kStackBytes + pageBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, pageBytes, PROT_NONE) != 0)
      llvm::report_bad_alloc_error("no memory for the stack of a thread");
    return static_cast<char *>(memory) + pageBytes;
  }
};

FiberPool::FiberPool() : state(std::make_unique<State>()) {
  new (state->callerMemory) ctx::fiber();
}

FiberPool::~FiberPool() {
  for (Slot &slot : state->slots)
    if (slot.memory)
      munmap(slot.memory - state->pageBytes, kStackBytes + state->pageBytes);
}

void FiberPool::start(unsigned index, void (*body)(void *), void *argument) {
  if (index >= state->slots.size())
    state->slots.resize(index + 1);
  Slot &slot = state->slots[index];
  if (!slot.memory) {
    slot.memory = state->allocateStack();
    slot.stack.bottom = slot.memory;
    slot.stack.size = kStackBytes;
  }
#ifdef XSA_EMULATOR_ASAN
  // Frames of a forgotten fiber have left their marks.
  __asan_unpoison_memory_region(slot.memory, kStackBytes);
  slot.stack.fake = nullptr;
#endif
  ctx::stack_context context;
  context.size = kStackBytes;
  context.sp = slot.memory + kStackBytes;
  ctx::preallocated stack(context.sp, context.size, context);
  State *pool = state.get();
  auto run = [pool, index, body, argument](ctx::fiber &&caller) {
    SanitizerStack &own = pool->slots[index].stack;
    own.arriveFrom(pool->callerStack);
    pool->getCaller() = std::move(caller);
    body(argument);
    own.leaveFor(pool->callerStack, /*forever=*/true);
    return std::move(pool->getCaller());
  };
  new (slot.fiber)
      ctx::fiber(std::allocator_arg, stack, BorrowedStack(), std::move(run));
}

void FiberPool::resume(unsigned index) {
  Slot &slot = state->slots[index];
  state->running = index;
  state->callerStack.leaveFor(slot.stack);
  ctx::fiber next = std::move(slot.getFiber()).resume();
  SanitizerStack ignored;
  state->callerStack.arriveFrom(ignored);
  slot.getFiber() = std::move(next);
}

void FiberPool::suspend() {
  SanitizerStack &own = state->slots[state->running].stack;
  own.leaveFor(state->callerStack);
  ctx::fiber caller = std::move(state->getCaller()).resume();
  own.arriveFrom(state->callerStack);
  state->getCaller() = std::move(caller);
}

bool FiberPool::hasRoom(unsigned index, size_t bytes) const {
  auto *frame = static_cast<const char *>(__builtin_frame_address(0));
  auto left = size_t(frame - state->slots[index].memory);
  return left >= kReservedBytes && left - kReservedBytes >= bytes;
}

bool FiberPool::isOnStack(unsigned index, const void *pointer,
                          size_t size) const {
  const char *begin = state->slots[index].memory;
  const char *address = static_cast<const char *>(pointer);
  return begin && address >= begin && address < begin + kStackBytes &&
         size <= size_t(begin + kStackBytes - address);
}
