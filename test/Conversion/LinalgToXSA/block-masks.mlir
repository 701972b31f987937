// RUN: xsa-opt %s --convert-attention-to-xsa | FileCheck %s

// Masks by the number of a block, i / 4 == j / 4, and by distances that are
// multiples, (i - j) % 3 == 0, in the spellings of importers. Every row keeps its
// own key, so that a finite value is a mask.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
#d = affine_map<(d0) -> (d0)>

// torch divides as floats and rounds down. Rows are taken apart for their block:
// both digits together are the row, none is a head.
// CHECK-LABEL: func @floor_of_floats(
// CHECK: xsa.attention {{.*}}exclusion
// CHECK-SAME: ins(%{{.*}} : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
// CHECK-SAME: mask(%
func.func @floor_of_floats(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %by = arith.constant 4.0 : f64
  %e = tensor.empty() : tensor<8xi64>
  %blocks = linalg.generic {indexing_maps = [#d], iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    %q = arith.divf %f, %by : f64
    %r = math.floor %q : f64
    %b = arith.fptosi %r : f64 to i64
    linalg.yield %b : i64
  } -> tensor<8xi64>
  %keep = call @same(%blocks) : (tensor<8xi64>) -> tensor<8x8xi1>
  %y = call @masked(%x, %keep) : (tensor<8x4xf32>, tensor<8x8xi1>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// JAX divides towards zero, by a divisor that is not 0, and corrects the sign.
// Blocks of 3 do not divide the rows: all is looked at row by row.
// CHECK-LABEL: func @corrected_division(
// CHECK: xsa.attention {{.*}}exclusion
// CHECK-SAME: mask(%
func.func @corrected_division(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %three = arith.constant dense<3> : tensor<i64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %last = arith.constant 63 : i64
  %e = tensor.empty() : tensor<8xi64>
  %by = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, #d], iterator_types = ["parallel"]} ins(%three : tensor<i64>) outs(%e : tensor<8xi64>) {
  ^bb0(%a: i64, %o: i64):
    linalg.yield %a : i64
  } -> tensor<8xi64>
  %positions = linalg.generic {indexing_maps = [#d], iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<8xi64>
  %blocks = linalg.generic {indexing_maps = [#d, #d, #d], iterator_types = ["parallel"]} ins(%positions, %by : tensor<8xi64>, tensor<8xi64>) outs(%e : tensor<8xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64):
    %isZero = arith.cmpi eq, %b, %zero : i64
    %divisor = arith.select %isZero, %one, %b : i64
    %q = arith.divsi %a, %divisor : i64
    %rest = arith.remsi %a, %divisor : i64
    %high = arith.shrsi %a, %last : i64
    %odd = arith.ori %high, %one : i64
    %none = arith.cmpi eq, %a, %zero : i64
    %sign = arith.select %none, %zero, %odd : i64
    %differs = arith.cmpi ne, %sign, %one : i64
    %hasRest = arith.cmpi ne, %rest, %zero : i64
    %both = arith.andi %differs, %hasRest : i1
    %less = arith.subi %q, %one : i64
    %r = arith.select %both, %less, %q : i64
    linalg.yield %r : i64
  } -> tensor<8xi64>
  %keep = call @same(%blocks) : (tensor<8xi64>) -> tensor<8x8xi1>
  %y = call @masked(%x, %keep) : (tensor<8x4xf32>, tensor<8x8xi1>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @multiples(
// CHECK: xsa.attention {{.*}}exclusion
// CHECK-SAME: mask(%
func.func @multiples(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8x8xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x8xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %n = arith.index_cast %d : index to i64
    %rest = arith.remsi %n, %three : i64
    %negative = arith.cmpi slt, %rest, %zero : i64
    %wrapped = arith.addi %rest, %three : i64
    %m = arith.select %negative, %wrapped, %rest : i64
    %r = arith.cmpi eq, %m, %zero : i64
    linalg.yield %r : i1
  } -> tensor<8x8xi1>
  %y = call @masked(%x, %keep) : (tensor<8x4xf32>, tensor<8x8xi1>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A block that sees the keys of another block only: row 0 keeps keys, rows of the
// last block keep none. There the value is a number and no mask.
// CHECK-LABEL: func @next_block(
// CHECK: xsa.attention
// CHECK: arith.constant -1.000000e+09
// CHECK: xsa.yield
func.func @next_block(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %four = arith.constant 4 : index
  %e = tensor.empty() : tensor<8x8xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x8xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %bi = arith.floordivsi %i, %four : index
    %bj = arith.floordivsi %j, %four : index
    %r = arith.cmpi slt, %bi, %bj : index
    linalg.yield %r : i1
  } -> tensor<8x8xi1>
  %y = call @masked(%x, %keep) : (tensor<8x4xf32>, tensor<8x8xi1>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Every other block of two keys, for all rows: a digit of a digit of the key.
// Keys stay in their order, so that none is copied and the own one is found.
// CHECK-LABEL: func @alternate_blocks(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>
// CHECK: xsa.attention {{.*}}exclusion
// CHECK-SAME: ins(%[[X]], %[[X]], %[[X]] :
// CHECK-SAME: mask(%
func.func @alternate_blocks(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %two = arith.constant 2 : i64
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<8x8xi1>
  %keep = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x8xi1>) {
  ^bb0(%o: i1):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %b = arith.floordivsi %n, %two : i64
    %r = arith.remsi %b, %two : i64
    %k = arith.cmpi eq, %r, %zero : i64
    linalg.yield %k : i1
  } -> tensor<8x8xi1>
  %y = call @masked(%x, %keep) : (tensor<8x4xf32>, tensor<8x8xi1>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @same(%blocks: tensor<8xi64>) -> tensor<8x8xi1> {
  %e = tensor.empty() : tensor<8x8xi1>
  %keep = linalg.generic {indexing_maps = [#row, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%blocks, %blocks : tensor<8xi64>, tensor<8xi64>) outs(%e : tensor<8x8xi1>) {
  ^bb0(%a: i64, %b: i64, %o: i1):
    %r = arith.cmpi eq, %a, %b : i64
    linalg.yield %r : i1
  } -> tensor<8x8xi1>
  return %keep : tensor<8x8xi1>
}

func.func private @masked(%x: tensor<8x4xf32>, %keep: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %fill = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%keep, %s : tensor<8x8xi1>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%k: i1, %a: f32, %out: f32):
    %r = arith.select %k, %a, %fill : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
