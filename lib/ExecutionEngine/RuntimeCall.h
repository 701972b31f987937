//===- RuntimeCall.h - Inside a call of compiled code -----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What functions that compiled code calls need to know of the call they are in.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_EXECUTIONENGINE_RUNTIMECALL_H
#define XSA_LIB_EXECUTIONENGINE_RUNTIMECALL_H

#include "xsa/ExecutionEngine/Device.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace xsa {
namespace runtime {

/// The device of the running call, or null.
Device *getCurrentDevice();
/// Memory of the device that the call has to release if it fails.
void addDeviceAllocation(void *address);
void removeDeviceAllocation(void *address);

/// Makes this the message of the call.
void recordFailure(llvm::Error error);
/// Ends the call. No object with a destructor may be alive in the caller.
[[noreturn]] void leaveCompiledCode();

/// Binds the entry points of MLIR's GPU runtime.
void forEachGPUSymbol(llvm::function_ref<void(llvm::StringRef, void *)> bind);

} // namespace runtime
} // namespace xsa

#endif // XSA_LIB_EXECUTIONENGINE_RUNTIMECALL_H
