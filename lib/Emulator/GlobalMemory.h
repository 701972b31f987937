//===- GlobalMemory.h - The emulated device's memory ------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers with bounds. Their addresses are made up, and so far apart that an
// index that runs out of one never lands in another; the high bits of an
// address say which buffer it belongs to. Each byte knows whether it was ever
// written.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_GLOBALMEMORY_H
#define XSA_LIB_EMULATOR_GLOBALMEMORY_H

#include "xsa/Emulator/Emulator.h"

#include <string>
#include <vector>

namespace xsa {
namespace emulator {

/// Memory that is not touched takes no space. `written` has a bit per byte.
struct Buffer {
  uint64_t size = 0;
  char *data = nullptr;
  uint64_t *written = nullptr;
  /// What messages call it; empty for what the host has allocated.
  std::string name;
  bool isLive = false;
  /// False for variables of a module, whose memory is the module's.
  bool ownsData = true;
  /// A bit per page: saved since `beginTracking`.
  std::vector<uint64_t> savedPages;
};

class GlobalMemory {
public:
  /// Addresses below this are the host's own (the stack of a thread).
  static constexpr DeviceAddress kFirstAddress = DeviceAddress(1) << 48;

  GlobalMemory();
  ~GlobalMemory();

  llvm::Expected<DeviceAddress> allocate(uint64_t numBytes);
  llvm::Error release(DeviceAddress address);

  /// Reserves the address of a variable whose memory comes with `bind`, already
  /// written.
  DeviceAddress reserve(uint64_t numBytes, llvm::StringRef name);
  void bind(DeviceAddress address, void *data);
  /// Forgets a variable.
  void unbind(DeviceAddress address);

  /// The buffer that an address belongs to, in bounds or not, and the distance
  /// from its start; null if there never was one.
  Buffer *find(DeviceAddress address, int64_t &offset) {
    uint64_t index = (address >> kSlotBits) - kFirstSlot;
    if (index >= buffers.size())
      return nullptr;
    offset = int64_t(address & kOffsetMask) - kStart;
    return &buffers[index];
  }
  DeviceAddress getAddress(const Buffer &buffer) const {
    return ((uint64_t(&buffer - buffers.data()) + kFirstSlot) << kSlotBits) +
           kStart;
  }

  /// A live buffer that has all of these bytes, or null.
  Buffer *findRange(DeviceAddress address, uint64_t numBytes, int64_t &offset) {
    Buffer *buffer = find(address, offset);
    if (!buffer || !buffer->isLive || offset < 0 ||
        uint64_t(offset) > buffer->size ||
        numBytes > buffer->size - uint64_t(offset))
      return nullptr;
    return buffer;
  }
  /// "4 bytes past the end of a buffer of 64 bytes".
  std::string describe(DeviceAddress address) const;

  static bool isWritten(const Buffer &buffer, uint64_t offset, uint64_t size);
  /// The first byte of a range that was never written.
  static uint64_t findUnwritten(const Buffer &buffer, uint64_t offset,
                                uint64_t size);
  /// To be called before bytes are written.
  void willWrite(Buffer &buffer, uint64_t offset, uint64_t size);

  /// From here on the old contents of pages that are written are kept.
  void beginTracking();
  /// What was written since, put aside; the memory is as it was before.
  struct Page {
    unsigned buffer;
    uint64_t index;
    std::vector<char> data;
    std::vector<uint64_t> written;
  };
  std::vector<Page> takeChanges();
  /// Where memory, as it is now, differs from what it was before `takeChanges`.
  /// Ends tracking.
  struct Difference {
    unsigned buffer;
    uint64_t offset;
  };
  bool findDifference(const std::vector<Page> &changes, Difference &difference);
  void endTracking();

  const Buffer &getBuffer(unsigned index) const { return buffers[index]; }

private:
  static constexpr unsigned kSlotBits = 40;
  static constexpr uint64_t kOffsetMask = (uint64_t(1) << kSlotBits) - 1;
  /// Offsets below the start are below the buffer.
  static constexpr int64_t kStart = int64_t(1) << (kSlotBits - 1);
  static constexpr uint64_t kFirstSlot = kFirstAddress >> kSlotBits;
  static constexpr uint64_t kPageBytes = 4096;

  unsigned addSlot(uint64_t numBytes);
  void savePage(unsigned buffer, uint64_t index);
  Page copyPage(unsigned buffer, uint64_t index) const;
  void restorePage(const Page &page);
  void free(Buffer &buffer);

  std::vector<Buffer> buffers;
  std::vector<Page> saved;
  bool tracking = false;
};

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_GLOBALMEMORY_H
