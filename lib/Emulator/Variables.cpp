//===- Variables.cpp - Where the variables of kernels are -----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code has numbers in place of variables, as a pointer keeps its device value.
//
//===----------------------------------------------------------------------===//

#include "Variables.h"

#include "SharedMemory.h"

#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace xsa::emulator;

/// Uses in constant expressions become instructions, then the variable an
/// address.
static void replaceVariable(GlobalVariable &variable, uint64_t address) {
  convertUsersOfConstantsToInstructions({&variable});
  auto *int64 = Type::getInt64Ty(variable.getContext());
  variable.replaceAllUsesWith(ConstantExpr::getIntToPtr(
      ConstantInt::get(int64, address), variable.getType()));
}

void xsa::emulator::placeSharedVariables(Module &module,
                                         KernelModule::State &state) {
  const DataLayout &layout = module.getDataLayout();
  SmallVector<GlobalVariable *> sized, unsized;
  for (GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() != kShared)
      continue;
    (layout.getTypeAllocSize(variable.getValueType()) ? sized : unsized)
        .push_back(&variable);
    state.sharedAlignment = std::max(
        state.sharedAlignment, layout.getPreferredAlign(&variable).value());
  }
  uint64_t offset = 0;
  for (GlobalVariable *variable : sized) {
    offset = alignTo(offset, layout.getPreferredAlign(variable));
    uint64_t size = layout.getTypeAllocSize(variable->getValueType());
    state.sharedVariables.push_back({variable->getName().str(), offset, size});
    replaceVariable(*variable, SharedMemory::kFirstAddress + offset);
    offset += size;
  }
  state.staticSharedBytes = offset;
  for (GlobalVariable *variable : unsized)
    replaceVariable(*variable, SharedMemory::kFirstAddress +
                                   alignTo(offset, state.sharedAlignment));
  for (ArrayRef<GlobalVariable *> group : {ArrayRef(sized), ArrayRef(unsized)})
    for (GlobalVariable *variable : group)
      variable->eraseFromParent();
}

void xsa::emulator::placeGlobalVariables(Module &module,
                                         KernelModule::State &state) {
  const DataLayout &layout = module.getDataLayout();
  for (GlobalVariable &variable : module.globals()) {
    if (variable.isDeclaration() || variable.getName().starts_with("llvm."))
      continue;
    if (!variable.hasName())
      variable.setName("constant");
    uint64_t address = state.memory->reserve(
        layout.getTypeAllocSize(variable.getValueType()), variable.getName());
    replaceVariable(variable, address);
    variable.setLinkage(GlobalValue::ExternalLinkage);
    variable.setVisibility(GlobalValue::DefaultVisibility);
    variable.setConstant(false);
    state.deviceVariables.push_back({variable.getName().str(), address});
  }
}
