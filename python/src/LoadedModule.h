//===- LoadedModule.h - What the Python package holds -----------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module together with the context it lives in, and what is known about it
// as plain structs. Nothing here knows Python or throws: bindings stay a thin
// layer, and this part is built with the same flags as MLIR itself.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_PYTHON_LOADEDMODULE_H
#define XSA_PYTHON_LOADEDMODULE_H

#include "xsa/ExecutionEngine/CompiledModule.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xsa {
namespace python {

/// Where something stands in a source file; no file if that is not known.
struct SourceLocation {
  std::string file;
  unsigned line = 0, column = 0;
};

/// A diagnostic of MLIR, with its notes.
struct DiagnosticRecord {
  std::string severity;
  std::string message;
  SourceLocation location;
  std::vector<DiagnosticRecord> notes;
};

/// One attention, as a pipeline left it; or an xsa.exclude whose attention was
/// not found. See AttentionEntry.
struct AttentionRecord {
  std::string operation;
  std::string function;
  SourceLocation location;
  std::string query, key, value;
  std::vector<std::string> features;
  std::optional<unsigned> layer;
  bool exclusive = false;
  /// Exclusive before anything was converted: the model said so itself.
  bool wasExclusive = false;
  std::string denominator;
  double eps = 0.0, strength = 0.0;
  /// Why it was not made exclusive, or not raised.
  std::string reason;
};

/// What a pipeline did.
struct TransformReport {
  std::vector<AttentionRecord> attentions;
  /// Places that looked like attention and were not raised.
  std::vector<AttentionRecord> refused;
  /// Warnings.
  std::vector<DiagnosticRecord> diagnostics;
};

/// Raising, or raising and making exclusive with the options of the pipeline.
struct TransformRequest {
  bool convert = false;
  std::string options;
};

/// A value, or the diagnostics that say why there is none.
template <typename T> struct Outcome {
  std::optional<T> value;
  std::vector<DiagnosticRecord> diagnostics;
};

/// A context and the lock under which it is used.
struct Session;

/// A compiled entry, and the context that its constants live in.
struct CompiledEntry {
  std::shared_ptr<Session> session;
  std::unique_ptr<CompiledModule> compiled;
};

/// A module. Calls from several threads are made one after another.
class LoadedModule {
public:
  LoadedModule(std::shared_ptr<Session> session,
               mlir::OwningOpRef<mlir::ModuleOp> module);
  LoadedModule(LoadedModule &&) = default;
  ~LoadedModule();

  /// Reads MLIR text or bytecode.
  static Outcome<LoadedModule> parseFile(const std::string &path);
  static Outcome<LoadedModule> parseText(const std::string &text,
                                         const std::string &name);

  LoadedModule clone() const;

  /// The text of the module. Constants with more elements than `elideAbove`
  /// are left out; a negative number leaves none out.
  std::string getText(int64_t elideAbove) const;
  std::string getBytecode() const;

  /// Names of the functions that have a body.
  std::vector<std::string> getFunctionNames() const;

  /// On failure the module is as before.
  Outcome<TransformReport> transform(const TransformRequest &request);

  /// The report of a transformation, without keeping what it does.
  Outcome<TransformReport> tryTransform(const TransformRequest &request) const;

  /// Compiles a function of a copy in which attention is raised first.
  Outcome<CompiledEntry> compile(CompileOptions options) const;

private:
  Outcome<TransformReport> run(const TransformRequest &request,
                               mlir::ModuleOp module) const;

  std::shared_ptr<Session> session;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace python
} // namespace xsa

#endif // XSA_PYTHON_LOADEDMODULE_H
