// RUN: xsa-opt %s --raise-attention-to-xsa | FileCheck %s

// Where no maximum is subtracted, exp(-1e9) is 0 in every row: the value is a mask
// also where a row may keep no key, for which the model computes 0 / 0.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @unshifted(
// CHECK: xsa.attention
// CHECK-SAME: mask(%{{.*}} : tensor<8x8xi1>)
// CHECK-NOT: xsa.yield
func.func @unshifted(%x: tensor<8x4xf32>, %keep: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %s = call @scores(%x, %keep) : (tensor<8x4xf32>, tensor<8x8xi1>) -> tensor<8x8xf32>
  %y = call @rest(%s, %x) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Less the maximum, such a row is an average over all keys.
// CHECK-LABEL: func @shifted(
// CHECK: xsa.attention
// CHECK-NOT: mask(
// CHECK: arith.constant -1.000000e+09
// CHECK: xsa.yield
func.func @shifted(%x: tensor<8x4xf32>, %keep: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %least = arith.constant 0xFF800000 : f32
  %s = call @scores(%x, %keep) : (tensor<8x4xf32>, tensor<8x8xi1>) -> tensor<8x8xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %em = tensor.empty() : tensor<8x1xf32>
  %m0 = linalg.fill ins(%least : f32) outs(%em : tensor<8x1xf32>) -> tensor<8x1xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%s : tensor<8x8xf32>) outs(%m0 : tensor<8x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x1xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x1xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = call @rest(%d, %x) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @scores(%x: tensor<8x4xf32>, %keep: tensor<8x8xi1>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %fill = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%keep, %s : tensor<8x8xi1>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%k: i1, %a: f32, %out: f32):
    %r = arith.select %k, %a, %fill : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  return %m : tensor<8x8xf32>
}

func.func private @rest(%s: tensor<8x8xf32>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8x1xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%el : tensor<8x1xf32>) -> tensor<8x1xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%e : tensor<8x8xf32>) outs(%l0 : tensor<8x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<8x1xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8x1xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
