// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s

// Exponentials of masked keys are divided by the sum of those of the same keys, and
// by no other.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func @same(
// CHECK: xsa.attention
// CHECK-SAME: mask(
func.func @same(%x: tensor<8x4xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %n = call @hide(%e, %m) : (tensor<8x8xf32>, tensor<8x8xi1>) -> tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%n : tensor<8x8xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%n, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @all_keys(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @all_keys(%x: tensor<8x4xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %n = call @hide(%e, %m) : (tensor<8x8xf32>, tensor<8x8xi1>) -> tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%n, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The keys that are added up are half of those that are divided.
// CHECK-LABEL: func @half_of_the_keys(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @half_of_the_keys(%x: tensor<8x4xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %n = call @hide(%e, %m) : (tensor<8x8xf32>, tensor<8x8xi1>) -> tensor<8x8xf32>
  %half = tensor.extract_slice %n[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%half : tensor<8x4xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%n, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// One more mask after the division, of which the sum knows nothing: what it sets to
// 0 has been in the sum.
// CHECK-LABEL: func @another_mask(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @another_mask(%x: tensor<8x4xf32>, %m: tensor<8x8xi1>, %g: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %n = call @hide(%e, %m) : (tensor<8x8xf32>, tensor<8x8xi1>) -> tensor<8x8xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %k: i1, %out: f32):
    %f = arith.uitofp %k : i1 to f32
    %r = arith.mulf %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%w : tensor<8x8xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%n, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %z = call @hide(%p, %g) : (tensor<8x8xf32>, tensor<8x8xi1>) -> tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.matmul ins(%z, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @exponentials(%x: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.exp ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %e : tensor<8x8xf32>
}

func.func private @hide(%e: tensor<8x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %k: i1, %out: f32):
    %n = arith.select %k, %a, %zero : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

func.func private @rest(%n: tensor<8x8xf32>, %l: tensor<8xf32>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%n, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
