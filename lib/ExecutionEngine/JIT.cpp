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

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace xsa;

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
xsa::createTargetMachine(const CompileOptions &options) {
  static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  if (!options.cpu.empty()) {
    builder->setCPU(options.cpu);
    builder->getFeatures() = llvm::SubtargetFeatures();
  }
  if (!options.features.empty())
    builder->getFeatures() = llvm::SubtargetFeatures(options.features);
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
