//===- MatrixUnit.h - Instructions that multiply tiles ----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What differs between families of matrix instructions: how operands reach
// them, and how they accumulate. A family is a class behind this interface, in
// a folder of its own.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_MATRIXUNIT_H
#define XSA_LIB_CONVERSION_TILESTONVVM_MATRIXUNIT_H

#include "Fragments.h"

#include <memory>

namespace xsa {

/// One operand of a product: computed, in the accumulator's layout; loaded to
/// registers before; or still in shared memory.
struct ProductOperand {
  Fragment fragment;
  /// Whether the dimension that is summed over comes last in the vector.
  bool sumsOverLast = true;

  /// Whether the summed dimension is that of neighbours in shared memory.
  bool sumsOverNeighbours() const {
    unsigned last = fragment.sharedMap.getNumResults() - 1;
    bool lastIsNeighbour = fragment.sharedMap.getDimPosition(last) + 1 ==
                           fragment.sharedMap.getNumDims();
    return sumsOverLast == lastIsNeighbour;
  }
};

class MatrixUnit {
public:
  virtual ~MatrixUnit() = default;

  /// The left operand in registers, in the layout the products take.
  virtual void loadLeft(ThreadBuilder &b, ProductOperand &operand) const = 0;

  /// accumulator += left * right, in place.
  virtual mlir::LogicalResult multiply(ThreadBuilder &b, ProductOperand &left,
                                       ProductOperand &right,
                                       Fragment &accumulator) const = 0;

  /// sums += the sums of the rows of `left`, as its product with a column of
  /// ones; complete in every lane. Of a unit that `sumsByProduct`.
  virtual void sumRows(ThreadBuilder &b, const Fragment &left,
                       Fragment &sums) const {}
};

/// Whether the unit of the kernel makes the sums over rows: of 16-bit floats,
/// which it adds as f32, in place of as many additions as there are elements.
bool sumsByProduct(mlir::vector::MultiDimReductionOp op, KernelAttr plan);

std::unique_ptr<MatrixUnit> createMmaSyncUnit();
std::unique_ptr<MatrixUnit> createFmaUnit();

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_MATRIXUNIT_H
