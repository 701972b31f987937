//===- XSAAssertions.h - Assertions in the sanitizer build ------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included before everything else in the sanitizer build. Packaged LLVM has no
// assertions, and one of its classes has another layout with them: its header
// is read as LLVM was built, then assertions are switched on for the rest.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_CMAKE_XSAASSERTIONS_H
#define XSA_CMAKE_XSAASSERTIONS_H

#ifndef NDEBUG
#define NDEBUG
#endif
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#include <cassert>

#endif // XSA_CMAKE_XSAASSERTIONS_H
