//===- Intrinsics.cpp - The names of NVVM's intrinsics --------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are taken apart as they were put together in LLVM's IntrinsicsNVVM.td;
// their meaning is that of the instruction in the PTX ISA.
//
//===----------------------------------------------------------------------===//

#include "Site.h"

#include "llvm/ADT/StringSwitch.h"

using namespace xsa::emulator;
using llvm::StringRef;
using llvm::StringSwitch;

static Site makeSite(Op op, bool aligned = false) {
  Site site;
  site.op = op;
  site.aligned = aligned;
  return site;
}

/// barrier.cta.{sync,arrive,red.popc,red.and,red.or}[.aligned].{all,count}
static std::optional<Site> parseBarrier(StringRef name) {
  Site site;
  if (name.consume_front("sync")) {
    site.op = Op::Barrier;
  } else if (name.consume_front("arrive")) {
    site.op = Op::BarrierArrive;
  } else if (name.consume_front("red.")) {
    site.op = Op::BarrierReduce;
    if (name.consume_front("popc"))
      site.mode = uint8_t(BarrierReduceMode::Count);
    else if (name.consume_front("and"))
      site.mode = uint8_t(BarrierReduceMode::And);
    else if (name.consume_front("or"))
      site.mode = uint8_t(BarrierReduceMode::Or);
    else
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  site.aligned = name.consume_front(".aligned");
  site.hasCount = name == ".count";
  if (name != ".all" && name != ".count")
    return std::nullopt;
  return site;
}

/// shfl.sync.{up,down,bfly,idx}.{i32,f32}[p]
static std::optional<Site> parseShuffle(StringRef name) {
  auto [mode, type] = name.split('.');
  Site site = makeSite(Op::Shuffle);
  site.mode = StringSwitch<uint8_t>(mode)
                  .Case("up", uint8_t(ShuffleMode::Up))
                  .Case("down", uint8_t(ShuffleMode::Down))
                  .Case("bfly", uint8_t(ShuffleMode::Butterfly))
                  .Case("idx", uint8_t(ShuffleMode::Index))
                  .Default(0xff);
  return site.mode == 0xff ? std::nullopt : std::optional<Site>(site);
}

/// vote.{all,any,uni,ballot}.sync
static std::optional<Site> parseVote(StringRef name) {
  Site site = makeSite(Op::Vote);
  site.mode = StringSwitch<uint8_t>(name)
                  .Case("all.sync", uint8_t(VoteMode::All))
                  .Case("any.sync", uint8_t(VoteMode::Any))
                  .Case("uni.sync", uint8_t(VoteMode::Uniform))
                  .Case("ballot.sync", uint8_t(VoteMode::Ballot))
                  .Default(0xff);
  return site.mode == 0xff ? std::nullopt : std::optional<Site>(site);
}

static std::optional<Site> parseReduce(StringRef name) {
  Site site = makeSite(Op::Reduce);
  site.mode = StringSwitch<uint8_t>(name)
                  .Case("add", uint8_t(ReduceMode::Add))
                  .Case("umin", uint8_t(ReduceMode::UMin))
                  .Case("umax", uint8_t(ReduceMode::UMax))
                  .Case("min", uint8_t(ReduceMode::Min))
                  .Case("max", uint8_t(ReduceMode::Max))
                  .Case("and", uint8_t(ReduceMode::And))
                  .Case("or", uint8_t(ReduceMode::Or))
                  .Case("xor", uint8_t(ReduceMode::Xor))
                  .Default(0xff);
  return site.mode == 0xff ? std::nullopt : std::optional<Site>(site);
}

/// m8n8.x{1,2,4}[.trans].b16[.p<address space>]
static std::optional<Site> parseMatrixAccess(Op op, StringRef name) {
  if (!name.consume_front("m8n8.x"))
    return std::nullopt;
  Site site = makeSite(op, /*aligned=*/true);
  if (name.consumeInteger(10, site.count) ||
      (site.count != 1 && site.count != 2 && site.count != 4))
    return std::nullopt;
  site.transposed = name.consume_front(".trans");
  site.size = site.alignment = 16;
  return name.starts_with(".b16") ? std::optional<Site>(site) : std::nullopt;
}

static std::optional<MatrixType> parseMatrixType(StringRef name) {
  return StringSwitch<std::optional<MatrixType>>(name)
      .Case("f16", MatrixType::F16)
      .Case("bf16", MatrixType::BF16)
      .Case("tf32", MatrixType::TF32)
      .Case("f32", MatrixType::F32)
      .Case("f64", MatrixType::F64)
      .Case("s8", MatrixType::S8)
      .Case("u8", MatrixType::U8)
      .Default(std::nullopt);
}

/// m<m>n<n>k<k>.row.col.<types>: for f16 the types of d and c, else those of a
/// and b, or one for both.
static std::optional<Site> parseMultiply(StringRef name) {
  Site site = makeSite(Op::MultiplyMatrices, /*aligned=*/true);
  MatrixShape &shape = site.shape;
  if (!name.consume_front("m") || name.consumeInteger(10, shape.m) ||
      !name.consume_front("n") || name.consumeInteger(10, shape.n) ||
      !name.consume_front("k") || name.consumeInteger(10, shape.k) ||
      !name.consume_front(".row.col."))
    return std::nullopt;
  auto [firstName, secondName] = name.split('.');
  auto first = parseMatrixType(firstName);
  auto second = secondName.empty() ? first : parseMatrixType(secondName);
  if (!first || !second)
    return std::nullopt;
  unsigned elementsPerRegister = 0;
  switch (*first) {
  case MatrixType::F16:
  case MatrixType::F32:
    if (secondName.empty())
      return std::nullopt;
    shape.d = *first;
    shape.c = *second;
    elementsPerRegister = 2;
    break;
  case MatrixType::BF16:
    shape.a = shape.b = *first;
    elementsPerRegister = 2;
    break;
  case MatrixType::TF32:
    shape.a = shape.b = *first;
    elementsPerRegister = 1;
    break;
  case MatrixType::S8:
  case MatrixType::U8:
    shape.a = *first;
    shape.b = *second;
    shape.c = shape.d = MatrixType::S32;
    elementsPerRegister = 4;
    break;
  case MatrixType::F64:
    shape.a = shape.b = shape.c = shape.d = *first;
    if (shape.m != 8 || shape.n != 8 || shape.k != 4)
      return std::nullopt;
    return site;
  case MatrixType::S32:
    return std::nullopt;
  }
  // One register of a lane's fragment of b spans a quarter of these.
  unsigned step = 4 * elementsPerRegister;
  if (shape.m != 16 || shape.n != 8 || (shape.k != step && shape.k != 2 * step))
    return std::nullopt;
  return site;
}

/// cp.async.{ca,cg}.shared.global.{4,8,16}[.s]
static std::optional<Site> parseAsync(StringRef name) {
  if (name == "commit.group")
    return makeSite(Op::AsyncCommit);
  if (name == "wait.group")
    return makeSite(Op::AsyncWait);
  if (name == "wait.all")
    return makeSite(Op::AsyncWaitAll);
  Site site = makeSite(Op::AsyncCopy);
  if (!(name.consume_front("ca.") || name.consume_front("cg.")) ||
      !name.consume_front("shared.global.") ||
      name.consumeInteger(10, site.size))
    return std::nullopt;
  site.alignment = site.size;
  site.hasCount = name == ".s";
  return name.empty() || site.hasCount ? std::optional<Site>(site)
                                       : std::nullopt;
}

std::optional<Site> xsa::emulator::parseIntrinsic(StringRef name) {
  if (!name.consume_front("llvm.nvvm."))
    return name == "llvm.trap" || name == "llvm.debugtrap" ||
                   name == "llvm.ubsantrap"
               ? std::optional<Site>(makeSite(Op::Trap))
               : std::nullopt;
  if (name.consume_front("barrier.cta."))
    return parseBarrier(name);
  if (name == "bar.warp.sync")
    return makeSite(Op::SyncWarp);
  if (name.consume_front("shfl.sync."))
    return parseShuffle(name);
  if (name.consume_front("vote."))
    return parseVote(name);
  if (name.consume_front("redux.sync."))
    return parseReduce(name);
  if (name.consume_front("ldmatrix.sync.aligned."))
    return parseMatrixAccess(Op::LoadMatrix, name);
  if (name.consume_front("stmatrix.sync.aligned."))
    return parseMatrixAccess(Op::StoreMatrix, name);
  if (name.consume_front("mma."))
    return parseMultiply(name);
  if (name.consume_front("cp.async."))
    return parseAsync(name);
  if (name.consume_front("match.")) {
    Site site = makeSite(Op::Match);
    site.matchesAll = name.starts_with("all.sync.");
    site.size = name.contains("i64") ? 8 : 4;
    return site;
  }
  return StringSwitch<std::optional<Site>>(name)
      .Case("elect.sync", makeSite(Op::Elect))
      .Case("activemask", makeSite(Op::ActiveMask))
      .Case("isspacep.shared", makeSite(Op::IsShared))
      .Case("isspacep.global", makeSite(Op::IsGlobal))
      .Case("prmt", makeSite(Op::Permute))
      .Case("exit", makeSite(Op::Exit))
      .Default(std::nullopt);
}

std::optional<SpecialRegister>
xsa::emulator::parseSpecialRegister(StringRef name) {
  using R = SpecialRegister;
  if (!name.consume_front("llvm.nvvm.read.ptx.sreg."))
    return std::nullopt;
  // Clusters are of one block.
  return StringSwitch<std::optional<R>>(name)
      .Case("tid.x", R::TidX)
      .Case("tid.y", R::TidY)
      .Case("tid.z", R::TidZ)
      .Case("ntid.x", R::NtidX)
      .Case("ntid.y", R::NtidY)
      .Case("ntid.z", R::NtidZ)
      .Cases({"ctaid.x", "clusterid.x"}, R::CtaidX)
      .Cases({"ctaid.y", "clusterid.y"}, R::CtaidY)
      .Cases({"ctaid.z", "clusterid.z"}, R::CtaidZ)
      .Cases({"nctaid.x", "nclusterid.x"}, R::NctaidX)
      .Cases({"nctaid.y", "nclusterid.y"}, R::NctaidY)
      .Cases({"nctaid.z", "nclusterid.z"}, R::NctaidZ)
      .Case("laneid", R::LaneId)
      .Case("warpid", R::WarpId)
      .Case("nwarpid", R::NumWarps)
      .Case("warpsize", R::WarpSize)
      .Case("lanemask.eq", R::LaneMaskEq)
      .Case("lanemask.lt", R::LaneMaskLt)
      .Case("lanemask.le", R::LaneMaskLe)
      .Case("lanemask.gt", R::LaneMaskGt)
      .Case("lanemask.ge", R::LaneMaskGe)
      .Case("dynamic.smem.size", R::DynamicSharedBytes)
      .Case("total.smem.size", R::TotalSharedBytes)
      .Cases({"cluster.ctaid.x", "cluster.ctaid.y", "cluster.ctaid.z",
              "cluster.ctarank", "smid", "gridid"},
             R::Zero)
      .Cases({"cluster.nctaid.x", "cluster.nctaid.y", "cluster.nctaid.z",
              "cluster.nctarank", "nsmid"},
             R::One)
      .Cases({"clock", "clock64", "globaltimer", "globaltimer.lo"}, R::Clock)
      .Default(std::nullopt);
}
