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
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <utility>

using namespace llvm;
using namespace xsa;

static Error makeError(StringRef path, const Twine &text) {
  return createStringError("'" + path + "': " + text);
}

PendingFile::PendingFile(std::string path, std::string partialPath)
    : path(std::move(path)), partialPath(std::move(partialPath)) {}

PendingFile::PendingFile(PendingFile &&other)
    : path(std::move(other.path)),
      partialPath(std::exchange(other.partialPath, {})) {}

PendingFile::~PendingFile() {
  if (partialPath.empty())
    return;
  sys::fs::remove(partialPath);
  sys::DontRemoveFileOnSignal(partialPath);
}

Expected<PendingFile> PendingFile::create(StringRef path) {
  // Renaming would put a file in the place of a device or folder.
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path))
    return makeError(path, "expected a regular file");
  // A name beside the final one, so that renaming does not copy.
  std::string partialPath =
      (path + ".partial-" + Twine(sys::Process::getProcessId())).str();
  int descriptor;
  if (std::error_code error =
          sys::fs::openFileForWrite(partialPath, descriptor))
    return makeError(path, "could not be written: " + error.message());
  sys::Process::SafelyCloseFileDescriptor(descriptor);
  sys::RemoveFileOnSignal(partialPath);
  return PendingFile(path.str(), std::move(partialPath));
}

Error PendingFile::commit() {
  if (std::error_code error = sys::fs::rename(partialPath, path))
    return makeError(path, "could not be written: " + error.message());
  sys::DontRemoveFileOnSignal(partialPath);
  partialPath.clear();
  return Error::success();
}
