// REQUIRES: plugin
// RUN: mlir-opt %s --load-dialect-plugin=%xsa_plugin | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%xsa_plugin --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The stock mlir-opt parses, verifies and prints the dialect.

// DIALECTS: xsa
// UNKNOWN: Dialect `xsa' not found

#rows = affine_map<(t, n) -> (t, n)>

// CHECK-LABEL: func.func @stock_tool_knows_exclude
// CHECK: xsa.exclude {exclusion = #xsa.exclusion<sq_add
func.func @stock_tool_knows_exclude(%y: tensor<4x8xf32>, %v: tensor<4x8xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %z = xsa.exclude {exclusion = #xsa.exclusion<sq_add, eps = 1.0e-6>, indexing_maps = [#rows, #rows, #rows]}
      ins(%y, %v : tensor<4x8xf32>, tensor<4x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}
