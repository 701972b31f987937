//===- Version.h - What --version prints ------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's command line prints LLVM's version; each tool adds the project's.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_TOOLS_VERSION_H
#define XSA_TOOLS_VERSION_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace xsa {

/// To be called before the command line is parsed.
inline void addProjectVersion() {
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "XSA for MLIR version " XSA_VERSION "\n";
  });
}

} // namespace xsa

#endif // XSA_TOOLS_VERSION_H
