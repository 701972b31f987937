//===- PassOptions.h - Values that options of passes may have ---*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TableGen declares an option's type but not its range. Passes call these
// checks in `initialize`, before they see any IR.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_SUPPORT_PASSOPTIONS_H
#define XSA_SUPPORT_PASSOPTIONS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

namespace xsa {

/// Reports a value that is not in `[least, most]`.
inline mlir::LogicalResult checkOption(mlir::MLIRContext *context,
                                       llvm::StringRef name, int64_t value,
                                       int64_t least, int64_t most) {
  if (value >= least && value <= most)
    return mlir::success();
  return mlir::emitError(mlir::UnknownLoc::get(context))
         << "expected the option '" << name << "' to be from " << least
         << " to " << most << ", got " << value;
}

/// Reports a width that no vector register has.
inline mlir::LogicalResult checkVectorBits(mlir::MLIRContext *context,
                                           int64_t bits) {
  if (bits >= 64 && bits <= 4096 && llvm::isPowerOf2_64(bits))
    return mlir::success();
  return mlir::emitError(mlir::UnknownLoc::get(context))
         << "expected the option 'vector-bits' to be a power of two from 64 to "
            "4096, got "
         << bits;
}

} // namespace xsa

#endif // XSA_SUPPORT_PASSOPTIONS_H
