//===- Bundle.h - What a bundle says ----------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bundle is a folder with `manifest.json`, which names everything else in it.
// docs/gpu-bundle.md describes the format.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_TOOLS_REPLAY_BUNDLE_H
#define XSA_TOOLS_REPLAY_BUNDLE_H

#include "Numbers.h"

#include "llvm/ADT/Twine.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace xsa {
namespace replay {

/// Ends the program: exit code 2, nothing could be run.
[[noreturn]] void fail(const llvm::Twine &message);

/// An array that is generated here; only its seed travels.
struct Input {
  ElementType type = ElementType::F32;
  uint64_t numElements = 0;
  uint64_t seed = 0;
};

/// Memory of the device.
struct Buffer {
  uint64_t numBytes = 0;
  std::optional<uint64_t> input;
  bool isOutput = false;
};

struct Parameter {
  /// Points into a buffer, `value` bytes from its begin.
  std::optional<uint64_t> buffer;
  int64_t value = 0;
};

struct Launch {
  /// Paths in the bundle: machine code, and PTX, which not every chip has.
  std::string cubin, ptx;
  std::string kernel;
  std::array<uint64_t, 3> grid{}, block{};
  uint64_t dynamicSharedBytes = 0;
  std::vector<Parameter> parameters;
};

/// What a model does on one chip, as xsa-run recorded it.
struct Recording {
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;
};

/// What is compared of a case.
struct Output {
  ElementType type = ElementType::F32;
  /// Rows that are compared, and how many elements a row has.
  std::vector<uint64_t> rows;
  uint64_t rowLength = 0;
  /// Path of the rows' values, float32.
  std::string expected;
  /// Largest error of the same maths done plainly in the output's type.
  double plainError = 0;
};

struct Case {
  std::string name;
  std::vector<Input> inputs;
  Output output;
  /// What a call does at least; bytes only where they bound the time.
  double flops = 0, bytes = 0;
  bool isTimed = false;
  /// By chip: 80 is sm_80.
  std::map<unsigned, Recording> recordings;
};

struct Bundle {
  std::string folder;
  std::string version, ptxas;
  std::vector<Case> cases;

  /// Ends the program where files are missing or damaged.
  static Bundle read(const std::string &folder);
  std::string readFile(const std::string &path) const;
};

/// Code for a device.
struct Choice {
  /// The chip that it was made for, as in sm_80.
  unsigned chip;
  bool isMachineCode;
};

/// What can run on a device, best first. Machine code runs on chips of the same
/// generation that are not older than its own, PTX on all that are not older.
std::vector<Choice> chooseCode(const Case &which, unsigned capability);

} // namespace replay
} // namespace xsa

#endif // XSA_TOOLS_REPLAY_BUNDLE_H
