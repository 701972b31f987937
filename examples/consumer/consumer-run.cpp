//===- consumer-run.cpp - Compiling and calling a model from C++ ----------===//
//
// Part of the XSA for MLIR project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a host does to run XSA inside its own process: parse, compile, call on
// memory of its own. The program checks the property that names the method: a
// row of the result is orthogonal to the token's own value.
//
//===----------------------------------------------------------------------===//

#include "xsa/ExecutionEngine/CompiledModule.h"
#include "xsa/InitAllDialects.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

static constexpr const char *source = R"mlir(
#rows = affine_map<(t, n) -> (t, n)>
func.func @main(%y: tensor<4x8xf32>, %v: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %init = tensor.empty() : tensor<4x8xf32>
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#rows, #rows, #rows]}
      ins(%y, %v : tensor<4x8xf32>, tensor<4x8xf32>)
      outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}
)mlir";

static int fail(const llvm::Twine &text) {
  llvm::errs() << "consumer-run: " << text << "\n";
  return 1;
}

int main() {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  xsa::registerAllDialects(registry);
  mlir::MLIRContext context(registry);

  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  if (!module)
    return fail("the model does not parse");
  auto compiled = xsa::CompiledModule::compile(*module);
  if (!compiled)
    return fail(llvm::toString(compiled.takeError()));

  constexpr int64_t rows = 4, depth = 8;
  float y[rows * depth], v[rows * depth];
  for (int i = 0; i < rows * depth; ++i) {
    y[i] = std::sin(float(i));
    v[i] = std::cos(float(3 * i));
  }
  int64_t shape[] = {rows, depth};
  auto results = (*compiled)->call(
      {{xsa::DType::Float32, shape, y}, {xsa::DType::Float32, shape, v}});
  if (!results)
    return fail(llvm::toString(results.takeError()));

  auto *z = static_cast<const float *>(results->front().data);
  for (int64_t row = 0; row < rows; ++row) {
    float dot = 0;
    for (int64_t n = 0; n < depth; ++n)
      dot += z[row * depth + n] * v[row * depth + n];
    if (std::fabs(dot) > 1e-5f)
      return fail("row " + llvm::Twine(row) +
                  " is not orthogonal to its value");
  }
  llvm::outs() << "every row is orthogonal to its own value\n";
  return 0;
}
