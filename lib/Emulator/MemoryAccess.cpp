//===- MemoryAccess.cpp - Checked accesses to memory ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access of a kernel comes through here: bounds, alignment, whether the
// bytes were written, and, in shared memory, whether another thread is at them.
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace xsa::emulator;

static const char *getVerb(bool writes, bool reads) {
  return writes && reads ? "atomic access" : writes ? "store" : "load";
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

std::string Block::describeShared(uint64_t offset) const {
  for (const SharedVariable &variable : launch.module.sharedVariables)
    if (offset >= variable.offset && offset - variable.offset < variable.size)
      return ("byte " + llvm::Twine(offset - variable.offset) + " of '" +
              variable.name + "'")
          .str();
  uint64_t dynamic = shared.getSize() - launch.shape.dynamicSharedBytes;
  if (offset >= dynamic && offset < shared.getSize())
    return ("byte " + llvm::Twine(offset - dynamic) +
            " of dynamic shared memory")
        .str();
  return ("byte " + llvm::Twine(offset) + " of shared memory").str();
}

bool Block::failShared(const SharedMemory::Report &report,
                       const SharedMemory::Access &access, bool writes) {
  const char *verb = getVerb(writes, !writes || access.isAtomic);
  std::string what = ("shared " + llvm::Twine(verb) + " of " +
                      llvm::Twine(access.size) + " bytes")
                         .str();
  std::string where = describeShared(report.offset);
  auto other = [&] {
    return describeThread(report.thread) + " at " + describeSite(report.site);
  };
  switch (report.fault) {
  case SharedMemory::Fault::OutOfBounds: {
    int64_t offset = access.offset;
    return fail(access.thread, access.site,
                "out-of-bounds " + what + ": byte " + llvm::Twine(offset) +
                    " of shared memory, which has " +
                    llvm::Twine(shared.getSize()));
  }
  case SharedMemory::Fault::Unwritten:
    return fail(access.thread, access.site,
                what + " reads uninitialised memory: " + where +
                    " was never written");
  case SharedMemory::Fault::InFlight:
    return fail(access.thread, access.site,
                what + " meets an asynchronous copy that was not waited for: " +
                    where + " is to be written by " + other());
  case SharedMemory::Fault::RaceWithWrite:
    return fail(access.thread, access.site,
                "race on shared memory: " + what + " at " + where +
                    " is not ordered after the write by " + other());
  case SharedMemory::Fault::RaceWithRead:
    return fail(access.thread, access.site,
                "race on shared memory: " + what + " at " + where +
                    " is not ordered after the read by " + other());
  case SharedMemory::Fault::None:
    break;
  }
  return true;
}

void *Block::checkShared(uint64_t address, uint64_t size, uint32_t site,
                         unsigned thread, bool writes, bool reads) {
  SharedMemory::Access access{address - SharedMemory::kFirstAddress, size,
                              thread, site, writes && reads};
  SharedMemory::Report report = writes && reads ? shared.update(access)
                                : writes        ? shared.write(access)
                                                : shared.read(access);
  if (report) {
    failShared(report, access, writes);
    return nullptr;
  }
  return shared.getData(access.offset);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Where an address is, with the kernel's argument that has this buffer.
std::string Block::describeBuffer(uint64_t address) const {
  std::string text = launch.memory.describe(address);
  int64_t offset;
  const Buffer *buffer = launch.memory.find(address, offset);
  if (!buffer)
    return text;
  uint64_t start = launch.memory.getAddress(*buffer);
  for (auto [i, type] : llvm::enumerate(launch.kernel.parameterTypes)) {
    if (type != "ptr")
      continue;
    uint64_t value;
    std::memcpy(&value, launch.parameters[i], sizeof(value));
    if (value == start)
      return text + (" (argument " + llvm::Twine(i) + ")").str();
  }
  return text;
}

void *Block::checkGlobal(uint64_t address, uint64_t size, uint32_t site,
                         unsigned thread, bool writes, bool reads) {
  auto what = [&] {
    return ("global " + llvm::Twine(getVerb(writes, reads)) + " of " +
            llvm::Twine(size) + " bytes")
        .str();
  };
  int64_t offset;
  Buffer *buffer = launch.memory.findRange(address, size, offset);
  if (!buffer) {
    // Say where the first byte out of bounds is.
    uint64_t last = address + size - 1;
    bool starts = launch.memory.findRange(address, 1, offset);
    fail(thread, site,
         "out-of-bounds " + what() + ": " +
             (starts ? "its end is " : "it is ") +
             describeBuffer(starts ? last : address));
    return nullptr;
  }
  if (reads && !GlobalMemory::isWritten(*buffer, offset, size)) {
    uint64_t missing = GlobalMemory::findUnwritten(*buffer, offset, size);
    fail(thread, site,
         what() + " reads uninitialised memory: it is " +
             describeBuffer(address + (missing - offset)));
    return nullptr;
  }
  if (writes)
    launch.memory.willWrite(*buffer, offset, size);
  return buffer->data + offset;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

bool Block::checkAlignment(uint64_t address, uint32_t site, unsigned thread,
                           llvm::StringRef space) {
  uint32_t alignment = getSite(site).alignment;
  if (address % alignment == 0)
    return true;
  return fail(thread, site,
              "misaligned " + space + " access: the address is a multiple of " +
                  llvm::Twine(address & -address) + ", expected " +
                  llvm::Twine(alignment));
}

/// A generic address: shared, global or the thread's own memory.
void *Block::checkAny(uint64_t address, uint64_t size, uint32_t site,
                      unsigned thread, bool writes, bool reads) {
  if (address >= GlobalMemory::kFirstAddress)
    return checkGlobal(address, size, site, thread, writes, reads);
  if (address >= SharedMemory::kGenericWindow)
    return checkShared(address - SharedMemory::kGenericWindow, size, site,
                       thread, writes, reads);
  auto *pointer = reinterpret_cast<void *>(address);
  if (fibers.isOnStack(thread, pointer, size))
    return pointer;
  fail(thread, site,
       llvm::Twine(getVerb(writes, reads)) + " of " + llvm::Twine(size) +
           " bytes at an address that is in no memory of the device: 0x" +
           llvm::utohexstr(address, /*LowerCase=*/true));
  return nullptr;
}

void *Block::access(uint64_t address, uint32_t siteIndex) {
  const Site &site = getSite(siteIndex);
  bool writes = site.op != Op::Load, reads = site.op != Op::Store;
  bool isGlobal = address >= GlobalMemory::kFirstAddress;
  void *memory = nullptr;
  if (checkAlignment(address, siteIndex, current,
                     isGlobal ? "global" : "generic"))
    memory = checkAny(address, site.size, siteIndex, current, writes, reads);
  if (!memory)
    abandon();
  if (isGlobal) {
    if (reads)
      traffic.log(current, Traffic::Kind::GlobalLoad, siteIndex, address,
                  site.size);
    if (writes)
      traffic.log(current, Traffic::Kind::GlobalStore, siteIndex, address,
                  site.size);
  } else if (address >= SharedMemory::kGenericWindow) {
    traffic.log(current, Traffic::Kind::Shared, siteIndex,
                address - SharedMemory::kGenericWindow, site.size);
  }
  return memory;
}

void *Block::accessShared(uint64_t address, uint32_t siteIndex) {
  const Site &site = getSite(siteIndex);
  // Addresses of shared memory have 32 bits.
  address = uint32_t(address);
  void *memory = nullptr;
  if (checkAlignment(address, siteIndex, current, "shared"))
    memory = checkShared(address, site.size, siteIndex, current,
                         site.op != Op::Load, site.op != Op::Store);
  if (!memory)
    abandon();
  traffic.log(current, Traffic::Kind::Shared, siteIndex, address, site.size);
  return memory;
}

void Block::checkLocal(const LocalAccess &access, uint32_t siteIndex) {
  const Site &site = getSite(siteIndex);
  auto offset = int64_t(access.address - access.object);
  bool fits = offset >= 0 && access.size <= access.objectSize &&
              uint64_t(offset) <= access.objectSize - access.size;
  if (!fits)
    fail(current, siteIndex,
         llvm::Twine("out-of-bounds local ") +
             getVerb(site.op != Op::Load, site.op != Op::Store) + " of " +
             llvm::Twine(access.size) + " bytes: it is at byte " +
             llvm::Twine(offset) + " of a variable of " +
             llvm::Twine(access.objectSize) + " bytes");
  if (!fits || !checkAlignment(access.address, siteIndex, current, "local"))
    abandon();
}

/// Operands: destination, source or byte, size. All addresses are generic.
bool Block::executeMove(const Site &site, uint32_t siteIndex,
                        const uint64_t *operands) {
  uint64_t size = operands[2];
  if (size == 0)
    return true;
  void *source = nullptr;
  if (site.op == Op::CopyMemory) {
    source = checkAny(operands[1], size, siteIndex, current, false, true);
    if (!source)
      return false;
  }
  void *target = checkAny(operands[0], size, siteIndex, current, true, false);
  if (!target)
    return false;
  if (source)
    std::memmove(target, source, size);
  else
    std::memset(target, int(operands[1] & 0xff), size);
  return true;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

bool Block::executeAsync(uint32_t siteIndex, const uint64_t *operands) {
  switch (getSite(siteIndex).op) {
  case Op::AsyncCopy:
    return beginCopy(siteIndex, operands);
  case Op::AsyncCommit:
    threads[current].copies.commit();
    return true;
  case Op::AsyncWait:
    finishCopies(current, operands[0], /*all=*/false);
    return true;
  default:
    finishCopies(current, 0, /*all=*/true);
    return true;
  }
}

/// Operands: shared address, global address, bytes to read.
bool Block::beginCopy(uint32_t siteIndex, const uint64_t *operands) {
  const Site &site = getSite(siteIndex);
  uint64_t to = uint32_t(operands[0]), from = operands[1];
  uint32_t sourceSize = site.hasCount ? uint32_t(operands[2]) : site.size;
  if (sourceSize > site.size)
    return fail(current, siteIndex,
                "an asynchronous copy of " + llvm::Twine(site.size) +
                    " bytes is to read " + llvm::Twine(sourceSize));
  if (!checkAlignment(to, siteIndex, current, "shared") ||
      !checkAlignment(from, siteIndex, current, "global"))
    return false;
  const void *source = nullptr;
  if (sourceSize) {
    source = checkGlobal(from, sourceSize, siteIndex, current, false, true);
    if (!source)
      return false;
  }
  SharedMemory::Access access{to - SharedMemory::kFirstAddress, site.size,
                              current, siteIndex};
  if (SharedMemory::Report report = shared.beginCopy(access))
    return failShared(report, access, /*writes=*/true);
  AsyncCopy copy{siteIndex, access.offset, site.size,
                 static_cast<const char *>(source), sourceSize};
  char *target = shared.getData(access.offset);
  if (launch.landing == CopyLanding::AtOnce) {
    if (sourceSize)
      std::memcpy(target, source, sourceSize);
    std::memset(target + sourceSize, 0, site.size - sourceSize);
  } else {
    std::memset(target, 0xff, site.size);
  }
  threads[current].copies.begin(copy);
  traffic.log(current, Traffic::Kind::GlobalLoad, siteIndex, from, sourceSize);
  traffic.log(current, Traffic::Kind::Shared, siteIndex, to, site.size);
  return true;
}

/// All but the newest `keep` groups have landed.
void Block::finishCopies(unsigned thread, unsigned keep, bool all) {
  threads[thread].copies.finish(keep, all, [&](const AsyncCopy &copy) {
    if (launch.landing == CopyLanding::AtWait) {
      char *target = shared.getData(copy.sharedOffset);
      if (copy.sourceSize)
        std::memcpy(target, copy.source, copy.sourceSize);
      std::memset(target + copy.sourceSize, 0, copy.size - copy.sourceSize);
    }
    shared.finishCopy({copy.sharedOffset, copy.size, thread, copy.site});
  });
}
