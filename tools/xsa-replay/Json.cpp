//===- Json.cpp - Reads JSON without LLVM ---------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strings of a manifest are names: escapes other than those of ASCII are not
// needed, and refused.
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace xsa::replay;

void xsa::replay::fail(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  std::exit(2);
}

std::string xsa::replay::quote(const std::string &text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + '"';
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace xsa {
namespace replay {
class JsonParser {
public:
  JsonParser(const std::string &text, const std::string &name)
      : text(text), name(name) {}

  Json parseFile() {
    Json value = parseValue(/*depth=*/0);
    skipSpace();
    if (position != text.size())
      refuse("expected the end of the file");
    return value;
  }

private:
  [[noreturn]] void refuse(const char *problem) const {
    fail("'" + name + "' is not a manifest: " + problem + " at byte " +
         std::to_string(position));
  }

  void skipSpace() {
    while (position < text.size() && std::strchr(" \t\r\n", text[position]))
      ++position;
  }
  bool consume(char c) {
    skipSpace();
    if (position == text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  bool consumeWord(const char *word) {
    size_t length = std::strlen(word);
    if (text.compare(position, length, word) != 0)
      return false;
    position += length;
    return true;
  }

  Json parseValue(int depth);
  Json parseObject(int depth);
  Json parseArray(int depth);
  Json parseString();
  Json parseNumber();

  const std::string &text;
  const std::string &name;
  size_t position = 0;
};
} // namespace replay
} // namespace xsa

Json JsonParser::parseValue(int depth) {
  if (depth > 64)
    refuse("too many levels");
  skipSpace();
  if (position == text.size())
    refuse("the file ends too early");
  switch (text[position]) {
  case '{':
    return parseObject(depth);
  case '[':
    return parseArray(depth);
  case '"':
    return parseString();
  default:
    return parseNumber();
  }
}

Json JsonParser::parseObject(int depth) {
  Json value;
  value.kind = Json::Kind::Object;
  consume('{');
  if (consume('}'))
    return value;
  do {
    skipSpace();
    Json key = parseString();
    if (!consume(':'))
      refuse("expected ':'");
    value.members.emplace_back(std::move(key.text), parseValue(depth + 1));
  } while (consume(','));
  if (!consume('}'))
    refuse("expected '}'");
  return value;
}

Json JsonParser::parseArray(int depth) {
  Json value;
  value.kind = Json::Kind::Array;
  consume('[');
  if (consume(']'))
    return value;
  do {
    value.items.push_back(parseValue(depth + 1));
  } while (consume(','));
  if (!consume(']'))
    refuse("expected ']'");
  return value;
}

Json JsonParser::parseString() {
  Json value;
  value.kind = Json::Kind::String;
  if (!consume('"'))
    refuse("expected a string");
  while (position < text.size() && text[position] != '"') {
    char c = text[position++];
    if (c == '\\') {
      if (position == text.size() || !std::strchr("\"\\/", text[position]))
        refuse("unknown escape");
      c = text[position++];
    }
    value.text += c;
  }
  if (!consume('"'))
    refuse("a string does not end");
  return value;
}

Json JsonParser::parseNumber() {
  Json value;
  if (consumeWord("null"))
    return value;
  for (const char *word : {"true", "false"})
    if (consumeWord(word)) {
      value.kind = Json::Kind::Bool;
      value.text = word;
      return value;
    }
  value.kind = Json::Kind::Number;
  while (position < text.size() &&
         std::strchr("+-.eE0123456789", text[position]))
    value.text += text[position++];
  char *end = nullptr;
  std::strtod(value.text.c_str(), &end);
  if (value.text.empty() || *end)
    refuse("expected a value");
  return value;
}

Json Json::parse(const std::string &text, const std::string &name) {
  return JsonParser(text, name).parseFile();
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

const Json *Json::find(const char *key) const {
  for (auto &member : members)
    if (member.first == key)
      return &member.second;
  return nullptr;
}

void Json::expect(Kind wanted, const char *what) const {
  if (kind != wanted)
    fail(std::string("the manifest is damaged: expected ") + what +
         (text.empty() ? "" : ", got '" + text + "'"));
}

const Json &Json::at(const char *key) const {
  const Json *value = find(key);
  if (!value)
    fail(std::string("the manifest is damaged: '") + key + "' is missing");
  return *value;
}

const std::vector<Json> &Json::getItems() const {
  expect(Kind::Array, "an array");
  return items;
}

const std::vector<std::pair<std::string, Json>> &Json::getMembers() const {
  expect(Kind::Object, "an object");
  return members;
}

const std::string &Json::getString() const {
  expect(Kind::String, "a string");
  return text;
}

int64_t Json::getInteger() const {
  expect(Kind::Number, "a number");
  return std::strtoll(text.c_str(), nullptr, 10);
}

double Json::getDouble() const {
  expect(Kind::Number, "a number");
  return std::strtod(text.c_str(), nullptr);
}

bool Json::getBool() const {
  expect(Kind::Bool, "true or false");
  return text == "true";
}

std::vector<uint64_t> Json::getSizes() const {
  std::vector<uint64_t> sizes;
  for (const Json &item : getItems())
    sizes.push_back(uint64_t(item.getInteger()));
  return sizes;
}
