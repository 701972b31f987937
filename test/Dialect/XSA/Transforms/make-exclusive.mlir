// RUN: xsa-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(xsa-make-exclusive))' | FileCheck %s
// RUN: xsa-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{denominator=sq_add strength=0.5}))' 2>/dev/null | FileCheck %s --check-prefix=SQADD

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// Query, key and value are projections of the same tokens.

// CHECK-DAG: #[[OWN:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// CHECK-LABEL: func @projections(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<l2_clamp, eps = {{[^>]*}}>, indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}, #[[OWN]], #[[OWN]]]
// CHECK-SAME: self_value(%{{.*}} : tensor<2x8x4xf32>)
// SQADD-LABEL: func @projections(
// SQADD: exclusion = #xsa.exclusion<sq_add, eps = {{.*}}, strength = {{.*}}>
func.func @projections(%x: tensor<2x8x16xf32>, %wq: tensor<2x16x4xf32>, %wk: tensor<2x16x4xf32>, %wv: tensor<2x16x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x8x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %q = linalg.batch_matmul ins(%x, %wq : tensor<2x8x16xf32>, tensor<2x16x4xf32>) outs(%fill : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %k = linalg.batch_matmul ins(%x, %wk : tensor<2x8x16xf32>, tensor<2x16x4xf32>) outs(%fill : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %v = linalg.batch_matmul ins(%x, %wv : tensor<2x8x16xf32>, tensor<2x16x4xf32>) outs(%fill : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// The last queries of a longer sequence: own rows are the last value rows.

// CHECK-LABEL: func @last_queries(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x4xf32>
// CHECK: tensor.extract_slice
// CHECK: %[[OWN:.*]] = tensor.extract_slice %[[X]][0, 5, 0] [2, 3, 4] [1, 1, 1]
// CHECK: self_value(%[[OWN]] : tensor<2x3x4xf32>)
func.func @last_queries(%x: tensor<2x8x4xf32>, %init: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %q = tensor.extract_slice %x[0, 5, 0] [2, 3, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<2x3x4xf32>
  %y = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %x, %x : tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// CHECK-LABEL: func @cross(
// CHECK-NOT: exclusion
func.func @cross(%x: tensor<2x8x4xf32>, %memory: tensor<2x8x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %e = tensor.empty() : tensor<2x8x4xf32>
  %q = linalg.exp ins(%x : tensor<2x8x4xf32>) outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %v = linalg.exp ins(%memory : tensor<2x8x4xf32>) outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  // expected-remark @below {{attention not made exclusive: query comes from argument 0, value from argument 1}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %v, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// Equal lengths, but the value of row i is the token before it.

// CHECK-LABEL: func @shifted(
// CHECK-NOT: exclusion
func.func @shifted(%x: tensor<2x9x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %q = tensor.extract_slice %x[0, 1, 0] [2, 8, 4] [1, 1, 1] : tensor<2x9x4xf32> to tensor<2x8x4xf32>
  %v = tensor.extract_slice %x[0, 0, 0] [2, 8, 4] [1, 1, 1] : tensor<2x9x4xf32> to tensor<2x8x4xf32>
  // expected-remark @below {{attention not made exclusive: query and value read different rows of argument 0}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %v, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// CHECK-LABEL: func @arguments(
// CHECK-NOT: exclusion
func.func @arguments(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  // expected-remark @below {{query and value are function arguments, which may be of different sequences (option assume-self takes them for one)}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// Reversed values are of other tokens.

// CHECK-LABEL: func @flipped(
// CHECK-NOT: exclusion
func.func @flipped(%x: tensor<2x8x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %e = tensor.empty() : tensor<2x8x4xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<2x8x4xf32>) {
  ^bb0(%out: f32):
    %b = linalg.index 0 : index
    %t = linalg.index 1 : index
    %c = linalg.index 2 : index
    %last = arith.constant 7 : index
    %r = arith.subi %last, %t : index
    %a = tensor.extract %x[%b, %r, %c] : tensor<2x8x4xf32>
    linalg.yield %a : f32
  } -> tensor<2x8x4xf32>
  // expected-remark @below {{query and value read different rows of argument 0}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %v, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// Earlier tokens of each sequence before the own ones.

// CHECK-LABEL: func @cache(
// CHECK: tensor.extract_slice %{{.*}}[0, 3, 0] [2, 8, 4] [1, 1, 1]
// CHECK: xsa.attention {exclusion
func.func @cache(%x: tensor<2x8x4xf32>, %past: tensor<2x3x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %all = tensor.concat dim(1) %past, %x : (tensor<2x3x4xf32>, tensor<2x8x4xf32>) -> tensor<2x11x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %all, %all : tensor<2x8x4xf32>, tensor<2x11x4xf32>, tensor<2x11x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
#one = affine_map<(b, i, c) -> (i, c)>
#id = affine_map<(b, i, c) -> (b, i, c)>

// The same first rows for every sequence.

// CHECK-LABEL: func @learned_prefix(
// CHECK-NOT: exclusion
func.func @learned_prefix(%x: tensor<2x8x4xf32>, %prefix: tensor<3x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %empty = tensor.empty() : tensor<2x3x4xf32>
  %repeated = linalg.generic {indexing_maps = [#one, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%prefix : tensor<3x4xf32>) outs(%empty : tensor<2x3x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<2x3x4xf32>
  %all = tensor.concat dim(1) %repeated, %x : (tensor<2x3x4xf32>, tensor<2x8x4xf32>) -> tensor<2x11x4xf32>
  // expected-remark @below {{attention not made exclusive: the first value rows are the same in every sequence (a learned prefix)}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %all, %all : tensor<2x8x4xf32>, tensor<2x11x4xf32>, tensor<2x11x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// A constant differs between sequences in nothing but its index.

// CHECK-LABEL: func @constant_prefix(
// CHECK-NOT: exclusion
func.func @constant_prefix(%x: tensor<2x8x1xf32>, %init: tensor<2x8x1xf32>) -> tensor<2x8x1xf32> {
  %prefix = arith.constant dense<[[[0.5], [1.5]], [[0.5], [1.5]]]> : tensor<2x2x1xf32>
  %all = tensor.concat dim(1) %prefix, %x : (tensor<2x2x1xf32>, tensor<2x8x1xf32>) -> tensor<2x10x1xf32>
  // expected-remark @below {{attention not made exclusive: the first value rows are the same in every sequence (a learned prefix)}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %all, %all : tensor<2x8x1xf32>, tensor<2x10x1xf32>, tensor<2x10x1xf32>)
      outs(%init : tensor<2x8x1xf32>) -> tensor<2x8x1xf32>
  return %y : tensor<2x8x1xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
#one = affine_map<(b, i, c) -> (i, c)>
#id = affine_map<(b, i, c) -> (b, i, c)>

// Latents that attend to the tokens of a sequence and to themselves.

// CHECK-LABEL: func @latents(
// CHECK-NOT: exclusion
func.func @latents(%x: tensor<2x8x4xf32>, %init: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %learned = arith.constant dense<[[0.0, 0.1, 0.2, 0.3], [0.4, 0.5, 0.6, 0.7], [0.8, 0.9, 1.0, 1.1]]> : tensor<3x4xf32>
  %empty = tensor.empty() : tensor<2x3x4xf32>
  %repeated = linalg.generic {indexing_maps = [#one, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%learned : tensor<3x4xf32>) outs(%empty : tensor<2x3x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  } -> tensor<2x3x4xf32>
  %all = tensor.concat dim(1) %x, %repeated : (tensor<2x8x4xf32>, tensor<2x3x4xf32>) -> tensor<2x11x4xf32>
  // expected-remark @below {{attention not made exclusive: the own value rows are the same in every sequence (latents), the others are not}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%repeated, %all, %all : tensor<2x3x4xf32>, tensor<2x11x4xf32>, tensor<2x11x4xf32>)
      outs(%init : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// Attention over channels: rows are rows of weights.

// CHECK-LABEL: func @weights(
// CHECK-NOT: exclusion
func.func @weights(%x: tensor<2x4x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %wq = arith.constant dense_resource<wq> : tensor<2x8x4xf32>
  %wv = arith.constant dense_resource<wv> : tensor<2x8x4xf32>
  %e = tensor.empty() : tensor<2x8x4xf32>
  %q = linalg.batch_matmul ins(%wq, %x : tensor<2x8x4xf32>, tensor<2x4x4xf32>) outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %v = linalg.batch_matmul ins(%wv, %x : tensor<2x8x4xf32>, tensor<2x4x4xf32>) outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  // expected-remark @below {{attention not made exclusive: rows of query and value are rows of different weights, such as their channels, and not tokens}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %v, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// Latents that ask: a constant is not called by the operation that holds it.

// CHECK-LABEL: func @learned_queries(
// CHECK-NOT: exclusion
func.func @learned_queries(%x: tensor<2x8x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %q = arith.constant dense_resource<latents> : tensor<2x8x4xf32>
  // expected-remark @below {{attention not made exclusive: query comes from a constant (weights or learned rows), value from argument 0}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %x, %x : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// Where the memory is longer, its last rows would be the own ones. That it is
// another sequence says more than at which position it is read, and an input
// says more than the position embedding that is added to it.

// CHECK-LABEL: func @cross_longer(
// CHECK-NOT: exclusion
func.func @cross_longer(%x: tensor<2x3x4xf32>, %memory: tensor<2x8x4xf32>, %init: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %positions = arith.constant dense_resource<positions> : tensor<2x8x4xf32>
  %e = tensor.empty() : tensor<2x8x4xf32>
  %v = linalg.add ins(%positions, %memory : tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  // expected-remark @below {{attention not made exclusive: query comes from argument 0, value from argument 1}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %v, %v : tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
