//===- SharedMemory.h - A block's shared memory -----------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes, and for each byte who wrote and who read it last and when: enough
// to find every read of what was not written and every pair of accesses that no
// barrier orders.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_SHAREDMEMORY_H
#define XSA_LIB_EMULATOR_SHAREDMEMORY_H

#include "Ordering.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace xsa {
namespace emulator {

class SharedMemory {
public:
  /// Where shared memory begins in its address space: not at 0, so that a null
  /// pointer is found out, and as far aligned as on a GPU.
  static constexpr uint64_t kFirstAddress = 1024;
  /// Where its address space begins among generic addresses.
  static constexpr uint64_t kGenericWindow = uint64_t(1) << 47;

  struct Access {
    uint64_t offset;
    uint64_t size;
    unsigned thread;
    uint32_t site;
    bool isAtomic = false;
  };
  enum class Fault {
    None,
    OutOfBounds,
    /// Reads what nobody wrote.
    Unwritten,
    /// Touches what an asynchronous copy is to write.
    InFlight,
    /// Not ordered with another thread's write or read.
    RaceWithWrite,
    RaceWithRead,
  };
  struct Report {
    Fault fault = Fault::None;
    /// The byte, and the other access to it.
    uint64_t offset = 0;
    unsigned thread = 0;
    uint32_t site = 0;

    explicit operator bool() const { return fault != Fault::None; }
  };

  SharedMemory(const Ordering &ordering) : ordering(ordering) {}

  /// Memory of a new block: nothing written.
  void reset(uint64_t numBytes);
  /// Forgets what cannot conflict any more: all threads have synchronized.
  void synchronizedBlock() { readers.clear(); }

  uint64_t getSize() const { return bytes.size(); }
  char *getData(uint64_t offset) { return bytes.data() + offset; }

  Report read(const Access &access);
  Report write(const Access &access);
  /// Reads and writes that no other atomic access conflicts with.
  Report update(const Access &access);
  /// The bytes will be written some time before `finishCopy`.
  Report beginCopy(const Access &access);
  void finishCopy(const Access &access);

private:
  static constexpr uint16_t kNobody = 0xffff, kSeveral = 0xfffe;

  struct Byte {
    uint32_t writeTime = 0, readTime = 0;
    uint32_t writeSite = 0, readSite = 0;
    /// Index into `readers` if there are several.
    uint32_t readersIndex = 0;
    uint16_t writer = kNobody, reader = kNobody;
    bool isWritten = false, isInFlight = false, wasAtomic = false;
  };
  struct Reader {
    uint32_t time;
    uint16_t thread;
  };

  Report checkBounds(const Access &access) const;
  Report checkWriter(const Byte &byte, const Access &access,
                     uint64_t offset) const;
  Report checkReaders(const Byte &byte, const Access &access,
                      uint64_t offset) const;
  void addReader(Byte &byte, const Access &access);

  const Ordering &ordering;
  std::vector<char> bytes;
  std::vector<Byte> shadow;
  std::vector<llvm::SmallVector<Reader, 4>> readers;
};

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_SHAREDMEMORY_H
