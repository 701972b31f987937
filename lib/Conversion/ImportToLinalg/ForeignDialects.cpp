//===- ForeignDialects.cpp - Dialects to be converted first ---------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations in their own syntax never get past the parser, so advice has to
// be given there: each foreign dialect is registered as an empty one, whose
// hooks for operations, types and attributes refuse them. Operations in generic
// syntax do get past it, and are found in the module.
//
//===----------------------------------------------------------------------===//

#include "xsa/Conversion/ImportToLinalg/ForeignDialects.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace xsa;

namespace {
/// A dialect, and what a user of it runs first.
struct ForeignDialectInfo {
  StringLiteral name, advice;
};
} // namespace

static constexpr StringLiteral kLegalizeStableHLO =
    "run 'torch-mlir-opt --stablehlo-legalize-to-linalg' first (it leaves what "
    "it cannot convert, such as dots with an 'algorithm' clause)";
static constexpr StringLiteral kDeserializeVHLO =
    "read it with jax.export.deserialize, write its mlir_module(), and run "
    "'torch-mlir-opt --stablehlo-legalize-to-linalg' first";
static constexpr StringLiteral kExportStableHLO =
    "export it as StableHLO and run 'torch-mlir-opt "
    "--stablehlo-legalize-to-linalg' first";
static constexpr StringLiteral kLowerTorch =
    "run 'torch-mlir-opt "
    "--torch-backend-to-linalg-on-tensors-backend-pipeline' first";
static constexpr StringLiteral kImportONNX =
    "import the ONNX model with torch-mlir's importer and take it to linalg "
    "there";
static constexpr StringLiteral kExportTensorFlow =
    "export the model as TOSA or StableHLO";
static constexpr StringLiteral kNotFromIREE =
    "import the model with torch-mlir; what IREE has made of it cannot be read";

static constexpr ForeignDialectInfo kForeignDialects[] = {
    {"stablehlo", kLegalizeStableHLO},
    {"chlo", kLegalizeStableHLO},
    {"vhlo", kDeserializeVHLO},
    {"mhlo", kExportStableHLO},
    {"torch", kLowerTorch},
    {"torch_c", kLowerTorch},
    {"onnx", kImportONNX},
    {"tf", kExportTensorFlow},
    {"tfl", kExportTensorFlow},
    {"util", kNotFromIREE},
    {"hal", kNotFromIREE},
    {"flow", kNotFromIREE},
    {"iree_linalg_ext", kNotFromIREE}};

static StringRef getAdvice(StringRef dialect) {
  const auto *known = llvm::find_if(
      kForeignDialects, [&](auto &info) { return info.name == dialect; });
  return known != std::end(kForeignDialects)
             ? known->advice
             : "bring it to linalg on tensors, or to TOSA, first";
}

/// Completes the diagnostic "cannot import ...".
static InFlightDiagnostic explain(InFlightDiagnostic diagnostic,
                                  const Twine &what, StringRef dialect) {
  diagnostic << "cannot import " << what << " of dialect '" << dialect
             << "': " << getAdvice(dialect);
  return diagnostic;
}

static InFlightDiagnostic explain(InFlightDiagnostic diagnostic,
                                  OperationName name) {
  return explain(std::move(diagnostic),
                 "operation '" + name.getStringRef() + "'",
                 name.getDialectNamespace());
}

//===----------------------------------------------------------------------===//
// In the parser
//===----------------------------------------------------------------------===//

namespace {
/// Refuses what is read from bytecode. StableHLO's portable artifacts are such.
struct RefuseBytecode : public BytecodeDialectInterface {
  explicit RefuseBytecode(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    explain(reader.emitError(), "bytecode", getDialect()->getNamespace());
    return {};
  }

  Type readType(DialectBytecodeReader &reader) const override {
    explain(reader.emitError(), "bytecode", getDialect()->getNamespace());
    return {};
  }
};

/// Refuses everything written in its name; each name is a class, and so has an
/// identity, of its own.
template <size_t number> class ForeignDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForeignDialect)

  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                TypeID::get<ForeignDialect<number>>()) {
    allowUnknownOperations();
    addInterfaces<RefuseBytecode>();
  }

  static StringLiteral getDialectNamespace() {
    return kForeignDialects[number].name;
  }

  std::optional<ParseOpHook> getParseOperationHook(StringRef) const override {
    return [](OpAsmParser &parser, OperationState &state) {
      // The parser's own errors begin with the operation's name.
      return ParseResult(explain(mlir::emitError(state.location), state.name));
    };
  }

  Type parseType(DialectAsmParser &parser) const override {
    refuse(parser, "type '!");
    return {};
  }

  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    refuse(parser, "attribute '#");
    return {};
  }

private:
  void refuse(DialectAsmParser &parser, StringRef what) const {
    explain(parser.emitError(parser.getNameLoc()),
            what + getNamespace() + "." + parser.getFullSymbolSpec() + "'",
            getNamespace());
  }
};
} // namespace

template <size_t... numbers>
static void registerAll(DialectRegistry &registry,
                        std::index_sequence<numbers...>) {
  registry.insert<ForeignDialect<numbers>...>();
}

void xsa::registerForeignDialects(DialectRegistry &registry) {
  registerAll(registry,
              std::make_index_sequence<std::size(kForeignDialects)>());
}

//===----------------------------------------------------------------------===//
// In modules
//===----------------------------------------------------------------------===//

LogicalResult xsa::checkImportable(Operation *module) {
  // One error per dialect; a model has hundreds of operations of it.
  llvm::StringMap<std::pair<Operation *, unsigned>> unknown;
  SmallVector<StringRef> order;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->isRegistered())
      return;
    StringRef dialect = op->getName().getDialectNamespace();
    auto [entry, isNew] = unknown.try_emplace(dialect, op, 0);
    if (isNew)
      order.push_back(entry->first());
    ++entry->second.second;
  });
  for (StringRef dialect : order) {
    auto [op, count] = unknown.lookup(dialect);
    InFlightDiagnostic diagnostic =
        explain(mlir::emitError(op->getLoc()), op->getName());
    if (count > 1)
      diagnostic.attachNote()
          << "first of " << count << " operations of this dialect";
  }
  return success(order.empty());
}
