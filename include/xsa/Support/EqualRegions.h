//===- EqualRegions.h - Code that is there already --------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a model differ in what their code is given, not in what it does
// with it. What is outlined of them is compared here, so that it is compiled
// once.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_SUPPORT_EQUALREGIONS_H
#define XSA_SUPPORT_EQUALREGIONS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/DenseMap.h"

namespace xsa {

class EqualRegions {
public:
  /// An earlier operation that was added with the same `key` and whose first
  /// region does the same as that of `op`. If there is none, `op` itself, for
  /// later ones to be equal to.
  mlir::Operation *findOrAdd(mlir::Operation *op, mlir::Attribute key = {}) {
    size_t numOps = 0;
    op->walk([&](mlir::Operation *) { ++numOps; });
    auto &candidates = known[{key, numOps}];
    for (mlir::Operation *candidate : candidates)
      if (mlir::OperationEquivalence::isRegionEquivalentTo(
              &candidate->getRegion(0), &op->getRegion(0),
              mlir::OperationEquivalence::IgnoreLocations))
        return candidate;
    candidates.push_back(op);
    return op;
  }

private:
  /// With the number of operations, as few others have to be compared.
  llvm::DenseMap<std::pair<mlir::Attribute, size_t>,
                 llvm::SmallVector<mlir::Operation *>>
      known;
};

} // namespace xsa

#endif // XSA_SUPPORT_EQUALREGIONS_H
