//===- RaiseExclusion.h - Models that are exclusive already -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises `y - a (y . v) / n(v) v` after raised attention, in any spelling.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOXSA_RAISEEXCLUSION_H
#define XSA_LIB_CONVERSION_LINALGTOXSA_RAISEEXCLUSION_H

#include "mlir/IR/PatternMatch.h"

namespace xsa {

/// Gives attentions below `root` whose output loses its component along the own
/// value the exclusive form, or adds `xsa.exclude` where the output is changed
/// in between.
void raiseExclusions(mlir::Operation *root, mlir::RewriterBase &rewriter);

/// Erases operations that only the raised ones kept alive.
void eraseDead(llvm::ArrayRef<mlir::Operation *> roots);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_RAISEEXCLUSION_H
