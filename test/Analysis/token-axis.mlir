// RUN: xsa-opt %s --test-token-axis -o /dev/null | FileCheck %s

// Projections, elementwise operations and residuals keep the row.
// CHECK-LABEL: @kept
// CHECK-NEXT: row i[[R:[0-9]+]]: arg0[i[[R]], i{{[0-9]+}}]{{$}}
func.func @kept(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.tanh ins(%p : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r = linalg.add ins(%t, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// A slice carries an offset.
// CHECK-LABEL: @shifted
// CHECK-NEXT: row i[[R:[0-9]+]]: arg0[1 + i[[R]], i{{[0-9]+}}]{{$}}
func.func @shifted(%x: tensor<8x4xf32>) -> tensor<7x4xf32> {
  %s = tensor.extract_slice %x[1, 0] [7, 4] [1, 1] : tensor<8x4xf32> to tensor<7x4xf32>
  return %s : tensor<7x4xf32>
}

// A contraction over the rows makes new ones: they come from the mixing matrix.
// CHECK-LABEL: @mixed
// CHECK-NEXT: row i[[R:[0-9]+]]: arg1[i[[R]], i{{[0-9]+}}]{{$}}
func.func @mixed(%x: tensor<8x4xf32>, %a: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.matmul ins(%a, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %p : tensor<8x4xf32>
}
