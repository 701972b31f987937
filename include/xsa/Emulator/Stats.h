//===- Stats.h - Counters as JSON -------------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One object per launch, as `--stats` files have them.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EMULATOR_STATS_H
#define XSA_EMULATOR_STATS_H

#include "xsa/Emulator/Emulator.h"

namespace llvm {
namespace json {
class OStream;
} // namespace json
} // namespace llvm

namespace xsa {
namespace emulator {

void writeStats(llvm::json::OStream &json, const KernelStats &stats);

} // namespace emulator
} // namespace xsa

#endif // XSA_EMULATOR_STATS_H
