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

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace xsa {

/// The operations from the exponential to `probabilities`.
llvm::SetVector<mlir::Operation *>
collectProbabilityOps(mlir::Value probabilities);

/// The first use of probabilities, apart from `chain` itself and `contraction`,
/// that is neither layout nor averaging on the way to a function's result;
/// empty if there is none. Contractions in `raised` have lost their users to
/// the attention that took their place, and still count.
std::string findEscape(const llvm::SetVector<mlir::Operation *> &chain,
                       mlir::Operation *contraction,
                       const llvm::DenseSet<mlir::Operation *> &raised);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_ESCAPEDPROBABILITIES_H
