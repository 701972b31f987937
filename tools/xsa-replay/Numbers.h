//===- Numbers.h - Inputs without files -------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs of benchmarks are larger than a bundle may be. They are generated, bit
// for bit the same here and where the expected outputs were computed.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_TOOLS_REPLAY_NUMBERS_H
#define XSA_TOOLS_REPLAY_NUMBERS_H

#include <cstdint>
#include <string>

namespace xsa {
namespace replay {

enum class ElementType { F16, BF16, F32 };

uint64_t getSize(ElementType type);

/// The bytes of `count` elements, close to normally distributed (the sum of
/// four uniform numbers), with a deviation of one.
std::string generate(ElementType type, uint64_t count, uint64_t seed);

/// Element number `index`.
float readElement(const std::string &bytes, ElementType type, uint64_t index);

} // namespace replay
} // namespace xsa

#endif // XSA_TOOLS_REPLAY_NUMBERS_H
