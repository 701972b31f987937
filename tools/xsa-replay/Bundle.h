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

#include "Json.h"
#include "Numbers.h"

#include <array>
#include <map>
#include <optional>

namespace xsa {
namespace replay {

/// An array that is generated here; only its seed travels.
struct Input {
  ElementType type;
  uint64_t numElements;
  uint64_t seed;
};

/// Memory of the device.
struct Buffer {
  uint64_t numBytes;
  std::optional<size_t> input;
  bool isOutput;
};

struct Parameter {
  /// Points into a buffer, `value` bytes from its begin.
  std::optional<size_t> buffer;
  int64_t value;
};

struct Launch {
  /// Paths in the bundle: machine code, and PTX, which not every chip has.
  std::string cubin, ptx;
  std::string kernel;
  std::array<uint64_t, 3> grid, block;
  uint64_t dynamicSharedBytes;
  std::vector<Parameter> parameters;
};

/// What a model does on one chip, as xsa-run recorded it.
struct Recording {
  std::vector<Buffer> buffers;
  std::vector<Launch> launches;
};

struct Case {
  std::string name;
  std::vector<Input> inputs;
  ElementType outputType;
  /// Rows of the output that are compared, and how many elements a row has.
  std::vector<uint64_t> rows;
  uint64_t rowLength;
  /// Path of the rows' values, float32.
  std::string expected;
  /// Largest error of the same maths done plainly in the output's type.
  double plainError;
  /// What a call does at least; bytes only where they bound the time.
  double flops, bytes;
  bool isTimed;
  std::map<unsigned, Recording> recordings;
};

struct Bundle {
  std::string folder;
  std::string version, ptxas;
  std::vector<Case> cases;

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
