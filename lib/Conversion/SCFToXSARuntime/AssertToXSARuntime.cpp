//===- AssertToXSARuntime.cpp - Assertions that end the running call ------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Importers write the bounds checks of gathers as assertions. Upstream lowers
// those to abort(), which takes the host's process with it.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/SCFToXSARuntime/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace xsa {
#define GEN_PASS_DEF_CONVERTASSERTTOXSARUNTIMEPASS
#include "xsa/Conversion/SCFToXSARuntime/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// The assertion's message, and where it was written if that is known.
static std::string getMessage(cf::AssertOp op) {
  std::string text = op.getMsg().str();
  if (auto loc = op.getLoc()->findInstanceOf<FileLineColLoc>()) {
    llvm::raw_string_ostream os(text);
    os << " (" << loc.getFilename().getValue() << ":" << loc.getLine() << ":"
       << loc.getColumn() << ")";
  }
  return text;
}

namespace {
struct ConvertAssertToXSARuntime
    : public xsa::impl::ConvertAssertToXSARuntimePassBase<
          ConvertAssertToXSARuntime> {
  using Base::Base;

  void runOnOperation() override;

private:
  LogicalResult lower(cf::AssertOp op, SymbolTable &symbols);

  /// The global that holds a message; equal messages share one.
  LLVM::GlobalOp getMessageGlobal(cf::AssertOp op, SymbolTable &symbols);

  LLVM::LLVMFuncOp failFunction;
  llvm::StringMap<LLVM::GlobalOp> messages;
};
} // namespace

LLVM::GlobalOp
ConvertAssertToXSARuntime::getMessageGlobal(cf::AssertOp op,
                                            SymbolTable &symbols) {
  std::string text = getMessage(op);
  LLVM::GlobalOp &global = messages[text];
  if (global)
    return global;
  OpBuilder builder(getOperation().getBodyRegion());
  text.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
  global =
      LLVM::GlobalOp::create(builder, op.getLoc(), type,
                             /*isConstant=*/true, LLVM::Linkage::Internal,
                             "xsa_assert_message", builder.getStringAttr(text));
  symbols.insert(global);
  return global;
}

LogicalResult ConvertAssertToXSARuntime::lower(cf::AssertOp op,
                                               SymbolTable &symbols) {
  Block *block = op->getBlock();
  if (!op->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return op.emitOpError("is still inside '")
           << op->getParentOp()->getName()
           << "'; structured control flow must be lowered first";
  LLVM::GlobalOp message = getMessageGlobal(op, symbols);
  Location loc = op.getLoc();
  Block *passed = block->splitBlock(std::next(op->getIterator()));
  OpBuilder builder(op->getContext());
  Block *failed =
      builder.createBlock(block->getParent(), block->getParent()->end());
  Value text = LLVM::AddressOfOp::create(builder, loc, message);
  LLVM::CallOp::create(builder, loc, failFunction, text);
  LLVM::UnreachableOp::create(builder, loc);

  builder.setInsertionPointToEnd(block);
  cf::CondBranchOp::create(builder, loc, op.getArg(), passed, ValueRange(),
                           failed, ValueRange());
  op.erase();
  return success();
}

void ConvertAssertToXSARuntime::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<cf::AssertOp> asserts;
  module.walk([&](cf::AssertOp op) { asserts.push_back(op); });
  if (asserts.empty())
    return;

  OpBuilder builder(module.getBodyRegion());
  auto pointer = LLVM::LLVMPointerType::get(&getContext());
  FailureOr<LLVM::LLVMFuncOp> function =
      LLVM::lookupOrCreateFn(builder, module, "xsa_fail", pointer,
                             LLVM::LLVMVoidType::get(&getContext()));
  if (failed(function))
    return signalPassFailure();
  failFunction = *function;
  failFunction.setPassthroughAttr(
      builder.getStrArrayAttr({"cold", "noreturn"}));

  messages.clear();
  SymbolTable symbols(module);
  for (cf::AssertOp op : asserts)
    if (failed(lower(op, symbols)))
      return signalPassFailure();
}
