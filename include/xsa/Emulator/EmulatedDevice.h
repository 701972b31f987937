//===- EmulatedDevice.h - The emulator as a device --------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets compiled modules launch their kernels on the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EMULATOR_EMULATEDDEVICE_H
#define XSA_EMULATOR_EMULATEDDEVICE_H

#include "xsa/ExecutionEngine/Device.h"

#include <memory>

namespace xsa {
namespace emulator {

std::unique_ptr<runtime::Device> createEmulatedDevice();

} // namespace emulator
} // namespace xsa

#endif // XSA_EMULATOR_EMULATEDDEVICE_H
