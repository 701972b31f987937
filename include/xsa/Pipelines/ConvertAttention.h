//===- ConvertAttention.h - Pipelines that raise attention ------*- C++ -*-===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a model as an importer wrote it to one whose attentions are single
// operations, and, on request, exclusive.
//
//===----------------------------------------------------------------------===//

#ifndef XSA_PIPELINES_CONVERTATTENTION_H
#define XSA_PIPELINES_CONVERTATTENTION_H

#include "xsa/Analysis/AttentionReport.h"
#include "xsa/Support/OptionalNumber.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace xsa {

/// What both pipelines offer.
template <typename DerivedT>
struct RaisingOptions : public mlir::PassPipelineOptions<DerivedT> {
  template <typename T>
  using Option =
      typename mlir::PassPipelineOptions<DerivedT>::template Option<T>;

  Option<bool> strict{
      *this, "strict",
      llvm::cl::desc("refuse attention whose results raising may change beyond "
                     "rounding"),
      llvm::cl::init(false)};
  Option<bool> report{
      *this, "report",
      llvm::cl::desc(
          "print a table of the attentions found, with features and decisions"),
      llvm::cl::init(false)};
};

struct RaiseAttentionToXSAOptions
    : public RaisingOptions<RaiseAttentionToXSAOptions> {
  Option<bool> assumeSelf{
      *this, "assume-self",
      llvm::cl::desc("accepted for symmetry with convert-attention-to-xsa; "
                     "raising needs no assumption"),
      llvm::cl::init(false)};
};

struct ConvertAttentionToXSAOptions
    : public RaisingOptions<ConvertAttentionToXSAOptions> {
  Option<std::string> layers{
      *this, "layers",
      llvm::cl::desc("which self attentions, in program order: all, last:N, or "
                     "a list of numbers"),
      llvm::cl::init("all")};
  Option<std::string> denominator{
      *this, "denominator", llvm::cl::desc("l2_clamp, sq_clamp, sq_add or raw"),
      llvm::cl::init("l2_clamp")};
  Option<std::optional<double>> eps{
      *this, "eps",
      llvm::cl::desc("epsilon of the denominator (default: 1e-12 for l2_clamp, "
                     "1e-6 for sq_clamp and sq_add)"),
      llvm::cl::init(std::optional<double>())};
  Option<double> strength{
      *this, "strength",
      llvm::cl::desc(
          "how much of the component along the own value is removed"),
      llvm::cl::init(1.0)};
  Option<bool> assumeSelf{
      *this, "assume-self",
      llvm::cl::desc("take query and value that are function arguments for one "
                     "sequence"),
      llvm::cl::init(false)};
};

/// Import, then raise: the meaning of the model is kept. What was found goes to
/// `account`, if there is one.
void buildRaiseAttentionToXSAPipeline(
    mlir::OpPassManager &pm, const RaiseAttentionToXSAOptions &options,
    std::shared_ptr<AttentionReport> account = nullptr);

/// The above, then every proven self attention becomes exclusive.
void buildConvertAttentionToXSAPipeline(
    mlir::OpPassManager &pm, const ConvertAttentionToXSAOptions &options,
    std::shared_ptr<AttentionReport> account = nullptr);

/// Registers `--raise-attention-to-xsa` and `--convert-attention-to-xsa`.
void registerAttentionPipelines();

} // namespace xsa

#endif // XSA_PIPELINES_CONVERTATTENTION_H
