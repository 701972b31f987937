//===- CheckImportable.cpp - Say what cannot be imported ------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first step of the import as a pass, so that pipelines of others give the
// same advice.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/ImportToLinalg/ForeignDialects.h"
#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"

namespace xsa {
#define GEN_PASS_DEF_CHECKIMPORTABLE
#include "xsa/Conversion/ImportToLinalg/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

namespace {
struct CheckImportablePass
    : public xsa::impl::CheckImportableBase<CheckImportablePass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(checkImportable(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
