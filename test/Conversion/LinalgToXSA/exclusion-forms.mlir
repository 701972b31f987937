// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention,xsa-make-exclusive),cse)' 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention,xsa-make-exclusive))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Exclusions whose parts do not add up to the formula term by term: a strength
// that makes up for another denominator, an output that is changed before, and
// something that is added after.

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>
#id = affine_map<(i, e) -> (i, e)>
#row = affine_map<(i, e) -> (i)>
#column = affine_map<(i, e) -> (e)>
#one = affine_map<(i) -> (i)>
#left = affine_map<(i, d, e) -> (i, d)>
#right = affine_map<(i, d, e) -> (i, e)>
#both = affine_map<(i, d, e) -> (i, d, e)>

// The length of the output times the cosine between it and the own value.
// CHECK-LABEL: func @cosine(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: strength(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @cosine(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %yy = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %y : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %yy, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %out: f32):
    %l = math.sqrt %a3 : f32
    %s = math.sqrt %a4 : f32
    %ls = arith.mulf %l, %s : f32
    %cos = arith.divf %a2, %ls : f32
    %p = arith.mulf %l, %cos : f32
    %u = arith.divf %a1, %s : f32
    %m = arith.mulf %p, %u : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// With a least length, the cosine is less than that where the output is short:
// the strength depends on the output, so the exclusion comes after it.
// CHECK-LABEL: func @clamped_cosine(
// CHECK: xsa.attention {indexing_maps
// CHECK: xsa.exclude {exclusion = #xsa.exclusion<raw>,
// CHECK-SAME: strength(
// CHECK: return
func.func @clamped_cosine(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %yy = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %y : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %yy, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %out: f32):
    %l = math.sqrt %a3 : f32
    %lc = arith.maximumf %l, %eps : f32
    %s = math.sqrt %a4 : f32
    %ls = arith.mulf %lc, %s : f32
    %cos = arith.divf %a2, %ls : f32
    %p = arith.mulf %l, %cos : f32
    %u = arith.divf %a1, %s : f32
    %m = arith.mulf %p, %u : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// A bias is added before.
// CHECK-LABEL: func @biased_before(
// CHECK: xsa.attention {indexing_maps
// CHECK: xsa.exclude {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: strength(
// CHECK: return
func.func @biased_before(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %w = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %b : tensor<8x4xf32>, tensor<4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%w, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %c = arith.divf %a2, %a3 : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// The own value is added before, and taken out again.
// CHECK-LABEL: func @own_value_before(
// CHECK: xsa.attention {indexing_maps
// CHECK: xsa.exclude {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: strength(
// CHECK: return
func.func @own_value_before(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %w = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%w, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %c = arith.divf %a2, %a3 : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// Something is added after.
// CHECK-LABEL: func @added_after(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK: arith.addf
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @added_after(%x: tensor<8x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n, %b : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %out: f32):
    %c = arith.divf %a2, %a3 : f32
    %m = arith.mulf %c, %a1 : f32
    %t = arith.addf %a0, %a4 : f32
    %r = arith.subf %t, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// The projection is left out where the value is short.
// CHECK-LABEL: func @guarded_by_epsilon(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-SAME: strength(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @guarded_by_epsilon(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %g = arith.cmpf ogt, %a3, %eps : f32
    %q = arith.divf %a2, %a3 : f32
    %c = arith.select %g, %q, %zero : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// An epsilon is added to the norm, not to its square.
// CHECK-LABEL: func @norm_plus_epsilon(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-SAME: strength(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @norm_plus_epsilon(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %s = math.sqrt %a3 : f32
    %se = arith.addf %s, %eps : f32
    %q = arith.divf %a2, %se : f32
    %c = arith.divf %q, %se : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// One of the two norms has a least value.
// CHECK-LABEL: func @two_denominators(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-SAME: strength(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @two_denominators(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %s = math.sqrt %a3 : f32
    %se = arith.maximumf %s, %eps : f32
    %q = arith.divf %a2, %se : f32
    %c = arith.divf %q, %s : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// The identity less a projection, as a matrix for each token.
// CHECK-LABEL: func @matrix(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: strength(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @matrix(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %u = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %n : tensor<8x4xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %s = math.sqrt %a1 : f32
    %r = arith.divf %a0, %s : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %pairs = tensor.empty() : tensor<8x4x4xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #both], iterator_types = ["parallel", "parallel", "parallel"]} ins(%u, %u : tensor<8x4xf32>, tensor<8x4xf32>) outs(%pairs : tensor<8x4x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %f = arith.mulf %a0, %a1 : f32
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %same = arith.cmpi eq, %i1, %i2 : index
    %eye = arith.select %same, %one, %zero : f32
    %r = arith.subf %eye, %f : f32
    linalg.yield %r : f32
  } -> tensor<8x4x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %z = linalg.generic {indexing_maps = [#both, #right, #left], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %y : tensor<8x4x4xf32>, tensor<8x4xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// Ones beside the diagonal: the output is mixed before.
// REMARK: remark: attention not made exclusive: the model takes part of the own value out of its output already, in a way that is not recognised
// CHECK-LABEL: func @matrix_beside_diagonal(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
// CHECK: return
func.func @matrix_beside_diagonal(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %u = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %n : tensor<8x4xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %s = math.sqrt %a1 : f32
    %r = arith.divf %a0, %s : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %pairs = tensor.empty() : tensor<8x4x4xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #both], iterator_types = ["parallel", "parallel", "parallel"]} ins(%u, %u : tensor<8x4xf32>, tensor<8x4xf32>) outs(%pairs : tensor<8x4x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %f = arith.mulf %a0, %a1 : f32
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %c1 = arith.constant 1 : index
    %next = arith.addi %i2, %c1 : index
    %same = arith.cmpi eq, %i1, %next : index
    %eye = arith.select %same, %one, %zero : f32
    %r = arith.subf %eye, %f : f32
    linalg.yield %r : f32
  } -> tensor<8x4x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %z = linalg.generic {indexing_maps = [#both, #right, #left], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %y : tensor<8x4x4xf32>, tensor<8x4xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// What is guarded is not finite elsewhere, so the guard cannot be a factor.
// REMARK: remark: attention not made exclusive: the model takes part of the own value out of its output already, in a way that is not recognised
// CHECK-LABEL: func @guarded_root(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
// CHECK: return
func.func @guarded_root(%x: tensor<8x4xf32>, %b: tensor<8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n, %b : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %out: f32):
    %g = arith.cmpf ogt, %a4, %zero : f32
    %i = math.rsqrt %a4 : f32
    %q = arith.divf %a2, %a3 : f32
    %qi = arith.mulf %q, %i : f32
    %c = arith.select %g, %qi, %zero : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// A guard beside another least norm: the quotient of the two is finite where the
// guard is 0.
// CHECK-LABEL: func @guarded_and_clamped(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-SAME: strength(
// CHECK-NOT: arith.subf
// CHECK: return
func.func @guarded_and_clamped(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %norm = math.sqrt %a3 : f32
    %g = arith.cmpf ogt, %norm, %eps : f32
    %q = arith.divf %a2, %norm : f32
    %c = arith.select %g, %q, %zero : f32
    %least = arith.maximumf %norm, %eps : f32
    %u = arith.divf %a1, %least : f32
    %m = arith.mulf %c, %u : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// Nothing is subtracted at all.
// REMARK: remark: attention not made exclusive: the model takes part of the own value out of its output already, in a way that is not recognised
// CHECK-LABEL: func @infinite_denominator(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
// CHECK: return
func.func @infinite_denominator(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%y, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %inf = arith.constant 0x7F800000 : f32
    %d = arith.maximumf %a3, %inf : f32
    %c = arith.divf %a2, %d : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// The output is widened before its own value is taken out of it: what is left
// has the wide type, and so has the result of the operation.
// CHECK-LABEL: func @widened_between(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<sq_add, eps = {{[^>]*}}>
// CHECK-SAME: outs(%{{[0-9]*}} : tensor<8x4xf32>)
// CHECK-NOT: arith.subf
// CHECK: return
func.func @widened_between(%x: tensor<8x4xbf16>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-03 : f32
  %output = tensor.empty() : tensor<8x4xbf16>
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xbf16>, tensor<8x4xbf16>, tensor<8x4xbf16>) outs(%output : tensor<8x4xbf16>) -> tensor<8x4xbf16>
  %yw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<8x4xbf16>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: bf16, %out: f32):
    %r = arith.extf %a0 : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %xw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xbf16>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: bf16, %out: f32):
    %r = arith.extf %a0 : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%yw, %xw : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%xw : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%yw, %xw, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %d = arith.addf %a3, %eps : f32
    %c = arith.divf %a2, %d : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// The other way round.
// CHECK-LABEL: func @rounded_between(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<sq_add, eps = {{[^>]*}}>
// CHECK-SAME: outs(%{{[0-9]*}} : tensor<8x4xbf16>)
// CHECK-NOT: arith.subf
// CHECK: return
func.func @rounded_between(%x: tensor<8x4xf32>) -> tensor<8x4xbf16> {
  %zero = arith.constant 0.0 : bf16
  %eps = arith.constant 1.0e-03 : bf16
  %output = tensor.empty() : tensor<8x4xf32>
  %empty = tensor.empty() : tensor<8x4xbf16>
  %sums = tensor.empty() : tensor<8xbf16>
  %sum0 = linalg.fill ins(%zero : bf16) outs(%sums : tensor<8xbf16>) -> tensor<8xbf16>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%output : tensor<8x4xf32>) -> tensor<8x4xf32>
  %yw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<8x4xf32>) outs(%empty : tensor<8x4xbf16>) {
  ^bb0(%a0: f32, %out: bf16):
    %r = arith.truncf %a0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x4xbf16>
  %xw = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf32>) outs(%empty : tensor<8x4xbf16>) {
  ^bb0(%a0: f32, %out: bf16):
    %r = arith.truncf %a0 : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<8x4xbf16>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%yw, %xw : tensor<8x4xbf16>, tensor<8x4xbf16>) outs(%sum0 : tensor<8xbf16>) {
  ^bb0(%a0: bf16, %a1: bf16, %out: bf16):
    %m = arith.mulf %a0, %a1 : bf16
    %r = arith.addf %out, %m : bf16
    linalg.yield %r : bf16
  } -> tensor<8xbf16>
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%xw : tensor<8x4xbf16>) outs(%sum0 : tensor<8xbf16>) {
  ^bb0(%a0: bf16, %out: bf16):
    %m = arith.mulf %a0, %a0 : bf16
    %r = arith.addf %out, %m : bf16
    linalg.yield %r : bf16
  } -> tensor<8xbf16>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%yw, %xw, %dot, %n : tensor<8x4xbf16>, tensor<8x4xbf16>, tensor<8xbf16>, tensor<8xbf16>) outs(%empty : tensor<8x4xbf16>) {
  ^bb0(%a0: bf16, %a1: bf16, %a2: bf16, %a3: bf16, %out: bf16):
    %d = arith.addf %a3, %eps : bf16
    %c = arith.divf %a2, %d : bf16
    %m = arith.mulf %c, %a1 : bf16
    %r = arith.subf %a0, %m : bf16
    linalg.yield %r : bf16
  } -> tensor<8x4xbf16>
  return %z : tensor<8x4xbf16>
}
