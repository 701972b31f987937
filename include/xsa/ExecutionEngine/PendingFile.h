//===- PendingFile.h - A file that appears when complete --------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a result can be written should be known before it is computed, and a
// file with half a result should never be seen. So a file beside the wanted one
// is opened early and renamed late.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EXECUTIONENGINE_PENDINGFILE_H
#define XSA_EXECUTIONENGINE_PENDINGFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace xsa {

class PendingFile {
public:
  /// Creates an empty file beside `path`. Fails if `path` is something else
  /// than a regular file or nothing yet.
  static llvm::Expected<PendingFile> create(llvm::StringRef path);
  PendingFile(PendingFile &&other);
  PendingFile &operator=(PendingFile &&) = delete;
  /// Removes what was not committed; a file that was at the path stays.
  ~PendingFile();

  /// The name that the file will have, and where to write it until then.
  llvm::StringRef getPath() const { return path; }
  llvm::StringRef getPartialPath() const { return partialPath; }

  /// Gives the file its name.
  llvm::Error commit();

private:
  PendingFile(std::string path, std::string partialPath);

  std::string path;
  /// Empty when there is nothing to remove.
  std::string partialPath;
};

} // namespace xsa

#endif // XSA_EXECUTIONENGINE_PENDINGFILE_H
