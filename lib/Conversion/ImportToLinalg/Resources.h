//===- Resources.h - Looking into dense_resource constants ------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights arrive as resources: bytes beside the module that may be missing,
// elided, or of the wrong length. These helpers look before anything reads.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_IMPORTTOLINALG_RESOURCES_H
#define XSA_LIB_CONVERSION_IMPORTTOLINALG_RESOURCES_H

#include "mlir/IR/BuiltinAttributes.h"

namespace xsa {

enum class ResourceState { Good, NoData, WrongSize };

/// Whether the resource's bytes are there and as many as its type needs.
ResourceState getResourceState(mlir::DenseResourceElementsAttr resource);

/// The number of bytes that the type of a resource needs.
int64_t getExpectedBytes(mlir::ShapedType type);

/// The resource's values as an ordinary dense attribute, where it is good and
/// its element type is stored in whole bytes; else null.
mlir::DenseElementsAttr
getAsDenseElements(mlir::DenseResourceElementsAttr resource);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_IMPORTTOLINALG_RESOURCES_H
