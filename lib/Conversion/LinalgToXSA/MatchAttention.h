//===- MatchAttention.h - The matcher's entry -------------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries one contraction as the second product of attention.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOXSA_MATCHATTENTION_H
#define XSA_LIB_CONVERSION_LINALGTOXSA_MATCHATTENTION_H

#include "AttentionMatch.h"

namespace xsa {

enum class MatchOutcome { NotAttention, Refused, Matched };

/// Looks at `contraction` as the product of probabilities and values, with the
/// division before or after it. Where the outcome is `Refused`, the context
/// says why.
MatchOutcome matchAttention(MatchContext &match, mlir::Value contraction,
                            AttentionMatch &result);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_MATCHATTENTION_H
