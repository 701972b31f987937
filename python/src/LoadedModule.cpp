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

#include "xsa/Dialect/XSA/IR/XSA.h"
#include "xsa/Dialect/XSA/Transforms/Passes.h"
#include "xsa/InitAllDialects.h"
#include "xsa/InitAllPasses.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

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
          locations.push_back(diagnostic.getLocation());
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
  /// The location of each record, whole.
  std::vector<Location> locations;

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
static Outcome<LoadedModule>
parse(llvm::function_ref<OwningOpRef<ModuleOp>(const ParserConfig &)> read) {
  auto session = std::make_shared<Session>();
  Recorder recorder(&session->context);
  session->context.allowUnregisteredDialects(true);
  OwningOpRef<ModuleOp> module = read(ParserConfig(&session->context));
  session->context.allowUnregisteredDialects(false);
  if (!module || failed(checkOperationsKnown(*module)))
    return {std::nullopt, recorder.takeErrors("the module could not be read")};
  return {LoadedModule(session, std::move(module)), {}};
}

Outcome<LoadedModule> LoadedModule::parseFile(const std::string &path) {
  return parse([&](const ParserConfig &config) {
    return parseSourceFile<ModuleOp>(path, config);
  });
}

Outcome<LoadedModule> LoadedModule::parseText(const std::string &text,
                                              const std::string &name) {
  return parse([&](const ParserConfig &config) {
    return parseSourceString<ModuleOp>(text, config, name);
  });
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

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

/// How an attention is made exclusive, by itself or later; null if it is not.
static ExclusionAttr getExclusion(AttentionOp op) {
  if (op.isExclusive())
    return *op.getExclusion();
  ExcludeOp later = findLaterExclusion(op);
  return later ? later.getExclusion() : nullptr;
}

namespace {
/// Notes which attentions are exclusive just before some become so: those are
/// the ones that the model wrote in that form itself.
class ExclusiveBefore : public PassInstrumentation {
public:
  explicit ExclusiveBefore(llvm::DenseSet<Operation *> &attentions)
      : attentions(attentions) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (pass->getArgument() != "xsa-make-exclusive")
      return;
    op->walk([&](AttentionOp attention) {
      if (getExclusion(attention))
        attentions.insert(attention);
    });
  }

private:
  llvm::DenseSet<Operation *> &attentions;
};

/// Makes the report of a module after a pipeline.
class Reporter {
public:
  Reporter(Recorder &recorder, const llvm::DenseSet<Operation *> &before)
      : recorder(recorder), before(before) {}

  TransformReport run(ModuleOp module) {
    module.walk([&](AttentionOp op) { addAttention(op); });
    module.walk([&](ExcludeOp op) {
      if (!described.contains(op))
        addExclude(op);
    });
    for (auto [loc, diagnostic] :
         llvm::zip_equal(recorder.locations, recorder.records))
      if (!isDescribed(loc, diagnostic))
        report.diagnostics.push_back(std::move(diagnostic));
    return std::move(report);
  }

private:
  void addAttention(AttentionOp op) {
    AttentionRecord record = makeRecord(op, getExclusion(op));
    record.query = toString(op.getQuery().getType());
    record.key = toString(op.getKey().getType());
    record.value = toString(op.getValue().getType());
    record.causal = op.getCausal();
    record.wasExclusive = before.contains(op);
    if (!op.isExclusive())
      described.insert(findLaterExclusion(op));
    report.attentions.push_back(std::move(record));
  }

  void addExclude(ExcludeOp op) {
    AttentionRecord record = makeRecord(op, op.getExclusion());
    record.value = toString(op.getValue().getType());
    record.wasExclusive = true;
    report.attentions.push_back(std::move(record));
  }

  AttentionRecord makeRecord(Operation *op, ExclusionAttr exclusion) {
    AttentionRecord record;
    record.operation = op->getName().getStringRef().str();
    if (auto function = op->getParentOfType<FunctionOpInterface>())
      record.function = function.getName().str();
    record.location = getSourceLocation(op->getLoc());
    record.remark = takeRemark(op->getLoc());
    record.exclusive = exclusion != nullptr;
    if (exclusion) {
      record.denominator =
          stringifyDenominator(exclusion.getDenominator()).str();
      record.eps = exclusion.getEps();
      record.strength = exclusion.getStrength();
    }
    return record;
  }

  /// What was remarked at a place. Places that nobody knows are not compared.
  std::string takeRemark(Location place) {
    std::string remark;
    if (isa<UnknownLoc>(place))
      return remark;
    llvm::StringSet<> seen;
    for (auto [loc, diagnostic] :
         llvm::zip_equal(recorder.locations, recorder.records)) {
      if (loc != place || diagnostic.severity != "remark" ||
          !seen.insert(diagnostic.message).second)
        continue;
      remark += (remark.empty() ? "" : "; ") + diagnostic.message;
    }
    if (!remark.empty())
      remarked.insert(place);
    return remark;
  }

  bool isDescribed(Location loc, const DiagnosticRecord &diagnostic) const {
    return diagnostic.severity == "remark" && remarked.contains(loc);
  }

  Recorder &recorder;
  const llvm::DenseSet<Operation *> &before;
  TransformReport report;
  llvm::DenseSet<Operation *> described;
  llvm::DenseSet<Location> remarked;
};
} // namespace

/// Runs a pipeline on `target`; the lock is held.
Outcome<TransformReport> LoadedModule::run(const std::string &pipeline,
                                           ModuleOp target) const {
  PassManager pm(&session->context, ModuleOp::getOperationName());
  std::string problem;
  llvm::raw_string_ostream os(problem);
  if (failed(parsePassPipeline(pipeline, pm, os)))
    return {std::nullopt, {makeError(StringRef(problem).trim().str())}};
  llvm::DenseSet<Operation *> before;
  pm.addInstrumentation(std::make_unique<ExclusiveBefore>(before));
  Recorder recorder(&session->context);
  if (failed(pm.run(target)))
    return {std::nullopt,
            recorder.takeErrors("the pipeline '" + pipeline + "' failed")};
  return {Reporter(recorder, before).run(target), {}};
}

Outcome<TransformReport> LoadedModule::transform(const std::string &pipeline) {
  Lock lock(session->mutex);
  OwningOpRef<ModuleOp> changed = module.get().clone();
  Outcome<TransformReport> outcome = run(pipeline, *changed);
  if (outcome.value)
    module = std::move(changed);
  return outcome;
}

Outcome<TransformReport>
LoadedModule::tryTransform(const std::string &pipeline) const {
  Lock lock(session->mutex);
  OwningOpRef<ModuleOp> copy = module.get().clone();
  return run(pipeline, *copy);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

Outcome<CompiledEntry> LoadedModule::compile(const std::string &pipeline,
                                             CompileOptions options) const {
  Lock lock(session->mutex);
  OwningOpRef<ModuleOp> copy = module.get().clone();
  Outcome<TransformReport> raised = run(pipeline, *copy);
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
