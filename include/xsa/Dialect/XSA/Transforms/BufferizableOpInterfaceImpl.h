//===- BufferizableOpInterfaceImpl.h - Bufferization of XSA -----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attaches upstream's bufferization interface to the operations, so that the
// dialect itself does not depend on bufferization.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define XSA_DIALECT_XSA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace xsa {

void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace xsa

#endif // XSA_DIALECT_XSA_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
