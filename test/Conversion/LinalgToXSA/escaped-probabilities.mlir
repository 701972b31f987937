// RUN: xsa-opt %s --split-input-file --convert-attention-to-xsa --verify-diagnostics | FileCheck %s

// What else a model does with probabilities decides whether its attention may
// become exclusive. Raising keeps it either way.

// Returned, and averaged over the rows on the way: for looking at.
// CHECK-LABEL: func @looked_at(
// CHECK: xsa.attention {exclusion
func.func @looked_at(%x: tensor<8x4xf32>, %xt: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %er = tensor.empty() : tensor<8xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = linalg.reduce { arith.addf } ins(%p : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [0]
  return %y, %a : tensor<8x4xf32>, tensor<8xf32>
}

// -----

// Two products with one softmax are one decision, whichever comes first: what
// the own value is, is not certain for either of them.
// CHECK-LABEL: func @two_products(
// CHECK-NOT: exclusion
// CHECK-COUNT-2: xsa.attention
// CHECK-NOT: exclusion
func.func @two_products(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %w = linalg.tanh ins(%x : tensor<8x4xf32>) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by another product ('linalg.matmul')}}
  %y1 = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by another product ('linalg.matmul')}}
  %y2 = linalg.matmul ins(%p, %w : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.mul ins(%y1, %y2 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// A hand-written backward pass needs the output that belongs to them.
// CHECK-LABEL: func @backward(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @backward(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by 'linalg.mul', which would no longer belong to the output}}
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %d = linalg.mul ins(%p, %s : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %d : tensor<8x4xf32>, tensor<8x8xf32>
}
