//===- Numbers.cpp - Inputs without files ---------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer arithmetic up to the last step, which is exact in float32: no library
// and no compiler can round otherwise. benchmarks/gpu_cases.py has the same in
// numpy.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include <cmath>
#include <cstring>

using namespace xsa::replay;

uint64_t xsa::replay::getSize(ElementType type) {
  return type == ElementType::F32 ? 4 : 2;
}

/// The sum of four uniform 16-bit numbers, its mean taken off, times 7 / 2^18.
static float getValue(uint64_t seed, uint64_t index) {
  // splitmix64
  uint64_t z = (seed << 40) + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  int64_t sum = (z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) +
                (z >> 48) - 2 * 0xffff;
  return float(sum * 7) / float(1 << 18);
}

/// Rounds to nearest, ties to even. Values are below 4 and have at most 18 bits
/// after the point, so that none is subnormal in bfloat16 and few are in f16.
static uint16_t roundToBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static uint16_t roundToF16(float value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  float size = std::fabs(value);
  if (size == 0)
    return sign;
  int exponent = std::ilogb(size) < -14 ? -14 : std::ilogb(size);
  // In units of the last place; std::nearbyint rounds ties to even.
  auto units = int32_t(std::nearbyint(std::ldexp(size, 10 - exponent)));
  // A hidden bit adds to the exponent's field, and so does a carry out of it.
  return uint16_t(sign | (((exponent + 14) << 10) + units));
}

std::string xsa::replay::generate(ElementType type, uint64_t count,
                                  uint64_t seed) {
  std::string bytes(count * getSize(type), '\0');
  for (uint64_t i = 0; i < count; ++i) {
    float value = getValue(seed, i);
    if (type == ElementType::F32) {
      std::memcpy(&bytes[i * 4], &value, sizeof value);
      continue;
    }
    uint16_t rounded =
        type == ElementType::BF16 ? roundToBF16(value) : roundToF16(value);
    std::memcpy(&bytes[i * 2], &rounded, sizeof rounded);
  }
  return bytes;
}

static float widenF16(uint16_t bits) {
  int exponent = bits >> 10 & 0x1f;
  int fraction = bits & 0x3ff;
  float size;
  if (exponent == 0x1f)
    size = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    size = std::ldexp(float(fraction), -24);
  else
    size = std::ldexp(float(fraction | 0x400), exponent - 25);
  return bits & 0x8000 ? -size : size;
}

float xsa::replay::readElement(const std::string &bytes, ElementType type,
                               uint64_t index) {
  uint32_t bits = 0;
  uint64_t size = getSize(type);
  std::memcpy(&bits, &bytes[index * size], size);
  if (type == ElementType::F16)
    return widenF16(uint16_t(bits));
  if (type == ElementType::BF16)
    bits <<= 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
