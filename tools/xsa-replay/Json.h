//===- Json.h - Reads JSON without LLVM -------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bundle's manifest is JSON, and this program travels without LLVM's reader.
// Numbers keep their text, since integers of 64 bits do not fit a double.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_TOOLS_REPLAY_JSON_H
#define XSA_TOOLS_REPLAY_JSON_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace xsa {
namespace replay {

/// Ends the program: exit code 2, nothing could be run.
[[noreturn]] void fail(const std::string &message);

/// A value of a manifest. Asking for what is not there ends the program with a
/// message that names it.
class Json {
public:
  /// `name` is the file's, for messages.
  static Json parse(const std::string &text, const std::string &name);

  bool has(const char *key) const { return find(key) != nullptr; }
  const Json &at(const char *key) const;
  const std::vector<Json> &getItems() const;
  const std::vector<std::pair<std::string, Json>> &getMembers() const;
  const std::string &getString() const;
  int64_t getInteger() const;
  double getDouble() const;
  bool getBool() const;
  std::vector<uint64_t> getSizes() const;

private:
  enum class Kind { Null, Bool, Number, String, Array, Object };
  friend class JsonParser;

  const Json *find(const char *key) const;
  /// Ends the program unless the value is of this kind.
  void expect(Kind wanted, const char *what) const;

  Kind kind = Kind::Null;
  /// Of numbers, strings and booleans.
  std::string text;
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;
};

/// A string as JSON, with its quotes.
std::string quote(const std::string &text);

} // namespace replay
} // namespace xsa

#endif // XSA_TOOLS_REPLAY_JSON_H
