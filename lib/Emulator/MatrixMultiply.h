//===- MatrixMultiply.h - Matrix products of a warp -------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mma.sync`: every lane holds parts of three matrices in its registers, laid
// out as the PTX ISA's chapter on matrix fragments says.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_MATRIXMULTIPLY_H
#define XSA_LIB_EMULATOR_MATRIXMULTIPLY_H

#include "Ordering.h"
#include "Site.h"

#include <array>

namespace xsa {
namespace emulator {

/// Registers of 32 bits (of 64 for f64) in slots of 64, one array per lane.
using LaneSlots = std::array<uint64_t *, kWarpSize>;

/// Operands are the registers of a, b and c; results those of d.
void multiplyMatrices(const MatrixShape &shape, const LaneSlots &operands,
                      const LaneSlots &results);

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_MATRIXMULTIPLY_H
