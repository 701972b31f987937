//===- TileForGPU.h - Passes that make kernels of operations ----*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What such passes share: the chip, the walk over a function, names, and what
// becomes of an operation that no kernel covers.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_LIB_CONVERSION_TILESTONVVM_TILEFORGPU_H
#define XSA_LIB_CONVERSION_TILESTONVVM_TILEFORGPU_H

#include "KernelPlan.h"

#include "xsa/Conversion/TilesToNVVM/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace xsa {

/// `PassBase` is what TableGen generates of a pass with the options `chip` and
/// `strict` and the statistics `num-tiled` and `num-left`.
template <typename PassBase, typename OpTy> class TileForGPU : public PassBase {
public:
  using PassBase::PassBase;

  void runOnOperation() final {
    numKernels = 0;
    mlir::FailureOr<ChipLimits> known = ChipLimits::of(this->chip);
    if (failed(known)) {
      // At the function, but without its text: that is not what is wrong.
      mlir::emitError(this->getOperation().getLoc())
          << "unknown chip '" << this->chip
          << "': expected sm_80 or a later one, such as sm_90";
      return this->signalPassFailure();
    }
    llvm::SmallVector<OpTy> ops;
    this->getOperation().walk([&](OpTy op) { ops.push_back(op); });
    mlir::IRRewriter rewriter(&this->getContext());
    for (OpTy op : ops)
      if (failed(tile(rewriter, op, *known)))
        return this->signalPassFailure();
  }

protected:
  /// Makes a kernel of `op`, or leaves it.
  virtual mlir::LogicalResult tile(mlir::RewriterBase &rewriter, OpTy op,
                                   const ChipLimits &limits) = 0;

  /// No kernel covers `reason` of `op`.
  mlir::LogicalResult leave(OpTy op, const llvm::Twine &reason) {
    ++this->numLeft;
    if (this->strict)
      return op.emitOpError("cannot become a kernel: ") << reason;
    op.emitWarning("left to the host: no kernel for ") << reason;
    return mlir::success();
  }

  /// The name of the next kernel of this function.
  std::string nextName(llvm::StringRef kind) {
    return (this->getOperation().getName() + "_" + kind +
            llvm::Twine(numKernels++))
        .str();
  }

  /// The loop becomes the kernel that `plan` names.
  void mark(mlir::scf::ForallOp loop, KernelAttr plan) {
    loop->setDiscardableAttr(kKernelAttrName, plan);
  }

private:
  /// In this function. A statistic may be compiled out.
  unsigned numKernels = 0;
};

} // namespace xsa

#endif // XSA_LIB_CONVERSION_TILESTONVVM_TILEFORGPU_H
