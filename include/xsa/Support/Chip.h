//===- Chip.h - Names of NVIDIA's GPUs --------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM takes any name for a chip and ends the process where it cannot make code
// for it, so names are looked up here first.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_SUPPORT_CHIP_H
#define XSA_SUPPORT_CHIP_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace xsa {

/// Where nothing says which GPU it is for: code that is no GPU's alone runs on
/// all later ones of its generation.
inline constexpr llvm::StringLiteral kDefaultChip = "sm_80";

struct Chip {
  /// 90 is sm_90.
  unsigned capability;
  /// The first version of PTX that has it: 80 is 8.0.
  unsigned ptx;
  /// 'a' in sm_90a, 'f' in sm_100f, or none.
  char suffix = '\0';

  /// Whether machine code for it runs on a GPU: on later ones of its
  /// generation, or, with the suffix 'a', on none but its own.
  bool runsOn(unsigned gpu) const {
    if (suffix == 'a')
      return capability == gpu;
    return capability / 10 == gpu / 10 && capability <= gpu;
  }
};

/// As PTX's release notes list them.
inline constexpr std::array<Chip, 12> kChips = {{{80, 70},
                                                 {86, 71},
                                                 {87, 74},
                                                 {88, 90},
                                                 {89, 78},
                                                 {90, 78},
                                                 {100, 86},
                                                 {101, 86},
                                                 {103, 88},
                                                 {110, 90},
                                                 {120, 87},
                                                 {121, 88}}};

/// The chip of a name; of one with a suffix (sm_90a, sm_100f) with the version
/// that has the suffix too. None for a name of anything else.
inline std::optional<Chip> findChip(llvm::StringRef name) {
  llvm::StringRef digits = name;
  if (!digits.consume_front("sm_"))
    return std::nullopt;
  char suffix =
      digits.ends_with("a") || digits.ends_with("f") ? digits.back() : '\0';
  if (suffix)
    digits = digits.drop_back();
  auto *found = llvm::find_if(kChips, [&](const Chip &chip) {
    return digits == std::to_string(chip.capability);
  });
  unsigned least = suffix == 'f' ? 100 : suffix == 'a' ? 90 : 0;
  if (found == kChips.end() || found->capability < least)
    return std::nullopt;
  Chip chip = *found;
  chip.suffix = suffix;
  if (suffix)
    chip.ptx = std::max(chip.ptx, suffix == 'f' ? 88u : 80u);
  return chip;
}

/// The name of the latest chip whose machine code runs on a GPU; none if it is
/// of an older or a newer generation than those.
inline std::optional<std::string> findChipFor(unsigned gpu) {
  std::optional<std::string> name;
  for (const Chip &chip : kChips)
    if (chip.runsOn(gpu))
      name = "sm_" + std::to_string(chip.capability);
  return name;
}

/// 90 as "9.0".
inline std::string describeCapability(unsigned gpu) {
  return std::to_string(gpu / 10) + "." + std::to_string(gpu % 10);
}

} // namespace xsa

#endif // XSA_SUPPORT_CHIP_H
