// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --raise-attention-to-xsa=strict=true 2>/dev/null | FileCheck %s --check-prefix=STRICT

// Lengths that are only known at run time, with finite mask values: every row is
// seen to keep its own key whatever the length is, or the value stays a number.
// Strictly, a finite value is always a number; that no row is empty is seen too.

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @blocks(
// CHECK: xsa.attention
// CHECK-SAME: mask(%
// CHECK-NOT: score
// CHECK: return
func.func @blocks(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %four = arith.constant 4 : i64
    %bi = arith.floordivsi %i, %four : i64
    %bj = arith.floordivsi %j, %four : i64
    %k = arith.cmpi eq, %bi, %bj : i64
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant -1.0e9 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func @earlier_blocks(
// CHECK: xsa.attention
// CHECK-SAME: mask(%
// CHECK-NOT: score
// CHECK: return
func.func @earlier_blocks(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %four = arith.constant 4 : i64
    %bi = arith.floordivsi %i, %four : i64
    %bj = arith.floordivsi %j, %four : i64
    %k = arith.cmpi sge, %bi, %bj : i64
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant -1.0e9 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Rows of the first block keep nothing.
// CHECK-LABEL: func @strictly_earlier_blocks(
// CHECK: xsa.attention
// CHECK-SAME: score
// CHECK: return
func.func @strictly_earlier_blocks(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %four = arith.constant 4 : i64
    %bi = arith.floordivsi %i, %four : i64
    %bj = arith.floordivsi %j, %four : i64
    %k = arith.cmpi sgt, %bi, %bj : i64
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant -1.0e9 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Multiples of 3, in a window or not.
// CHECK-LABEL: func @distances(
// CHECK: xsa.attention
// CHECK-SAME: mask(%
// CHECK-NOT: score
// CHECK: return
func.func @distances(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %three = arith.constant 3 : i64
    %zero = arith.constant 0 : i64
    %d = arith.subi %i, %j : i64
    %r = arith.remsi %d, %three : i64
    %far = math.absi %d : i64
    %near = arith.cmpi sle, %far, %three : i64
    %z = arith.cmpi eq, %r, %zero : i64
    %k = arith.ori %near, %z : i1
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant -1.0e9 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// The distance of a row to its own key is 0.
// CHECK-LABEL: func @other_distances(
// CHECK: xsa.attention
// CHECK-SAME: score
// CHECK: return
func.func @other_distances(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %three = arith.constant 3 : i64
    %one = arith.constant 1 : i64
    %d = arith.subi %i, %j : i64
    %r = arith.remsi %d, %three : i64
    %k = arith.cmpi eq, %r, %one : i64
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant -1.0e9 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// The two conditions are compared.
// CHECK-LABEL: func @same_half(
// CHECK: xsa.attention
// CHECK-SAME: mask(%
// CHECK-NOT: score
// CHECK: return
func.func @same_half(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %two = arith.constant 2 : index
    %t2 = tensor.dim %x, %c0 : tensor<?x4xf32>
    %half = arith.floordivsi %t2, %two : index
    %a = arith.cmpi sge, %row, %half : index
    %b = arith.cmpi sge, %col, %half : index
    %k = arith.cmpi eq, %a, %b : i1
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant -1.0e9 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func @other_half(
// CHECK: xsa.attention
// CHECK-SAME: score
// CHECK: return
func.func @other_half(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %two = arith.constant 2 : index
    %t2 = tensor.dim %x, %c0 : tensor<?x4xf32>
    %half = arith.floordivsi %t2, %two : index
    %a = arith.cmpi sge, %row, %half : index
    %b = arith.cmpi sge, %col, %half : index
    %k = arith.cmpi ne, %a, %b : i1
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant -1.0e9 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// The magnitude of a distance bounds it from both sides.
// CHECK-LABEL: func @window(
// CHECK: xsa.attention {
// CHECK-SAME: window_left = 3 : i64, window_right = 3 : i64
// CHECK-NOT: score
// CHECK: return
func.func @window(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %three = arith.constant 3 : i64
    %d = arith.subi %i, %j : i64
    %far = math.absi %d : i64
    %k = arith.cmpi sle, %far, %three : i64
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant -1.0e9 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// The least of two bounds is each of them.
// CHECK-LABEL: func @smallest(
// CHECK: xsa.attention {
// CHECK-SAME: causal
// CHECK-SAME: window_left = 3 : i64
// CHECK-NOT: score
// CHECK: return
func.func @smallest(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %three = arith.constant 3 : i64
    %zero = arith.constant 0 : i64
    %d = arith.subi %i, %j : i64
    %l = arith.subi %three, %d : i64
    %m = arith.minsi %d, %l : i64
    %k = arith.cmpi sge, %m, %zero : i64
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant -1.0e9 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// The largest of two bounds is none of them.
// CHECK-LABEL: func @largest(
// CHECK: xsa.attention
// CHECK-SAME: score
// CHECK: return
func.func @largest(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %three = arith.constant 3 : i64
    %d = arith.subi %i, %j : i64
    %far = math.absi %d : i64
    %k = arith.cmpi sge, %far, %three : i64
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant -1.0e9 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func @infinite(
// CHECK: xsa.attention
// CHECK: return
// STRICT-LABEL: func @infinite(
// STRICT: xsa.attention
// STRICT: return
func.func @infinite(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %four = arith.constant 4 : i64
    %bi = arith.floordivsi %i, %four : i64
    %bj = arith.floordivsi %j, %four : i64
    %k = arith.cmpi eq, %bi, %bj : i64
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant 0xFF800000 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func @infinite_and_empty(
// CHECK: xsa.attention
// CHECK: return
// STRICT-LABEL: func @infinite_and_empty(
// STRICT-NOT: xsa.attention
// STRICT: return
func.func @infinite_and_empty(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%o: i1):
    %row = linalg.index 0 : index
    %col = linalg.index 1 : index
    %i = arith.index_cast %row : index to i64
    %j = arith.index_cast %col : index to i64
    %four = arith.constant 4 : i64
    %bi = arith.floordivsi %i, %four : i64
    %bj = arith.floordivsi %j, %four : i64
    %k = arith.cmpi sgt, %bi, %bj : i64
    linalg.yield %k : i1
  } -> tensor<?x?xi1>
  %fill = arith.constant 0xFF800000 : f32
  %y = call @masked(%x, %keep, %fill) : (tensor<?x4xf32>, tensor<?x?xi1>, f32) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

func.func private @masked(%x: tensor<?x4xf32>, %keep: tensor<?x?xi1>, %fill: f32) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %es = tensor.empty(%t, %t) : tensor<?x?xf32>
  %ey = tensor.empty(%t) : tensor<?x4xf32>
  %et = tensor.empty(%t) : tensor<4x?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x4xf32>) -> tensor<?x4xf32>
  %k = linalg.transpose ins(%x : tensor<?x4xf32>) outs(%et : tensor<4x?xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %k : tensor<?x4xf32>, tensor<4x?xf32>) outs(%s0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %m = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%keep, %s : tensor<?x?xi1>, tensor<?x?xf32>) outs(%es : tensor<?x?xf32>) {
  ^bb0(%c: i1, %a: f32, %o: f32):
    %r = arith.select %c, %a, %fill : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<?x?xf32>) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%p, %x : tensor<?x?xf32>, tensor<?x4xf32>) outs(%y0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
