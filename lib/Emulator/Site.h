//===- Site.h - Instructions that the emulator executes ---------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instruction of a kernel that is not left to the host's processor has a
// number, its site. What it does was read from its name once; at run time it is
// the number that tells whether two threads are at the same instruction.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_SITE_H
#define XSA_LIB_EMULATOR_SITE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace xsa {
namespace emulator {

enum class Op : uint8_t {
  // Accesses to memory. Operands and results stay in the host's registers.
  Load,
  Store,
  Atomic,
  CopyMemory,
  FillMemory,
  // Threads of a block.
  Barrier,
  BarrierArrive,
  BarrierReduce,
  // Lanes of a warp.
  SyncWarp,
  Shuffle,
  Vote,
  Match,
  Reduce,
  Elect,
  MultiplyMatrices,
  LoadMatrix,
  StoreMatrix,
  // Asynchronous copies.
  AsyncCopy,
  AsyncCommit,
  AsyncWait,
  AsyncWaitAll,
  // One thread.
  ActiveMask,
  IsShared,
  IsGlobal,
  Permute,
  /// Checks before what the host's processor would die of.
  Divide,
  CheckStack,
  Unreachable,
  Exit,
  Trap,
  Unsupported,
};

enum class ShuffleMode : uint8_t { Up, Down, Butterfly, Index };
enum class VoteMode : uint8_t { All, Any, Uniform, Ballot };
enum class ReduceMode : uint8_t { Add, UMin, UMax, Min, Max, And, Or, Xor };
/// With one operand all threads of the block take part, with two a number.
enum class BarrierReduceMode : uint8_t { Count, And, Or };

/// Element types of matrix fragments.
enum class MatrixType : uint8_t { F16, BF16, TF32, F32, F64, S8, U8, S32 };

/// The shape m x n x k and element types of a matrix product `d = a b + c`.
struct MatrixShape {
  uint8_t m = 0, n = 0, k = 0;
  MatrixType a = MatrixType::F16, b = MatrixType::F16;
  MatrixType c = MatrixType::F32, d = MatrixType::F32;
};

/// What `Divide` finds, as its operand.
enum DivisionFault : uint64_t {
  kNoDivisionFault,
  kDivisionByZero,
  kDivisionOverflow
};

/// Operands and results of a site stand in slots of 64 bits, of which a value
/// of fewer bits fills the low ones and leaves the others as they are.
struct Site {
  Op op = Op::Unsupported;
  /// Of one access, of one copy, or of the variables to be put on the stack.
  uint32_t size = 0;
  uint32_t alignment = 1;
  /// One of the modes above.
  uint8_t mode = 0;
  /// Number of 8x8 matrices of `LoadMatrix` and `StoreMatrix`.
  uint8_t count = 0;
  bool transposed = false;
  /// All lanes of the warp execute it together, as PTX's `.aligned` demands.
  bool aligned = false;
  /// `AsyncCopy` has an operand with the bytes to read; a barrier has one with
  /// the number of threads.
  bool hasCount = false;
  /// `Match` asks for lanes with one value in common to all.
  bool matchesAll = false;
  MatrixShape shape;
  /// For messages.
  std::string function, text;
};

/// What an intrinsic does, by its name; none if it is not one that needs other
/// threads, memory or the emulator's help.
std::optional<Site> parseIntrinsic(llvm::StringRef name);

/// Registers of a thread that do not change.
enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NumWarps,
  WarpSize,
  LaneMaskEq,
  LaneMaskLt,
  LaneMaskLe,
  LaneMaskGt,
  LaneMaskGe,
  DynamicSharedBytes,
  TotalSharedBytes,
  Zero,
  One,
  Clock,
};

std::optional<SpecialRegister> parseSpecialRegister(llvm::StringRef name);

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_SITE_H
