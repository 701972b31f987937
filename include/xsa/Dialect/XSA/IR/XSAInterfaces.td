//===- XSAInterfaces.td - What the operations have in common -*- tablegen -*-=//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slicing, reifying and verifying need to know which operand has which
// dimensions, not what the operation computes.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_DIALECT_XSA_IR_XSAINTERFACES_TD
#define XSA_DIALECT_XSA_IR_XSAINTERFACES_TD

include "mlir/IR/OpBase.td"

def XSA_StructuredOpInterface : OpInterface<"StructuredOpInterface"> {
  let description = [{
    An operation over a domain of dimensions, with an affine map (a projected
    permutation) from the domain to the dimensions of each shaped operand, kept
    in the attribute `indexing_maps`. The destinations come last among the
    operands.
  }];
  let cppNamespace = "::xsa";
  let methods = [
    InterfaceMethod<"The operands that have an indexing map, in operand order.",
      "::llvm::SmallVector<::mlir::OpOperand *>", "getShapedOperands", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        ::llvm::SmallVector<::mlir::OpOperand *> shaped;
        for (::mlir::OpOperand &operand : $_op->getOpOperands())
          if (::llvm::isa<::mlir::ShapedType>(operand.get().getType()))
            shaped.push_back(&operand);
        return shaped;
      }]>,
    InterfaceMethod<"One map per shaped operand.",
      "::llvm::SmallVector<::mlir::AffineMap>", "getMaps", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return ::llvm::to_vector($_op.getIndexingMaps().template getAsValueRange<
            ::mlir::AffineMapAttr>());
      }]>,
    InterfaceMethod<[{The map of `operand`, an operand of this operation
      (destinations included); null if it has none.}],
      "::mlir::AffineMap", "getMapOf", (ins "::mlir::OpOperand &":$operand),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        for (auto [shaped, map] :
             ::llvm::zip_equal($_op.getShapedOperands(), $_op.getMaps()))
          if (shaped == &operand)
            return map;
        return {};
      }]>,
    InterfaceMethod<"Number of dimensions of the iteration domain.",
      "unsigned", "getNumLoops", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return $_op.getMaps().front().getNumDims();
      }]>
  ];
}

#endif // XSA_DIALECT_XSA_IR_XSAINTERFACES_TD
