// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive))' --split-input-file --verify-diagnostics | FileCheck %s

// One query row: its index is a number in every tensor, so the own token is the
// one that the query and the own key are read from and no other key is.

#q = affine_map<(b, m, d, j, n) -> (b, m, d)>
#k = affine_map<(b, m, d, j, n) -> (b, j, d)>
#v = affine_map<(b, m, d, j, n) -> (b, j, n)>
#o = affine_map<(b, m, d, j, n) -> (b, m, n)>

// A cache, and the own token behind it. Weights may be arguments.
// CHECK-LABEL: func.func @behind_cache
// CHECK:         %[[OWN:.*]] = tensor.extract_slice %{{.*}}[0, 7, 0] [2, 1, 4] [1, 1, 1]
// CHECK:         xsa.attention {exclusion =
// CHECK-SAME:      self_value(%[[OWN]] :
func.func @behind_cache(%x: tensor<2x1x4xf32>, %cache: tensor<2x7x4xf32>, %w: tensor<2x4x4xf32>) -> tensor<2x1x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x1x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %wt = tensor.extract_slice %w[0, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<2x4x4xf32> to tensor<4x4xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(b, i, n, c) -> (b, i, c)>, affine_map<(b, i, n, c) -> (c, n)>, affine_map<(b, i, n, c) -> (b, i, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %wt : tensor<2x1x4xf32>, tensor<4x4xf32>) outs(%f : tensor<2x1x4xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x1x4xf32>
  %kv = tensor.concat dim(1) %cache, %v : (tensor<2x7x4xf32>, tensor<2x1x4xf32>) -> tensor<2x8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%x, %kv, %kv : tensor<2x1x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%e : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// -----

#q = affine_map<(b, m, d, j, n) -> (b, m, d)>
#k = affine_map<(b, m, d, j, n) -> (b, j, d)>
#v = affine_map<(b, m, d, j, n) -> (b, j, n)>
#o = affine_map<(b, m, d, j, n) -> (b, m, n)>

// The last of all tokens.
// CHECK-LABEL: func.func @last_token
// CHECK:         tensor.extract_slice %{{.*}}[0, 7, 0] [2, 1, 4] [1, 1, 1]
// CHECK:         xsa.attention {exclusion =
func.func @last_token(%x: tensor<2x8x4xf32>) -> tensor<2x1x4xf32> {
  %e = tensor.empty() : tensor<2x1x4xf32>
  %last = tensor.extract_slice %x[0, 7, 0] [2, 1, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<2x1x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%last, %x, %x : tensor<2x1x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%e : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// -----

#q = affine_map<(b, m, d, j, n) -> (b, m, d)>
#k = affine_map<(b, m, d, j, n) -> (b, j, d)>
#v = affine_map<(b, m, d, j, n) -> (b, j, n)>
#o = affine_map<(b, m, d, j, n) -> (b, m, n)>

// The first token is not the own one, which is the last.
// CHECK-LABEL: func.func @first_token
// CHECK-NOT:     exclusion
func.func @first_token(%x: tensor<2x8x4xf32>) -> tensor<2x1x4xf32> {
  %e = tensor.empty() : tensor<2x1x4xf32>
  %first = tensor.extract_slice %x[0, 0, 0] [2, 1, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<2x1x4xf32>
  // expected-remark @below {{attention not made exclusive: query and value read different rows of argument 0}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%first, %x, %x : tensor<2x1x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%e : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// -----

#q = affine_map<(b, m, d, j, n) -> (b, m, d)>
#k = affine_map<(b, m, d, j, n) -> (b, j, d)>
#v = affine_map<(b, m, d, j, n) -> (b, j, n)>
#o = affine_map<(b, m, d, j, n) -> (b, m, n)>

// Another sequence.
// CHECK-LABEL: func.func @cross
// CHECK-NOT:     exclusion
func.func @cross(%x: tensor<2x1x4xf32>, %z: tensor<2x8x4xf32>) -> tensor<2x1x4xf32> {
  %e = tensor.empty() : tensor<2x1x4xf32>
  %h = math.exp %x : tensor<2x1x4xf32>
  %kv = math.exp %z : tensor<2x8x4xf32>
  // expected-remark @below {{attention not made exclusive: query comes from argument 0, value from argument 1}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%h, %kv, %kv : tensor<2x1x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%e : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// -----

#q = affine_map<(b, m, d, j, n) -> (b, m, d)>
#k = affine_map<(b, m, d, j, n) -> (b, j, d)>
#v = affine_map<(b, m, d, j, n) -> (b, j, n)>
#o = affine_map<(b, m, d, j, n) -> (b, m, n)>

// All tokens are in the query, and in every key.
// CHECK-LABEL: func.func @pooled
// CHECK-NOT:     exclusion
func.func @pooled(%x: tensor<2x8x4xf32>, %w: tensor<8x8xf32>) -> tensor<2x1x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x1x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  %eq = tensor.empty() : tensor<2x4xf32>
  %fq = linalg.fill ins(%zero : f32) outs(%eq : tensor<2x4xf32>) -> tensor<2x4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<2x8x4xf32>) outs(%fq : tensor<2x4xf32>) dimensions = [1]
  %query = tensor.expand_shape %sum [[0], [1, 2]] output_shape [2, 1, 4] : tensor<2x4xf32> into tensor<2x1x4xf32>
  %ek = tensor.empty() : tensor<2x8x4xf32>
  %fk = linalg.fill ins(%zero : f32) outs(%ek : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %mixed = linalg.generic {indexing_maps = [affine_map<(b, i, c, t) -> (i, t)>, affine_map<(b, i, c, t) -> (b, t, c)>, affine_map<(b, i, c, t) -> (b, i, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %x : tensor<8x8xf32>, tensor<2x8x4xf32>) outs(%fk : tensor<2x8x4xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x8x4xf32>
  // expected-remark @below {{attention not made exclusive}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%query, %mixed, %mixed : tensor<2x1x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%e : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// -----

#q = affine_map<(b, m, d, j, n) -> (b, m, d)>
#k = affine_map<(b, m, d, j, n) -> (b, j, d)>
#v = affine_map<(b, m, d, j, n) -> (b, j, n)>
#o = affine_map<(b, m, d, j, n) -> (b, m, n)>

// One key that all tokens are in: nothing tells it from a token of its own.
// CHECK-LABEL: func.func @pooled_to_one_key
// CHECK-NOT:     exclusion
func.func @pooled_to_one_key(%x: tensor<2x8x4xf32>) -> tensor<2x1x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x1x4xf32>
  %eq = tensor.empty() : tensor<2x4xf32>
  %fq = linalg.fill ins(%zero : f32) outs(%eq : tensor<2x4xf32>) -> tensor<2x4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<2x8x4xf32>) outs(%fq : tensor<2x4xf32>) dimensions = [1]
  %one = tensor.expand_shape %sum [[0], [1, 2]] output_shape [2, 1, 4] : tensor<2x4xf32> into tensor<2x1x4xf32>
  // expected-remark @below {{attention not made exclusive: value rows are not computed token by token}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%one, %one, %one : tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>) outs(%e : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}

// -----

#q = affine_map<(b, m, d, j, n) -> (b, m, d)>
#k = affine_map<(b, m, d, j, n) -> (b, j, d)>
#v = affine_map<(b, m, d, j, n) -> (b, j, n)>
#o = affine_map<(b, m, d, j, n) -> (b, m, n)>

// StableHLO's concatenation chooses for each element.
// CHECK-LABEL: func.func @behind_cache_by_branches
// CHECK:         tensor.extract_slice %{{.*}}[0, 7, 0] [2, 1, 4] [1, 1, 1]
// CHECK:         xsa.attention {exclusion =
func.func @behind_cache_by_branches(%x: tensor<2x1x4xf32>, %cache: tensor<2x7x4xf32>) -> tensor<2x1x4xf32> {
  %c7 = arith.constant 7 : index
  %e = tensor.empty() : tensor<2x1x4xf32>
  %ekv = tensor.empty() : tensor<2x8x4xf32>
  %kv = linalg.generic {indexing_maps = [affine_map<(b, j, n) -> (b, j, n)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ekv : tensor<2x8x4xf32>) {
  ^bb0(%out: f32):
    %b = linalg.index 0 : index
    %j = linalg.index 1 : index
    %n = linalg.index 2 : index
    %old = arith.cmpi ult, %j, %c7 : index
    %r = scf.if %old -> (f32) {
      %a = tensor.extract %cache[%b, %j, %n] : tensor<2x7x4xf32>
      scf.yield %a : f32
    } else {
      %i = arith.subi %j, %c7 : index
      %a = tensor.extract %x[%b, %i, %n] : tensor<2x1x4xf32>
      scf.yield %a : f32
    }
    linalg.yield %r : f32
  } -> tensor<2x8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%x, %kv, %kv : tensor<2x1x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%e : tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
  return %y : tensor<2x1x4xf32>
}
