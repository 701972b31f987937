//===- SumOfProducts.h - Expressions multiplied out ----------- -*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form in which spellings of an exclusion are equal: a sum of products of
// factors to powers.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_LINALGTOXSA_SUMOFPRODUCTS_H
#define XSA_LIB_CONVERSION_LINALGTOXSA_SUMOFPRODUCTS_H

#include "AttentionMatch.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace xsa {

/// Equal but for the rounding of constants, such as 1 - 0.3 and 0.7.
bool isNear(double a, double b);

/// `number` times factors to powers.
struct Product {
  double number = 1;
  llvm::SmallVector<std::pair<ExprRef, int>> factors;

  void multiply(ExprRef factor, int power);
};

/// Expands expressions that compute an exclusion.
class Expander {
public:
  /// `whole` is a sum that is left in one piece: the output may be changed by
  /// one before its component along the own value is taken out.
  Expander(MatchContext &match, llvm::function_ref<bool(ExprRef)> containsInput,
           ExprRef whole = nullptr)
      : match(match), containsInput(containsInput), whole(whole) {}

  /// Sums of products; nothing if there are too many.
  std::optional<llvm::SmallVector<Product>> expand(ExprRef e,
                                                   unsigned depth = 0);

  /// Multiplies `e` to `power` into `product`, without expanding sums.
  bool multiply(Product &product, ExprRef e, int power, unsigned depth = 0);

  /// Whether a factor is 1 or 0 by the condition of a guard: what it guards may
  /// be infinite where it is 0.
  bool isGuard(ExprRef factor) const { return guards.contains(factor); }

private:
  bool isPatternSum(ExprRef e);
  bool multiplySum(Product &product, ExprRef sum, int power, unsigned depth);
  bool addUp(Product &product, Product body, ExprRef sum, int power);
  ExprRef getGuarded(ExprRef e);
  bool multiplyGuarded(Product &product, ExprRef e, int power, unsigned depth);
  ExprRef getIdentity(ExprRef e);
  bool applyIdentity(Product &product, llvm::ArrayRef<ExprRef> vars);
  std::optional<llvm::SmallVector<Product>> expandMatrix(ExprRef sum,
                                                         unsigned depth);
  std::optional<llvm::SmallVector<Product>> expandSelect(ExprRef e,
                                                         unsigned depth);
  std::optional<llvm::SmallVector<Product>> expandProduct(ExprRef e,
                                                          unsigned depth);
  std::optional<llvm::SmallVector<Product>> expandUncached(ExprRef e,
                                                           unsigned depth);

  MatchContext &match;
  llvm::function_ref<bool(ExprRef)> containsInput;
  ExprRef whole;
  llvm::SmallPtrSet<ExprRef, 2> guards;
  /// What was expanded: parts of a strength may be shared.
  llvm::DenseMap<ExprRef, llvm::SmallVector<Product>> expanded;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_LINALGTOXSA_SUMOFPRODUCTS_H
