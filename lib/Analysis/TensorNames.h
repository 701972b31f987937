//===- TensorNames.h - What tensors are called in remarks -------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Internal to the analyses.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_ANALYSIS_TENSORNAMES_H
#define XSA_LIB_ANALYSIS_TENSORNAMES_H

#include "mlir/IR/Value.h"
#include <string>

namespace xsa {

/// "argument 0", "a convolution of argument 0", "a lookup in a table".
std::string describeTensor(mlir::Value value);

} // namespace xsa

#endif // XSA_LIB_ANALYSIS_TENSORNAMES_H
