//===- EscapedProbabilities.h - Other uses of probabilities -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raising keeps what else the model does with probabilities. Making attention
// exclusive would contradict it if that is a hand-written backward pass.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOXSA_ESCAPEDPROBABILITIES_H
#define XSA_LIB_CONVERSION_LINALGTOXSA_ESCAPEDPROBABILITIES_H

#include "xsa/Analysis/TensorView.h"

#include "llvm/ADT/DenseSet.h"

#include <string>

namespace xsa {

/// What else a model does with the probabilities that `contraction` multiplies
/// with values, `root` being the value that attention computes: the first use
/// that is neither layout nor averaging on the way to a function's result, or
/// nothing. Reading other probabilities of the same tensor, such as those of
/// another head, is no use of these. Contractions in `raised` have lost their
/// users to the attention that took their place, and still count.
std::string findEscape(TensorView &view, mlir::Value probabilities,
                       mlir::Value root, mlir::Operation *contraction,
                       const llvm::DenseSet<mlir::Operation *> &raised);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_ESCAPEDPROBABILITIES_H
