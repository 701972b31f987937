//===- ImportedText.cpp - Text of newer MLIR ------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data that this version reads is never shorter or longer by chance: a constant
// of n > 1 booleans has n bytes in one version and a bit each in the other.
// Packed data is shorter, and spaces fill the rest.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/ImportToLinalg/ImportedText.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace {
/// Hexadecimal data of a constant, without the prefix "0x".
struct HexData {
  size_t begin;
  StringRef digits;
};
} // namespace

/// The number of elements in `> : tensor<2x3xi1>`, with which `text` begins; 0
/// if it does not begin so.
static uint64_t countBooleans(StringRef text) {
  if (!text.consume_front(">"))
    return 0;
  text = text.ltrim();
  if (!text.consume_front(":"))
    return 0;
  text = text.ltrim();
  if (!text.consume_front("tensor<") && !text.consume_front("vector<"))
    return 0;
  uint64_t count = 1, size;
  while (!text.consumeInteger(10, size)) {
    if (!text.consume_front("x"))
      return 0;
    count = llvm::SaturatingMultiply(count, size);
  }
  return text.starts_with("i1>") ? count : 0;
}

/// Whether the data is a byte for each of `count` booleans.
static bool isByteEach(StringRef digits, uint64_t count) {
  if (count < 2 || digits.size() / 2 != count || digits.size() % 2 != 0)
    return false;
  for (size_t i = 0; i < digits.size(); i += 2)
    if (digits[i] != '0' || (digits[i + 1] != '0' && digits[i + 1] != '1'))
      return false;
  return true;
}

/// Boolean constants of a byte for each element.
static SmallVector<HexData> findBooleanBytes(StringRef text) {
  static constexpr StringLiteral kOpening = "dense<\"0x";
  SmallVector<HexData> found;
  for (size_t at = text.find(kOpening); at != StringRef::npos;
       at = text.find(kOpening, at)) {
    at += kOpening.size();
    size_t end = text.find('"', at);
    if (end == StringRef::npos)
      break;
    StringRef digits = text.slice(at, end);
    if (isByteEach(digits, countBooleans(text.drop_front(end + 1))))
      found.push_back({at, digits});
    at = end;
  }
  return found;
}

/// Writes the data with a bit for each element, the first one lowest, to where
/// it stands in `text`, and moves the closing quote.
static void pack(MutableArrayRef<char> text, const HexData &data) {
  size_t count = data.digits.size() / 2, to = data.begin;
  for (size_t i = 0; i < count; i += 8) {
    unsigned byte = 0;
    for (size_t bit = 0; bit < 8 && i + bit < count; ++bit)
      byte |= unsigned(data.digits[2 * (i + bit) + 1] == '1') << bit;
    text[to++] = llvm::hexdigit(byte >> 4);
    text[to++] = llvm::hexdigit(byte & 15);
  }
  text[to++] = '"';
  std::fill(text.begin() + to, text.begin() + data.begin + 2 * count + 1, ' ');
}

static constexpr StringRef bytecodeMagic = "ML\xefR";

std::string xsa::adviseOnBytecode(StringRef content) {
  // The magic number, the version in a byte, the producer up to a zero.
  if (!content.consume_front(bytecodeMagic) || content.empty())
    return "";
  StringRef producer =
      content.drop_front().take_until([](char c) { return c == 0; });
  StringRef version = producer;
  unsigned major = 0;
  if (!version.consume_front("MLIR") || version.consumeInteger(10, major) ||
      major <= LLVM_VERSION_MAJOR)
    return "";
  return ("cannot read all bytecode of '" + producer + "' with MLIR " +
          Twine(LLVM_VERSION_MAJOR) + ": expected text")
      .str();
}

std::unique_ptr<llvm::MemoryBuffer>
xsa::adaptImportedText(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  StringRef text = buffer->getBuffer();
  if (text.starts_with(bytecodeMagic))
    return buffer;
  SmallVector<HexData> constants = findBooleanBytes(text);
  if (constants.empty())
    return buffer;
  auto copy = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      text.size(), buffer->getBufferIdentifier());
  llvm::copy(text, copy->getBufferStart());
  for (const HexData &data : constants)
    pack(copy->getBuffer(), data);
  return copy;
}
