// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention,xsa-make-exclusive),cse)' 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention,xsa-make-exclusive))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Ways to write an exclusion. Whether one is recognised or not, attention is
// never made exclusive beside it.

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>
#id = affine_map<(i, e) -> (i, e)>
#row = affine_map<(i, e) -> (i)>
#left = affine_map<(i, d, e) -> (i, d)>
#right = affine_map<(i, d, e) -> (i, e)>
#both = affine_map<(i, d, e) -> (i, d, e)>
#rows = affine_map<(i, d, e) -> (i)>

// PyTorch's lerp chooses between two forms by the weight.
// CHECK-LABEL: func @interpolated(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw, strength = 7.500000e-01>,
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @interpolated(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
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
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %c = arith.divf %a2, %a3 : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %w = arith.constant 0.75 : f32
  %half = arith.constant 0.5 : f32
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %e : tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %small = arith.cmpf olt, %w, %half : f32
    %d = arith.subf %a1, %a0 : f32
    %wd = arith.mulf %d, %w : f32
    %f = arith.addf %a0, %wd : f32
    %v = arith.subf %one, %w : f32
    %vd = arith.mulf %d, %v : f32
    %g = arith.subf %a1, %vd : f32
    %r = arith.select %small, %f, %g : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// The same with a weight that is not known: both forms are one sum.
// CHECK-LABEL: func @interpolated_by_input(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-SAME: strength(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @interpolated_by_input(%x: tensor<8x4xf32>, %w: tensor<8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
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
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %c = arith.divf %a2, %a3 : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %half = arith.constant 0.5 : f32
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %e, %w : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
    %small = arith.cmpf olt, %a2, %half : f32
    %d = arith.subf %a1, %a0 : f32
    %wd = arith.mulf %d, %a2 : f32
    %f = arith.addf %a0, %wd : f32
    %v = arith.subf %one, %a2 : f32
    %vd = arith.mulf %d, %v : f32
    %g = arith.subf %a1, %vd : f32
    %r = arith.select %small, %f, %g : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// Where the value is 0, nothing is subtracted in any form.
// CHECK-LABEL: func @guarded_reciprocal(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @guarded_reciprocal(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
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
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %q = arith.divf %one, %a3 : f32
    %g = arith.cmpf ogt, %a3, %zero : f32
    %i = arith.select %g, %q, %zero : f32
    %c = arith.mulf %a2, %i : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// A squared norm of 0 is replaced by 1.
// CHECK-LABEL: func @guarded_norm(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @guarded_norm(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
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
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %g = arith.cmpf oeq, %a3, %zero : f32
    %i = arith.select %g, %one, %a3 : f32
    %c = arith.divf %a2, %i : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// The square of a norm, clamped.
// CHECK-LABEL: func @squared_norm(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<sq_clamp, eps = {{1.000000e-08|9.99[0-9]*e-09|9.99[0-9]*E-9}}>,
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @squared_norm(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
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
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %eps = arith.constant 1.0e-08 : f32
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %s = math.sqrt %a3 : f32
    %q = arith.mulf %s, %s : f32
    %i = arith.maximumf %q, %eps : f32
    %c = arith.divf %a2, %i : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// Means of products in place of sums: four times an epsilon of a fourth.
// CHECK-LABEL: func @means(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<sq_add, eps = 4.000000e+00>,
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @means(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
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
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %four = arith.constant 4.0 : f32
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %s = arith.divf %a3, %four : f32
    %e = arith.addf %s, %one : f32
    %i = math.rsqrt %e : f32
    %u = arith.mulf %a1, %i : f32
    %d = arith.divf %a2, %four : f32
    %du = arith.mulf %d, %i : f32
    %m = arith.mulf %du, %u : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// A matrix for each token, times the output.
// CHECK-LABEL: func @outer_product(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @outer_product(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %pairs = tensor.empty() : tensor<8x4x4xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #rows, #both], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %x, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>) outs(%pairs : tensor<8x4x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.divf %m, %a2 : f32
    linalg.yield %r : f32
  } -> tensor<8x4x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %py = linalg.generic {indexing_maps = [#both, #right, #left], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %y : tensor<8x4x4xf32>, tensor<8x4xf32>) outs(%zeros : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %py : tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %r = arith.subf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// One minus that matrix.
// CHECK-LABEL: func @outer_product_at_once(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @outer_product_at_once(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %pairs = tensor.empty() : tensor<8x4x4xf32>
  %p = linalg.generic {indexing_maps = [#left, #right, #rows, #both], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %x, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>) outs(%pairs : tensor<8x4x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %f = arith.divf %m, %a2 : f32
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

// The output is changed in between, by a quotient.
// CHECK-LABEL: func @gated_before(
// CHECK: xsa.attention {indexing_maps
// CHECK: xsa.exclude {exclusion = #xsa.exclusion<raw>,
// CHECK: return
func.func @gated_before(%x: tensor<8x4xf32>, %w: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %sums = tensor.empty() : tensor<8xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<8xf32>) -> tensor<8xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.5 : f64} ins(%x, %x, %x : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %w : tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %e = math.exp %a1 : f32
    %d = arith.addf %e, %one : f32
    %r = arith.divf %a0, %d : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %dot = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%g, %x : tensor<8x4xf32>, tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %m = arith.mulf %a0, %a1 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%g, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %c = arith.divf %a2, %a3 : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// The output is used with and without the exclusion.
// REMARK: remark: attention not made exclusive: its output is used both with and without the model's own exclusion
// CHECK-LABEL: func @both_outputs(
// CHECK: xsa.attention {indexing_maps
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>,
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @both_outputs(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
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
  %n = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4xf32>) outs(%sum0 : tensor<8xf32>) {
  ^bb0(%a0: f32, %out: f32):
    %m = arith.mulf %a0, %a0 : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %x, %dot, %n : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
    %c = arith.divf %a2, %a3 : f32
    %m = arith.mulf %c, %a1 : f32
    %r = arith.subf %a0, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %e : tensor<8x4xf32>, tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) {
  ^bb0(%a0: f32, %a1: f32, %out: f32):
    %t = math.tanh %a0 : f32
    %r = arith.mulf %t, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}
