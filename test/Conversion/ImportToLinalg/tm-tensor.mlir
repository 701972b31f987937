// RUN: xsa-opt %s --xsa-import-to-linalg | FileCheck %s

// Attention is brought to linalg; scans stay for analyses that evaluate them.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tm_tensor.attention
// CHECK: math.exp
// CHECK: tm_tensor.scan
func.func @main(%q: tensor<4x12x8xf32>, %x: tensor<8xi64>, %acc: tensor<i64>) -> (tensor<4x12x8xf32>, tensor<8xi64>) {
  %init = tensor.empty() : tensor<4x12x8xf32>
  %0 = tm_tensor.attention
      ins(%q, %q, %q : tensor<4x12x8xf32>, tensor<4x12x8xf32>, tensor<4x12x8xf32>)
      outs(%init : tensor<4x12x8xf32>) -> tensor<4x12x8xf32>
  %1:2 = tm_tensor.scan dimension(0) inclusive(true)
      ins(%x : tensor<8xi64>) outs(%x, %acc : tensor<8xi64>, tensor<i64>) {
  ^bb0(%previous: i64, %next: i64):
    %s = arith.addi %previous, %next : i64
    tm_tensor.yield %s : i64
  } -> tensor<8xi64>, tensor<i64>
  return %0, %1#0 : tensor<4x12x8xf32>, tensor<8xi64>
}
