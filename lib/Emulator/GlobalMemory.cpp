//===- GlobalMemory.cpp - The emulated device's memory --------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch runs twice on the same memory. So pages that it writes are copied
// before, put back after the first run, and compared after the second.
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace xsa::emulator;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Zeros that take no memory before they are written; null if out of memory.
static void *mapMemory(uint64_t numBytes) {
  void *memory =
      mmap(nullptr, std::max<uint64_t>(numBytes, 1), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

/// Whole pages, so that a page's bits can be copied without looking at its end.
static uint64_t getNumBitmapBytes(uint64_t numBytes) {
  return llvm::alignTo(numBytes, 4096) / 8;
}

GlobalMemory::GlobalMemory() = default;

GlobalMemory::~GlobalMemory() {
  for (Buffer &buffer : buffers)
    if (buffer.isLive)
      free(buffer);
}

void GlobalMemory::free(Buffer &buffer) {
  if (buffer.ownsData && buffer.data)
    munmap(buffer.data, std::max<uint64_t>(buffer.size, 1));
  if (buffer.written)
    munmap(buffer.written,
           std::max<uint64_t>(getNumBitmapBytes(buffer.size), 1));
  buffer.data = nullptr;
  buffer.written = nullptr;
  buffer.isLive = false;
}

unsigned GlobalMemory::addSlot(uint64_t numBytes) {
  Buffer buffer;
  buffer.size = numBytes;
  buffer.isLive = true;
  buffers.push_back(std::move(buffer));
  return buffers.size() - 1;
}

llvm::Expected<DeviceAddress> GlobalMemory::allocate(uint64_t numBytes) {
  if (numBytes > uint64_t(kStart))
    return llvm::createStringError(
        "out of memory on the device: could not allocate " +
        llvm::Twine(numBytes) + " bytes");
  Buffer &buffer = buffers[addSlot(numBytes)];
  buffer.data =
      static_cast<char *>(mapMemory(llvm::alignTo(numBytes, kPageBytes)));
  buffer.written =
      static_cast<uint64_t *>(mapMemory(getNumBitmapBytes(numBytes)));
  if (!buffer.data || !buffer.written) {
    free(buffer);
    return llvm::createStringError(
        "out of memory on the device: could not allocate " +
        llvm::Twine(numBytes) + " bytes");
  }
  return getAddress(buffer);
}

llvm::Error GlobalMemory::release(DeviceAddress address) {
  int64_t offset;
  Buffer *buffer = find(address, offset);
  if (!buffer || offset != 0 || !buffer->isLive || !buffer->ownsData)
    return llvm::createStringError(
        "the address to free is " +
        (buffer && offset == 0 && !buffer->isLive
             ? "that of a buffer that was freed before"
             : describe(address)) +
        "; expected the start of a buffer");
  free(*buffer);
  return llvm::Error::success();
}

DeviceAddress GlobalMemory::reserve(uint64_t numBytes, llvm::StringRef name) {
  Buffer &buffer = buffers[addSlot(numBytes)];
  buffer.name = name.str();
  buffer.ownsData = false;
  return getAddress(buffer);
}

void GlobalMemory::bind(DeviceAddress address, void *data) {
  int64_t offset;
  Buffer *buffer = find(address, offset);
  buffer->data = static_cast<char *>(data);
  buffer->written =
      static_cast<uint64_t *>(mapMemory(getNumBitmapBytes(buffer->size)));
  if (buffer->written)
    std::memset(buffer->written, 0xff, getNumBitmapBytes(buffer->size));
}

void GlobalMemory::unbind(DeviceAddress address) {
  int64_t offset;
  free(*find(address, offset));
}

std::string GlobalMemory::describe(DeviceAddress address) const {
  int64_t offset;
  const Buffer *buffer =
      const_cast<GlobalMemory *>(this)->find(address, offset);
  if (!buffer)
    return "in no buffer";
  std::string what =
      (buffer->name.empty()
           ? "a buffer of " + llvm::Twine(buffer->size) + " bytes"
           : "'" + buffer->name + "' of " + llvm::Twine(buffer->size) +
                 " bytes")
          .str();
  if (!buffer->isLive)
    return what + " that was freed before";
  if (offset < 0)
    return (llvm::Twine(-offset) + " bytes before the start of " + what).str();
  if (uint64_t(offset) >= buffer->size)
    return (llvm::Twine(uint64_t(offset) - buffer->size) +
            " bytes past the end of " + what)
        .str();
  return ("at byte " + llvm::Twine(offset) + " of " + what).str();
}

//===----------------------------------------------------------------------===//
// Which bytes were written
//===----------------------------------------------------------------------===//

/// Calls `visit(word, mask)` for the bits of a range, one word at a time.
template <typename Visit>
static bool forEachWord(uint64_t offset, uint64_t size, Visit visit) {
  while (size) {
    unsigned bit = offset % 64;
    uint64_t count = std::min<uint64_t>(64 - bit, size);
    uint64_t mask = llvm::maskTrailingOnes<uint64_t>(count) << bit;
    if (!visit(offset / 64, mask))
      return false;
    offset += count;
    size -= count;
  }
  return true;
}

bool GlobalMemory::isWritten(const Buffer &buffer, uint64_t offset,
                             uint64_t size) {
  return forEachWord(offset, size, [&](uint64_t word, uint64_t mask) {
    return (buffer.written[word] & mask) == mask;
  });
}

uint64_t GlobalMemory::findUnwritten(const Buffer &buffer, uint64_t offset,
                                     uint64_t size) {
  uint64_t found = offset;
  forEachWord(offset, size, [&](uint64_t word, uint64_t mask) {
    uint64_t missing = mask & ~buffer.written[word];
    if (!missing)
      return true;
    found = word * 64 + llvm::countr_zero(missing);
    return false;
  });
  return found;
}

void GlobalMemory::willWrite(Buffer &buffer, uint64_t offset, uint64_t size) {
  if (!size)
    return;
  if (tracking)
    for (uint64_t page = offset / kPageBytes;
         page <= (offset + size - 1) / kPageBytes; ++page) {
      if (buffer.savedPages.empty())
        buffer.savedPages.resize(
            llvm::divideCeil(llvm::divideCeil(buffer.size, kPageBytes), 64));
      uint64_t &word = buffer.savedPages[page / 64];
      uint64_t bit = uint64_t(1) << (page % 64);
      if (!(word & bit)) {
        word |= bit;
        savePage(&buffer - buffers.data(), page);
      }
    }
  forEachWord(offset, size, [&](uint64_t word, uint64_t mask) {
    buffer.written[word] |= mask;
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Two runs on the same memory
//===----------------------------------------------------------------------===//

GlobalMemory::Page GlobalMemory::copyPage(unsigned index, uint64_t page) const {
  const Buffer &buffer = buffers[index];
  uint64_t begin = page * kPageBytes;
  uint64_t end = std::min(begin + kPageBytes, buffer.size);
  const uint64_t *written = buffer.written + begin / 64;
  return {index, page,
          std::vector<char>(buffer.data + begin, buffer.data + end),
          std::vector<uint64_t>(written, written + kPageBytes / 64)};
}

void GlobalMemory::savePage(unsigned index, uint64_t page) {
  saved.push_back(copyPage(index, page));
}

void GlobalMemory::restorePage(const Page &page) {
  Buffer &buffer = buffers[page.buffer];
  std::memcpy(buffer.data + page.index * kPageBytes, page.data.data(),
              page.data.size());
  std::copy(page.written.begin(), page.written.end(),
            buffer.written + page.index * kPageBytes / 64);
}

void GlobalMemory::beginTracking() { tracking = true; }

std::vector<GlobalMemory::Page> GlobalMemory::takeChanges() {
  std::vector<Page> changes;
  for (const Page &old : saved) {
    changes.push_back(copyPage(old.buffer, old.index));
    restorePage(old);
    buffers[old.buffer].savedPages.clear();
  }
  saved.clear();
  return changes;
}

bool GlobalMemory::findDifference(const std::vector<Page> &changes,
                                  Difference &difference) {
  auto differ = [&](const Page &expected) {
    Page now = copyPage(expected.buffer, expected.index);
    for (uint64_t i = 0; i < now.data.size(); ++i) {
      bool writtenNow = now.written[i / 64] >> (i % 64) & 1;
      bool writtenThen = expected.written[i / 64] >> (i % 64) & 1;
      if (writtenNow == writtenThen &&
          (!writtenNow || now.data[i] == expected.data[i]))
        continue;
      difference = {expected.buffer, expected.index * kPageBytes + i};
      return true;
    }
    return false;
  };
  for (const Page &page : changes)
    if (differ(page))
      return true;
  // Pages that only the second run has written must be as they were.
  llvm::DenseSet<std::pair<unsigned, uint64_t>> compared;
  for (const Page &page : changes)
    compared.insert({page.buffer, page.index});
  for (const Page &old : saved)
    if (!compared.contains({old.buffer, old.index}) && differ(old))
      return true;
  return false;
}

void GlobalMemory::endTracking() {
  for (const Page &old : saved)
    buffers[old.buffer].savedPages.clear();
  saved.clear();
  tracking = false;
}
