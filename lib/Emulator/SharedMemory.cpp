//===- SharedMemory.cpp - A block's shared memory -------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The detector keeps, per byte, the last write and the reads since that are not
// ordered among themselves, as FastTrack does (Flanagan and Freund, PLDI 2009).
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include <cstring>

using namespace xsa::emulator;

void SharedMemory::reset(uint64_t numBytes) {
  bytes.assign(numBytes, char(0xff));
  shadow.assign(numBytes, Byte());
  readers.clear();
}

SharedMemory::Report SharedMemory::checkBounds(const Access &access) const {
  Report report;
  if (access.offset > bytes.size() ||
      access.size > bytes.size() - access.offset)
    report.fault = Fault::OutOfBounds;
  return report;
}

SharedMemory::Report SharedMemory::checkWriter(const Byte &byte,
                                               const Access &access,
                                               uint64_t offset) const {
  if (byte.isInFlight)
    return {Fault::InFlight, offset, byte.writer, byte.writeSite};
  if (byte.writer == kNobody || (byte.wasAtomic && access.isAtomic) ||
      ordering.isBefore(byte.writer, byte.writeTime, access.thread))
    return {};
  return {Fault::RaceWithWrite, offset, byte.writer, byte.writeSite};
}

SharedMemory::Report SharedMemory::checkReaders(const Byte &byte,
                                                const Access &access,
                                                uint64_t offset) const {
  if (byte.reader == kNobody || byte.readTime < ordering.getBlockTime())
    return {};
  if (byte.reader != kSeveral) {
    if (ordering.isBefore(byte.reader, byte.readTime, access.thread))
      return {};
    return {Fault::RaceWithRead, offset, byte.reader, byte.readSite};
  }
  for (const Reader &reader : readers[byte.readersIndex])
    if (!ordering.isBefore(reader.thread, reader.time, access.thread))
      return {Fault::RaceWithRead, offset, reader.thread, byte.readSite};
  return {};
}

void SharedMemory::addReader(Byte &byte, const Access &access) {
  uint32_t time = ordering.getTime(access.thread);
  auto thread = static_cast<uint16_t>(access.thread);
  bool isOld = byte.reader == kNobody ||
               byte.readTime < ordering.getBlockTime() ||
               (byte.reader != kSeveral &&
                ordering.isBefore(byte.reader, byte.readTime, access.thread));
  byte.readSite = access.site;
  if (isOld) {
    byte.reader = thread;
    byte.readTime = time;
    return;
  }
  if (byte.reader != kSeveral) {
    byte.readersIndex = readers.size();
    readers.push_back({{byte.readTime, byte.reader}});
    byte.reader = kSeveral;
  }
  byte.readTime = std::max(byte.readTime, time);
  for (Reader &reader : readers[byte.readersIndex])
    if (reader.thread == thread) {
      reader.time = time;
      return;
    }
  readers[byte.readersIndex].push_back({time, thread});
}

SharedMemory::Report SharedMemory::read(const Access &access) {
  if (Report report = checkBounds(access))
    return report;
  for (uint64_t i = access.offset; i < access.offset + access.size; ++i) {
    Byte &byte = shadow[i];
    if (Report report = checkWriter(byte, access, i))
      return report;
    if (!byte.isWritten)
      return {Fault::Unwritten, i, 0, 0};
    addReader(byte, access);
  }
  return {};
}

SharedMemory::Report SharedMemory::write(const Access &access) {
  if (Report report = checkBounds(access))
    return report;
  uint32_t time = ordering.getTime(access.thread);
  for (uint64_t i = access.offset; i < access.offset + access.size; ++i) {
    Byte &byte = shadow[i];
    if (Report report = checkWriter(byte, access, i))
      return report;
    if (Report report = checkReaders(byte, access, i))
      return report;
    byte.writer = static_cast<uint16_t>(access.thread);
    byte.writeTime = time;
    byte.writeSite = access.site;
    byte.reader = kNobody;
    byte.isWritten = true;
    byte.wasAtomic = access.isAtomic;
  }
  return {};
}

SharedMemory::Report SharedMemory::update(const Access &access) {
  if (Report report = checkBounds(access))
    return report;
  for (uint64_t i = access.offset; i < access.offset + access.size; ++i)
    if (!shadow[i].isInFlight && !shadow[i].isWritten)
      return {Fault::Unwritten, i, 0, 0};
  return write(access);
}

SharedMemory::Report SharedMemory::beginCopy(const Access &access) {
  if (Report report = write(access))
    return report;
  for (uint64_t i = access.offset; i < access.offset + access.size; ++i)
    shadow[i].isInFlight = true;
  return {};
}

void SharedMemory::finishCopy(const Access &access) {
  uint32_t time = ordering.getTime(access.thread);
  for (uint64_t i = access.offset; i < access.offset + access.size; ++i) {
    shadow[i].isInFlight = false;
    shadow[i].writeTime = time;
  }
}
