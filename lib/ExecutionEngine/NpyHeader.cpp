//===- NpyHeader.cpp - The header of a .npy file --------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dictionary has three keys with values of a fixed form, so it is read by
// looking for the keys instead of by parsing Python.
//
//===----------------------------------------------------------------------===//

#include "NpyHeader.h"

#include "xsa/Support/ByteSize.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace xsa;

static constexpr StringLiteral kMagic = "\x93NUMPY";

/// What follows `'key':` in the dictionary.
static std::optional<StringRef> findValue(StringRef dictionary, StringRef key) {
  size_t at = dictionary.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef rest = dictionary.drop_front(at + key.size() + 2).ltrim();
  if (!rest.consume_front(":"))
    return std::nullopt;
  return rest.ltrim();
}

/// A descriptor such as '<f4': byte order, kind, bytes per element.
static Error parseDescriptor(StringRef descriptor, NpyHeader &header) {
  char order = descriptor.empty() ? '\0' : descriptor.front();
  std::optional<DType> dtype =
      StringSwitch<std::optional<DType>>(
          descriptor.drop_front(descriptor.empty() ? 0 : 1))
          .Case("b1", DType::Bool)
          .Case("i1", DType::Int8)
          .Case("i2", DType::Int16)
          .Case("i4", DType::Int32)
          .Case("i8", DType::Int64)
          .Case("u1", DType::UInt8)
          .Case("u2", DType::UInt16)
          .Case("u4", DType::UInt32)
          .Case("u8", DType::UInt64)
          .Case("f2", DType::Float16)
          .Case("f4", DType::Float32)
          .Case("f8", DType::Float64)
          .Default(std::nullopt);
  if (!dtype || !StringRef("<>|=").contains(order))
    return createStringError(
        "elements of dtype '" + descriptor +
        "' are not supported; expected booleans, integers or "
        "floats of 16, 32 or 64 bits");
  header.dtype = *dtype;
  char native = sys::IsLittleEndianHost ? '<' : '>';
  header.swapBytes =
      getSize(*dtype) > 1 && (order == '<' || order == '>') && order != native;
  return Error::success();
}

/// A tuple such as `(2, 3)`, `(2,)` or `()`.
static bool parseShape(StringRef text, SmallVectorImpl<int64_t> &shape) {
  if (!text.consume_front("("))
    return false;
  for (text = text.ltrim(); !text.consume_front(")"); text = text.ltrim()) {
    int64_t size;
    if (text.consumeInteger(10, size) || size < 0)
      return false;
    shape.push_back(size);
    text = text.ltrim();
    if (!text.consume_front(",") && !text.starts_with(")"))
      return false;
  }
  constexpr int64_t kLargestElement = 8;
  return getNumBytes(shape, kLargestElement).has_value();
}

Expected<size_t> xsa::getNpyHeaderSize(StringRef prefix) {
  if (!prefix.starts_with(kMagic))
    return createStringError("not an .npy file");
  if (prefix.size() < kNpyPrefixSize)
    return createStringError("truncated .npy header");
  const char *bytes = prefix.data() + kMagic.size();
  switch (unsigned version = static_cast<unsigned char>(bytes[0])) {
  case 1:
    return kMagic.size() + 4 + support::endian::read16le(bytes + 2);
  case 2:
  case 3:
    return kMagic.size() + 6 + size_t(support::endian::read32le(bytes + 2));
  default:
    return createStringError("unknown .npy version " + Twine(version));
  }
}

Expected<NpyHeader> xsa::parseNpyHeader(StringRef bytes) {
  Expected<size_t> size = getNpyHeaderSize(bytes);
  if (!size)
    return size.takeError();
  NpyHeader header;
  header.size = *size;
  // What comes before the dictionary has none of its keys.
  StringRef dictionary = bytes.take_front(*size);
  std::optional<StringRef> descriptor = findValue(dictionary, "descr");
  std::optional<StringRef> order = findValue(dictionary, "fortran_order");
  std::optional<StringRef> shape = findValue(dictionary, "shape");
  if (!descriptor || !order || !shape || !parseShape(*shape, header.shape))
    return createStringError("malformed .npy header");
  if (!descriptor->consume_front("'"))
    return createStringError("arrays of structures are not supported");
  if (Error error = parseDescriptor(
          descriptor->take_until([](char c) { return c == '\''; }), header))
    return error;
  header.fortranOrder = order->starts_with("True");
  return header;
}

static StringRef getDescriptor(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "b1";
  case DType::Int8:
    return "i1";
  case DType::Int16:
    return "i2";
  case DType::Int32:
    return "i4";
  case DType::Int64:
    return "i8";
  case DType::UInt8:
    return "u1";
  case DType::UInt16:
  case DType::BFloat16:
    return "u2";
  case DType::UInt32:
    return "u4";
  case DType::UInt64:
    return "u8";
  case DType::Float16:
    return "f2";
  case DType::Float32:
    return "f4";
  case DType::Float64:
    return "f8";
  }
  llvm_unreachable("unknown element type");
}

std::string xsa::formatNpyHeader(DType dtype, ArrayRef<int64_t> shape) {
  std::string dictionary = "{'descr': '";
  dictionary += getSize(dtype) == 1 ? "|" : sys::IsLittleEndianHost ? "<" : ">";
  dictionary += getDescriptor(dtype);
  dictionary += "', 'fortran_order': False, 'shape': (";
  for (int64_t size : shape)
    dictionary += std::to_string(size) + ", ";
  if (shape.size() > 1)
    dictionary.resize(dictionary.size() - 2);
  else if (shape.size() == 1)
    dictionary.resize(dictionary.size() - 1);
  dictionary += "), }";
  // The elements start at a multiple of 64 bytes.
  size_t prefix = kMagic.size() + 4;
  size_t total = alignTo(prefix + dictionary.size() + 1, 64);
  dictionary.append(total - prefix - dictionary.size() - 1, ' ');
  dictionary += '\n';

  std::string header = kMagic.str();
  header += '\x01';
  header += '\x00';
  char length[2];
  support::endian::write16le(length, dictionary.size());
  header.append(length, 2);
  return header + dictionary;
}
