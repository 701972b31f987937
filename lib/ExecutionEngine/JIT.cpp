//===- JIT.cpp - From the LLVM dialect to callable code -------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See JIT.h.
//
//===----------------------------------------------------------------------===//

#include "JIT.h"

#include "xsa/Support/NativeTarget.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/TargetParser/Host.h"

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mlir;
using namespace xsa;

/// Compares features as the user wrote them with those that LLVM knows of a
/// processor, and that it would find out of the host: these are instructions.
/// The others change calling conventions, leave the mode that this process runs
/// in, or need code that nobody has compiled. They may only be as they are.
static llvm::Error checkFeatureNames(const llvm::MCSubtargetInfo &known,
                                     StringRef features) {
  llvm::StringMap<bool> instructions = llvm::sys::getHostCPUFeatures();
  llvm::SubtargetFeatures list(features);
  for (const std::string &feature : list.getFeatures()) {
    if (!llvm::SubtargetFeatures::hasFlag(feature))
      return llvm::createStringError(
          "expected processor features as +name or -name, got '" + feature +
          "'");
    StringRef name = llvm::SubtargetFeatures::StripFlag(feature);
    bool isKnown = llvm::any_of(known.getAllProcessorFeatures(),
                                [&](const llvm::SubtargetFeatureKV &entry) {
                                  return entry.Key == name;
                                });
    if (!isKnown)
      return llvm::createStringError("unknown processor feature '" + name +
                                     "' for " + known.getTargetTriple().str());
    if (!instructions.contains(name) && !known.checkFeatures(feature))
      return llvm::createStringError(
          "expected features that are instructions of a processor, such as "
          "avx2: code with '" +
          feature + "' cannot be called from this process");
  }
  return llvm::Error::success();
}

/// Whether LLVM uses the instructions of a feature in code for models. Others
/// (protection keys, ...) may be hidden by a host without harm.
static bool isChosenByLLVM(StringRef feature) {
  return llvm::any_of(
      ArrayRef<StringRef>{"sse",  "ssse",     "avx",   "fma",    "f16c",
                          "xop",  "bmi",      "lzcnt", "popcnt", "movbe",
                          "sve",  "fullfp16", "egpr",  "ndd",    "zu",
                          "ccmp", "nf",       "cf",    "ppx",    "push2pop2"},
      [&](StringRef prefix) { return feature.starts_with(prefix); });
}

/// What code is made for, as messages name it.
static std::string describe(const llvm::orc::JITTargetMachineBuilder &builder) {
  std::string features = builder.getFeatures().getString();
  std::string text = "'" + builder.getCPU() + "'";
  return features.empty() ? text : text + " with '" + features + "'";
}

/// LLVM warns of names that it does not know and ends the process where code
/// cannot be made; code that this machine cannot run would end it later.
static llvm::Error
checkProcessor(const llvm::orc::JITTargetMachineBuilder &builder,
               const CompileOptions &options) {
  if (options.cpu.empty() && options.features.empty())
    return llvm::Error::success();
  const llvm::Triple &triple = builder.getTargetTriple();
  std::string problem;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return llvm::createStringError(problem);
  auto subtarget = [&](StringRef cpu, StringRef features) {
    return std::unique_ptr<llvm::MCSubtargetInfo>(
        target->createMCSubtargetInfo(triple, cpu, features));
  };
  auto known = subtarget("", "");
  if (!options.cpu.empty() && !known->isCPUStringValid(options.cpu))
    return llvm::createStringError("unknown processor '" + options.cpu +
                                   "' for " + triple.str());
  if (llvm::Error error =
          checkFeatureNames(*subtarget(builder.getCPU(), ""), options.features))
    return error;

  auto chosen = subtarget(builder.getCPU(), builder.getFeatures().getString());
  if (triple.getArch() == llvm::Triple::x86_64 &&
      !(chosen->checkFeatures("+64bit") && chosen->checkFeatures("+sse2")))
    return llvm::createStringError(
        "expected a processor with 64-bit mode and SSE2, got " +
        describe(builder));
  // LLVM ends the process where vectors of bf16 have no short forms.
  if (chosen->checkFeatures("+avx512bf16") &&
      !chosen->checkFeatures("+avx512vl"))
    return llvm::createStringError(
        "expected 'avx512vl' beside 'avx512bf16', as processors have them, "
        "got " +
        describe(builder));
  const std::vector<std::string> asked =
      llvm::SubtargetFeatures(options.features).getFeatures();
  for (const auto &entry : llvm::sys::getHostCPUFeatures()) {
    std::string feature = ("+" + entry.getKey()).str();
    bool isUsed =
        isChosenByLLVM(entry.getKey()) || llvm::is_contained(asked, feature);
    if (!entry.getValue() && isUsed && chosen->checkFeatures(feature))
      return llvm::createStringError(
          "this machine's processor does not have '" + entry.getKey() +
          "', which code for " + describe(builder) + " needs");
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
xsa::createTargetMachine(const CompileOptions &options) {
  auto builder = detectNativeTarget();
  if (!builder)
    return builder.takeError();
  if (!options.cpu.empty()) {
    builder->setCPU(options.cpu);
    builder->getFeatures() = llvm::SubtargetFeatures();
  }
  if (!options.features.empty())
    builder->getFeatures() = llvm::SubtargetFeatures(options.features);
  if (llvm::Error error = checkProcessor(*builder, options))
    return std::move(error);
  // Constants can be further from the code than a direct reference reaches.
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeGenOptLevel(options.optLevel >= 3
                                  ? llvm::CodeGenOptLevel::Aggressive
                                  : llvm::CodeGenOptLevel::Default);
  return builder->createTargetMachine();
}

int64_t xsa::getVectorBits(llvm::TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86())
    return 128;
  const llvm::MCSubtargetInfo *subtarget = machine.getMCSubtargetInfo();
  if (subtarget->checkFeatures("+avx512f"))
    return 512;
  return subtarget->checkFeatures("+avx2") ? 256 : 128;
}

bool xsa::hasAVX512(llvm::TargetMachine &machine) {
  return machine.getTargetTriple().isX86() &&
         machine.getMCSubtargetInfo()->checkFeatures("+avx512f,+avx512dq");
}

/// Asks the kernel for the state of AMX tiles, which it only keeps for
/// processes that do. All their threads may use tiles from then on.
static bool requestTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long requestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr long tileData = 18;              // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

/// Whether vdpbf16ps does more than f32 arithmetic: AMD's processors start one
/// a cycle and one multiply-add, Intel's one and two, so that it is no gain
/// there. Who asks for it by name gets it.
static bool prefersBF16Dot(const llvm::MCSubtargetInfo &subtarget,
                           const CompileOptions &options) {
  const std::vector<std::string> asked =
      llvm::SubtargetFeatures(options.features).getFeatures();
  return subtarget.getCPU().starts_with("znver") ||
         llvm::is_contained(asked, "+avx512bf16");
}

BF16Dot xsa::getBF16Dot(llvm::TargetMachine &machine,
                        const CompileOptions &options) {
  if (!machine.getTargetTriple().isX86())
    return BF16Dot::None;
  const llvm::MCSubtargetInfo *subtarget = machine.getMCSubtargetInfo();
  // A processor's name says what it has, but a host may hide that.
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  auto has = [&](StringRef feature) {
    return host.lookup(feature) &&
           subtarget->checkFeatures(("+" + feature).str());
  };
  if (has("amx-tile") && has("amx-bf16") && requestTiles())
    return BF16Dot::AMX;
  if (has("avx512bf16") && prefersBF16Dot(*subtarget, options))
    return BF16Dot::AVX512;
  return BF16Dot::None;
}

/// Whether an operation of the LLVM dialect only declares its symbol.
static bool isDeclaration(Operation &op) {
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
    return function.isExternal() && !function.getName().starts_with("llvm.");
  auto global = dyn_cast<LLVM::GlobalOp>(op);
  return global && global.getLinkage() == LLVM::Linkage::External &&
         !global.getValueOrNull() && global.getInitializerRegion().empty();
}

LogicalResult xsa::checkSymbols(ModuleOp module) {
  llvm::StringSet<> runtimeSymbols;
  runtime::forEachRuntimeSymbol(
      [&](StringRef name, void *) { runtimeSymbols.insert(name); });
  auto process = llvm::sys::DynamicLibrary::getPermanentLibrary(nullptr);
  SymbolTableCollection tables;
  SymbolUserMap users(tables, module);
  for (Operation &op : *module.getBody()) {
    if (!isDeclaration(op) || users.useEmpty(&op))
      continue;
    StringRef name = SymbolTable::getSymbolName(&op).getValue();
    if (!runtimeSymbols.contains(name) &&
        !process.getAddressOfSymbol(name.str().c_str()))
      return op.emitError("'")
             << name << "' is declared, but neither the model nor the runtime "
             << "defines it";
  }
  return success();
}

/// LLVM's pipeline of a level, without unrolling: the loops that profit from it
/// are unrolled as tiles already, and in the others it doubles the time that
/// compilation takes.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level) {
  const llvm::OptimizationLevel kLevels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::OptimizationLevel chosen = kLevels[std::min(level, 3u)];
  llvm::ModulePassManager passes =
      chosen == llvm::OptimizationLevel::O0
          ? builder.buildO0DefaultPipeline(chosen)
          : builder.buildPerModuleDefaultPipeline(chosen);
  passes.run(module, modules);
}

llvm::Expected<std::unique_ptr<ExecutionEngine>>
xsa::createEngine(ModuleOp module, const ExternalConstants &constants,
                  std::unique_ptr<llvm::TargetMachine> machine,
                  unsigned optLevel) {
  auto optimizeModule = [target = machine.get(),
                         optLevel](llvm::Module *llvmModule) {
    optimize(*llvmModule, *target, optLevel);
    return llvm::Error::success();
  };
  ExecutionEngineOptions options;
  options.transformer = optimizeModule;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options, std::move(machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols([&](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap symbols;
    auto bind = [&](StringRef name, const void *address) {
      symbols[intern(name)] = llvm::orc::ExecutorSymbolDef(
          llvm::orc::ExecutorAddr::fromPtr(address),
          llvm::JITSymbolFlags::Exported);
    };
    runtime::forEachRuntimeSymbol(bind);
    for (const auto &[name, address] : constants.symbols)
      bind(name, address);
    return symbols;
  });
  return engine;
}
