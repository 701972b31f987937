//===- FileSizeLimit.h - Errors where a file may not grow -------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A write beyond a limit on the size of files (ulimit -f) ends a program with a
// signal. Where that is ignored it fails, as on a full disk.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_TOOLS_FILESIZELIMIT_H
#define XSA_TOOLS_FILESIZELIMIT_H

#include <csignal>

namespace xsa {

/// To be called after InitLLVM, which handles the signal.
inline void failBeyondFileSizeLimit() { std::signal(SIGXFSZ, SIG_IGN); }

} // namespace xsa

#endif // XSA_TOOLS_FILESIZELIMIT_H
