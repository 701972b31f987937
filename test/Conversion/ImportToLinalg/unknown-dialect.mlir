// RUN: not xsa-opt %s --xsa-import-to-linalg 2>&1 | FileCheck %s

// Unless unknown dialects are allowed, the parser is first to refuse them.
// CHECK: unknown-dialect.mlir:[[#@LINE+2]]:8: error: Dialect `stablehlo' not found for custom op 'stablehlo.add'
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
