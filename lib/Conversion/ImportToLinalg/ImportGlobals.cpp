//===- ImportGlobals.cpp - ml_program globals to constants ----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Importers keep shared weights and the random seed in ml_program globals. Most
// never change, and only as constants can masks and weights be read.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/ImportToLinalg/ImportToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace xsa {
#define GEN_PASS_DEF_IMPORTGLOBALS
#include "xsa/Conversion/ImportToLinalg/Passes.h.inc"
} // namespace xsa

using namespace mlir;
using namespace xsa;

/// The initial value, where it is a constant of the global's own type.
static TypedAttr getInitialValue(ml_program::GlobalOp global) {
  auto value = dyn_cast_or_null<ElementsAttr>(global.getValueAttr());
  if (!value || value.getType() != global.getType())
    return {};
  return cast<TypedAttr>(static_cast<Attribute>(value));
}

/// Whether every load sees the initial value. Another module may store to a
/// global that is not private.
static bool isConstant(ml_program::GlobalOp global,
                       const DenseSet<StringAttr> &stored) {
  if (!global.getIsMutable())
    return true;
  return global.isPrivate() && !stored.contains(global.getSymNameAttr());
}

/// Names of the globals that something other than a load refers to.
static DenseSet<StringAttr> findStoredGlobals(ModuleOp module) {
  DenseSet<StringAttr> stored;
  module.walk([&](Operation *op) {
    if (isa<ml_program::GlobalLoadOp, ml_program::GlobalLoadConstOp>(op))
      return;
    op->getAttrDictionary().walk([&](SymbolRefAttr symbol) {
      stored.insert(symbol.getRootReference());
    });
  });
  return stored;
}

namespace {
struct ImportGlobalsPass
    : public xsa::impl::ImportGlobalsBase<ImportGlobalsPass> {
  using Base::Base;

  /// Replaces a load by its global's value where that never changes.
  void replaceLoad(Operation *load, SymbolRefAttr symbol,
                   const DenseSet<StringAttr> &stored) {
    auto global = SymbolTable::lookupNearestSymbolFrom<ml_program::GlobalOp>(
        load, symbol);
    if (!global || !isConstant(global, stored))
      return;
    TypedAttr value = getInitialValue(global);
    if (!value || value.getType() != load->getResult(0).getType())
      return;
    OpBuilder builder(load);
    Value constant = arith::ConstantOp::create(builder, load->getLoc(), value);
    load->getResult(0).replaceAllUsesWith(constant);
    load->erase();
    ++numLoads;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module.getOps<ml_program::GlobalOp>().empty())
      return markAllAnalysesPreserved();
    DenseSet<StringAttr> stored = findStoredGlobals(module);
    module.walk([&](Operation *op) {
      if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op))
        replaceLoad(load, load.getGlobal(), stored);
      else if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
        replaceLoad(load, load.getGlobal(), stored);
    });
  }
};
} // namespace
