//===- Emulator.cpp - Loading and launching -------------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles rewritten modules with LLVM's JIT and runs the blocks of a launch
// one after another, once with asynchronous copies landing at once and, if the
// module has any, once with them landing as late as they may.
//
//===----------------------------------------------------------------------===//

#include "xsa/Emulator/Emulator.h"

#include "Block.h"
#include "Rewrite.h"

#include "xsa/ExecutionEngine/ParallelRuntime.h"
#include "xsa/Support/NativeTarget.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <cstring>

using namespace xsa::emulator;
using xsa::emulator::Emulator;

//===----------------------------------------------------------------------===//
// Functions that compiled code calls
//===----------------------------------------------------------------------===//

/// The block whose threads run.
static thread_local Block *currentBlock = nullptr;

static void *access(uint64_t address, uint32_t site) {
  return currentBlock->access(address, site);
}
static void *accessShared(uint64_t address, uint32_t site) {
  return currentBlock->accessShared(address, site);
}
static void checkLocal(uint64_t address, uint64_t size, uint64_t object,
                       uint64_t objectSize, uint32_t site) {
  currentBlock->checkLocal({address, size, object, objectSize}, site);
}
static void execute(uint32_t site, uint64_t *operands, uint64_t *results) {
  currentBlock->execute(site, operands, results);
}
static uint64_t readRegister(uint32_t reg) {
  return currentBlock->readRegister(SpecialRegister(reg));
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

KernelModule::KernelModule(std::unique_ptr<State> state)
    : state(std::move(state)) {}
KernelModule::~KernelModule() = default;

std::vector<std::string> KernelModule::getKernelNames() const {
  std::vector<std::string> names;
  for (const Kernel &kernel : state->kernels)
    names.push_back(kernel.name);
  return names;
}

std::optional<std::vector<std::string>>
KernelModule::getParameterTypes(llvm::StringRef kernel) const {
  for (const Kernel &known : state->kernels)
    if (known.name == kernel)
      return known.parameterTypes;
  return std::nullopt;
}

static llvm::Error defineSymbols(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  auto bind = [&](llvm::StringRef name, void *address) {
    symbols[jit.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported};
  };
  bind(kAccessName, reinterpret_cast<void *>(access));
  bind(kAccessSharedName, reinterpret_cast<void *>(accessShared));
  bind(kCheckLocalName, reinterpret_cast<void *>(checkLocal));
  bind(kExecuteName, reinterpret_cast<void *>(execute));
  bind(kRegisterName, reinterpret_cast<void *>(readRegister));
  // Conversions that the processor may lack.
  xsa::runtime::forEachRuntimeSymbol([&](llvm::StringRef name, void *address) {
    if (name.starts_with("__"))
      bind(name, address);
  });
  if (llvm::Error error =
          jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(symbols)))
    return error;
  // The C library's mathematics.
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  jit.getMainJITDylib().addGenerator(std::move(*process));
  return llvm::Error::success();
}

/// Addresses of kernels and variables in the compiled code.
static llvm::Error resolve(KernelModule::State &state) {
  for (Kernel &kernel : state.kernels) {
    auto address = state.jit->lookup((kEntryPrefix + kernel.name).str());
    if (!address)
      return address.takeError();
    kernel.entry = address->toPtr<void (*)(void **)>();
  }
  for (const DeviceVariable &variable : state.deviceVariables) {
    auto address = state.jit->lookup(variable.name);
    if (!address)
      return address.takeError();
    state.memory->bind(variable.address, address->toPtr<void *>());
  }
  return llvm::Error::success();
}

Emulator::Emulator() : memory(std::make_shared<GlobalMemory>()) {}
Emulator::~Emulator() = default;

llvm::Expected<std::unique_ptr<KernelModule>>
Emulator::load(std::unique_ptr<llvm::Module> module,
               std::unique_ptr<llvm::LLVMContext> context) {
  // Ends the module before its context, whichever way this function is left.
  llvm::orc::ThreadSafeModule owner(std::move(module), std::move(context));
  auto builder = detectNativeTarget();
  if (!builder)
    return builder.takeError();
  // Kernels are optimized already; what is left is to be compiled soon.
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();

  auto state = std::make_unique<KernelModule::State>(memory);
  if (llvm::Error error =
          rewriteForHost(*owner.getModuleUnlocked(), **machine, *state))
    return error;
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*builder))
                 .create();
  if (!jit)
    return jit.takeError();
  state->jit = std::move(*jit);
  if (llvm::Error error = defineSymbols(*state->jit))
    return error;
  if (llvm::Error error = state->jit->addIRModule(std::move(owner)))
    return error;
  if (llvm::Error error = resolve(*state))
    return error;
  return std::make_unique<KernelModule>(std::move(state));
}

llvm::Expected<std::unique_ptr<KernelModule>>
Emulator::load(llvm::StringRef code) {
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(code, "kernel");
  std::unique_ptr<llvm::Module> module =
      llvm::parseIR(buffer->getMemBufferRef(), diagnostic, *context);
  if (!module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostic.print("", os, /*ShowColors=*/false);
    return llvm::createStringError("the kernels could not be read: " +
                                   llvm::StringRef(text).trim());
  }
  return load(std::move(module), std::move(context));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::Expected<DeviceAddress> Emulator::allocate(uint64_t numBytes) {
  return memory->allocate(numBytes);
}

llvm::Error Emulator::release(DeviceAddress address) {
  return memory->release(address);
}

bool Emulator::isDeviceAddress(const void *pointer) const {
  return reinterpret_cast<uintptr_t>(pointer) >= GlobalMemory::kFirstAddress;
}

static llvm::Error makeCopyError(const GlobalMemory &memory,
                                 DeviceAddress address, uint64_t numBytes) {
  return llvm::createStringError(
      "a copy of " + llvm::Twine(numBytes) +
      " bytes is not within a buffer of the device: it begins " +
      memory.describe(address));
}

llvm::Error Emulator::copyToDevice(DeviceAddress to, const void *from,
                                   uint64_t numBytes) {
  int64_t offset;
  Buffer *buffer = memory->findRange(to, numBytes, offset);
  if (!buffer)
    return makeCopyError(*memory, to, numBytes);
  memory->willWrite(*buffer, offset, numBytes);
  if (numBytes)
    std::memcpy(buffer->data + offset, from, numBytes);
  return llvm::Error::success();
}

llvm::Error Emulator::copyToHost(void *to, DeviceAddress from,
                                 uint64_t numBytes) {
  int64_t offset;
  Buffer *buffer = memory->findRange(from, numBytes, offset);
  if (!buffer)
    return makeCopyError(*memory, from, numBytes);
  if (!GlobalMemory::isWritten(*buffer, offset, numBytes)) {
    uint64_t missing = GlobalMemory::findUnwritten(*buffer, offset, numBytes);
    return llvm::createStringError(
        "a copy to the host reads uninitialised memory: no kernel "
        "has written " +
        llvm::StringRef(memory->describe(from + (missing - uint64_t(offset))))
            .drop_front(3));
  }
  if (numBytes)
    std::memcpy(to, buffer->data + offset, numBytes);
  return llvm::Error::success();
}

llvm::Error Emulator::copyOnDevice(DeviceAddress to, DeviceAddress from,
                                   uint64_t numBytes) {
  int64_t offset;
  Buffer *source = memory->findRange(from, numBytes, offset);
  if (!source)
    return makeCopyError(*memory, from, numBytes);
  int64_t target;
  Buffer *destination = memory->findRange(to, numBytes, target);
  if (!destination)
    return makeCopyError(*memory, to, numBytes);
  // What was not written stays so.
  for (uint64_t i = 0; i < numBytes; ++i)
    if (GlobalMemory::isWritten(*source, offset + i, 1))
      memory->willWrite(*destination, target + i, 1);
  if (numBytes)
    std::memmove(destination->data + target, source->data + offset, numBytes);
  return llvm::Error::success();
}

llvm::Error Emulator::fill(DeviceAddress to, uint32_t element,
                           unsigned elementBytes, uint64_t count) {
  uint64_t numBytes = count * elementBytes;
  int64_t offset;
  Buffer *buffer = memory->findRange(to, numBytes, offset);
  if (!buffer)
    return makeCopyError(*memory, to, numBytes);
  memory->willWrite(*buffer, offset, numBytes);
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(buffer->data + offset + i * elementBytes, &element,
                elementBytes);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

static std::string toString(const Dim3 &size) {
  return (llvm::Twine(size.x) + " x " + llvm::Twine(size.y) + " x " +
          llvm::Twine(size.z))
      .str();
}

/// The limits that all chips have, and the most shared memory that any has.
static llvm::Error checkShape(const KernelModule::State &state,
                              llvm::StringRef kernel,
                              const LaunchShape &shape) {
  constexpr uint64_t kMaxThreads = 1024, kMaxSharedBytes = 227 * 1024;
  auto fail = [&](const llvm::Twine &what) {
    return llvm::createStringError("kernel '" + kernel + "': " + what);
  };
  if (shape.block.getCount() == 0 || shape.block.getCount() > kMaxThreads)
    return fail("expected 1 to 1024 threads in a block, got " +
                toString(shape.block));
  if (shape.grid.getCount() == 0)
    return fail("expected at least one block, got " + toString(shape.grid));
  uint64_t sharedBytes =
      llvm::alignTo(state.staticSharedBytes, state.sharedAlignment) +
      shape.dynamicSharedBytes;
  if (sharedBytes > kMaxSharedBytes)
    return fail("expected at most " + llvm::Twine(kMaxSharedBytes) +
                " bytes of shared memory, got " + llvm::Twine(sharedBytes));
  return llvm::Error::success();
}

/// Runs all blocks. The text of an error is empty if there is none.
static std::string runGrid(const Launch &launch, FiberPool &fibers,
                           KernelStats &stats, bool counts) {
  Block block(launch, fibers, stats);
  block.getTraffic().setEnabled(counts);
  Block *outer = currentBlock;
  currentBlock = &block;
  std::string error;
  const Dim3 &grid = launch.shape.grid;
  for (uint32_t z = 0; z < grid.z && error.empty(); ++z)
    for (uint32_t y = 0; y < grid.y && error.empty(); ++y)
      for (uint32_t x = 0; x < grid.x && error.empty(); ++x)
        error = block.run({x, y, z});
  currentBlock = outer;
  return error;
}

llvm::Error Emulator::launch(const KernelModule &module, llvm::StringRef name,
                             const LaunchShape &shape,
                             llvm::ArrayRef<void *> parameters) {
  const KernelModule::State &state = module.getState();
  auto kernel = llvm::find_if(
      state.kernels, [&](const Kernel &kernel) { return kernel.name == name; });
  if (kernel == state.kernels.end())
    return llvm::createStringError("there is no kernel '" + name + "'");
  if (parameters.size() != kernel->parameterTypes.size())
    return llvm::createStringError("kernel '" + name + "': expected " +
                                   llvm::Twine(kernel->parameterTypes.size()) +
                                   " parameters, got " +
                                   llvm::Twine(parameters.size()));
  constexpr uint64_t kMaxLocalBytes =
      FiberPool::kStackBytes - FiberPool::kReservedBytes;
  if (kernel->localBytes > kMaxLocalBytes)
    return llvm::createStringError("kernel '" + name + "': expected at most " +
                                   llvm::Twine(kMaxLocalBytes) +
                                   " bytes of local variables, got " +
                                   llvm::Twine(kernel->localBytes));
  if (llvm::Error error = checkShape(state, name, shape))
    return error;

  KernelStats counted;
  counted.name = name.str();
  counted.shape = shape;
  FiberPool fibers;
  Launch launch{state,      *kernel, shape,
                parameters, *memory, CopyLanding::AtWait};
  std::string error;
  if (state.hasAsyncCopies) {
    memory->beginTracking();
    error = runGrid(launch, fibers, counted, /*counts=*/false);
    std::vector<GlobalMemory::Page> changes = memory->takeChanges();
    launch.landing = CopyLanding::AtOnce;
    if (error.empty())
      error = runGrid(launch, fibers, counted, /*counts=*/true);
    GlobalMemory::Difference difference;
    if (error.empty() && memory->findDifference(changes, difference)) {
      const Buffer &buffer = memory->getBuffer(difference.buffer);
      error = ("kernel '" + name +
               "': the result depends on when asynchronous copies land: it "
               "differs " +
               memory->describe(memory->getAddress(buffer) + difference.offset))
                  .str();
    }
    memory->endTracking();
  } else {
    error = runGrid(launch, fibers, counted, /*counts=*/true);
  }
  if (!error.empty())
    return llvm::createStringError(error);
  stats.push_back(std::move(counted));
  return llvm::Error::success();
}
