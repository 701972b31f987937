//===- LowerToNVVM.h - The pipeline to NVIDIA GPUs --------------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--xsa-lower-to-nvvm-pipeline`: each attention becomes one kernel, the rest
// of a model stays on the host.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_PIPELINES_LOWERTONVVM_H
#define XSA_PIPELINES_LOWERTONVVM_H

#include "xsa/Support/BF16Dot.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace xsa {

/// One of the forms that kernels can have.
struct KernelFormatParser : llvm::cl::parser<std::string> {
  using parser::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             std::string &value);
};

/// A version of PTX that LLVM can write, or 0.
struct PTXVersionParser : llvm::cl::parser<unsigned> {
  using parser::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             unsigned &value);
};

struct LowerToNVVMOptions
    : public mlir::PassPipelineOptions<LowerToNVVMOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("GPU to compile for, sm_80 or later (default: sm_80)"),
      llvm::cl::init("sm_80")};
  Option<unsigned, PTXVersionParser> ptx{
      *this, "ptx",
      llvm::cl::desc("version of PTX, such as 88 (default, and at least: what "
                     "the chip needs)"),
      llvm::cl::init(0)};
  Option<std::string, KernelFormatParser> format{
      *this, "format",
      llvm::cl::desc(
          "form of the kernels: mlir (LLVM dialect), llvm (bitcode), isa "
          "(PTX), bin, fatbin (default; needs ptxas, as bin does)"),
      llvm::cl::init("fatbin")};
  Option<int64_t> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("width in bits of the host's vector registers"),
      llvm::cl::init(256)};
  Option<BF16Dot> bf16Dot{
      *this, "bf16-dot",
      llvm::cl::desc("instruction of the host for sums of products of bf16"),
      llvm::cl::init(BF16Dot::None), getBF16DotValues()};
  Option<bool> avx512{*this, "avx512",
                      llvm::cl::desc("the host has AVX-512 (F and DQ)"),
                      llvm::cl::init(false)};
  Option<bool> strict{
      *this, "strict",
      llvm::cl::desc("an attention that cannot be fused is an error"),
      llvm::cl::init(false)};
  Option<bool> printPlan{
      *this, "print-plan",
      llvm::cl::desc(
          "remark at each attention which sizes were chosen, and their cost"),
      llvm::cl::init(false)};
  Option<bool> printChoices{
      *this, "print-choices",
      llvm::cl::desc("as print-plan, with a table of all sizes that fit, the "
                     "cheapest first"),
      llvm::cl::init(false)};
  Option<int64_t> queryTile{
      *this, "query-tile",
      llvm::cl::desc("query rows of a tile (0: by the cost model)"),
      llvm::cl::init(0)};
  Option<int64_t> keyTile{
      *this, "key-tile",
      llvm::cl::desc("keys of a tile (0: by the cost model)"),
      llvm::cl::init(0)};
  Option<int64_t> warps{
      *this, "warps", llvm::cl::desc("warps of a block (0: by the cost model)"),
      llvm::cl::init(0)};
  Option<int64_t> stages{
      *this, "stages",
      llvm::cl::desc("tiles of keys in shared memory (0: by the cost model)"),
      llvm::cl::init(0)};
  Option<int64_t> keySplits{
      *this, "key-splits",
      llvm::cl::desc("ranges that keys are split into (0: by the cost model)"),
      llvm::cl::init(0)};
};

/// Adds the whole pipeline to a pass manager on a module. Kernels that a module
/// has already go along. With `format=mlir` the host's code stays on buffers.
void buildLowerToNVVMPipeline(mlir::OpPassManager &pm,
                              const LowerToNVVMOptions &options);

void registerLowerToNVVMPipeline();

} // namespace xsa

#endif // XSA_PIPELINES_LOWERTONVVM_H
