//===- Rewrite.cpp - From device code to host code ------------------------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers keep their device values; only the instruction that goes to memory
// asks where the bytes are. Values that other threads exchange pass through
// arrays of 64-bit slots on the thread's stack.
//
//===----------------------------------------------------------------------===//

#include "Rewrite.h"

#include "SharedMemory.h"
#include "Variables.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace xsa::emulator;

namespace {
class Rewriter {
public:
  Rewriter(Module &module, KernelModule::State &state)
      : module(module), state(state), context(module.getContext()),
        int32(Type::getInt32Ty(context)), int64(Type::getInt64Ty(context)),
        pointer(PointerType::get(context, 0)) {}

  Error run();

private:
  /// Slots for the operands of one instruction, and for its results.
  static constexpr unsigned kNumSlots = 32;

  void measureLocals();
  void findKernels();
  void collectTexts();
  void rewriteFunction(Function &function);
  void rewriteInstruction(Instruction &instruction);
  void rewriteAccess(Instruction &instruction, unsigned pointerOperand, Op op,
                     Type *type, Align alignment);
  void rewriteMove(MemIntrinsic &move);
  void rewriteDivision(BinaryOperator &division);
  void checkStack(Instruction &instruction, uint64_t bytes);
  void checkLocal(Instruction &instruction, unsigned pointerOperand, Op op,
                  Value *size, Align alignment);
  void rewriteCast(AddrSpaceCastInst &cast);
  void rewriteCall(CallInst &call);
  void emitExecute(CallInst &call, Site site);
  void callExecute(IRBuilder<> &builder, Site site,
                   const Instruction &instruction);
  void emitEntry(Function &kernel);

  uint32_t addSite(Site site, const Instruction &instruction);
  void storeSlot(IRBuilder<> &builder, unsigned index, Value *value);
  Value *loadSlot(IRBuilder<> &builder, unsigned index, Type *type);
  Value *toGeneric(IRBuilder<> &builder, Value *pointer);
  FunctionCallee getCallee(StringRef name, Type *result,
                           ArrayRef<Type *> types);

  Module &module;
  KernelModule::State &state;
  LLVMContext &context;
  Type *int32, *int64, *pointer;
  SmallVector<Function *> kernels;
  /// What the variables that a function has from its start take.
  DenseMap<const Function *, uint64_t> localBytes;
  DenseMap<const Instruction *, std::string> texts;
  AllocaInst *operandSlots = nullptr, *resultSlots = nullptr;
};
} // namespace

FunctionCallee Rewriter::getCallee(StringRef name, Type *result,
                                   ArrayRef<Type *> types) {
  return module.getOrInsertFunction(name,
                                    FunctionType::get(result, types, false));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// See `KernelModule::getParameterTypes`.
static std::string describeType(const Argument &parameter) {
  if (parameter.hasByValAttr())
    return "byval";
  if (parameter.getType()->isPointerTy())
    return "ptr";
  std::string text;
  raw_string_ostream os(text);
  os << *parameter.getType();
  return text;
}

/// The bytes of a local variable or a structure among the parameters.
static uint64_t getLocalSize(const Value *object, const DataLayout &layout) {
  if (auto *argument = dyn_cast<Argument>(object))
    return layout.getTypeAllocSize(argument->getParamByValType());
  auto size = cast<AllocaInst>(object)->getAllocationSize(layout);
  return size ? size->getKnownMinValue() : UINT64_MAX;
}

void Rewriter::measureLocals() {
  const DataLayout &layout = module.getDataLayout();
  for (Function &function : module) {
    uint64_t bytes = 0;
    for (Instruction &instruction : instructions(function))
      if (auto *local = dyn_cast<AllocaInst>(&instruction);
          local && local->isStaticAlloca())
        bytes = SaturatingAdd(bytes, getLocalSize(local, layout));
    localBytes[&function] = bytes;
  }
}

void Rewriter::findKernels() {
  for (Function &function : module) {
    if (function.isDeclaration() ||
        function.getCallingConv() != CallingConv::PTX_Kernel)
      continue;
    kernels.push_back(&function);
    Kernel kernel;
    kernel.name = function.getName().str();
    kernel.localBytes = localBytes.lookup(&function);
    for (Argument &argument : function.args())
      kernel.parameterTypes.push_back(describeType(argument));
    state.kernels.push_back(std::move(kernel));
  }
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

/// Whether the host's processor would do something that no kernel can ask for:
/// unwind, jump to a value, or take memory of an unknown size from the stack.
static bool isUnsupported(const Instruction &instruction) {
  if (auto *local = dyn_cast<AllocaInst>(&instruction))
    return !isa<ConstantInt>(local->getArraySize());
  return isa<InvokeInst, CallBrInst, IndirectBrInst, ResumeInst, VAArgInst>(
      instruction);
}

static bool isDivision(const Instruction &instruction) {
  return is_contained({Instruction::SDiv, Instruction::UDiv, Instruction::SRem,
                       Instruction::URem},
                      instruction.getOpcode());
}

/// Texts have the names and numbers that values had before anything changed.
void Rewriter::collectTexts() {
  ModuleSlotTracker tracker(&module);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    tracker.incorporateFunction(function);
    for (Instruction &instruction : instructions(function)) {
      if (!instruction.mayReadOrWriteMemory() &&
          !isa<CallInst, UnreachableInst>(instruction) &&
          !isa<AllocaInst>(instruction) && !isDivision(instruction) &&
          !isUnsupported(instruction))
        continue;
      std::string &text = texts[&instruction];
      raw_string_ostream os(text);
      instruction.print(os, tracker);
      // Without metadata and attribute groups.
      StringRef shown = StringRef(text).trim();
      shown = shown.take_front(shown.find(", !"));
      std::string result = shown.take_front(shown.find(" #")).str();
      if (const DebugLoc &loc = instruction.getDebugLoc())
        result +=
            (" (" + loc->getFilename() + ":" + Twine(loc->getLine()) + ")")
                .str();
      text = std::move(result);
    }
  }
}

uint32_t Rewriter::addSite(Site site, const Instruction &instruction) {
  site.function = instruction.getFunction()->getName().str();
  site.text = texts.lookup(&instruction);
  state.hasAsyncCopies |= site.op == Op::AsyncCopy;
  state.sites.push_back(std::move(site));
  return state.sites.size() - 1;
}

void Rewriter::callExecute(IRBuilder<> &builder, Site site,
                           const Instruction &instruction) {
  builder.CreateCall(getCallee(kExecuteName, Type::getVoidTy(context),
                               {int32, pointer, pointer}),
                     {builder.getInt32(addSite(std::move(site), instruction)),
                      operandSlots, resultSlots});
}

void Rewriter::storeSlot(IRBuilder<> &builder, unsigned index, Value *value) {
  // Pointers keep the address space's own value.
  if (value->getType()->isPointerTy())
    value = builder.CreatePtrToInt(value, int64);
  builder.CreateStore(
      value, builder.CreateConstInBoundsGEP1_32(int64, operandSlots, index));
}

Value *Rewriter::loadSlot(IRBuilder<> &builder, unsigned index, Type *type) {
  return builder.CreateLoad(
      type, builder.CreateConstInBoundsGEP1_32(int64, resultSlots, index));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// What a pointer is into if that is on the thread's own stack or among its
/// parameters, where the host's addresses are used; otherwise null.
static Value *findLocal(Value *pointer) {
  Value *object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (auto *argument = dyn_cast<Argument>(object))
    return argument->hasByValAttr() ? object : nullptr;
  return isa<AllocaInst>(object) ? object : nullptr;
}

/// Calls the check of an access to a local variable unless it is known to hold.
void Rewriter::checkLocal(Instruction &instruction, unsigned pointerOperand,
                          Op op, Value *size, Align alignment) {
  Value *address = instruction.getOperand(pointerOperand);
  Value *object = findLocal(address);
  const DataLayout &layout = module.getDataLayout();
  uint64_t objectSize = getLocalSize(object, layout);
  int64_t offset = 0;
  auto *bytes = dyn_cast<ConstantInt>(size);
  if (bytes &&
      GetPointerBaseWithConstantOffset(address, offset, layout) == object &&
      offset >= 0 && bytes->getZExtValue() <= objectSize &&
      uint64_t(offset) <= objectSize - bytes->getZExtValue() &&
      commonAlignment(object->getPointerAlignment(layout), offset) >= alignment)
    return;
  Site site;
  site.op = op;
  site.alignment = alignment.value();
  IRBuilder<> builder(&instruction);
  builder.CreateCall(getCallee(kCheckLocalName, Type::getVoidTy(context),
                               {int64, int64, int64, int64, int32}),
                     {builder.CreatePtrToInt(address, int64), size,
                      builder.CreatePtrToInt(object, int64),
                      builder.getInt64(objectSize),
                      builder.getInt32(addSite(std::move(site), instruction))});
}

Value *Rewriter::toGeneric(IRBuilder<> &builder, Value *pointer) {
  Value *address = builder.CreatePtrToInt(pointer, int64);
  if (pointer->getType()->getPointerAddressSpace() != kShared)
    return address;
  return builder.CreateAdd(address,
                           builder.getInt64(SharedMemory::kGenericWindow));
}

void Rewriter::rewriteAccess(Instruction &instruction, unsigned pointerOperand,
                             Op op, Type *type, Align alignment) {
  Value *address = instruction.getOperand(pointerOperand);
  unsigned space = address->getType()->getPointerAddressSpace();
  if (findLocal(address)) {
    uint64_t size = module.getDataLayout().getTypeStoreSize(type);
    return checkLocal(instruction, pointerOperand, op,
                      ConstantInt::get(int64, size), alignment);
  }
  Site site;
  site.op = op;
  site.size = module.getDataLayout().getTypeStoreSize(type);
  site.alignment = alignment.value();
  uint32_t index = addSite(site, instruction);
  IRBuilder<> builder(&instruction);
  FunctionCallee callee =
      getCallee(space == kShared ? kAccessSharedName : kAccessName, pointer,
                {int64, int32});
  Value *bytes =
      builder.CreateCall(callee, {builder.CreatePtrToInt(address, int64),
                                  builder.getInt32(index)});
  instruction.setOperand(pointerOperand, bytes);
}

void Rewriter::rewriteMove(MemIntrinsic &move) {
  auto *transfer = dyn_cast<MemTransferInst>(&move);
  IRBuilder<> builder(&move);
  Value *size = builder.CreateZExtOrTrunc(move.getLength(), int64);
  bool toLocal = findLocal(move.getRawDest());
  bool fromLocal = transfer && findLocal(transfer->getRawSource());
  if (toLocal)
    checkLocal(move, /*pointerOperand=*/0, Op::Store, size, Align());
  if (fromLocal)
    checkLocal(move, /*pointerOperand=*/1, Op::Load, size, Align());
  if (toLocal && (!transfer || fromLocal))
    return;
  Site site;
  site.op = transfer ? Op::CopyMemory : Op::FillMemory;
  Value *operands[] = {
      toGeneric(builder, move.getRawDest()),
      transfer ? toGeneric(builder, transfer->getRawSource())
               : builder.CreateZExt(cast<MemSetInst>(move).getValue(), int64),
      size};
  for (auto [i, operand] : enumerate(operands))
    builder.CreateStore(
        operand, builder.CreateConstInBoundsGEP1_32(int64, operandSlots, i));
  callExecute(builder, std::move(site), move);
  move.eraseFromParent();
}

/// Shared memory has its own addresses; all other spaces have generic ones.
void Rewriter::rewriteCast(AddrSpaceCastInst &cast) {
  bool fromShared = cast.getSrcAddressSpace() == kShared;
  bool toShared = cast.getDestAddressSpace() == kShared;
  IRBuilder<> builder(&cast);
  Value *address = builder.CreatePtrToInt(cast.getPointerOperand(), int64);
  Value *window = builder.getInt64(SharedMemory::kGenericWindow);
  if (fromShared && !toShared)
    address = builder.CreateAdd(address, window);
  if (toShared && !fromShared)
    address = builder.CreateSub(address, window);
  cast.replaceAllUsesWith(builder.CreateIntToPtr(address, cast.getType()));
  cast.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Orders memory that is always in order here, or only asks for speed.
static bool isWithoutEffect(StringRef name) {
  if (name.starts_with("llvm.prefetch."))
    return true;
  if (!name.consume_front("llvm.nvvm."))
    return false;
  return name.starts_with("membar.") || name.starts_with("fence.") ||
         name.starts_with("prefetch") || name.starts_with("nanosleep") ||
         name.starts_with("griddepcontrol.") || name.starts_with("pm.event");
}

void Rewriter::emitExecute(CallInst &call, Site site) {
  IRBuilder<> builder(&call);
  Type *result = call.getType();
  bool known = site.op != Op::Unsupported;
  if (known)
    for (auto [i, operand] : enumerate(call.args()))
      if (i < kNumSlots)
        storeSlot(builder, i, operand);
  callExecute(builder, std::move(site), call);
  if (!result->isVoidTy()) {
    Value *value = PoisonValue::get(result);
    auto *structure = dyn_cast<StructType>(result);
    if (known && structure)
      for (auto [i, type] : enumerate(structure->elements()))
        value = builder.CreateInsertValue(value, loadSlot(builder, i, type), i);
    else if (known)
      value = loadSlot(builder, 0, result);
    call.replaceAllUsesWith(value);
  }
  call.eraseFromParent();
}

void Rewriter::rewriteCall(CallInst &call) {
  if (auto *move = dyn_cast<MemIntrinsic>(&call))
    return rewriteMove(*move);
  Function *callee = call.getCalledFunction();
  IRBuilder<> builder(&call);
  if (callee && !callee->isDeclaration()) {
    call.setCallingConv(CallingConv::C);
    return checkStack(call, localBytes.lookup(callee));
  }
  // Values that are called, and assembly, have no name.
  StringRef name = callee ? callee->getName() : "";
  if (isWithoutEffect(name)) {
    call.eraseFromParent();
    return;
  }
  if (std::optional<SpecialRegister> reg = parseSpecialRegister(name)) {
    Value *value = builder.CreateCall(getCallee(kRegisterName, int64, {int32}),
                                      {builder.getInt32(unsigned(*reg))});
    call.replaceAllUsesWith(builder.CreateZExtOrTrunc(value, call.getType()));
    call.eraseFromParent();
    return;
  }
  if (std::optional<Site> site = parseIntrinsic(name))
    return emitExecute(call, *site);
  if (Value *value = expandArithmetic(builder, call)) {
    call.replaceAllUsesWith(value);
    call.eraseFromParent();
    return;
  }
  // LLVM's own intrinsics are for every target, but know the host's addresses.
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  bool isAccess = call.mayReadOrWriteMemory() &&
                  any_of(call.args(), [](const Use &operand) {
                    return operand->getType()->isPtrOrPtrVectorTy();
                  });
  if (intrinsic && !name.starts_with("llvm.nvvm.") &&
      (!isAccess || intrinsic->isAssumeLikeIntrinsic()))
    return;
  emitExecute(call, Site());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Asks whether there is room for what an instruction puts on the stack.
void Rewriter::checkStack(Instruction &instruction, uint64_t bytes) {
  IRBuilder<> builder(&instruction);
  Site site;
  site.op = Op::CheckStack;
  site.size = std::min<uint64_t>(bytes, UINT32_MAX);
  callExecute(builder, std::move(site), instruction);
}

/// Asks before each division whether the host's processor would trap.
void Rewriter::rewriteDivision(BinaryOperator &division) {
  Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  bool isSigned = is_contained({Instruction::SDiv, Instruction::SRem},
                               division.getOpcode());
  const APInt *known;
  if (PatternMatch::match(divisor, PatternMatch::m_APInt(known)) &&
      !known->isZero() && !(isSigned && known->isAllOnes()))
    return;
  IRBuilder<> builder(&division);
  auto any = [&](Value *lanes) {
    return lanes->getType()->isVectorTy() ? builder.CreateOrReduce(lanes)
                                          : lanes;
  };
  Type *type = division.getType();
  Value *fault = builder.getInt64(kNoDivisionFault);
  if (isSigned) {
    Value *least = ConstantInt::get(
        type, APInt::getSignedMinValue(type->getScalarSizeInBits()));
    Value *overflows = builder.CreateAnd(
        builder.CreateICmpEQ(dividend, least),
        builder.CreateICmpEQ(divisor, Constant::getAllOnesValue(type)));
    fault = builder.CreateSelect(any(overflows),
                                 builder.getInt64(kDivisionOverflow), fault);
  }
  fault = builder.CreateSelect(any(builder.CreateIsNull(divisor)),
                               builder.getInt64(kDivisionByZero), fault);
  storeSlot(builder, 0, fault);
  Site site;
  site.op = Op::Divide;
  callExecute(builder, std::move(site), division);
}

void Rewriter::rewriteInstruction(Instruction &instruction) {
  if (isDivision(instruction))
    return rewriteDivision(cast<BinaryOperator>(instruction));
  if (isa<UnreachableInst>(instruction) || isUnsupported(instruction)) {
    IRBuilder<> builder(&instruction);
    Site site;
    site.op = isUnsupported(instruction) ? Op::Unsupported : Op::Unreachable;
    return callExecute(builder, std::move(site), instruction);
  }
  if (auto *local = dyn_cast<AllocaInst>(&instruction);
      local && !local->isStaticAlloca())
    return checkStack(*local, getLocalSize(local, module.getDataLayout()));
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return rewriteAccess(*load, LoadInst::getPointerOperandIndex(), Op::Load,
                         load->getType(), load->getAlign());
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return rewriteAccess(*store, StoreInst::getPointerOperandIndex(), Op::Store,
                         store->getValueOperand()->getType(),
                         store->getAlign());
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return rewriteAccess(*update, AtomicRMWInst::getPointerOperandIndex(),
                         Op::Atomic, update->getType(), update->getAlign());
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return rewriteAccess(*exchange, AtomicCmpXchgInst::getPointerOperandIndex(),
                         Op::Atomic, exchange->getCompareOperand()->getType(),
                         exchange->getAlign());
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return rewriteCall(*call);
  if (auto *cast = dyn_cast<AddrSpaceCastInst>(&instruction))
    return rewriteCast(*cast);
  auto *truncation = dyn_cast<FPTruncInst>(&instruction);
  if (truncation && truncation->getType()->getScalarType()->isBFloatTy() &&
      truncation->getSrcTy()->getScalarType()->isFloatTy()) {
    IRBuilder<> builder(truncation);
    truncation->replaceAllUsesWith(
        roundToBFloat(builder, truncation->getOperand(0)));
    truncation->eraseFromParent();
  }
}

/// Attributes that tell the code generator what is no longer true.
static void cleanAttributes(Function &function) {
  function.setCallingConv(CallingConv::C);
  function.setMemoryEffects(MemoryEffects::unknown());
  for (StringRef name : {"target-cpu", "target-features", "tune-cpu"})
    function.removeFnAttr(name);
}

void Rewriter::rewriteFunction(Function &function) {
  cleanAttributes(function);
  // The host's stack is in the generic address space.
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *local = dyn_cast<AllocaInst>(&instruction);
        local && local->getAddressSpace() != kGeneric) {
      auto *replacement = new AllocaInst(
          local->getAllocatedType(), kGeneric, local->getArraySize(),
          local->getAlign(), local->getName(), local->getIterator());
      texts[replacement] = texts.lookup(local);
      IRBuilder<> builder(local);
      local->replaceAllUsesWith(
          builder.CreateAddrSpaceCast(replacement, local->getType()));
      local->eraseFromParent();
    }
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  Value *count = builder.getInt32(kNumSlots);
  operandSlots = builder.CreateAlloca(int64, count);
  resultSlots = builder.CreateAlloca(int64, count);
  // Casts go last: they show which object a pointer is into.
  SmallVector<Instruction *> others, casts;
  for (Instruction &instruction : instructions(function))
    (isa<AddrSpaceCastInst>(instruction) ? casts : others)
        .push_back(&instruction);
  for (ArrayRef<Instruction *> group : {ArrayRef(others), ArrayRef(casts)})
    for (Instruction *instruction : group)
      rewriteInstruction(*instruction);
}

/// `void entry(void **parameters)`: loads each parameter and calls the kernel.
void Rewriter::emitEntry(Function &kernel) {
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer}, false);
  auto *entry =
      Function::Create(type, GlobalValue::ExternalLinkage,
                       Twine(kEntryPrefix) + kernel.getName(), module);
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  SmallVector<Value *> arguments;
  for (Argument &parameter : kernel.args()) {
    Value *address = builder.CreateLoad(
        pointer, builder.CreateConstInBoundsGEP1_32(pointer, entry->getArg(0),
                                                    parameter.getArgNo()));
    arguments.push_back(
        parameter.hasByValAttr()
            ? builder.CreateAddrSpaceCast(address, parameter.getType())
            : builder.CreateLoad(parameter.getType(), address));
  }
  CallInst *call = builder.CreateCall(&kernel, arguments);
  call->setAttributes(kernel.getAttributes());
  builder.CreateRetVoid();
}

Error Rewriter::run() {
  // What only NVPTX's code generator reads.
  for (StringRef name : {"llvm.used", "llvm.compiler.used", "nvvm.annotations"})
    if (GlobalVariable *variable = module.getGlobalVariable(name, true))
      variable->eraseFromParent();
  measureLocals();
  findKernels();
  if (kernels.empty())
    return createStringError("the module has no kernel: expected a function "
                             "with the calling convention 'ptx_kernel'");
  if (!module.getModuleInlineAsm().empty())
    return createStringError("the module has assembly outside of functions "
                             "('module asm'), which is not emulated");
  collectTexts();
  placeSharedVariables(module, state);
  placeGlobalVariables(module, state);
  SmallVector<Function *> functions;
  for (Function &function : module)
    if (!function.isDeclaration())
      functions.push_back(&function);
  for (Function *function : functions)
    rewriteFunction(*function);
  for (Function *kernel : kernels)
    emitEntry(*kernel);
  return Error::success();
}

Error xsa::emulator::rewriteForHost(Module &module, TargetMachine &host,
                                    KernelModule::State &state) {
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(module, &os))
    return createStringError("the module is not valid: " + problem);
  if (Error error = Rewriter(module, state).run())
    return error;
  module.setTargetTriple(host.getTargetTriple());
  module.setDataLayout(host.createDataLayout());
  if (verifyModule(module, &os))
    return createStringError("the module could not be rewritten: " + problem);
  return Error::success();
}
