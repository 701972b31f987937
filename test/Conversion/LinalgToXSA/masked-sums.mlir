// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention),cse)' 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not="remark:"

// Sums of exponentials over the keys that are kept: a probability may say in
// another way than the sum which those are, as long as it says the same.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#vec = affine_map<(i) -> (i)>

// As jax.nn.logsumexp(where=...) has it, and a 0 where a key is hidden.
// CHECK-LABEL: func @both_by_zero(
// CHECK: xsa.attention
// CHECK-SAME: mask(
// CHECK-NOT: math.exp
// CHECK: return
func.func @both_by_zero(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %h = arith.select %keep, %a, %zero : f32
    %x0 = math.exp %h : f32
    %e = arith.select %keep, %x0, %zero : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%sum : tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %d = arith.subf %a, %log : f32
    %x0 = math.exp %d : f32
    %e = arith.select %keep, %x0, %zero : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The probability is 0 by its score.
// CHECK-LABEL: func @score_of_minus_infinity(
// CHECK: xsa.attention
// CHECK-SAME: mask(
// CHECK-NOT: math.exp
// CHECK: return
func.func @score_of_minus_infinity(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %h = arith.select %keep, %a, %zero : f32
    %x0 = math.exp %h : f32
    %e = arith.select %keep, %x0, %zero : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%sum : tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %h = arith.select %keep, %a, %ninf : f32
    %d = arith.subf %h, %log : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// By its logarithm, as jax.nn.log_softmax(where=...) has it.
// CHECK-LABEL: func @logarithm_of_minus_infinity(
// CHECK: xsa.attention
// CHECK-SAME: mask(
// CHECK-NOT: math.exp
// CHECK: return
func.func @logarithm_of_minus_infinity(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %h = arith.select %keep, %a, %ninf : f32
    %e = math.exp %h : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%sum : tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %d = arith.subf %a, %log : f32
    %h = arith.select %keep, %d, %ninf : f32
    %e = math.exp %h : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// By a factor in the sum.
// CHECK-LABEL: func @factor_in_sum(
// CHECK: xsa.attention
// CHECK-SAME: mask(
// CHECK-NOT: math.exp
// CHECK: return
func.func @factor_in_sum(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %x0 = math.exp %a : f32
    %n = arith.uitofp %keep : i1 to f32
    %e = arith.mulf %x0, %n : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%sum : tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %d = arith.subf %a, %log : f32
    %x0 = math.exp %d : f32
    %e = arith.select %keep, %x0, %zero : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// What stands in place of a hidden score is of no interest.
// CHECK-LABEL: func @other_score_where_hidden(
// CHECK: xsa.attention
// CHECK-SAME: mask(
// CHECK-NOT: math.exp
// CHECK: return
func.func @other_score_where_hidden(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %h = arith.select %keep, %a, %zero : f32
    %x0 = math.exp %h : f32
    %e = arith.select %keep, %x0, %zero : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%sum : tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %c = arith.constant 3.0 : f32
    %h = arith.select %keep, %a, %c : f32
    %d = arith.subf %h, %log : f32
    %x0 = math.exp %d : f32
    %e = arith.select %keep, %x0, %zero : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Keys are hidden from the sum and others from the values.
// CHECK-LABEL: func @another_mask(
// CHECK-NOT: xsa.attention
// CHECK: return
// REMARK: remark: attention left alone: exponentials of scores are not seen to be divided by their sum over the same keys
func.func @another_mask(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>, %m2: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %h = arith.select %keep, %a, %zero : f32
    %x0 = math.exp %h : f32
    %e = arith.select %keep, %x0, %zero : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%sum : tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m2 : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %d = arith.subf %a, %log : f32
    %x0 = math.exp %d : f32
    %e = arith.select %keep, %x0, %zero : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Hidden keys are left out of the sum, and weigh values all the same.
// CHECK-LABEL: func @hidden_from_sum_only(
// CHECK-NOT: xsa.attention
// CHECK: return
// REMARK: remark: attention left alone: exponentials of scores are not seen to be divided by their sum over the same keys
func.func @hidden_from_sum_only(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %h = arith.select %keep, %a, %zero : f32
    %x0 = math.exp %h : f32
    %e = arith.select %keep, %x0, %zero : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%sum : tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %d = arith.subf %a, %log : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Hidden keys weigh no value, and count in the sum.
// CHECK-LABEL: func @hidden_from_values_only(
// CHECK-NOT: xsa.attention
// CHECK: return
// REMARK: remark: attention left alone: probabilities are set to 0 after the softmax under a condition that is not its mask
func.func @hidden_from_values_only(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %e = math.exp %a : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%sum : tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %d = arith.subf %a, %log : f32
    %x0 = math.exp %d : f32
    %e = arith.select %keep, %x0, %zero : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The sum has another score than the probability where keys are kept.
// CHECK-LABEL: func @other_score_in_sum(
// CHECK-NOT: xsa.attention
// CHECK: return
// REMARK: remark: attention left alone: exponentials of scores are not seen to be divided by their sum over the same keys
func.func @other_score_in_sum(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %h = arith.select %keep, %zero, %zero : f32
    %x0 = math.exp %h : f32
    %e = arith.select %keep, %x0, %zero : f32
    %r = arith.addf %o, %e : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%sum : tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.log %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %d = arith.subf %a, %log : f32
    %x0 = math.exp %d : f32
    %e = arith.select %keep, %x0, %zero : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// As jax.scipy.special.logsumexp(b=...) has it: NaN where the sum is negative,
// which it never is.
// CHECK-LABEL: func @sign_of_the_sum(
// CHECK: xsa.attention
// CHECK-SAME: mask(
// CHECK-NOT: math.exp
// CHECK: return
func.func @sign_of_the_sum(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %h = arith.select %keep, %a, %ninf : f32
    %e = math.exp %h : f32
    %b = arith.uitofp %keep : i1 to f32
    %w = arith.mulf %b, %e : f32
    %r = arith.addf %o, %w : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %first = tensor.extract_slice %s[0, 0] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec, #vec], iterator_types = ["parallel"]} ins(%sum, %first : tensor<8xf32>, tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %f: f32, %o: f32):
    %differs = arith.cmpf one, %a, %zero : f32
    %n = arith.uitofp %differs : i1 to f32
    %signed = math.copysign %n, %a : f32
    %unordered = arith.cmpf uno, %a, %a : f32
    %sign = arith.select %unordered, %a, %signed : f32
    %abs = math.absf %a : f32
    %log = math.log %abs : f32
    %negative = arith.cmpf olt, %sign, %zero : f32
    %r = arith.select %negative, %nan, %log : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %d = arith.subf %a, %log : f32
    %e = math.exp %d : f32
    %b = arith.uitofp %keep : i1 to f32
    %w = arith.mulf %e, %b : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// NaN where something else is negative.
// REMARK: remark: attention left alone: exponentials of scores are not seen to be divided by their sum over the same keys
// CHECK-LABEL: func @sign_of_a_score(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @sign_of_a_score(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%r0 : tensor<8xf32>) {
  ^bb0(%a: f32, %keep: i1, %o: f32):
    %h = arith.select %keep, %a, %ninf : f32
    %e = math.exp %h : f32
    %b = arith.uitofp %keep : i1 to f32
    %w = arith.mulf %b, %e : f32
    %r = arith.addf %o, %w : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %first = tensor.extract_slice %s[0, 0] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %l = linalg.generic {indexing_maps = [#vec, #vec, #vec], iterator_types = ["parallel"]} ins(%sum, %first : tensor<8xf32>, tensor<8xf32>) outs(%er : tensor<8xf32>) {
  ^bb0(%a: f32, %f: f32, %o: f32):
    %differs = arith.cmpf one, %f, %zero : f32
    %n = arith.uitofp %differs : i1 to f32
    %signed = math.copysign %n, %f : f32
    %unordered = arith.cmpf uno, %f, %f : f32
    %sign = arith.select %unordered, %f, %signed : f32
    %abs = math.absf %a : f32
    %log = math.log %abs : f32
    %negative = arith.cmpf olt, %sign, %zero : f32
    %r = arith.select %negative, %nan, %log : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %l, %m : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %log: f32, %keep: i1, %o: f32):
    %d = arith.subf %a, %log : f32
    %e = math.exp %d : f32
    %b = arith.uitofp %keep : i1 to f32
    %w = arith.mulf %e, %b : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
