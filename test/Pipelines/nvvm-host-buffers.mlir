// RUN: xsa-opt %s -xsa-lower-to-nvvm-pipeline=format=isa | FileCheck %s

// Buffers of the host are freed where casts of them remain from bufferization.

// CHECK-LABEL: llvm.func @mixed_static_and_dynamic
func.func @mixed_static_and_dynamic(%x: tensor<2x?xf32>, %init: tensor<?x8xf32>, %acc: tensor<?xf32>)
    -> (tensor<?x8xf32>, tensor<?xf32>) {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<2x?xf32>) outs(%init, %acc : tensor<?x8xf32>, tensor<?xf32>) {
  ^bb0(%previous: f32, %next: f32):
    %s = arith.addf %previous, %next : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x8xf32>, tensor<?xf32>
  return %r#0, %r#1 : tensor<?x8xf32>, tensor<?xf32>
}
