//===- Bindings.cpp - The extension module xsa._core ----------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only file that knows Python, and the only one built with exceptions. It
// converts arrays and structs; what users see is written in Python above it.
// The interpreter's lock is released wherever real work is done.
//
//===----------------------------------------------------------------------===//

#include "LoadedModule.h"
#include "StringCaster.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

namespace nb = nanobind;
using namespace nb::literals;
using namespace xsa;
using namespace xsa::python;

using Released = nb::call_guard<nb::gil_scoped_release>;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

static std::optional<DType> getDType(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  if (type.lanes != 1)
    return std::nullopt;
  auto bySize = [&](DType d8, DType d16, DType d32,
                    DType d64) -> std::optional<DType> {
    switch (type.bits) {
    case 8:
      return d8;
    case 16:
      return d16;
    case 32:
      return d32;
    case 64:
      return d64;
    default:
      return std::nullopt;
    }
  };
  switch (static_cast<Code>(type.code)) {
  case Code::Bool:
    return DType::Bool;
  case Code::Int:
    return bySize(DType::Int8, DType::Int16, DType::Int32, DType::Int64);
  case Code::UInt:
    return bySize(DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64);
  case Code::Bfloat:
    return DType::BFloat16;
  case Code::Float:
    if (type.bits == 8)
      return std::nullopt;
    return bySize(DType::Float16, DType::Float16, DType::Float32,
                  DType::Float64);
  default:
    return std::nullopt;
  }
}

static nb::dlpack::dtype getDLPackType(DType dtype) {
  using Code = nb::dlpack::dtype_code;
  auto make = [&](Code code) {
    return nb::dlpack::dtype{static_cast<uint8_t>(code),
                             static_cast<uint8_t>(8 * getSize(dtype)), 1};
  };
  switch (dtype) {
  case DType::Bool:
    return make(Code::Bool);
  case DType::Int8:
  case DType::Int16:
  case DType::Int32:
  case DType::Int64:
    return make(Code::Int);
  case DType::UInt8:
  case DType::UInt16:
  case DType::UInt32:
  case DType::UInt64:
    return make(Code::UInt);
  case DType::BFloat16:
    return make(Code::Bfloat);
  case DType::Float16:
  case DType::Float32:
  case DType::Float64:
    return make(Code::Float);
  }
  throw std::logic_error("unknown element type");
}

static bool isContiguous(const AnyArray &array) {
  int64_t expected = 1;
  for (size_t d = array.ndim(); d-- > 0;) {
    if (array.shape(d) != 1 && array.stride(d) != expected)
      return array.size() == 0;
    expected *= array.shape(d);
  }
  return true;
}

/// Hands an array to numpy, which frees it.
static nb::object toNumpy(Array &&array) {
  auto owned = std::make_unique<Array>(std::move(array));
  llvm::SmallVector<size_t> shape(owned->shape.begin(), owned->shape.end());
  void *data = owned->data;
  nb::dlpack::dtype dtype = getDLPackType(owned->dtype);
  nb::capsule owner(owned.get(), [](void *pointer) noexcept {
    delete static_cast<Array *>(pointer);
  });
  owned.release();
  nb::ndarray<nb::numpy> view(data, shape.size(), shape.data(), owner,
                              /*strides=*/nullptr, dtype);
  return nb::cast(view);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// The arguments of one call, kept alive for its duration.
class Arguments {
public:
  Arguments(const CompiledModule &compiled, nb::sequence arrays,
            const std::vector<bool> &holdsBFloat16)
      : compiled(compiled) {
    size_t count = nb::len(arrays);
    objects.reserve(count);
    for (size_t i = 0; i < count; ++i)
      add(i, arrays[i], i < holdsBFloat16.size() && holdsBFloat16[i]);
    check();
  }

  const std::vector<ArrayView> &getViews() const { return views; }

private:
  [[noreturn]] static void failType(size_t index, const std::string &what) {
    std::string number = std::to_string(index);
    throw nb::type_error(
        ("argument " + number + " ('arg" + number + "'): " + what).c_str());
  }

  void add(size_t index, nb::handle object, bool holdsBFloat16) {
    AnyArray array;
    if (!nb::try_cast(object, array, /*convert=*/false))
      failType(index, "expected an array in the host's memory, got " +
                          nb::cast<std::string>(nb::str(object.type())));
    std::optional<DType> dtype = getDType(array.dtype());
    if (holdsBFloat16)
      dtype = DType::BFloat16;
    if (!dtype)
      failType(index, "arrays of this element type are not supported");
    if (!isContiguous(array))
      failType(index, "expected a contiguous array");
    auto &shape = shapes.emplace_back(std::make_unique<Shape>());
    for (size_t d = 0; d < array.ndim(); ++d)
      shape->push_back(array.shape(d));
    ArrayView view{*dtype, *shape, array.data()};
    views.push_back(toParameterType(index, view));
    objects.push_back(std::move(array));
  }

  /// float32 is taken where bfloat16 is expected, since numpy lacks the latter.
  ArrayView toParameterType(size_t index, const ArrayView &view) {
    auto types = compiled.getArgumentTypes();
    if (index >= types.size() || view.dtype != DType::Float32 ||
        !types[index].getElementType().isBF16())
      return view;
    ArrayView rounded = view;
    rounded.dtype = DType::BFloat16;
    // Only what will be used: a wrong shape is reported by the check.
    converted.push_back(roundToBFloat16(view));
    rounded.data = converted.back().data;
    return rounded;
  }

  /// Raises for the first argument that does not fit.
  void check() const {
    llvm::Error error = compiled.checkArguments(views);
    if (!error)
      return;
    std::string message = llvm::toString(std::move(error));
    auto types = compiled.getArgumentTypes();
    if (types.size() != views.size())
      throw nb::type_error(message.c_str());
    for (auto [type, view] : llvm::zip_equal(types, views))
      if (!matches(view.dtype, type.getElementType()))
        throw nb::type_error(message.c_str());
    throw nb::value_error(message.c_str());
  }

  using Shape = llvm::SmallVector<int64_t>;

  const CompiledModule &compiled;
  std::vector<AnyArray> objects;
  std::vector<std::unique_ptr<Shape>> shapes;
  std::vector<Array> converted;
  std::vector<ArrayView> views;
};
} // namespace

static nb::list call(const CompiledEntry &entry, nb::sequence arrays,
                     const std::vector<bool> &holdsBFloat16) {
  Arguments arguments(*entry.compiled, arrays, holdsBFloat16);
  std::vector<Array> results;
  std::string problem;
  {
    nb::gil_scoped_release released;
    auto called = entry.compiled->call(arguments.getViews());
    if (called)
      results = std::move(*called);
    else
      problem = llvm::toString(called.takeError());
    for (Array &result : results)
      if (result.dtype == DType::BFloat16)
        result = widenBFloat16(result.getView());
  }
  if (!problem.empty())
    throw std::runtime_error(problem);
  nb::list list;
  for (Array &result : results)
    list.append(toNumpy(std::move(result)));
  return list;
}

/// Element type and sizes of a type; a dynamic size is none.
using TensorTypePair =
    std::pair<std::string, std::vector<std::optional<int64_t>>>;

static std::vector<TensorTypePair>
describe(llvm::ArrayRef<mlir::RankedTensorType> types) {
  std::vector<TensorTypePair> pairs;
  for (mlir::RankedTensorType type : types) {
    std::vector<std::optional<int64_t>> shape;
    for (int64_t size : type.getShape())
      shape.push_back(mlir::ShapedType::isDynamic(size)
                          ? std::nullopt
                          : std::optional<int64_t>(size));
    pairs.emplace_back(getName(*xsa::getDType(type.getElementType())).str(),
                       std::move(shape));
  }
  return pairs;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// What an Outcome is in Python: the value or None, and the diagnostics.
template <typename T>
using Pair = std::pair<std::optional<T>, std::vector<DiagnosticRecord>>;

template <typename T> static Pair<T> toPair(Outcome<T> &&outcome) {
  return {std::move(outcome.value), std::move(outcome.diagnostics)};
}

static void bindRecords(nb::module_ &m) {
  nb::class_<DiagnosticRecord>(m, "DiagnosticRecord")
      .def_ro("severity", &DiagnosticRecord::severity)
      .def_ro("message", &DiagnosticRecord::message)
      .def_ro("notes", &DiagnosticRecord::notes)
      .def_prop_ro("file",
                   [](const DiagnosticRecord &d) { return d.location.file; })
      .def_prop_ro("line",
                   [](const DiagnosticRecord &d) { return d.location.line; })
      .def_prop_ro("column",
                   [](const DiagnosticRecord &d) { return d.location.column; });
  nb::class_<AttentionRecord>(m, "AttentionRecord")
      .def_ro("operation", &AttentionRecord::operation)
      .def_ro("function", &AttentionRecord::function)
      .def_ro("query", &AttentionRecord::query)
      .def_ro("key", &AttentionRecord::key)
      .def_ro("value", &AttentionRecord::value)
      .def_ro("features", &AttentionRecord::features)
      .def_ro("layer", &AttentionRecord::layer)
      .def_ro("exclusive", &AttentionRecord::exclusive)
      .def_ro("was_exclusive", &AttentionRecord::wasExclusive)
      .def_ro("denominator", &AttentionRecord::denominator)
      .def_ro("eps", &AttentionRecord::eps)
      .def_ro("strength", &AttentionRecord::strength)
      .def_ro("reason", &AttentionRecord::reason)
      .def_prop_ro("file",
                   [](const AttentionRecord &a) { return a.location.file; })
      .def_prop_ro("line",
                   [](const AttentionRecord &a) { return a.location.line; })
      .def_prop_ro("column",
                   [](const AttentionRecord &a) { return a.location.column; });
  nb::class_<TransformReport>(m, "TransformReport")
      .def_ro("attentions", &TransformReport::attentions)
      .def_ro("refused", &TransformReport::refused)
      .def_ro("diagnostics", &TransformReport::diagnostics);
}

static void bindModule(nb::module_ &m) {
  nb::class_<LoadedModule>(m, "Module")
      .def_static(
          "parse_file",
          [](const std::string &path) {
            return toPair(LoadedModule::parseFile(path));
          },
          "path"_a, Released())
      .def_static(
          "parse_text",
          [](const std::string &text, const std::string &name) {
            return toPair(LoadedModule::parseText(text, name));
          },
          "text"_a, "name"_a, Released())
      .def_static(
          "parse_bytes",
          [](nb::bytes data, const std::string &name) {
            std::string text(data.c_str(), data.size());
            nb::gil_scoped_release released;
            return toPair(LoadedModule::parseText(text, name));
          },
          "data"_a, "name"_a)
      .def("clone", &LoadedModule::clone, Released())
      .def("text", &LoadedModule::getText, "elide_above"_a, Released())
      .def("bytecode",
           [](const LoadedModule &module) {
             std::string bytes;
             {
               nb::gil_scoped_release released;
               bytes = module.getBytecode();
             }
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("function_names", &LoadedModule::getFunctionNames, Released())
      .def(
          "transform",
          [](LoadedModule &module, bool convert, const std::string &options) {
            return toPair(module.transform({convert, options}));
          },
          "convert"_a, "options"_a, Released())
      .def(
          "try_transform",
          [](const LoadedModule &module, bool convert,
             const std::string &options) {
            return toPair(module.tryTransform({convert, options}));
          },
          "convert"_a, "options"_a, Released())
      .def(
          "compile",
          [](const LoadedModule &module, const std::string &entry,
             unsigned threads, unsigned optLevel) {
            CompileOptions options;
            options.entry = entry;
            options.numThreads = threads;
            options.optLevel = optLevel;
            return toPair(module.compile(options));
          },
          "entry"_a, "threads"_a, "opt_level"_a, Released());
}

NB_MODULE(_core, m) {
  m.doc() = "The compiler behind the package xsa; use that instead.";
  m.attr("version") = XSA_VERSION;
  m.attr("max_threads") = kMaxThreads;
  bindRecords(m);
  bindModule(m);
  nb::class_<CompiledEntry>(m, "CompiledEntry")
      .def("call", &call, "arrays"_a, "holds_bfloat16"_a,
           nb::sig("def call(self, arrays: collections.abc.Sequence[object], "
                   "holds_bfloat16: collections.abc.Sequence[bool]) -> "
                   "list[numpy.typing.NDArray[typing.Any]]"))
      .def_prop_ro("arguments",
                   [](const CompiledEntry &entry) {
                     return describe(entry.compiled->getArgumentTypes());
                   })
      .def_prop_ro("results", [](const CompiledEntry &entry) {
        return describe(entry.compiled->getResultTypes());
      });
}
