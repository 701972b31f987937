//===- Npz.h - numpy's .npz archives ----------------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes the archives that `numpy.savez` and `savez_compressed` make:
// zip files (zip64 too) of .npy members. The archive is libzip's work, the
// members' headers are read here.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_EXECUTIONENGINE_NPZ_H
#define XSA_EXECUTIONENGINE_NPZ_H

#include "xsa/ExecutionEngine/Array.h"
#include "xsa/ExecutionEngine/PendingFile.h"

#include "llvm/Support/Error.h"

#include <map>
#include <utility>
#include <vector>

namespace xsa {

/// The arrays of an archive by name. Fortran order and the other byte order are
/// converted. An element type that has no place in a model is an error.
llvm::Expected<std::map<std::string, Array>> readNpz(llvm::StringRef path);

/// Writes arrays in the given order, uncompressed, to the part of `file` that
/// is still to be committed. bfloat16 must be widened before.
llvm::Error writeNpz(const PendingFile &file,
                     llvm::ArrayRef<std::pair<std::string, ArrayView>> arrays);

} // namespace xsa

#endif // XSA_EXECUTIONENGINE_NPZ_H
