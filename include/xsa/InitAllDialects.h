//===- InitAllDialects.h - Registration of the dialects ---------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One call that makes a registry know everything of the project that a parser
// or a pass can meet: dialects and the interfaces attached to them.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_INITALLDIALECTS_H
#define XSA_INITALLDIALECTS_H

#include "xsa/Dialect/TMTensor/IR/TMTensor.h"
#include "xsa/Dialect/XSA/IR/XSA.h"
#include "xsa/Dialect/XSA/Transforms/BufferizableOpInterfaceImpl.h"
#include "xsa/Transforms/KernelLaunchEffects.h"

#include "mlir/IR/DialectRegistry.h"

namespace xsa {

inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<XSADialect, tm_tensor::TMTensorDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
  registerKernelLaunchEffects(registry);
}

} // namespace xsa

#endif // XSA_INITALLDIALECTS_H
