// RUN: xsa-opt %s --convert-attention-to-xsa 2>/dev/null | FileCheck %s

// Products whose operands are read within bodies, at positions that are counted or kept
// within the size, are products like others.

#second = affine_map<(i, k, j) -> (j, k)>
#first = affine_map<(i, j, k) -> (i, k)>
#out = affine_map<(i, k, j) -> (i, k)>

// CHECK-LABEL: func @products(
// CHECK: xsa.attention {exclusion
// CHECK-NOT: linalg.generic
func.func @products(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.generic {indexing_maps = [#first, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%s0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %b = tensor.extract %x[%j, %k] : tensor<8x4xf32>
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#second, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %low = arith.maxsi %j, %c0 : index
    %at = arith.minsi %low, %c7 : index
    %b = tensor.extract %p[%i, %at] : tensor<8x8xf32>
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Multiplied by one operation and added up by another.
// CHECK-LABEL: func @added_up(
// CHECK: xsa.attention {exclusion
func.func @added_up(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %em = tensor.empty() : tensor<8x4x8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k, j)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%em : tensor<8x4x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %j = linalg.index 2 : index
    %a = tensor.extract %p[%i, %j] : tensor<8x8xf32>
    %b = tensor.extract %x[%j, %k] : tensor<8x4xf32>
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x4x8xf32>
  %y = linalg.reduce {arith.addf} ins(%m : tensor<8x4x8xf32>) outs(%y0 : tensor<8x4xf32>) dimensions = [2]
  return %y : tensor<8x4xf32>
}

// The quotient reads the sum of the exponentials.
// CHECK-LABEL: func @divided_later(
// CHECK: xsa.attention {exclusion
func.func @divided_later(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %e = linalg.exp ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %l = linalg.reduce {arith.addf} ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %y = linalg.matmul ins(%e, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]} outs(%ey : tensor<8x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %a = tensor.extract %y[%i, %k] : tensor<8x4xf32>
    %b = tensor.extract %l[%i] : tensor<8xf32>
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// An operation without operands need not be a constant: values that it copies are
// multiplied, and what they are computed from is no part of the probabilities.
// CHECK-LABEL: func @values_behind_an_exponential(
// CHECK: xsa.attention {exclusion
func.func @values_behind_an_exponential(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %u = linalg.exp ins(%x : tensor<8x4xf32>) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]} outs(%ey : tensor<8x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 1 : index
    %r = tensor.extract %u[%i, %k] : tensor<8x4xf32>
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %y = linalg.matmul ins(%p, %v : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %z = linalg.log ins(%u : tensor<8x4xf32>) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y, %z : tensor<8x4xf32>, tensor<8x4xf32>
}
