//===- BufferizableOpInterfaceImpl.cpp - Bufferization of XSA -------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both operations are in destination-passing style, so bufferizing one is
// replacing its operands by buffers. Destinations are only written, which lets
// an empty tensor become a buffer that is never filled.
//
//===----------------------------------------------------------------------===//

#include "xsa/Dialect/XSA/Transforms/BufferizableOpInterfaceImpl.h"

#include "xsa/Dialect/XSA/IR/XSA.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace xsa;

namespace {
template <typename OpTy>
struct BufferizableStructuredOp
    : DstBufferizableOpInterfaceExternalModel<BufferizableStructuredOp<OpTy>,
                                              OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto dpsOp = cast<DestinationStyleOpInterface>(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    SmallVector<Value> results;
    for (OpOperand &init : dpsOp.getDpsInitsMutable())
      results.push_back(operands[init.getOperandNumber()]);

    rewriter.setInsertionPoint(op);
    cloneOnto(rewriter, op, /*resultTypes=*/TypeRange(), operands);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};
} // namespace

void xsa::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, XSADialect *) {
    AttentionOp::attachInterface<BufferizableStructuredOp<AttentionOp>>(
        *context);
    ExcludeOp::attachInterface<BufferizableStructuredOp<ExcludeOp>>(*context);
  });
}
