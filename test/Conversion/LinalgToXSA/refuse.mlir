// RUN: xsa-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(xsa-raise-attention))' | FileCheck %s

// What looks like attention and is not: left as it is, with the first condition
// that failed. CHECK-NOT over the whole output: nothing is raised here.

// CHECK-NOT: xsa.attention

#q = affine_map<(m, j, d) -> (m, d)>
#k = affine_map<(m, j, d) -> (j, d)>
#s = affine_map<(m, j, d) -> (m, j)>
#id = affine_map<(m, j) -> (m, j)>
#row = affine_map<(m, j) -> (m)>
#col = affine_map<(m, j) -> (j)>
#p = affine_map<(m, n, j) -> (m, j)>
#v = affine_map<(m, n, j) -> (j, n)>
#o = affine_map<(m, n, j) -> (m, n)>

// Each column of the probabilities adds up to one, not each row.
func.func @softmax_over_queries(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %c, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %e = linalg.exp ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %l = linalg.reduce ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
    }
  %p = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  // expected-remark @below {{attention left alone: softmax runs over another axis than the keys that are summed with the values, such as the query axis}}
  %y = linalg.matmul ins(%p, %v : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#id = affine_map<(m, j) -> (m, j)>
#row = affine_map<(m, j) -> (m)>

// Scores that come from nowhere: softmax of an argument.
func.func @scores_given(%s: tensor<8x8xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %e = linalg.exp ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %l = linalg.reduce ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
    }
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  // expected-remark @below {{attention left alone: scores are not a product of queries and keys}}
  %y = linalg.matmul ins(%p, %v : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#id = affine_map<(m, j) -> (m, j)>
#row = affine_map<(m, j) -> (m)>

// Rows do not add up to one once a factor differs between keys.
func.func @factor_after_softmax(%s: tensor<8x8xf32>, %mask: tensor<8x8xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %e = linalg.exp ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %l = linalg.reduce ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %r = arith.addf %a, %b : f32
      linalg.yield %r : f32
    }
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l, %mask : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %r = arith.divf %a, %b : f32
    %f = arith.mulf %r, %c : f32
    linalg.yield %f : f32
  } -> tensor<8x8xf32>
  // expected-remark @below {{attention left alone: probabilities are multiplied by a factor that differs between keys after the softmax}}
  %y = linalg.matmul ins(%p, %v : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#id = affine_map<(m, j) -> (m, j)>

// Each score by itself says how much a value weighs.
func.func @sigmoid_of_scores(%x: tensor<8x4xf32>, %w: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %q = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%q : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32):
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %r = arith.divf %one, %d : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  // expected-remark @below {{attention left alone: what weighs the values is computed from products of queries and keys and is not one softmax of them}}
  %y = linalg.matmul ins(%p, %q : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#id = affine_map<(m, j) -> (m, j)>

// The same with weights in place of keys and values is no attention at all.
func.func @two_layers(%x: tensor<8x4xf32>, %up: tensor<4x16xf32>, %down: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eh = tensor.empty() : tensor<8x16xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %h0 = linalg.fill ins(%zero : f32) outs(%eh : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %h = linalg.matmul ins(%x, %up : tensor<8x4xf32>, tensor<4x16xf32>) outs(%h0 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<8x16xf32>) outs(%eh : tensor<8x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %r = arith.divf %one, %d : f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  %y = linalg.matmul ins(%p, %down : tensor<8x16xf32>, tensor<16x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#of = affine_map<(h, i, j, d) -> (d, i, j)>
#w = affine_map<(h, i, j, d) -> (d, h)>
#p = affine_map<(h, i, d, j) -> (h, i, j)>
#v = affine_map<(h, i, d, j) -> (h, j, d)>
#y = affine_map<(h, i, d, j) -> (h, i, d)>
#id = affine_map<(h, i, j) -> (h, i, j)>

// Talking heads: scores of all heads are added up, with weights.
func.func @heads_mixed_before(%x0: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %weights = arith.constant dense<[[1.0, 0.5, 0.0], [0.0, 1.0, 2.0], [3.0, 0.0, 1.0]]> : tensor<3x3xf32>
  %es = tensor.empty() : tensor<3x8x8xf32>
  %ey = tensor.empty() : tensor<3x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x0 : tensor<3x8x4xf32>) outs(%ey : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<3x8x4xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %x : tensor<3x8x4xf32>, tensor<3x8x4xf32>) outs(%s0 : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x8xf32>
  %m = linalg.generic {indexing_maps = [#of, #w, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%s, %weights : tensor<3x8x8xf32>, tensor<3x3xf32>) outs(%s0 : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  // expected-remark @below {{attention left alone: scores are mixed with one another before the softmax, such as those of several heads}}
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %x : tensor<3x8x8xf32>, tensor<3x8x4xf32>) outs(%y0 : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x4xf32>
  return %y : tensor<3x8x4xf32>
}

// -----

#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#of = affine_map<(h, i, j, d) -> (d, i, j)>
#w = affine_map<(h, i, j, d) -> (d, h)>
#p = affine_map<(h, i, d, j) -> (h, i, j)>
#v = affine_map<(h, i, d, j) -> (h, j, d)>
#y = affine_map<(h, i, d, j) -> (h, i, d)>
#id = affine_map<(h, i, j) -> (h, i, j)>

// Probabilities of all heads are.
func.func @heads_mixed_after(%x0: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %weights = arith.constant dense<[[1.0, 0.5, 0.0], [0.0, 1.0, 2.0], [3.0, 0.0, 1.0]]> : tensor<3x3xf32>
  %es = tensor.empty() : tensor<3x8x8xf32>
  %ey = tensor.empty() : tensor<3x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x0 : tensor<3x8x4xf32>) outs(%ey : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<3x8x4xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %x : tensor<3x8x4xf32>, tensor<3x8x4xf32>) outs(%s0 : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %m = linalg.generic {indexing_maps = [#of, #w, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %weights : tensor<3x8x8xf32>, tensor<3x3xf32>) outs(%s0 : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x8xf32>
  // expected-remark @below {{attention left alone: probabilities are mixed with one another after the softmax, such as those of several heads}}
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%m, %x : tensor<3x8x8xf32>, tensor<3x8x4xf32>) outs(%y0 : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x4xf32>
  return %y : tensor<3x8x4xf32>
}

// -----

#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#of = affine_map<(h, i, j, d) -> (d, i, j)>
#w = affine_map<(h, i, j, d) -> (d, h)>
#p = affine_map<(h, i, d, j) -> (h, i, j)>
#v = affine_map<(h, i, d, j) -> (h, j, d)>
#y = affine_map<(h, i, d, j) -> (h, i, d)>
#id = affine_map<(h, i, j) -> (h, i, j)>

// An operation that is no part of attention.
func.func @magnitude_of_scores(%x0: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %weights = arith.constant dense<[[1.0, 0.5, 0.0], [0.0, 1.0, 2.0], [3.0, 0.0, 1.0]]> : tensor<3x3xf32>
  %es = tensor.empty() : tensor<3x8x8xf32>
  %ey = tensor.empty() : tensor<3x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x0 : tensor<3x8x4xf32>) outs(%ey : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<3x8x4xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %x : tensor<3x8x4xf32>, tensor<3x8x4xf32>) outs(%s0 : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x8xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.absf %a : f32
    %r = arith.addf %n, %n : f32
    linalg.yield %r : f32
  } -> tensor<3x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  // expected-remark @below {{attention left alone: scores go through 'abs' before the softmax}}
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %x : tensor<3x8x8xf32>, tensor<3x8x4xf32>) outs(%y0 : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x4xf32>
  return %y : tensor<3x8x4xf32>
}

// -----

#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#of = affine_map<(h, i, j, d) -> (d, i, j)>
#w = affine_map<(h, i, j, d) -> (d, h)>
#p = affine_map<(h, i, d, j) -> (h, i, j)>
#v = affine_map<(h, i, d, j) -> (h, j, d)>
#y = affine_map<(h, i, d, j) -> (h, i, d)>
#id = affine_map<(h, i, j) -> (h, i, j)>

// Scores times their own sigmoid.
func.func @scores_gated(%x0: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %weights = arith.constant dense<[[1.0, 0.5, 0.0], [0.0, 1.0, 2.0], [3.0, 0.0, 1.0]]> : tensor<3x3xf32>
  %es = tensor.empty() : tensor<3x8x8xf32>
  %ey = tensor.empty() : tensor<3x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x0 : tensor<3x8x4xf32>) outs(%ey : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<3x8x4xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %x : tensor<3x8x4xf32>, tensor<3x8x4xf32>) outs(%s0 : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x8xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %g = arith.divf %one, %d : f32
    %r = arith.mulf %a, %g : f32
    linalg.yield %r : f32
  } -> tensor<3x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  // expected-remark @below {{attention left alone: scores are multiplied by what is computed from products of queries and keys}}
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %x : tensor<3x8x8xf32>, tensor<3x8x4xf32>) outs(%y0 : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x4xf32>
  return %y : tensor<3x8x4xf32>
}

// -----

#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#of = affine_map<(h, i, j, d) -> (d, i, j)>
#w = affine_map<(h, i, j, d) -> (d, h)>
#p = affine_map<(h, i, d, j) -> (h, i, j)>
#v = affine_map<(h, i, d, j) -> (h, j, d)>
#y = affine_map<(h, i, d, j) -> (h, i, d)>
#id = affine_map<(h, i, j) -> (h, i, j)>

func.func @scores_squared(%x0: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %weights = arith.constant dense<[[1.0, 0.5, 0.0], [0.0, 1.0, 2.0], [3.0, 0.0, 1.0]]> : tensor<3x3xf32>
  %es = tensor.empty() : tensor<3x8x8xf32>
  %ey = tensor.empty() : tensor<3x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x0 : tensor<3x8x4xf32>) outs(%ey : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<3x8x4xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %x : tensor<3x8x4xf32>, tensor<3x8x4xf32>) outs(%s0 : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x8xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<3x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  // expected-remark @below {{attention left alone: scores are multiplied by scores before the softmax}}
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %x : tensor<3x8x8xf32>, tensor<3x8x4xf32>) outs(%y0 : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x4xf32>
  return %y : tensor<3x8x4xf32>
}

// -----

#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#of = affine_map<(h, i, j, d) -> (d, i, j)>
#w = affine_map<(h, i, j, d) -> (d, h)>
#p = affine_map<(h, i, d, j) -> (h, i, j)>
#v = affine_map<(h, i, d, j) -> (h, j, d)>
#y = affine_map<(h, i, d, j) -> (h, i, d)>
#id = affine_map<(h, i, j) -> (h, i, j)>

func.func @number_over_scores(%x0: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %weights = arith.constant dense<[[1.0, 0.5, 0.0], [0.0, 1.0, 2.0], [3.0, 0.0, 1.0]]> : tensor<3x3xf32>
  %es = tensor.empty() : tensor<3x8x8xf32>
  %ey = tensor.empty() : tensor<3x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x0 : tensor<3x8x4xf32>) outs(%ey : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<3x8x4xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %x : tensor<3x8x4xf32>, tensor<3x8x4xf32>) outs(%s0 : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x8xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %r = arith.divf %one, %a : f32
    linalg.yield %r : f32
  } -> tensor<3x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  // expected-remark @below {{attention left alone: a number is divided by scores before the softmax}}
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %x : tensor<3x8x8xf32>, tensor<3x8x4xf32>) outs(%y0 : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x4xf32>
  return %y : tensor<3x8x4xf32>
}

// -----

#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#of = affine_map<(h, i, j, d) -> (d, i, j)>
#w = affine_map<(h, i, j, d) -> (d, h)>
#p = affine_map<(h, i, d, j) -> (h, i, j)>
#v = affine_map<(h, i, d, j) -> (h, j, d)>
#y = affine_map<(h, i, d, j) -> (h, i, d)>
#id = affine_map<(h, i, j) -> (h, i, j)>
#whole = affine_map<(h, i, j, d) -> (h, i, j, d)>
#learned = affine_map<(h, i, j, d) -> (d)>

// Additive attention: a learned vector times tanh(q + k).
func.func @learned_over_sums(%x0: tensor<3x8x4xf32>) -> tensor<3x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %weights = arith.constant dense<[[1.0, 0.5, 0.0], [0.0, 1.0, 2.0], [3.0, 0.0, 1.0]]> : tensor<3x3xf32>
  %es = tensor.empty() : tensor<3x8x8xf32>
  %ey = tensor.empty() : tensor<3x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x0 : tensor<3x8x4xf32>) outs(%ey : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<3x8x4xf32>
  %u = tensor.empty() : tensor<3x8x8x4xf32>
  %t = linalg.generic {indexing_maps = [#q, #k, #whole], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %x : tensor<3x8x4xf32>, tensor<3x8x4xf32>) outs(%u : tensor<3x8x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = math.tanh %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x8x4xf32>
  %l = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#learned, #whole, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%l, %t : tensor<4xf32>, tensor<3x8x8x4xf32>) outs(%s0 : tensor<3x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<3x8x8xf32>) outs(%es : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
  // expected-remark @below {{attention left alone: scores are not products of one query for each row and one key for each value}}
  %y = linalg.generic {indexing_maps = [#p, #v, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %x : tensor<3x8x8xf32>, tensor<3x8x4xf32>) outs(%y0 : tensor<3x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x8x4xf32>
  return %y : tensor<3x8x4xf32>
}

// -----

#id = affine_map<(m, j) -> (m, j)>

// Two factors that are numbers in f32 as their product is not: 0 times each
// stays 0.
func.func @scales_too_large(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %large = arith.constant 1.0e30 : f32
    %0 = arith.mulf %a, %large : f32
    %1 = arith.mulf %0, %large : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark-re @below {{attention left alone: the raised form is not valid: 'xsa.attention' op expected 'scale' to be finite as 'f32', got {{.*}}E+60 : f64}}
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#id = affine_map<(m, j) -> (m, j)>

// A soft cap of 1e-30 times 1e-30.
func.func @cap_too_small(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %small = arith.constant 1.0e-30 : f32
    %0 = math.tanh %a : f32
    %1 = arith.mulf %0, %small : f32
    %2 = arith.mulf %1, %small : f32
    linalg.yield %2 : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark-re @below {{attention left alone: the raised form is not valid: 'xsa.attention' op expected 'softcap' to be finite and positive as 'f32', got {{.*}} : f64}}
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
