// RUN: xsa-opt %s --raise-attention-to-xsa | FileCheck %s

// Heads of keys and values that are read by a list of their numbers: where the
// numbers grow evenly with the digits of the head, keys and values are grouped
// and nothing is copied.

#hd = affine_map<(h, t, d) -> (h, t, d)>
#h = affine_map<(h, t, d) -> (h)>
#all = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func @constant_list(
// CHECK-SAME: %[[Q:.*]]: tensor<4x6x8xf32>, %[[K:.*]]: tensor<2x6x8xf32>, %[[V:.*]]: tensor<2x6x8xf32>)
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %[[Q]] {{\[}}[0, 1], [2], [3]] output_shape [2, 2, 6, 8]
// CHECK: xsa.attention {{.*}} ins(%[[ROWS]], %[[K]], %[[V]] :
func.func @constant_list(%q: tensor<4x6x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<4x6x8xf32> {
  %list = arith.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %rk = call @read(%k, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %rv = call @read(%v, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %y = call @attention(%q, %rk, %rv) : (tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %y : tensor<4x6x8xf32>
}

// The other order of groups, computed: h % 2.
// CHECK-LABEL: func @computed_list(
// CHECK-SAME: %[[Q:.*]]: tensor<4x6x8xf32>, %[[K:.*]]: tensor<2x6x8xf32>, %[[V:.*]]: tensor<2x6x8xf32>)
// CHECK: xsa.attention {{.*}} ins(%{{.*}}, %[[K]], %[[V]] :
func.func @computed_list(%q: tensor<4x6x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<4x6x8xf32> {
  %two = arith.constant 2 : i64
  %e = tensor.empty() : tensor<4xi64>
  %list = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel"]} outs(%e : tensor<4xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %r = arith.remsi %n, %two : i64
    linalg.yield %r : i64
  } -> tensor<4xi64>
  %rk = call @read(%k, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %rv = call @read(%v, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %y = call @attention(%q, %rk, %rv) : (tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %y : tensor<4x6x8xf32>
}

// A list that is no function of digits: heads are read where they stand.
// CHECK-LABEL: func @uneven_list(
// CHECK: xsa.attention {{.*}} : tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x8xf32>)
func.func @uneven_list(%q: tensor<4x6x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<4x6x8xf32> {
  %list = arith.constant dense<[1, 0, 0, 1]> : tensor<4xi64>
  %rk = call @read(%k, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %rv = call @read(%v, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %y = call @attention(%q, %rk, %rv) : (tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %y : tensor<4x6x8xf32>
}

// Keys and values of one list, the exclusion on values of the same heads in
// another spelling.
// CHECK-LABEL: func @exclusion_on_repeated(
// CHECK: xsa.attention {exclusion = #xsa.exclusion<raw>
// CHECK-SAME: self_value(%{{.*}} : tensor<2x6x8xf32>)
func.func @exclusion_on_repeated(%q: tensor<4x6x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<4x6x8xf32> {
  %list = arith.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %rk = call @read(%k, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %rv = call @read(%v, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %y = call @attention(%q, %rk, %rv) : (tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %e = tensor.empty() : tensor<2x2x6x8xf32>
  %wide = linalg.broadcast ins(%v : tensor<2x6x8xf32>) outs(%e : tensor<2x2x6x8xf32>) dimensions = [1]
  %own = tensor.collapse_shape %wide [[0, 1], [2], [3]] : tensor<2x2x6x8xf32> into tensor<4x6x8xf32>
  %z = call @exclude(%y, %own) : (tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %z : tensor<4x6x8xf32>
}

// Values of other heads are none of the own: the projection stays what it is.
// CHECK-LABEL: func @exclusion_on_other_heads(
// CHECK-NOT: exclusion =
// CHECK-NOT: xsa.exclude
// CHECK: return
func.func @exclusion_on_other_heads(%q: tensor<4x6x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<4x6x8xf32> {
  %list = arith.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %others = arith.constant dense<[0, 1, 0, 1]> : tensor<4xi64>
  %rk = call @read(%k, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %rv = call @read(%v, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %y = call @attention(%q, %rk, %rv) : (tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %own = call @read(%v, %others) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %z = call @exclude(%y, %own) : (tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %z : tensor<4x6x8xf32>
}

// As jnp.take: what is not in range is NaN, which nothing is.
// CHECK-LABEL: func @filled(
// CHECK-SAME: %[[Q:.*]]: tensor<4x6x8xf32>, %[[K:.*]]: tensor<2x6x8xf32>, %[[V:.*]]: tensor<2x6x8xf32>)
// CHECK: xsa.attention {{.*}} ins(%{{.*}}, %[[K]], %[[V]] :
func.func @filled(%q: tensor<4x6x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<4x6x8xf32> {
  %list = arith.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
  %rk = call @fill(%k, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %rv = call @fill(%v, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %y = call @attention(%q, %rk, %rv) : (tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %y : tensor<4x6x8xf32>
}

// One head is out of range: it stays NaN.
// CHECK-LABEL: func @out_of_range(
// CHECK: arith.constant 0x7FC00000
// CHECK: arith.select
// CHECK: xsa.attention
func.func @out_of_range(%q: tensor<4x6x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x8xf32>) -> tensor<4x6x8xf32> {
  %list = arith.constant dense<[0, 0, 1, 2]> : tensor<4xi64>
  %rk = call @fill(%k, %list) : (tensor<2x6x8xf32>, tensor<4xi64>) -> tensor<4x6x8xf32>
  %y = call @attention(%q, %rk, %rk) : (tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %y : tensor<4x6x8xf32>
}

func.func private @fill(%x: tensor<2x6x8xf32>, %list: tensor<4xi64>) -> tensor<4x6x8xf32> {
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %nan = arith.constant 0x7FC00000 : f32
  %ei = tensor.empty() : tensor<4xi1>
  %e = tensor.empty() : tensor<4x6x8xf32>
  %inside = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]} ins(%list : tensor<4xi64>) outs(%ei : tensor<4xi1>) {
  ^bb0(%n: i64, %o: i1):
    %least = arith.cmpi sge, %n, %zero : i64
    %most = arith.cmpi sle, %n, %one : i64
    %r = arith.andi %least, %most : i1
    linalg.yield %r : i1
  } -> tensor<4xi1>
  %r = linalg.generic {indexing_maps = [#h, #h, #hd], iterator_types = ["parallel", "parallel", "parallel"]} ins(%list, %inside : tensor<4xi64>, tensor<4xi1>) outs(%e : tensor<4x6x8xf32>) {
  ^bb0(%n: i64, %in: i1, %o: f32):
    %t = linalg.index 1 : index
    %d = linalg.index 2 : index
    %least = arith.maxsi %n, %zero : i64
    %clamped = arith.minsi %least, %one : i64
    %i = arith.index_cast %clamped : i64 to index
    %a = tensor.extract %x[%i, %t, %d] : tensor<2x6x8xf32>
    %s = arith.select %in, %a, %nan : f32
    linalg.yield %s : f32
  } -> tensor<4x6x8xf32>
  return %r : tensor<4x6x8xf32>
}

// Negative numbers count from the end, as importers write it.
func.func private @read(%x: tensor<2x6x8xf32>, %list: tensor<4xi64>) -> tensor<4x6x8xf32> {
  %zero = arith.constant 0 : i64
  %size = arith.constant 2 : i64
  %e = tensor.empty() : tensor<4x6x8xf32>
  %r = linalg.generic {indexing_maps = [#h, #hd], iterator_types = ["parallel", "parallel", "parallel"]} ins(%list : tensor<4xi64>) outs(%e : tensor<4x6x8xf32>) {
  ^bb0(%n: i64, %o: f32):
    %t = linalg.index 1 : index
    %d = linalg.index 2 : index
    %negative = arith.cmpi slt, %n, %zero : i64
    %wrapped = arith.addi %n, %size : i64
    %at = arith.select %negative, %wrapped, %n : i64
    %i = arith.index_cast %at : i64 to index
    %a = tensor.extract %x[%i, %t, %d] : tensor<2x6x8xf32>
    linalg.yield %a : f32
  } -> tensor<4x6x8xf32>
  return %r : tensor<4x6x8xf32>
}

func.func private @attention(%q: tensor<4x6x8xf32>, %k: tensor<4x6x8xf32>, %v: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x6x6xf32>
  %ey = tensor.empty() : tensor<4x6x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<4x6x6xf32>) -> tensor<4x6x6xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<4x6x8xf32>, tensor<4x6x8xf32>) outs(%s0 : tensor<4x6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x6x6xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x6x6xf32>) outs(%es : tensor<4x6x6xf32>) -> tensor<4x6x6xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x6x6xf32>, tensor<4x6x8xf32>) outs(%y0 : tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %y : tensor<4x6x8xf32>
}

func.func private @exclude(%y: tensor<4x6x8xf32>, %v: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ed = tensor.empty() : tensor<4x6xf32>
  %ez = tensor.empty() : tensor<4x6x8xf32>
  %d0 = linalg.fill ins(%zero : f32) outs(%ed : tensor<4x6xf32>) -> tensor<4x6xf32>
  %dot = linalg.generic {indexing_maps = [#hd, #hd, affine_map<(h, t, d) -> (h, t)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %v : tensor<4x6x8xf32>, tensor<4x6x8xf32>) outs(%d0 : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %norm = linalg.generic {indexing_maps = [#hd, affine_map<(h, t, d) -> (h, t)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v : tensor<4x6x8xf32>) outs(%d0 : tensor<4x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x6xf32>
  %z = linalg.generic {indexing_maps = [#hd, #hd, affine_map<(h, t, d) -> (h, t)>, affine_map<(h, t, d) -> (h, t)>, #hd], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %v, %dot, %norm : tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<4x6xf32>, tensor<4x6xf32>) outs(%ez : tensor<4x6x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %n: f32, %o: f32):
    %q = arith.divf %c, %n : f32
    %m = arith.mulf %q, %b : f32
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x6x8xf32>
  return %z : tensor<4x6x8xf32>
}
