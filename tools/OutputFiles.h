//===- OutputFiles.h - The files that a program writes ----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// xsa-run and xsa-emulate write an archive (--outputs) and a text (--stats).
// Both are opened before anything runs and get their names once both are
// written; neither takes the place of the other or of what is read.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_TOOLS_OUTPUTFILES_H
#define XSA_TOOLS_OUTPUTFILES_H

#include "xsa/ExecutionEngine/PendingFile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"

#include <optional>

namespace xsa {

struct OutputFiles {
  std::optional<PendingFile> outputs, stats;

  /// Opens what the options name; `read` has the names of files that are read.
  static llvm::Expected<OutputFiles>
  open(const llvm::cl::opt<std::string> &outputs,
       const llvm::cl::opt<std::string> &stats,
       llvm::ArrayRef<llvm::StringRef> read) {
    OutputFiles files;
    if (llvm::Error error =
            open(files.outputs, outputs, PendingFile::Contents::Archive, read))
      return error;
    if (llvm::Error error =
            open(files.stats, stats, PendingFile::Contents::Text, read))
      return error;
    if (files.outputs && files.stats && files.outputs->isSameFile(*files.stats))
      return llvm::createStringError(
          "--outputs and --stats name the same file");
    return files;
  }

  /// Gives the files their names.
  llvm::Error commit() {
    if (outputs)
      if (llvm::Error error = outputs->commit())
        return error;
    return stats ? stats->commit() : llvm::Error::success();
  }

private:
  static llvm::Error open(std::optional<PendingFile> &file,
                          const llvm::cl::opt<std::string> &option,
                          PendingFile::Contents contents,
                          llvm::ArrayRef<llvm::StringRef> read) {
    if (!option.getNumOccurrences())
      return llvm::Error::success();
    llvm::Expected<PendingFile> opened = PendingFile::create(option, contents);
    if (!opened)
      return opened.takeError();
    for (llvm::StringRef path : read)
      if (opened->replaces(path))
        return llvm::createStringError("--" + option.ArgStr + " names '" +
                                       path + "', which is also read");
    file.emplace(std::move(*opened));
    return llvm::Error::success();
  }
};

} // namespace xsa

#endif // XSA_TOOLS_OUTPUTFILES_H
