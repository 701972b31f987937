//===- Rewrite.h - From device code to host code ----------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the host's processor can do as well, it does; everything else in a
// module becomes a call into the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EMULATOR_REWRITE_H
#define XSA_LIB_EMULATOR_REWRITE_H

#include "KernelState.h"

namespace llvm {
class CallInst;
class IRBuilderBase;
class Module;
class TargetMachine;
class Value;
} // namespace llvm

namespace xsa {
namespace emulator {

/// The functions that rewritten code calls.
constexpr llvm::StringLiteral kAccessName = "xsa_emulator_access";
constexpr llvm::StringLiteral kAccessSharedName = "xsa_emulator_access_shared";
constexpr llvm::StringLiteral kCheckLocalName = "xsa_emulator_check_local";
constexpr llvm::StringLiteral kExecuteName = "xsa_emulator_execute";
constexpr llvm::StringLiteral kRegisterName = "xsa_emulator_register";
/// Stands before the name of a kernel in that of its entry.
constexpr llvm::StringLiteral kEntryPrefix = "xsa_emulator_entry.";

/// Rewrites a module for the host and fills in the state with all but code
/// addresses. Global variables get addresses in the state's memory.
llvm::Error rewriteForHost(llvm::Module &module, llvm::TargetMachine &host,
                           KernelModule::State &state);

/// The value of an arithmetic intrinsic or libdevice function in instructions
/// that every processor has, or null if it is neither.
llvm::Value *expandArithmetic(llvm::IRBuilderBase &builder,
                              llvm::CallInst &call);
/// A float or vector of them rounded to nearest bfloat.
llvm::Value *roundToBFloat(llvm::IRBuilderBase &builder, llvm::Value *value);

} // namespace emulator
} // namespace xsa

#endif // XSA_LIB_EMULATOR_REWRITE_H
