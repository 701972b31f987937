//===- ScoreRegion.h - Scores that no attribute describes -------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a model does to scores in another order than xsa.attention has (a soft
// cap after the mask, values in place of masked scores) is a score region.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOXSA_SCOREREGION_H
#define XSA_LIB_CONVERSION_LINALGTOXSA_SCOREREGION_H

#include "AttentionMatch.h"

#include "mlir/IR/Builders.h"

namespace xsa {

/// What the steps read besides the score, an input each; conditions are 1 where
/// they hold and 0 elsewhere.
llvm::SmallVector<ExprRef> getScoreInputs(ExprContext &ctx,
                                          llvm::ArrayRef<ScoreStep> steps);

/// Fills the score region of `op`, whose score inputs are those of the steps.
void buildScoreRegion(mlir::OpBuilder &builder, AttentionOp op,
                      llvm::ArrayRef<ScoreStep> steps);

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_SCOREREGION_H
