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
#include <optional>
#include <string>

namespace xsa {

struct Chip {
  /// 90 is sm_90.
  unsigned capability;
  /// The first version of PTX that has it: 80 is 8.0.
  unsigned ptx;
};

/// Of sm_80 and later, as PTX's release notes list them; of a name with a
/// suffix (sm_90a, sm_100f) the version that has the suffix too. None for a
/// name of anything else.
inline std::optional<Chip> findChip(llvm::StringRef name) {
  static constexpr Chip kChips[] = {{80, 70},  {86, 71},  {87, 74},  {88, 90},
                                    {89, 78},  {90, 78},  {100, 86}, {101, 86},
                                    {103, 88}, {110, 90}, {120, 87}, {121, 88}};
  llvm::StringRef digits = name;
  if (!digits.consume_front("sm_"))
    return std::nullopt;
  char suffix =
      digits.ends_with("a") || digits.ends_with("f") ? digits.back() : '\0';
  if (suffix)
    digits = digits.drop_back();
  const Chip *found = llvm::find_if(kChips, [&](const Chip &chip) {
    return digits == std::to_string(chip.capability);
  });
  unsigned least = suffix == 'f' ? 100 : suffix == 'a' ? 90 : 0;
  if (found == std::end(kChips) || found->capability < least)
    return std::nullopt;
  Chip chip = *found;
  if (suffix)
    chip.ptx = std::max(chip.ptx, suffix == 'f' ? 88u : 80u);
  return chip;
}

} // namespace xsa

#endif // XSA_SUPPORT_CHIP_H
