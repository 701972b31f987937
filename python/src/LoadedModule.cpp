//===- LoadedModule.cpp - What the Python package holds -------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each loaded file has a context of its own, so modules do not wait for each
// other. The contexts are single-threaded: MLIR gains little from threads on
// modules of one large function, and Python programs fork.
//
//===----------------------------------------------------------------------===//

#include "LoadedModule.h"

#include "xsa/Conversion/ImportToLinalg/ForeignDialects.h"
#include "xsa/Conversion/ImportToLinalg/ImportedText.h"
#include "xsa/InitAllDialects.h"
#include "xsa/InitAllPasses.h"
#include "xsa/Pipelines/ConvertAttention.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <mutex>

using namespace mlir;
using namespace xsa;
using namespace xsa::python;

/// Everything a model can contain; made once, since it is large.
static const DialectRegistry &getRegistry() {
  static const DialectRegistry *registry = [] {
    auto *all = new DialectRegistry();
    mlir::registerAllDialects(*all);
    mlir::registerAllExtensions(*all);
    xsa::registerAllDialects(*all);
    xsa::registerForeignDialects(*all);
    xsa::registerAllPasses();
    return all;
  }();
  return *registry;
}

struct xsa::python::Session {
  Session() : context(getRegistry(), MLIRContext::Threading::DISABLED) {}

  MLIRContext context;
  std::mutex mutex;
};

using Lock = std::lock_guard<std::mutex>;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static SourceLocation getSourceLocation(Location loc) {
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (!file)
    return {};
  return {file.getFilename().str(), file.getLine(), file.getColumn()};
}

static StringRef getName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Note:
    return "note";
  }
  llvm_unreachable("unknown severity");
}

static DiagnosticRecord makeRecord(Diagnostic &diagnostic) {
  DiagnosticRecord record;
  record.severity = getName(diagnostic.getSeverity()).str();
  record.message = diagnostic.str();
  record.location = getSourceLocation(diagnostic.getLocation());
  for (Diagnostic &note : diagnostic.getNotes())
    record.notes.push_back(makeRecord(note));
  return record;
}

static DiagnosticRecord makeError(std::string message) {
  DiagnosticRecord record;
  record.severity = "error";
  record.message = std::move(message);
  return record;
}

namespace {
/// Keeps what a context says while this lives.
class Recorder {
public:
  explicit Recorder(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          records.push_back(makeRecord(diagnostic));
          return success();
        }) {}

  /// Errors only, with a reason even where none was given.
  std::vector<DiagnosticRecord> takeErrors(StringRef fallback) {
    std::vector<DiagnosticRecord> errors;
    for (DiagnosticRecord &record : records)
      if (record.severity == "error")
        errors.push_back(std::move(record));
    if (errors.empty())
      errors.push_back(makeError(fallback.str()));
    return errors;
  }

  std::vector<DiagnosticRecord> records;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

LoadedModule::LoadedModule(std::shared_ptr<Session> session,
                           OwningOpRef<ModuleOp> module)
    : session(std::move(session)), module(std::move(module)) {}

LoadedModule::~LoadedModule() {
  if (!session)
    return;
  Lock lock(session->mutex);
  module = nullptr;
}

/// Reads a module into a session of its own.
static Outcome<LoadedModule> parse(std::unique_ptr<llvm::MemoryBuffer> text) {
  auto session = std::make_shared<Session>();
  Recorder recorder(&session->context);
  llvm::SourceMgr sources;
  std::string advice = adviseOnBytecode(text->getBuffer());
  sources.AddNewSourceBuffer(adaptImportedText(std::move(text)), SMLoc());
  session->context.allowUnregisteredDialects(true);
  auto module = parseSourceFile<ModuleOp>(sources, &session->context);
  session->context.allowUnregisteredDialects(false);
  if (!module && !advice.empty())
    emitError(UnknownLoc::get(&session->context), advice);
  if (!module || failed(checkImportable(*module)))
    return {std::nullopt, recorder.takeErrors("the module could not be read")};
  return {LoadedModule(session, std::move(module)), {}};
}

Outcome<LoadedModule> LoadedModule::parseFile(const std::string &path) {
  std::string error;
  auto file = openInputFile(path, &error);
  if (!file)
    return {std::nullopt, {makeError(error)}};
  return parse(std::move(file));
}

Outcome<LoadedModule> LoadedModule::parseText(const std::string &text,
                                              const std::string &name) {
  return parse(llvm::MemoryBuffer::getMemBuffer(text, name));
}

LoadedModule LoadedModule::clone() const {
  Lock lock(session->mutex);
  return LoadedModule(session, module.get().clone());
}

std::string LoadedModule::getText(int64_t elideAbove) const {
  Lock lock(session->mutex);
  OpPrintingFlags flags;
  if (elideAbove >= 0) {
    flags.elideLargeElementsAttrs(elideAbove);
    flags.elideLargeResourceString(elideAbove);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  ModuleOp op = module.get();
  op->print(os, flags);
  return text;
}

std::string LoadedModule::getBytecode() const {
  Lock lock(session->mutex);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  ModuleOp op = module.get();
  // Fails only for a version older than the one written by default.
  if (failed(writeBytecodeToFile(op, os)))
    return {};
  return bytes;
}

std::vector<std::string> LoadedModule::getFunctionNames() const {
  Lock lock(session->mutex);
  std::vector<std::string> names;
  ModuleOp op = module.get();
  for (auto function : op.getOps<FunctionOpInterface>())
    if (!function.isExternal())
      names.push_back(function.getName().str());
  return names;
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

static AttentionRecord makeRecord(const AttentionEntry &entry,
                                  const std::string &function) {
  AttentionRecord record;
  record.operation = entry.operation;
  record.function = function;
  record.location = getSourceLocation(entry.location);
  record.query = entry.query;
  record.key = entry.key;
  record.value = entry.value;
  record.features = entry.features;
  record.layer = entry.layer;
  record.reason = entry.reason;
  record.wasExclusive = entry.decision == AttentionDecision::ExclusiveInModel;
  record.exclusive = entry.exclusion != nullptr;
  if (entry.exclusion) {
    record.denominator =
        stringifyDenominator(entry.exclusion.getDenominator()).str();
    record.eps = entry.exclusion.getEps();
    record.strength = entry.exclusion.getStrength();
  }
  return record;
}

/// The account of a pipeline; remarks are part of it, warnings are added.
static TransformReport makeReport(ArrayRef<FunctionReport> functions,
                                  std::vector<DiagnosticRecord> diagnostics) {
  TransformReport report;
  for (const FunctionReport &function : functions)
    for (const AttentionEntry &entry : function.entries)
      (entry.decision == AttentionDecision::Refused ? report.refused
                                                    : report.attentions)
          .push_back(makeRecord(entry, function.name));
  for (DiagnosticRecord &diagnostic : diagnostics)
    if (diagnostic.severity != "remark")
      report.diagnostics.push_back(std::move(diagnostic));
  return report;
}

/// Adds the pipeline that `request` describes; false if its options are wrong.
static bool addPipeline(PassManager &pm, const TransformRequest &request,
                        std::shared_ptr<AttentionReport> account) {
  if (!request.convert) {
    auto options =
        RaiseAttentionToXSAOptions::createFromString(request.options);
    if (options)
      buildRaiseAttentionToXSAPipeline(pm, *options, std::move(account));
    return options != nullptr;
  }
  auto options =
      ConvertAttentionToXSAOptions::createFromString(request.options);
  if (options)
    buildConvertAttentionToXSAPipeline(pm, *options, std::move(account));
  return options != nullptr;
}

/// Runs a pipeline on `target`; the lock is held.
Outcome<TransformReport> LoadedModule::run(const TransformRequest &request,
                                           ModuleOp target) const {
  PassManager pm(&session->context, ModuleOp::getOperationName());
  auto account = std::make_shared<AttentionReport>();
  if (!addPipeline(pm, request, account))
    return {std::nullopt,
            {makeError("unknown options '" + request.options + "'")}};
  Recorder recorder(&session->context);
  if (failed(pm.run(target)))
    return {std::nullopt,
            recorder.takeErrors("the attention could not be transformed")};
  return {makeReport(account->get(target), std::move(recorder.records)), {}};
}

Outcome<TransformReport>
LoadedModule::transform(const TransformRequest &request) {
  Lock lock(session->mutex);
  OwningOpRef<ModuleOp> changed = module.get().clone();
  Outcome<TransformReport> outcome = run(request, *changed);
  if (outcome.value)
    module = std::move(changed);
  return outcome;
}

Outcome<TransformReport>
LoadedModule::tryTransform(const TransformRequest &request) const {
  Lock lock(session->mutex);
  OwningOpRef<ModuleOp> copy = module.get().clone();
  return run(request, *copy);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

Outcome<CompiledEntry> LoadedModule::compile(CompileOptions options) const {
  Lock lock(session->mutex);
  OwningOpRef<ModuleOp> copy = module.get().clone();
  Outcome<TransformReport> raised = run(TransformRequest(), *copy);
  if (!raised.value)
    return {std::nullopt, std::move(raised.diagnostics)};
  std::vector<DiagnosticRecord> errors;
  options.onError = [&](Diagnostic &diagnostic) {
    errors.push_back(makeRecord(diagnostic));
  };
  auto compiled = CompiledModule::compile(*copy, options);
  if (!compiled) {
    std::string text = llvm::toString(compiled.takeError());
    if (errors.empty())
      errors.push_back(makeError(std::move(text)));
    return {std::nullopt, std::move(errors)};
  }
  return {CompiledEntry{session, std::move(*compiled)}, {}};
}
