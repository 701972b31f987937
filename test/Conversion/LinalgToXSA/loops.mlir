// RUN: xsa-opt %s --convert-attention-to-xsa 2>/dev/null | FileCheck %s

// Layers in loops, as jax.lax.scan and while_loop become them.

// Layers of one shape, weights by number.
// CHECK-LABEL: func @scan(
// CHECK: scf.while
// CHECK: do {
// CHECK: xsa.attention {exclusion
// CHECK: scf.yield
func.func @scan(%x: tensor<8x4xf32>, %weights: tensor<3x4x4xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %square = tensor.empty() : tensor<8x8xf32>
  %across = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %scores0 = linalg.fill ins(%zero : f32) outs(%square : tensor<8x8xf32>) -> tensor<8x8xf32>
  %layers:2 = scf.while (%i = %c0, %h = %x) : (i32, tensor<8x4xf32>) -> (i32, tensor<8x4xf32>) {
    %more = arith.cmpi slt, %i, %c3 : i32
    scf.condition(%more) %i, %h : i32, tensor<8x4xf32>
  } do {
  ^bb0(%i: i32, %h: tensor<8x4xf32>):
    %at = arith.index_cast %i : i32 to index
    %w = tensor.extract_slice %weights[%at, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<3x4x4xf32> to tensor<4x4xf32>
    %v = linalg.matmul ins(%h, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
    %k = linalg.transpose ins(%h : tensor<8x4xf32>) outs(%across : tensor<4x8xf32>) permutation = [1, 0]
    %s = linalg.matmul ins(%h, %k : tensor<8x4xf32>, tensor<4x8xf32>) outs(%scores0 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%square : tensor<8x8xf32>) -> tensor<8x8xf32>
    %y = linalg.matmul ins(%p, %v : tensor<8x8xf32>, tensor<8x4xf32>) outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
    %sum = linalg.add ins(%h, %y : tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %next, %sum : i32, tensor<8x4xf32>
  }
  return %layers#1 : tensor<8x4xf32>
}

// What is carried beside the tokens may be of another sequence.
// CHECK-LABEL: func @carried_memory(
// CHECK: scf.for
// CHECK-NOT: exclusion
// CHECK: xsa.attention {indexing_maps
// CHECK-NOT: exclusion
// CHECK: return
func.func @carried_memory(%x: tensor<8x4xf32>, %m: tensor<8x4xf32>, %n: index) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %square = tensor.empty() : tensor<8x8xf32>
  %across = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %scores0 = linalg.fill ins(%zero : f32) outs(%square : tensor<8x8xf32>) -> tensor<8x8xf32>
  %layers:2 = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x, %memory = %m) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %k = linalg.transpose ins(%memory : tensor<8x4xf32>) outs(%across : tensor<4x8xf32>) permutation = [1, 0]
    %s = linalg.matmul ins(%h, %k : tensor<8x4xf32>, tensor<4x8xf32>) outs(%scores0 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%square : tensor<8x8xf32>) -> tensor<8x8xf32>
    %y = linalg.matmul ins(%p, %memory : tensor<8x8xf32>, tensor<8x4xf32>) outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
    scf.yield %y, %h : tensor<8x4xf32>, tensor<8x4xf32>
  }
  return %layers#0 : tensor<8x4xf32>
}
