// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s

// The own value is taken out of parts of the output, or more than once.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#id3 = affine_map<(i, h, j) -> (i, h, j)>
#row3 = affine_map<(i, h, j) -> (i, h)>

// Each half of the columns by itself is another projection.
// CHECK-LABEL: func @each_half(
// CHECK: xsa.attention {indexing_maps
// CHECK: xsa.exclude
// CHECK: return
func.func @each_half(%x: tensor<8x8xf32>) -> tensor<8x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %yh = tensor.expand_shape %y [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %vh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %er = tensor.empty() : tensor<8x2xf32>
  %ez = tensor.empty() : tensor<8x2x4xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8x2xf32>) -> tensor<8x2xf32>
  %dot = linalg.generic {indexing_maps = [#id3, #id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%yh, %vh : tensor<8x2x4xf32>, tensor<8x2x4xf32>) outs(%r0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %norm = linalg.generic {indexing_maps = [#id3, #row3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%vh : tensor<8x2x4xf32>) outs(%r0 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2xf32>
  %z = linalg.generic {indexing_maps = [#id3, #id3, #row3, #row3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%yh, %vh, %dot, %norm : tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2xf32>, tensor<8x2xf32>) outs(%ez : tensor<8x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %f = arith.divf %c, %d : f32
    %m = arith.mulf %f, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x2x4xf32>
  return %z : tensor<8x2x4xf32>
}

// So is one of the first columns alone.
// CHECK-LABEL: func @first_half(
// CHECK: xsa.attention {indexing_maps
// CHECK: xsa.exclude
// CHECK: return
func.func @first_half(%x: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %yh = tensor.extract_slice %y[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %vh = tensor.extract_slice %x[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ez = tensor.empty() : tensor<8x4xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%yh, %vh : tensor<8x4xf32>, tensor<8x4xf32>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%vh : tensor<8x4xf32>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%yh, %vh, %dot, %norm : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%ez : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %f = arith.divf %c, %d : f32
    %m = arith.mulf %f, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// A number per token, squared.
// CHECK-LABEL: func @squared_strength(
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<8xf32>)
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[G]] :
// CHECK: arith.mulf
// CHECK: xsa.attention {exclusion{{.*}} strength(%[[S]]
// CHECK: return
func.func @squared_strength(%x: tensor<8x8xf32>, %strength: tensor<8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ez = tensor.empty() : tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %norm, %strength : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%ez : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %g: f32, %o: f32):
    %f = arith.divf %c, %d : f32
    %gg = arith.mulf %g, %g : f32
    %h = arith.mulf %f, %gg : f32
    %m = arith.mulf %h, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// What the operation takes out by half is taken out again by itself.
// CHECK-LABEL: func @once_more(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw, strength = 5.000000e-01>
// CHECK: xsa.exclude
// CHECK: return
func.func @once_more(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<8x8xf32>
  %y = xsa.attention {exclusion = #xsa.exclusion<raw, strength = 0.5>, indexing_maps = [affine_map<(m, k1, k2, n) -> (m, k1)>, affine_map<(m, k1, k2, n) -> (k2, k1)>, affine_map<(m, k1, k2, n) -> (k2, n)>, affine_map<(m, k1, k2, n) -> (m, n)>, affine_map<(m, k1, k2, n) -> (m, n)>]}
      ins(%x, %x, %x : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) self_value(%x : tensor<8x8xf32>)
      outs(%ey : tensor<8x8xf32>) -> tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ez = tensor.empty() : tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %norm : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%ez : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %f = arith.divf %c, %d : f32
    %m = arith.mulf %f, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}

// What is added in the same step is not dropped.
// CHECK-LABEL: func @added_to_what_is_left(
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<8xf32>)
// CHECK: xsa.attention {indexing_maps
// CHECK: linalg.generic {{.*}} %[[M]]
// CHECK: return
func.func @added_to_what_is_left(%x: tensor<8x8xf32>, %more: tensor<8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %changed = linalg.tanh ins(%y : tensor<8x8xf32>) outs(%ey : tensor<8x8xf32>) -> tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ez = tensor.empty() : tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%changed, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %norm = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%changed, %x, %dot, %norm, %more : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%ez : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %g: f32, %o: f32):
    %f = arith.divf %c, %d : f32
    %m = arith.mulf %f, %b : f32
    %w = arith.subf %a, %m : f32
    %r = arith.addf %w, %g : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}
