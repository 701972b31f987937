//===- PendingFile.cpp - A file that appears when complete ----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PendingFile.h.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/PendingFile.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <filesystem>
#include <optional>
#include <utility>

using namespace llvm;
using namespace xsa;

static Error makeError(StringRef path, const Twine &text) {
  return createStringError("'" + path + "': " + text);
}

static Error makeWriteError(StringRef path, std::error_code error) {
  return makeError(path, "could not be written: " + error.message());
}

PendingFile::PendingFile(std::string path, std::string target,
                         std::string partialPath)
    : path(std::move(path)), target(std::move(target)),
      partialPath(std::move(partialPath)) {}

PendingFile::PendingFile(PendingFile &&other)
    : path(std::move(other.path)), target(std::move(other.target)),
      text(std::move(other.text)),
      partialPath(std::exchange(other.partialPath, {})) {}

PendingFile::~PendingFile() {
  if (partialPath.empty())
    return;
  sys::fs::remove(partialPath);
  sys::DontRemoveFileOnSignal(partialPath);
}

/// The file that a path leads to, in a folder that exists. The file may be a
/// new one, at the end of a link as well.
static Expected<std::string> followLinks(StringRef path) {
  constexpr unsigned kMaxLinks = 40;
  SmallString<128> next(path);
  for (unsigned i = 0; i <= kMaxLinks; ++i) {
    StringRef folder = sys::path::parent_path(next);
    SmallString<128> target;
    if (std::error_code error =
            sys::fs::real_path(folder.empty() ? "." : folder, target))
      return makeWriteError(path, error);
    sys::path::append(target, sys::path::filename(next));
    bool isLink;
    if (sys::fs::is_symlink_file(target, isLink) || !isLink)
      return target.str().str();
    // An open file of a process, such as /dev/stdout: others write to it too.
    if (target.starts_with("/proc/"))
      return makeError(path, "expected a regular file");
    std::error_code error;
    std::string link =
        std::filesystem::read_symlink(target.str().str(), error).string();
    if (error)
      return makeWriteError(path, error);
    next = sys::path::is_absolute(link) ? "" : sys::path::parent_path(target);
    sys::path::append(next, link);
  }
  return makeWriteError(
      path, std::make_error_code(std::errc::too_many_symbolic_link_levels));
}

/// The permissions of a file that is replaced; none where there is none.
static std::optional<sys::fs::perms> getPermissions(StringRef target) {
  sys::fs::file_status status;
  if (sys::fs::status(target, status))
    return std::nullopt;
  return status.permissions() & sys::fs::perms::all_all;
}

Expected<PendingFile> PendingFile::create(StringRef path, Contents contents) {
  if (path.empty())
    return makeError(path, "expected the name of a file to write");
  if (path == "-" && contents == Contents::Archive)
    return makeError(path, "an archive is not written to standard output; "
                           "expected the name of a file");
  if (path == "-")
    return PendingFile("-", "-", "");
  // Renaming would put a file in the place of a device or folder.
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path))
    return makeError(path, "expected a regular file");
  Expected<std::string> target = followLinks(path);
  if (!target)
    return target.takeError();
  // A name beside the final one, so that renaming does not copy.
  std::string partialPath =
      (*target + ".partial-" + Twine(sys::Process::getProcessId())).str();
  // Nobody reads what is written now who may not read it later.
  unsigned mode = 0666;
  if (auto permissions = getPermissions(*target))
    mode = *permissions | sys::fs::owner_read | sys::fs::owner_write;
  int descriptor;
  if (std::error_code error = sys::fs::openFileForWrite(
          partialPath, descriptor, sys::fs::CD_CreateAlways, sys::fs::OF_None,
          mode))
    return makeWriteError(path, error);
  sys::Process::SafelyCloseFileDescriptor(descriptor);
  sys::RemoveFileOnSignal(partialPath);
  return PendingFile(path.str(), std::move(*target), std::move(partialPath));
}

bool PendingFile::replaces(StringRef path) const {
  return !partialPath.empty() && sys::fs::equivalent(target, path);
}

Error PendingFile::write(function_ref<void(raw_ostream &)> print) {
  if (partialPath.empty()) {
    raw_string_ostream os(text);
    print(os);
    return Error::success();
  }
  std::error_code error;
  raw_fd_ostream os(partialPath, error);
  if (error)
    return makeWriteError(path, error);
  print(os);
  os.close();
  error = os.error();
  os.clear_error();
  return error ? makeWriteError(path, error) : Error::success();
}

Error PendingFile::commit() {
  if (partialPath.empty()) {
    outs() << text;
    outs().flush();
    std::error_code error = outs().error();
    outs().clear_error();
    return error ? makeWriteError(path, error) : Error::success();
  }
  if (auto permissions = getPermissions(target))
    if (std::error_code error =
            sys::fs::setPermissions(partialPath, *permissions))
      return makeWriteError(path, error);
  if (std::error_code error = sys::fs::rename(partialPath, target))
    return makeWriteError(path, error);
  sys::DontRemoveFileOnSignal(partialPath);
  partialPath.clear();
  return Error::success();
}
