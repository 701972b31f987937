//===- CompiledModule.cpp - A model as a callable function ----------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory crosses the boundary as memref descriptors, which are laid out here by
// hand: the ranks are only known at run time.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/CompiledModule.h"

#include "ExternalConstants.h"
#include "JIT.h"
#include "xsa/Pipelines/LowerForDevice.h"
#include "xsa/Pipelines/LowerToCPU.h"
#include "xsa/Support/ByteSize.h"
#include "xsa/Support/Chip.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

using namespace mlir;
using namespace xsa;

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

/// Where something is in the user's text, as a prefix of a message.
static void printPlace(llvm::raw_ostream &os, Location location) {
  if (auto loc = location->findInstanceOf<FileLineColLoc>())
    os << loc.getFilename().getValue() << ":" << loc.getLine() << ":"
       << loc.getColumn() << ": ";
}

//===----------------------------------------------------------------------===//
// The entry function
//===----------------------------------------------------------------------===//

static llvm::Error makeMissingEntryError(ModuleOp module, StringRef entry) {
  if (module.lookupSymbol<func::FuncOp>(entry))
    return llvm::createStringError("function '" + entry +
                                   "' is declared, but has no body");
  std::string names;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      names += (names.empty() ? "'" : ", '") + function.getName().str() + "'";
  return llvm::createStringError("there is no function '" + entry +
                                 "'; the module has " +
                                 (names.empty() ? std::string("none") : names));
}

/// Why a value of a type cannot be an array; empty if it can.
static StringRef findProblem(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto dtype = tensor ? getDType(tensor.getElementType()) : std::nullopt;
  if (!dtype)
    return "which is not a ranked tensor of f16, bf16, f32, f64, i1, i8, i16, "
           "i32, i64 or index";
  if (!getNumBytes(tensor.getShape(), getSize(*dtype)))
    return "whose size in bytes does not fit in 64 bits";
  return "";
}

llvm::Expected<FunctionType> CompiledModule::getEntryType(ModuleOp module,
                                                          StringRef entry) {
  auto function = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupSymbolIn(module, entry));
  if (!function || function.isExternal())
    return makeMissingEntryError(module, entry);
  auto check = [&](TypeRange types, StringRef what) -> llvm::Error {
    for (auto [i, type] : llvm::enumerate(types)) {
      StringRef problem = findProblem(type);
      if (problem.empty())
        continue;
      std::string text;
      llvm::raw_string_ostream os(text);
      printPlace(os, function.getLoc());
      os << what << " " << i << " of '" << entry << "' is of type " << type
         << ", " << problem;
      return llvm::createStringError(text);
    }
    return llvm::Error::success();
  };
  FunctionType type = function.getFunctionType();
  if (llvm::Error error = check(type.getInputs(), "argument"))
    return error;
  if (llvm::Error error = check(type.getResults(), "result"))
    return error;
  return type;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

namespace {
/// Collects errors into a text instead of printing them.
class DiagnosticCollector {
public:
  DiagnosticCollector(MLIRContext *context, const CompileOptions &options)
      : context(context), printsOps(context->shouldPrintOpOnDiagnostic()),
        handler(context, [this, &options](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          if (options.onError)
            options.onError(diagnostic);
          append(diagnostic, "");
          for (Diagnostic &note : diagnostic.getNotes())
            append(note, "note: ");
          return success();
        }) {
    // The user's text says more than the operation it has become.
    context->printOpOnDiagnostic(false);
  }
  ~DiagnosticCollector() { context->printOpOnDiagnostic(printsOps); }

  llvm::Error takeError(StringRef fallback) {
    return llvm::createStringError(text.empty() ? fallback : StringRef(text));
  }

private:
  void append(Diagnostic &diagnostic, StringRef prefix) {
    llvm::raw_string_ostream os(text);
    if (!text.empty())
      os << "\n";
    printPlace(os, diagnostic.getLocation());
    os << prefix << diagnostic;
  }

  MLIRContext *context;
  bool printsOps;
  std::string text;
  ScopedDiagnosticHandler handler;
};
} // namespace

/// The name that `gpu-module-to-binary` has for a form of kernels.
static StringRef getFormat(runtime::Device::ImageFormat format) {
  switch (format) {
  case runtime::Device::ImageFormat::Bitcode:
    return "llvm";
  case runtime::Device::ImageFormat::Assembly:
    return "isa";
  case runtime::Device::ImageFormat::Binary:
    return "bin";
  }
  llvm_unreachable("unknown format");
}

/// Reports a function that calls itself, directly or through others: no model's
/// layers do, and calls without an end would end this process.
static LogicalResult checkRecursion(ModuleOp module) {
  const CallGraph calls(module);
  for (auto cycle = llvm::scc_begin(&calls); !cycle.isAtEnd(); ++cycle) {
    if (!cycle.hasCycle())
      continue;
    Operation *function = (*cycle).front()->getCallableRegion()->getParentOp();
    return function->emitError("'")
           << SymbolTable::getSymbolName(function).getValue()
           << "' calls itself, directly or through others: recursion is not "
           << "supported";
  }
  return success();
}

/// Renames functions that are named like one of the C library: what arithmetic
/// and memory become calls of would be they. Returns the entry's name.
static std::string avoidLibraryNames(ModuleOp module, StringRef entry,
                                     const llvm::Triple &triple) {
  llvm::TargetLibraryInfoImpl library(triple);
  SymbolTable symbols(module);
  std::string newEntry = entry.str();
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    StringRef name = function.getName();
    llvm::LibFunc known;
    if (function.isExternal() || !library.getLibFunc(name, known))
      continue;
    unsigned counter = 0;
    llvm::SmallString<64> newName = SymbolTable::generateSymbolName<64>(
        ("model_" + name).str(),
        [&](StringRef taken) { return symbols.lookup(taken) != nullptr; },
        counter);
    if (name == entry)
      newEntry = newName.str();
    (void)symbols.rename(function, newName);
  }
  return newEntry;
}

/// The chip to compile for, which is one that the device has.
static llvm::Expected<std::string> chooseChip(const CompileOptions &options) {
  std::optional<unsigned> gpu;
  if (options.device)
    gpu = options.device->getComputeCapability();
  if (!gpu)
    return options.chip.empty() ? kDefaultChip.str() : options.chip;
  std::optional<std::string> own = findChipFor(*gpu);
  if (!own)
    return llvm::createStringError(
        "there are no kernels for this GPU, which has compute capability " +
        describeCapability(*gpu) + ": expected one from " +
        describeCapability(kChips.front().capability) + " to " +
        describeCapability(kChips.back().capability));
  if (options.chip.empty())
    return *own;
  // Names that are none are an error of the pipeline.
  std::optional<Chip> chip = findChip(options.chip);
  if (chip && !chip->runsOn(*gpu))
    return llvm::createStringError(
        "kernels for '" + options.chip +
        "' do not run on this GPU, which has compute capability " +
        describeCapability(*gpu) + ": expected '" + *own + "'");
  return options.chip;
}

/// Lowers everything that the entry needs to the LLVM dialect.
static LogicalResult lower(ModuleOp module, StringRef entry, StringRef chip,
                           const CompileOptions &options,
                           llvm::TargetMachine &machine) {
  // What the entry does not call is not compiled.
  for (auto function : module.getOps<func::FuncOp>())
    function.setVisibility(function.getName() == entry
                               ? SymbolTable::Visibility::Public
                               : SymbolTable::Visibility::Private);
  if (failed(checkRecursion(module)))
    return failure();
  PassManager pm(module.getContext());
  if (options.device) {
    LowerForDeviceOptions lowerOptions;
    lowerOptions.vectorBits = getVectorBits(machine);
    lowerOptions.bf16Dot = getBF16Dot(machine, options);
    lowerOptions.avx512 = hasAVX512(machine);
    lowerOptions.chip = chip.str();
    lowerOptions.format = getFormat(options.device->getImageFormat());
    buildLowerForDevicePipeline(pm, lowerOptions);
  } else {
    LowerToCPUOptions lowerOptions;
    lowerOptions.vectorBits = getVectorBits(machine);
    lowerOptions.bf16Dot = getBF16Dot(machine, options);
    lowerOptions.avx512 = hasAVX512(machine);
    buildLowerToCPUPipeline(pm, lowerOptions);
  }
  return pm.run(module);
}

CompiledModule::CompiledModule() = default;
CompiledModule::~CompiledModule() = default;

llvm::Expected<std::unique_ptr<CompiledModule>>
CompiledModule::compile(ModuleOp original, const CompileOptions &options) {
  llvm::Expected<FunctionType> type = getEntryType(original, options.entry);
  if (!type)
    return type.takeError();
  std::unique_ptr<CompiledModule> compiled(new CompiledModule());
  for (Type argument : type->getInputs())
    compiled->argumentTypes.push_back(cast<RankedTensorType>(argument));
  for (Type result : type->getResults())
    compiled->resultTypes.push_back(cast<RankedTensorType>(result));

  auto machine = createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  llvm::Expected<std::string> chip = chooseChip(options);
  if (!chip)
    return chip.takeError();

  MLIRContext *context = original.getContext();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  gpu::registerOffloadingLLVMTranslationInterfaceExternalModels(registry);
  context->appendDialectRegistry(registry);

  DiagnosticCollector diagnostics(context, options);
  OwningOpRef<ModuleOp> module = original.clone();
  std::string entry =
      avoidLibraryNames(*module, options.entry, (*machine)->getTargetTriple());
  if (failed(lower(*module, entry, *chip, options, **machine)))
    return diagnostics.takeError("the module could not be lowered");
  if (failed(checkSymbols(*module)))
    return diagnostics.takeError("the module uses undefined symbols");
  FailureOr<ExternalConstants> constants = externalizeConstants(*module);
  if (failed(constants))
    return diagnostics.takeError("the constants could not be read");
  compiled->expandedConstants = std::move(constants->expanded);
  auto engine =
      createEngine(*module, *constants, std::move(*machine), options.optLevel);
  if (!engine)
    return llvm::joinErrors(
        engine.takeError(),
        diagnostics.takeError("the module could not be compiled"));
  compiled->engine = std::move(*engine);
  if (options.device)
    if (llvm::Error error = runtime::loadKernels(
            *options.device, [&] { compiled->engine->initialize(); }))
      return error;
  auto entryPoint = compiled->engine->lookupPacked("_mlir_ciface_" + entry);
  if (!entryPoint)
    return entryPoint.takeError();
  compiled->entryPoint = *entryPoint;
  compiled->device = options.device;

  compiled->parallelFor = options.parallelFor;
  if (!options.parallelFor.run) {
    compiled->threadPool =
        std::make_unique<runtime::ThreadPool>(options.numThreads);
    compiled->parallelFor = compiled->threadPool->getParallelFor();
  }
  return compiled;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

llvm::Error
CompiledModule::checkArguments(llvm::ArrayRef<ArrayView> arguments) const {
  if (arguments.size() != argumentTypes.size())
    return llvm::createStringError(
        "expected " + llvm::Twine(argumentTypes.size()) + " arguments, got " +
        llvm::Twine(arguments.size()));
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    RankedTensorType type = argumentTypes[i];
    bool fits = matches(argument.dtype, type.getElementType()) &&
                argument.shape.size() == size_t(type.getRank());
    for (unsigned d = 0; fits && d < type.getRank(); ++d)
      fits = type.isDynamicDim(d) || type.getDimSize(d) == argument.shape[d];
    if (!fits)
      return llvm::createStringError("argument " + llvm::Twine(i) + " ('arg" +
                                     llvm::Twine(i) + "'): expected " +
                                     toString(type) + ", got " +
                                     describe(argument.dtype, argument.shape));
  }
  return llvm::Error::success();
}

namespace {
/// One word of a memref descriptor: `allocated, aligned, offset, sizes...,
/// strides...`.
union Word {
  void *pointer;
  int64_t integer;
};
} // namespace

static size_t getNumWords(RankedTensorType type) {
  return 3 + 2 * type.getRank();
}

static void appendDescriptor(llvm::SmallVectorImpl<Word> &words,
                             const ArrayView &array) {
  auto addInteger = [&](int64_t value) {
    Word word;
    word.integer = value;
    words.push_back(word);
  };
  Word pointer;
  pointer.pointer = const_cast<void *>(array.data);
  words.append(2, pointer);
  addInteger(0);
  for (int64_t size : array.shape)
    addInteger(size);
  for (unsigned d = 0; d < array.shape.size(); ++d)
    addInteger(getNumElements(array.shape.drop_front(d + 1)));
}

/// What a descriptor describes; the memory is not owned yet.
static ArrayView readDescriptor(const Word *words, RankedTensorType type,
                                llvm::SmallVectorImpl<int64_t> &shape) {
  for (unsigned d = 0; d < type.getRank(); ++d)
    shape.push_back(words[3 + d].integer);
  DType dtype = *getDType(type.getElementType());
  auto *data =
      static_cast<char *>(words[1].pointer) + words[2].integer * getSize(dtype);
  return {dtype, shape, data};
}

static Array copyArray(const ArrayView &view) {
  Array copy = Array::allocate(view.dtype, view.shape);
  if (copy.getNumBytes())
    std::memcpy(copy.data, view.data, copy.getNumBytes());
  return copy;
}

llvm::Expected<std::vector<Array>>
CompiledModule::call(llvm::ArrayRef<ArrayView> arguments) const {
  if (llvm::Error error = checkArguments(arguments))
    return error;

  llvm::SmallVector<Word, 64> words;
  llvm::SmallVector<size_t> starts;
  for (const ArrayView &argument : arguments) {
    starts.push_back(words.size());
    appendDescriptor(words, argument);
  }
  size_t resultStart = words.size();
  for (RankedTensorType type : resultTypes)
    words.append(getNumWords(type), Word());

  // The packed interface takes the address of each parameter; all are pointers
  // to descriptors, the results' (one struct) first.
  llvm::SmallVector<void *> parameters;
  if (!resultTypes.empty())
    parameters.push_back(&words[resultStart]);
  for (size_t start : starts)
    parameters.push_back(&words[start]);
  llvm::SmallVector<void *> packed;
  for (void *&parameter : parameters)
    packed.push_back(&parameter);

  llvm::SmallPtrSet<void *, 8> owned;
  llvm::SmallVector<const Word *> results;
  const Word *next = words.data() + resultStart;
  for (RankedTensorType type : resultTypes) {
    results.push_back(next);
    next += getNumWords(type);
  }
  llvm::Error error = runtime::runCompiledCode(
      parallelFor, device, [&] { entryPoint(packed.data()); },
      [&](void *allocated) {
        bool isResult = llvm::any_of(results, [&](const Word *descriptor) {
          return descriptor[0].pointer == allocated;
        });
        if (isResult)
          owned.insert(allocated);
        return isResult;
      });
  if (error)
    return error;

  std::vector<Array> arrays;
  for (auto [type, descriptor] : llvm::zip_equal(resultTypes, results)) {
    llvm::SmallVector<int64_t> shape;
    ArrayView view = readDescriptor(descriptor, type, shape);
    // A buffer is handed over once; another view of it is a copy.
    if (!owned.erase(descriptor[0].pointer)) {
      arrays.push_back(copyArray(view));
      continue;
    }
    Array array;
    array.dtype = view.dtype;
    array.shape = llvm::to_vector(view.shape);
    array.memory = Array::Memory(descriptor[0].pointer, runtime::releaseResult);
    array.data = const_cast<void *>(view.data);
    arrays.push_back(std::move(array));
  }
  return arrays;
}
