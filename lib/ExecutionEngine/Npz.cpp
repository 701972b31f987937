//===- Npz.cpp - numpy's .npz archives ------------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Members are read straight into the memory of their arrays. Every error says
// which file and which member it concerns.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/Npz.h"

#include "NpyHeader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <zip.h>

using namespace llvm;
using namespace xsa;

/// What libzip means by an error of zip_open.
static std::string describeOpenError(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  return reason;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
using Archive = std::unique_ptr<zip_t, void (*)(zip_t *)>;
using Member = std::unique_ptr<zip_file_t, int (*)(zip_file_t *)>;
} // namespace

static Expected<Archive> openArchive(StringRef path) {
  if (sys::fs::is_directory(path))
    return createStringError("'" + path + "': expected a file, got a folder");
  int code = 0;
  zip_t *archive = zip_open(path.str().c_str(), ZIP_RDONLY, &code);
  if (archive)
    return Archive(archive, zip_discard);
  std::string reason = describeOpenError(code);
  if (code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS)
    return createStringError("'" + path +
                             "': not an .npz archive, or a truncated one (" +
                             reason + ")");
  return createStringError("'" + path + "': " + reason);
}

/// Reads exactly `size` bytes; false at an early end or a read error.
static bool readBytes(zip_file_t *member, void *to, size_t size) {
  auto *bytes = static_cast<char *>(to);
  while (size > 0) {
    zip_int64_t count = zip_fread(member, bytes, size);
    if (count <= 0)
      return false;
    bytes += count;
    size -= count;
  }
  return true;
}

/// Reads the header, as many bytes as it says that it has.
static Expected<NpyHeader> readHeader(zip_file_t *member, uint64_t memberSize) {
  std::string bytes(std::min<uint64_t>(kNpyPrefixSize, memberSize), '\0');
  if (!readBytes(member, bytes.data(), bytes.size()))
    return createStringError("truncated .npy header");
  Expected<size_t> size = getNpyHeaderSize(bytes);
  if (!size)
    return size.takeError();
  if (*size > memberSize)
    return createStringError("truncated .npy header");
  bytes.resize(std::max(*size, kNpyPrefixSize));
  if (!readBytes(member, bytes.data() + kNpyPrefixSize,
                 bytes.size() - kNpyPrefixSize))
    return createStringError("truncated .npy header");
  return parseNpyHeader(bytes);
}

/// Element by element from Fortran order to C order.
static Array reorder(const Array &fortran) {
  Array result = Array::allocate(fortran.dtype, fortran.shape);
  unsigned size = getSize(fortran.dtype);
  unsigned rank = fortran.shape.size();
  SmallVector<int64_t> strides(rank, 1), position(rank, 0);
  for (unsigned d = 1; d < rank; ++d)
    strides[d] = strides[d - 1] * fortran.shape[d - 1];
  auto *from = static_cast<const char *>(fortran.data);
  auto *to = static_cast<char *>(result.data);
  int64_t offset = 0;
  for (int64_t i = 0, n = getNumElements(fortran.shape); i < n; ++i) {
    std::memcpy(to + i * size, from + offset * size, size);
    for (unsigned d = rank; d-- > 0;) {
      offset += strides[d];
      if (++position[d] < fortran.shape[d])
        break;
      offset -= strides[d] * fortran.shape[d];
      position[d] = 0;
    }
  }
  return result;
}

static void swapBytes(Array &array) {
  unsigned size = getSize(array.dtype);
  auto *bytes = static_cast<char *>(array.data);
  for (size_t i = 0; i < array.getNumBytes(); i += size)
    std::reverse(bytes + i, bytes + i + size);
}

static Expected<Array> readMember(zip_t *archive, zip_uint64_t index,
                                  uint64_t size) {
  Member member(zip_fopen_index(archive, index, 0), zip_fclose);
  if (!member)
    return createStringError(zip_strerror(archive));
  Expected<NpyHeader> header = readHeader(member.get(), size);
  if (!header)
    return header.takeError();
  uint64_t numBytes = getNumElements(header->shape) * getSize(header->dtype);
  if (header->size + numBytes > size)
    return createStringError(
        "truncated: " + describe(header->dtype, header->shape) + " needs " +
        Twine(numBytes) + " bytes, the member has " +
        Twine(size - header->size));
  Expected<Array> allocated = Array::tryAllocate(header->dtype, header->shape);
  if (!allocated)
    return allocated.takeError();
  Array array = std::move(*allocated);
  // libzip compares the checksum when it reaches the end of the member, which
  // the attempt to read one more byte makes sure of.
  char end;
  if (!readBytes(member.get(), array.data, numBytes) ||
      zip_fread(member.get(), &end, 1) < 0)
    return createStringError(Twine("corrupt or truncated data (") +
                             zip_file_strerror(member.get()) + ")");
  if (header->swapBytes)
    swapBytes(array);
  return header->fortranOrder ? reorder(array) : std::move(array);
}

Expected<std::map<std::string, Array>> xsa::readNpz(StringRef path) {
  Expected<Archive> archive = openArchive(path);
  if (!archive)
    return archive.takeError();
  std::map<std::string, Array> arrays;
  zip_int64_t count = zip_get_num_entries(archive->get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    if (zip_stat_index(archive->get(), i, 0, &stat) != 0)
      return createStringError("'" + path +
                               "': " + zip_strerror(archive->get()));
    StringRef name = stat.name;
    name.consume_back(".npy");
    if (arrays.count(name.str()))
      return createStringError("'" + path + "': there are several arrays '" +
                               name + "'");
    Expected<Array> array = readMember(archive->get(), i, stat.size);
    if (!array)
      return createStringError("'" + path + "', array '" + name +
                               "': " + toString(array.takeError()));
    arrays[name.str()] = std::move(*array);
  }
  return arrays;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
/// A header and, after it, an array's memory, as libzip reads them.
struct MemberSource {
  std::string header;
  ArrayView array;
  zip_buffer_fragment_t fragments[2];
};
} // namespace

static bool addMember(zip_t *archive, StringRef name, MemberSource &source) {
  source.header = formatNpyHeader(source.array.dtype, source.array.shape);
  source.fragments[0].data =
      reinterpret_cast<zip_uint8_t *>(source.header.data());
  source.fragments[0].length = source.header.size();
  source.fragments[1].data = const_cast<zip_uint8_t *>(
      static_cast<const zip_uint8_t *>(source.array.data));
  source.fragments[1].length =
      getNumElements(source.array.shape) * getSize(source.array.dtype);
  unsigned numFragments = source.fragments[1].length ? 2 : 1;
  zip_source_t *data = zip_source_buffer_fragment(archive, source.fragments,
                                                  numFragments, /*freep=*/0);
  if (!data)
    return false;
  zip_int64_t index = zip_file_add(archive, (name + ".npy").str().c_str(), data,
                                   ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(data);
    return false;
  }
  // No time of writing: equal arrays make equal files.
  return zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(archive, index, 0, 33, 0) == 0;
}

Error xsa::writeNpz(const PendingFile &file,
                    ArrayRef<std::pair<std::string, ArrayView>> arrays) {
  StringRef path = file.getPath();
  if (arrays.empty())
    return createStringError("'" + path + "': there are no arrays to write");
  int code = 0;
  zip_t *archive = zip_open(file.getPartialPath().str().c_str(),
                            ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!archive)
    return createStringError("'" + path + "': " + describeOpenError(code));
  std::vector<MemberSource> sources(arrays.size());
  bool ok = true;
  for (auto [source, named] : llvm::zip_equal(sources, arrays)) {
    source.array = named.second;
    ok = ok && addMember(archive, named.first, source);
  }
  if (!ok || zip_close(archive) != 0) {
    std::string reason = zip_strerror(archive);
    zip_discard(archive);
    return createStringError("'" + path + "': could not be written: " + reason);
  }
  return Error::success();
}
