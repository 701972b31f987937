// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s

// What exponentials are multiplied with and divided by: once by their sum, or by the
// exponential of its logarithm.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#r = affine_map<(i) -> (i)>

// CHECK-LABEL: func @guarded(
// CHECK: xsa.attention
func.func @guarded(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %l = call @sum(%e) : (tensor<8x8xf32>) -> tensor<8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %g = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]} ins(%l : tensor<8xf32>) outs(%el : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.cmpf oeq, %a, %zero : f32
    %n = arith.select %c, %one, %a : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  %y = call @rest(%e, %g, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A sum that is replaced where it is another number than 0.
// CHECK-LABEL: func @replaced(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @replaced(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %l = call @sum(%e) : (tensor<8x8xf32>) -> tensor<8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %g = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]} ins(%l : tensor<8xf32>) outs(%el : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.cmpf oeq, %a, %half : f32
    %n = arith.select %c, %one, %a : f32
    linalg.yield %n : f32
  } -> tensor<8xf32>
  %y = call @rest(%e, %g, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @squared(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @squared(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %l = call @sum(%e) : (tensor<8x8xf32>) -> tensor<8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %g = linalg.mul ins(%l, %l : tensor<8xf32>, tensor<8xf32>) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %y = call @rest(%e, %g, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// exp(log(sum)) is the sum, and not its reciprocal.
// CHECK-LABEL: func @multiplied(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @multiplied(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %l = call @sum(%e) : (tensor<8x8xf32>) -> tensor<8xf32>
  %g = call @logarithm(%l) : (tensor<8xf32>) -> tensor<8xf32>
  %y = call @product(%e, %g, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @divided_by_logarithm(
// CHECK: xsa.attention
func.func @divided_by_logarithm(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = call @exponentials(%x) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %l = call @sum(%e) : (tensor<8x8xf32>) -> tensor<8xf32>
  %g = call @logarithm(%l) : (tensor<8xf32>) -> tensor<8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %n = linalg.negf ins(%g : tensor<8xf32>) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %y = call @product(%e, %n, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @logarithm(%l: tensor<8xf32>) -> tensor<8xf32> {
  %el = tensor.empty() : tensor<8xf32>
  %g = linalg.log ins(%l : tensor<8xf32>) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  return %g : tensor<8xf32>
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

func.func private @sum(%e: tensor<8x8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %el = tensor.empty() : tensor<8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf32>) outs(%l0 : tensor<8xf32>) dimensions = [1]
  return %l : tensor<8xf32>
}

// e times the exponential of g.
func.func private @product(%e: tensor<8x8xf32>, %g: tensor<8xf32>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %g : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %f = math.exp %b : f32
    %r = arith.mulf %a, %f : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @rest(%e: tensor<8x8xf32>, %l: tensor<8xf32>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
