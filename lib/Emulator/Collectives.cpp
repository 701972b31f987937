//===- Collectives.cpp - What the lanes of a warp do together -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes come to a collective one after another. It is executed when all lanes
// of its mask that have not ended are there; lanes that still wait when no lane
// can run have diverged.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "MatrixMultiply.h"

#include "llvm/ADT/bit.h"

#include <cstring>

using namespace xsa::emulator;

/// The lanes that an instruction is for, by its operands.
static uint32_t getMask(const Site &site, const uint64_t *operands) {
  switch (site.op) {
  case Op::SyncWarp:
  case Op::Shuffle:
  case Op::Vote:
  case Op::Match:
  case Op::Elect:
    return operands[0];
  case Op::Reduce:
    return operands[1];
  default:
    return ~uint32_t(0);
  }
}

static std::string toHex(uint32_t mask) {
  return "0x" + llvm::utohexstr(mask, /*LowerCase=*/true, /*Width=*/8);
}

/// Executes one collective of a warp, if lanes wait and all of its are there.
bool Block::completeCollective(unsigned warp, bool &completed) {
  bool isWaiting = false;
  for (unsigned t = warp * kWarpSize; t < getWarpEnd(warp); ++t) {
    if (threads[t].state != ThreadState::AtCollective)
      continue;
    isWaiting = true;
    if (!completeGroup(warp, t, completed))
      return false;
    if (completed)
      return true;
  }
  return !isWaiting || failDiverged(warp);
}

/// The same with the lanes that wait where `first` does, with the same mask.
bool Block::completeGroup(unsigned warp, unsigned first, bool &completed) {
  uint32_t siteIndex = threads[first].site;
  const Site &site = getSite(siteIndex);
  uint32_t mask = getMask(site, threads[first].operands);
  if (!(mask >> (first % kWarpSize) & 1))
    return fail(first, siteIndex,
                "the mask " + toHex(mask) +
                    " does not have the lane that executes it");
  uint32_t live = 0, here = 0;
  for (unsigned t = warp * kWarpSize; t < getWarpEnd(warp); ++t) {
    uint32_t bit = uint32_t(1) << (t % kWarpSize);
    if (threads[t].state == ThreadState::Done)
      continue;
    live |= bit;
    if (threads[t].state == ThreadState::AtCollective &&
        threads[t].site == siteIndex &&
        getMask(site, threads[t].operands) == mask)
      here |= bit;
  }
  // Lanes that have ended are not waited for, but an aligned instruction is for
  // whole warps.
  if (site.aligned && live != ~uint32_t(0))
    return fail(first, siteIndex,
                "an instruction for all 32 lanes of a warp is executed by "
                "lanes " +
                    toHex(live) + " only: the others have ended or never were");
  if ((mask & live) != here)
    return true;
  completed = true;
  return executeCollective(warp, siteIndex, here);
}

bool Block::failDiverged(unsigned warp) {
  unsigned waiting = warp * kWarpSize;
  while (threads[waiting].state != ThreadState::AtCollective)
    ++waiting;
  uint32_t siteIndex = threads[waiting].site;
  uint32_t mask = getMask(getSite(siteIndex), threads[waiting].operands);
  for (unsigned t = warp * kWarpSize; t < getWarpEnd(warp); ++t) {
    if (!(mask >> (t % kWarpSize) & 1) || threads[t].state == ThreadState::Done)
      continue;
    bool isSame = threads[t].state == ThreadState::AtCollective &&
                  threads[t].site == siteIndex;
    uint32_t otherMask =
        isSame ? getMask(getSite(siteIndex), threads[t].operands) : 0;
    if (isSame && otherMask == mask)
      continue;
    return fail(waiting, siteIndex,
                "the lanes of mask " + toHex(mask) +
                    " have diverged: " + describeThread(t) +
                    (isSame ? " has the mask " + toHex(otherMask)
                            : " is at " + describeSite(threads[t].site)));
  }
  return fail(waiting, siteIndex, "the lanes have diverged");
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

template <typename Visit> static void forEachLane(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(unsigned(llvm::countr_zero(mask)));
}

bool Block::executeCollective(unsigned warp, uint32_t siteIndex,
                              uint32_t mask) {
  const Site &site = getSite(siteIndex);
  unsigned base = warp * kWarpSize;
  bool ok = true;
  switch (site.op) {
  case Op::Shuffle:
    ok = executeShuffle(warp, site, mask);
    break;
  case Op::Vote:
    executeVote(warp, site, mask);
    break;
  case Op::Match:
    executeMatch(warp, site, mask);
    break;
  case Op::Reduce:
    executeReduce(warp, site, mask);
    break;
  case Op::Elect:
    forEachLane(mask, [&](unsigned lane) {
      unsigned leader = llvm::countr_zero(mask);
      threads[base + lane].results[0] = leader;
      threads[base + lane].results[1] = lane == leader;
    });
    break;
  case Op::MultiplyMatrices:
    executeMultiply(warp, site);
    break;
  case Op::LoadMatrix:
  case Op::StoreMatrix:
    ok = executeMatrixAccess(warp, siteIndex);
    break;
  default: {
    // Of all these only this one orders memory.
    llvm::SmallVector<unsigned, kWarpSize> lanes;
    forEachLane(mask, [&](unsigned lane) { lanes.push_back(base + lane); });
    ordering.synchronize(lanes);
    break;
  }
  }
  forEachLane(mask, [&](unsigned lane) {
    threads[base + lane].state = ThreadState::Ready;
  });
  return ok;
}

/// Operands: mask, value, lane, clamp (PTX ISA, `shfl.sync`).
bool Block::executeShuffle(unsigned warp, const Site &site, uint32_t mask) {
  unsigned base = warp * kWarpSize;
  std::array<uint64_t, kWarpSize> values;
  forEachLane(mask, [&](unsigned lane) {
    values[lane] = threads[base + lane].operands[1];
  });
  bool ok = true;
  forEachLane(mask, [&](unsigned lane) {
    const Thread &thread = threads[base + lane];
    int b = thread.operands[2] & 31;
    int clamp = thread.operands[3] & 31;
    int segment = thread.operands[3] >> 8 & 31;
    int self = lane;
    int last = (self & segment) | (clamp & ~segment);
    int source = self;
    bool inRange = true;
    switch (ShuffleMode(site.mode)) {
    case ShuffleMode::Up:
      source = self - b;
      inRange = source >= last;
      break;
    case ShuffleMode::Down:
      source = self + b;
      inRange = source <= last;
      break;
    case ShuffleMode::Butterfly:
      source = self ^ b;
      inRange = source <= last;
      break;
    case ShuffleMode::Index:
      source = (self & segment) | (b & ~segment);
      inRange = source <= last;
      break;
    }
    if (!inRange)
      source = self;
    if (!(mask >> source & 1)) {
      ok = fail(base + lane, thread.site,
                "a shuffle reads from lane " + llvm::Twine(source) +
                    ", which does not take part: lanes " + toHex(mask) + " do");
      return;
    }
    thread.results[0] = values[source];
    thread.results[1] = inRange;
  });
  return ok;
}

void Block::executeVote(unsigned warp, const Site &site, uint32_t mask) {
  unsigned base = warp * kWarpSize;
  uint32_t ballot = 0;
  forEachLane(mask, [&](unsigned lane) {
    ballot |= uint32_t(threads[base + lane].operands[1] & 1) << lane;
  });
  uint64_t result = 0;
  switch (VoteMode(site.mode)) {
  case VoteMode::All:
    result = ballot == mask;
    break;
  case VoteMode::Any:
    result = ballot != 0;
    break;
  case VoteMode::Uniform:
    result = ballot == mask || ballot == 0;
    break;
  case VoteMode::Ballot:
    result = ballot;
    break;
  }
  forEachLane(mask,
              [&](unsigned lane) { threads[base + lane].results[0] = result; });
}

void Block::executeMatch(unsigned warp, const Site &site, uint32_t mask) {
  unsigned base = warp * kWarpSize;
  uint64_t valueMask = site.size == 8 ? ~uint64_t(0) : 0xffffffffu;
  forEachLane(mask, [&](unsigned lane) {
    uint32_t same = 0;
    uint64_t value = threads[base + lane].operands[1] & valueMask;
    forEachLane(mask, [&](unsigned other) {
      if ((threads[base + other].operands[1] & valueMask) == value)
        same |= uint32_t(1) << other;
    });
    uint64_t *results = threads[base + lane].results;
    results[0] = !site.matchesAll || same == mask ? same : 0;
    if (site.matchesAll)
      results[1] = same == mask;
  });
}

void Block::executeReduce(unsigned warp, const Site &site, uint32_t mask) {
  unsigned base = warp * kWarpSize;
  auto combine = [&](uint32_t a, uint32_t b) -> uint32_t {
    switch (ReduceMode(site.mode)) {
    case ReduceMode::Add:
      return a + b;
    case ReduceMode::UMin:
      return std::min(a, b);
    case ReduceMode::UMax:
      return std::max(a, b);
    case ReduceMode::Min:
      return std::min(int32_t(a), int32_t(b));
    case ReduceMode::Max:
      return std::max(int32_t(a), int32_t(b));
    case ReduceMode::And:
      return a & b;
    case ReduceMode::Or:
      return a | b;
    case ReduceMode::Xor:
      return a ^ b;
    }
    return 0;
  };
  unsigned first = llvm::countr_zero(mask);
  uint32_t result = threads[base + first].operands[0];
  forEachLane(mask & (mask - 1), [&](unsigned lane) {
    result = combine(result, threads[base + lane].operands[0]);
  });
  forEachLane(mask,
              [&](unsigned lane) { threads[base + lane].results[0] = result; });
}

void Block::executeMultiply(unsigned warp, const Site &site) {
  LaneSlots operands, results;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    operands[lane] = threads[warp * kWarpSize + lane].operands;
    results[lane] = threads[warp * kWarpSize + lane].results;
  }
  multiplyMatrices(site.shape, operands, results);
  traffic.countMultiply();
}

/// Matrices of 8 rows of 16 bytes. Lane 8 i + r has the address of row r of
/// matrix i; the elements go to or come from lane 4 r + c / 2, or, transposed,
/// 4 c + r / 2.
bool Block::executeMatrixAccess(unsigned warp, uint32_t siteIndex) {
  const Site &site = getSite(siteIndex);
  bool stores = site.op == Op::StoreMatrix;
  unsigned base = warp * kWarpSize;
  // After the address come the registers to store.
  unsigned firstRegister = 1;
  for (unsigned matrix = 0; matrix < site.count; ++matrix) {
    llvm::SmallVector<uint64_t, 8> addresses;
    std::array<uint16_t *, 8> rows;
    for (unsigned row = 0; row < 8; ++row) {
      unsigned thread = base + 8 * matrix + row;
      uint64_t address = threads[thread].operands[0];
      if (address >= SharedMemory::kGenericWindow)
        address -= SharedMemory::kGenericWindow;
      if (!checkAlignment(address, siteIndex, thread, "shared"))
        return false;
      void *memory = checkShared(address, 16, siteIndex, thread,
                                 /*writes=*/stores, /*reads=*/!stores);
      if (!memory)
        return false;
      addresses.push_back(address);
      rows[row] = static_cast<uint16_t *>(memory);
    }
    traffic.countConflicts(addresses, 16);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (unsigned part = 0; part < 2; ++part) {
        unsigned r = lane / 4, c = lane % 4 * 2 + part;
        uint16_t &element = site.transposed ? rows[c][r] : rows[r][c];
        Thread &thread = threads[base + lane];
        if (stores) {
          element = thread.operands[firstRegister + matrix] >> (16 * part);
          continue;
        }
        uint64_t bits = uint64_t(element) << (16 * part);
        uint64_t &slot = thread.results[matrix];
        slot = part == 0 ? bits : slot | bits;
      }
  }
  return true;
}
