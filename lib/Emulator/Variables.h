//===- Variables.h - Where the variables of kernels are ---------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module's own variables have addresses from the start: those in shared
// memory in each block, all others in the memory of the device.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_VARIABLES_H
#define XSA_LIB_EMULATOR_VARIABLES_H

#include "KernelState.h"

namespace llvm {
class Module;
} // namespace llvm

namespace xsa::emulator {

/// Address spaces of NVPTX.
enum AddressSpace : unsigned {
  kGeneric = 0,
  kGlobal = 1,
  kShared = 3,
  kConstant = 4,
  kLocal = 5
};

/// Variables of a size come first, then the dynamic part that all variables
/// without one name.
void placeSharedVariables(llvm::Module &module, KernelModule::State &state);

/// Uses have the reserved address; the variable stays for its contents.
void placeGlobalVariables(llvm::Module &module, KernelModule::State &state);

} // namespace xsa::emulator

#endif // XSA_LIB_EMULATOR_VARIABLES_H
