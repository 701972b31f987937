//===- NativeTarget.h - The processor that code is compiled for -*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models and emulated kernels are both compiled for the processor that runs
// them. LLVM wants its target registered first; here that is done once.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_SUPPORT_NATIVETARGET_H
#define XSA_SUPPORT_NATIVETARGET_H

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"

namespace xsa {

/// A builder for this machine's processor with all it has.
inline llvm::Expected<llvm::orc::JITTargetMachineBuilder> detectNativeTarget() {
  static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  return llvm::orc::JITTargetMachineBuilder::detectHost();
}

} // namespace xsa

#endif // XSA_SUPPORT_NATIVETARGET_H
