//===- ImportedText.h - Text of newer MLIR ----------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Importers are built with a newer MLIR than this project. Where that one
// prints what this one reads differently, the text is changed before it is
// parsed: here, and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CONVERSION_IMPORTTOLINALG_IMPORTEDTEXT_H
#define XSA_CONVERSION_IMPORTTOLINALG_IMPORTEDTEXT_H

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace xsa {

/// The text as this MLIR reads it: `buffer` itself if nothing is to be changed,
/// otherwise a copy of the same size in which every line and column is where it
/// was. Bytecode is left as it is.
///
/// Changed are boolean constants of more than a hundred elements, which are
/// printed as hexadecimal data: MLIR 23 and later write a byte for each
/// element, earlier versions a bit.
std::unique_ptr<llvm::MemoryBuffer>
adaptImportedText(std::unique_ptr<llvm::MemoryBuffer> buffer);

/// What to do about a file that could not be read: empty unless it is bytecode
/// of a newer MLIR, whose attributes and types have codes that this one does
/// not know.
std::string adviseOnBytecode(llvm::StringRef content);

} // namespace xsa

#endif // XSA_CONVERSION_IMPORTTOLINALG_IMPORTEDTEXT_H
