// RUN: xsa-opt %s -xsa-prepare-entry-points | FileCheck %s

// CHECK-LABEL: func.func @entry(
// CHECK-SAME:    tensor<4xf32> {bufferization.writable = false}
// CHECK-SAME:    attributes {llvm.emit_c_interface}
func.func @entry(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// The second of two results that would share a buffer is copied.
// CHECK-LABEL: func.func @same_result_twice(
// CHECK:         %[[X:.*]] = linalg.fill
// CHECK:         %[[VIEW:.*]] = tensor.expand_shape %[[X]]
// CHECK:         %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[VIEW]])
// CHECK:         return %[[X]], %[[COPY]]
func.func @same_result_twice(%a: f32) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.fill ins(%a : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %v = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %x, %v : tensor<4xf32>, tensor<2x2xf32>
}

// Private functions keep their own rules.
// CHECK-LABEL: func.func private @helper(
// CHECK-NOT:     writable
// CHECK-NOT:     emit_c_interface
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
