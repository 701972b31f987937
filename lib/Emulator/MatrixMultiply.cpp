//===- MatrixMultiply.cpp - Matrix products of a warp ---------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products are exact. Sums are taken over as many products as a tensor core
// adds at a time, together with the accumulator, and cut off to the
// accumulator's precision: tensor cores do not round to nearest (Fasi, Higham,
// Mikaitis and Pranesh, PeerJ Computer Science 2021).
//
//===----------------------------------------------------------------------===//

#include "MatrixMultiply.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <vector>

using namespace xsa::emulator;

static double halfToDouble(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  int mantissa = bits & 1023;
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return mantissa ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, -24);
  uint32_t single = uint32_t(bits & 0x8000) << 16 |
                    uint32_t(exponent + 112) << 23 | uint32_t(mantissa) << 13;
  return llvm::bit_cast<float>(single);
}

/// The element at position `part` of a register.
static double getElement(MatrixType type, uint64_t bits, unsigned part) {
  switch (type) {
  case MatrixType::F16:
    return halfToDouble(uint16_t(bits >> (16 * part)));
  case MatrixType::BF16:
    return llvm::bit_cast<float>(uint32_t(bits >> (16 * part) & 0xffff) << 16);
  case MatrixType::TF32:
    // The low bits of the register are not looked at.
    return llvm::bit_cast<float>(uint32_t(bits) & 0xffffe000u);
  case MatrixType::F32:
    return llvm::bit_cast<float>(uint32_t(bits));
  case MatrixType::F64:
    return llvm::bit_cast<double>(bits);
  case MatrixType::S8:
    return int8_t(bits >> (8 * part));
  case MatrixType::U8:
    return uint8_t(bits >> (8 * part));
  case MatrixType::S32:
    return int32_t(bits);
  }
  return 0;
}

static unsigned getElementsPerRegister(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
  case MatrixType::BF16:
    return 2;
  case MatrixType::S8:
  case MatrixType::U8:
    return 4;
  default:
    return 1;
  }
}

/// To f32, towards zero. Written so that it vectorizes.
static float truncate(double value) {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  return static_cast<float>(
      llvm::bit_cast<double>(bits & ~((uint64_t(1) << 29) - 1)));
}

static uint16_t floatToHalf(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint16_t sign = bits >> 16 & 0x8000;
  float magnitude = std::fabs(value);
  if (std::isnan(value))
    return 0x7fff;
  if (magnitude >= 65520.0f)
    return sign | 0x7c00;
  if (magnitude < 6.103515625e-05f)
    return sign | uint16_t(std::nearbyint(std::ldexp(magnitude, 24)));
  uint32_t rounded = (bits & 0x7fffffff) + 0xfff + (bits >> 13 & 1);
  return sign | uint16_t((rounded - (112u << 23)) >> 13);
}

namespace {
/// A whole matrix, gathered from the lanes.
struct Matrix {
  std::array<double, 16 * 32> elements;
  unsigned columns;

  double &at(unsigned row, unsigned column) {
    return elements[row * columns + column];
  }
};
} // namespace

/// a: register r of a lane has rows `group + 8 (r mod 2)`.
static unsigned gatherA(const MatrixShape &shape, const LaneSlots &operands,
                        Matrix &a) {
  unsigned parts = getElementsPerRegister(shape.a);
  unsigned count = shape.m * shape.k / (parts * kWarpSize);
  a.columns = shape.k;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned r = 0; r < count; ++r)
      for (unsigned e = 0; e < parts; ++e)
        a.at(lane / 4 + 8 * (r % 2),
             lane % 4 * parts + e + 4 * parts * (r / 2)) =
            getElement(shape.a, operands[lane][r], e);
  return count;
}

static unsigned gatherB(const MatrixShape &shape, const LaneSlots &operands,
                        unsigned first, Matrix &b) {
  unsigned parts = getElementsPerRegister(shape.b);
  unsigned count = shape.k * shape.n / (parts * kWarpSize);
  b.columns = shape.n;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned r = 0; r < count; ++r)
      for (unsigned e = 0; e < parts; ++e)
        b.at(lane % 4 * parts + e + 4 * parts * r, lane / 4) =
            getElement(shape.b, operands[lane][first + r], e);
  return first + count;
}

/// Accumulators: two neighbours of a row per lane, in rows 8 apart. Calls
/// `visit(lane, register, part, row, column)`.
template <typename Visit>
static void forEachAccumulator(const MatrixShape &shape, MatrixType type,
                               Visit visit) {
  unsigned parts = getElementsPerRegister(type);
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < unsigned(shape.m * shape.n) / kWarpSize; ++i)
      visit(lane, i / parts, i % parts, lane / 4 + 8 * (i / 2),
            lane % 4 * 2 + i % 2);
}

/// Products that are added before the sum is cut off.
static unsigned getStep(MatrixType type) {
  switch (type) {
  case MatrixType::F16:
  case MatrixType::BF16:
    return 8;
  case MatrixType::TF32:
    return 4;
  case MatrixType::F64:
    return 1;
  default:
    return 32;
  }
}

static void accumulate(const MatrixShape &shape, Matrix &a, Matrix &b,
                       Matrix &c) {
  bool cuts = shape.d == MatrixType::F32 || shape.d == MatrixType::F16;
  unsigned step = std::min<unsigned>(getStep(shape.a), shape.k);
  for (unsigned row = 0; row < shape.m; ++row) {
    std::array<double, 8> sums;
    for (unsigned n = 0; n < 8; ++n)
      sums[n] = c.at(row, n);
    for (unsigned first = 0; first < shape.k; first += step) {
      for (unsigned k = first; k < first + step; ++k)
        for (unsigned n = 0; n < 8; ++n)
          sums[n] += a.at(row, k) * b.at(k, n);
      if (cuts)
        for (double &sum : sums)
          sum = truncate(sum);
    }
    for (unsigned n = 0; n < 8; ++n)
      c.at(row, n) = sums[n];
  }
}

static uint64_t toRegister(MatrixType type, double value) {
  switch (type) {
  case MatrixType::F64:
    return llvm::bit_cast<uint64_t>(value);
  case MatrixType::S32:
    // Sums of integers wrap.
    return uint32_t(int64_t(value));
  case MatrixType::F16:
    return floatToHalf(float(value));
  default:
    return llvm::bit_cast<uint32_t>(float(value));
  }
}

void xsa::emulator::multiplyMatrices(const MatrixShape &shape,
                                     const LaneSlots &operands,
                                     const LaneSlots &results) {
  Matrix a, b, c;
  unsigned firstB = gatherA(shape, operands, a);
  unsigned firstC = gatherB(shape, operands, firstB, b);
  c.columns = shape.n;
  forEachAccumulator(shape, shape.c,
                     [&](unsigned lane, unsigned r, unsigned part, unsigned row,
                         unsigned column) {
                       c.at(row, column) = getElement(
                           shape.c, operands[lane][firstC + r], part);
                     });
  accumulate(shape, a, b, c);
  unsigned partBits = 32 / getElementsPerRegister(shape.d);
  forEachAccumulator(shape, shape.d,
                     [&](unsigned lane, unsigned r, unsigned part, unsigned row,
                         unsigned column) {
                       uint64_t bits = toRegister(shape.d, c.at(row, column));
                       uint64_t &slot = results[lane][r];
                       slot =
                           part == 0 ? bits : slot | bits << (partBits * part);
                     });
}
