//===- ParallelRuntime.cpp - What compiled code calls at run time ---------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A failed check must not continue (the next instruction may read out of
// bounds) and must not end the host's process. Compiled code has no cleanups to
// run, so the check jumps back to where its thread entered compiled code, and
// what was allocated since is found in a list. The frames of a host's thread
// pool are never jumped over: each piece of a loop catches its own jump.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/ParallelRuntime.h"

#include "HostMemory.h"
#include "RuntimeCall.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

using namespace llvm;
using namespace xsa::runtime;

//===----------------------------------------------------------------------===//
// One call of compiled code
//===----------------------------------------------------------------------===//

namespace {
struct Call;

/// Stands before each allocation, and keeps it aligned to a cache line.
struct alignas(xsa::kHostAlignment) AllocationHeader {
  AllocationHeader *previous;
  AllocationHeader *next;
  Call *call;

  void *getPointer() { return this + 1; }
  static AllocationHeader *of(void *pointer) {
    return static_cast<AllocationHeader *>(pointer) - 1;
  }
};

/// What the threads that work on one call share.
struct Call {
  Call(const ParallelFor &parallelFor, Device *device)
      : parallelFor(parallelFor), device(device) {}

  ParallelFor parallelFor;
  Device *device;
  /// Memory of the device, not released yet.
  std::set<void *> deviceAllocations;
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::string message;
  AllocationHeader *allocations = nullptr;

  void insert(AllocationHeader *header) {
    std::lock_guard<std::mutex> lock(mutex);
    header->call = this;
    header->previous = nullptr;
    header->next = allocations;
    if (allocations)
      allocations->previous = header;
    allocations = header;
  }

  void remove(AllocationHeader *header) {
    std::lock_guard<std::mutex> lock(mutex);
    if (header->previous)
      header->previous->next = header->next;
    else
      allocations = header->next;
    if (header->next)
      header->next->previous = header->previous;
    header->call = nullptr;
  }

  void recordFailure(StringRef text) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!failed.exchange(true))
      message = text.str();
  }
};

/// Where a thread entered compiled code.
struct Frame {
  Call *call;
  Frame *outer;
  bool insideLoop;
  std::jmp_buf failure;
};
} // namespace

static thread_local Frame *currentFrame = nullptr;

/// Runs `body` in a frame of its own; returns early if a check in it fails.
static void enterCompiledCode(Call &call, bool insideLoop,
                              function_ref<void()> body) {
  Frame frame;
  frame.call = &call;
  frame.outer = currentFrame;
  frame.insideLoop = insideLoop;
  currentFrame = &frame;
  if (setjmp(frame.failure) == 0)
    body();
  currentFrame = frame.outer;
}

void xsa::runtime::leaveCompiledCode() {
  std::longjmp(currentFrame->failure, 1);
}

Device *xsa::runtime::getCurrentDevice() {
  return currentFrame ? currentFrame->call->device : nullptr;
}

void xsa::runtime::addDeviceAllocation(void *address) {
  std::lock_guard<std::mutex> lock(currentFrame->call->mutex);
  currentFrame->call->deviceAllocations.insert(address);
}

void xsa::runtime::removeDeviceAllocation(void *address) {
  std::lock_guard<std::mutex> lock(currentFrame->call->mutex);
  currentFrame->call->deviceAllocations.erase(address);
}

void xsa::runtime::recordFailure(Error error) {
  currentFrame->call->recordFailure(toString(std::move(error)));
}

//===----------------------------------------------------------------------===//
// Functions that compiled code calls
//===----------------------------------------------------------------------===//

/// A check failed: records the first message of the call and leaves.
[[noreturn]] static void failCompiledCode(const char *message) {
  if (!currentFrame) {
    errs() << "error: " << message << "\n";
    std::exit(1);
  }
  currentFrame->call->recordFailure(message);
  leaveCompiledCode();
}

static void *allocate(uint64_t size) {
  // One cache line behind the data as well: vector loads never share it.
  uint64_t total;
  void *memory = nullptr;
  if (!__builtin_add_overflow(size, 2 * sizeof(AllocationHeader), &total))
    memory = xsa::allocateHostMemory(total & ~(sizeof(AllocationHeader) - 1));
  if (!memory) {
    // No object with a destructor may live here: the next line jumps away.
    char message[96];
    std::snprintf(message, sizeof(message),
                  "out of memory: could not allocate %llu bytes",
                  static_cast<unsigned long long>(size));
    failCompiledCode(message);
  }
  auto *header = static_cast<AllocationHeader *>(memory);
  header->call = nullptr;
  if (currentFrame)
    currentFrame->call->insert(header);
  return header->getPointer();
}

static void release(void *pointer) {
  if (!pointer)
    return;
  AllocationHeader *header = AllocationHeader::of(pointer);
  if (header->call)
    header->call->remove(header);
  std::free(header);
}

namespace {
/// A loop on its way through the host's parallel-for.
struct GuardedLoop {
  Call *call;
  LoopBody body;
  void *context;
};
} // namespace

static void runGuardedPiece(int64_t begin, int64_t end, void *context) {
  auto *loop = static_cast<GuardedLoop *>(context);
  if (loop->call->failed)
    return;
  enterCompiledCode(*loop->call, /*insideLoop=*/true,
                    [&] { loop->body(begin, end, loop->context); });
}

static void parallelFor(int64_t count, int64_t grain, LoopBody body,
                        void *context) {
  if (count <= 0)
    return;
  Frame *frame = currentFrame;
  if (!frame || frame->insideLoop || !frame->call->parallelFor.run ||
      count <= grain)
    return body(0, count, context);
  Call *call = frame->call;
  GuardedLoop loop{call, body, context};
  call->parallelFor.run(call->parallelFor.host, count, grain, runGuardedPiece,
                        &loop);
  if (call->failed)
    leaveCompiledCode();
}

//===----------------------------------------------------------------------===//
// Conversions that processors without half-precision instructions call
//===----------------------------------------------------------------------===//

template <typename To, typename From> static To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

#if defined(__x86_64__) && defined(__SSE2__)
// The ABI passes values of 16 bits in vector registers.
using HalfABI = _Float16;
#else
using HalfABI = uint16_t;
#endif

static float extendHalf(HalfABI from) {
  APFloat value(APFloat::IEEEhalf(), APInt(16, bitCast<uint16_t>(from)));
  bool lost;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToFloat();
}

template <typename From>
static HalfABI roundTo(const fltSemantics &semantics, From from) {
  APFloat value(from);
  bool lost;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  return bitCast<HalfABI>(
      static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue()));
}

static HalfABI truncateToHalf(float from) {
  return roundTo(APFloat::IEEEhalf(), from);
}
static HalfABI truncateDoubleToHalf(double from) {
  return roundTo(APFloat::IEEEhalf(), from);
}
static HalfABI truncateToBFloat(float from) {
  return roundTo(APFloat::BFloat(), from);
}
static HalfABI truncateDoubleToBFloat(double from) {
  return roundTo(APFloat::BFloat(), from);
}

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

Error xsa::runtime::runCompiledCode(const ParallelFor &parallelFor,
                                    Device *device, function_ref<void()> entry,
                                    function_ref<bool(void *)> keep) {
  Call call(parallelFor, device);
  if (device)
    device->beginCall();
  enterCompiledCode(call, /*insideLoop=*/false, entry);
  for (AllocationHeader *header = call.allocations; header;) {
    AllocationHeader *next = header->next;
    if (!call.failed && keep(header->getPointer()))
      header->call = nullptr;
    else
      std::free(header);
    header = next;
  }
  // What a failed call has left on the device.
  for (void *address : call.deviceAllocations)
    consumeError(device->release(address));
  if (call.failed)
    return createStringError(call.message);
  return Error::success();
}

void xsa::runtime::releaseResult(void *allocated) { release(allocated); }

void xsa::runtime::forEachRuntimeSymbol(
    function_ref<void(StringRef, void *)> bind) {
  auto address = [](auto *function) {
    return reinterpret_cast<void *>(function);
  };
  bind("xsa_parallel_for", address(parallelFor));
  bind("xsa_fail", address(failCompiledCode));
  bind("malloc", address(allocate));
  bind("free", address(release));
  forEachGPUSymbol(bind);
  bind("__extendhfsf2", address(extendHalf));
  bind("__truncsfhf2", address(truncateToHalf));
  bind("__truncdfhf2", address(truncateDoubleToHalf));
  bind("__truncsfbf2", address(truncateToBFloat));
  bind("__truncdfbf2", address(truncateDoubleToBFloat));
}
