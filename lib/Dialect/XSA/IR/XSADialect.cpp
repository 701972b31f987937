//===- XSADialect.cpp - The XSA dialect -----------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the dialect's attributes and operations, and lets the inliner take
// them along.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace xsa;

#include "xsa/Dialect/XSA/IR/XSADialect.cpp.inc"

namespace {
/// Every operation of the dialect may be inlined anywhere: none refers to the
/// function it stands in.
struct XSAInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void XSADialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "xsa/Dialect/XSA/IR/XSAOps.cpp.inc"
      >();
  addInterfaces<XSAInlinerInterface>();
}
