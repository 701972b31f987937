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
// is opened early and renamed late. Links are followed first: what they lead to
// is replaced, not the link. Its permissions stay.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EXECUTIONENGINE_PENDINGFILE_H
#define XSA_EXECUTIONENGINE_PENDINGFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace xsa {

class PendingFile {
public:
  /// Text may go to standard output, which is the path `-`.
  enum class Contents { Text, Archive };

  /// Creates an empty file beside what `path` leads to. Fails if that is
  /// something else than a regular file or a new one in a folder.
  static llvm::Expected<PendingFile> create(llvm::StringRef path,
                                            Contents contents);
  PendingFile(PendingFile &&other);
  PendingFile &operator=(PendingFile &&) = delete;
  /// Removes what was not committed; a file that was at the path stays.
  ~PendingFile();

  /// The name that the file was asked for by, and where to write it until it
  /// has that.
  llvm::StringRef getPath() const { return path; }
  llvm::StringRef getPartialPath() const { return partialPath; }
  bool isSameFile(const PendingFile &other) const {
    return target == other.target;
  }
  /// Whether it is to take the place of the file that a path leads to, by
  /// whatever name.
  bool replaces(llvm::StringRef path) const;

  /// Writes a text file.
  llvm::Error write(llvm::function_ref<void(llvm::raw_ostream &)> print);

  /// Gives the file its name.
  llvm::Error commit();

private:
  PendingFile(std::string path, std::string target, std::string partialPath);

  /// As the user wrote it, and without links.
  std::string path, target;
  /// What is to go to standard output.
  std::string text;
  /// Empty when there is nothing to remove.
  std::string partialPath;
};

} // namespace xsa

#endif // XSA_EXECUTIONENGINE_PENDINGFILE_H
