//===- ProjectionNorms.h - The denominator of a projection ---- -*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Separated from the dot product: what a projection is divided by, and what of
// it is strength, is read from factors alone.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOXSA_PROJECTIONNORMS_H
#define XSA_LIB_CONVERSION_LINALGTOXSA_PROJECTIONNORMS_H

#include "ExclusionMatch.h"
#include "SumOfProducts.h"

namespace xsa {

/// Reads what remains of the product that is subtracted, after value and dot
/// product are taken out, as norms of `result.value` and a strength.
bool matchNorms(MatchContext &match, Expander &expander, const Product &rest,
                ExclusionMatch &result);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_PROJECTIONNORMS_H
