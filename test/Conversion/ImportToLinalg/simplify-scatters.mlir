// RUN: xsa-opt %s --xsa-simplify-scatters --canonicalize --split-input-file | FileCheck %s

// `o[0:2, 1:3] = u` on a 2 x 3 tensor: a slice in the original's own dimensions.
// CHECK-LABEL: func.func @own_dimensions
// CHECK-SAME: %[[U:.*]]: tensor<4xf32>, %[[O:.*]]: tensor<2x3xf32>
// CHECK: %[[UPDATES:.*]] = tensor.expand_shape %[[U]] {{\[\[}}0, 1]] output_shape [2, 2]
// CHECK: %[[R:.*]] = tensor.insert_slice %[[UPDATES]] into %[[O]][0, 1] [2, 2] [1, 1]
// CHECK: return %[[R]]
func.func @own_dimensions(%u: tensor<4xf32>, %o: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %i = arith.constant dense<[[0, 1], [0, 2], [1, 1], [1, 2]]> : tensor<4x2xi32>
  %r = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(true)
      ins(%u, %i : tensor<4xf32>, tensor<4x2xi32>) outs(%o : tensor<2x3xf32>) {
  ^bb0(%update: f32, %current: f32):
    tm_tensor.yield %update : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// Positions in a flattened tensor: two runs of four, six apart, from 1 on. The
// indices are computed, as exporters write them: a column for each dimension,
// then a product with the strides.
// CHECK-LABEL: func.func @flattened
// CHECK-SAME: %[[U:.*]]: tensor<8xf32>, %[[O:.*]]: tensor<12xf32>
// CHECK-DAG: %[[ORIGINAL:.*]] = tensor.expand_shape %[[O]] {{\[\[}}0, 1]] output_shape [2, 6]
// CHECK-DAG: %[[UPDATES:.*]] = tensor.expand_shape %[[U]] {{\[\[}}0, 1]] output_shape [2, 4]
// CHECK: %[[W:.*]] = tensor.insert_slice %[[UPDATES]] into %[[ORIGINAL]][0, 1] [2, 4] [1, 1]
// CHECK: %[[R:.*]] = tensor.collapse_shape %[[W]]
// CHECK: return %[[R]]
func.func @flattened(%u: tensor<8xf32>, %o: tensor<12xf32>) -> tensor<12xf32> {
  %a = arith.constant dense<[[[0], [0], [0], [0]], [[1], [1], [1], [1]]]> : tensor<2x4x1xi32>
  %b = arith.constant dense<[[[1], [2], [3], [4]], [[1], [2], [3], [4]]]> : tensor<2x4x1xi32>
  %strides = arith.constant dense<[[6, 1]]> : tensor<1x2xi32>
  %e = tensor.empty() : tensor<2x4x2xi32>
  %e0 = tensor.insert_slice %a into %e[0, 0, 0] [2, 4, 1] [1, 1, 1] : tensor<2x4x1xi32> into tensor<2x4x2xi32>
  %e1 = tensor.insert_slice %b into %e0[0, 0, 1] [2, 4, 1] [1, 1, 1] : tensor<2x4x1xi32> into tensor<2x4x2xi32>
  %c = tensor.collapse_shape %e1 [[0, 1], [2]] : tensor<2x4x2xi32> into tensor<8x2xi32>
  %e2 = tensor.empty() : tensor<8x2xi32>
  %m = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (0, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %strides : tensor<8x2xi32>, tensor<1x2xi32>) outs(%e2 : tensor<8x2xi32>) {
  ^bb0(%x: i32, %y: i32, %out: i32):
    %p = arith.muli %x, %y : i32
    linalg.yield %p : i32
  } -> tensor<8x2xi32>
  %zero = arith.constant 0 : i32
  %e3 = tensor.empty() : tensor<8xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e3 : tensor<8xi32>) -> tensor<8xi32>
  %s = linalg.reduce ins(%m : tensor<8x2xi32>) outs(%f : tensor<8xi32>) dimensions = [1]
    (%in: i32, %init: i32) {
      %q = arith.addi %in, %init : i32
      linalg.yield %q : i32
    }
  %i = tensor.expand_shape %s [[0, 1]] output_shape [8, 1] : tensor<8xi32> into tensor<8x1xi32>
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%u, %i : tensor<8xf32>, tensor<8x1xi32>) outs(%o : tensor<12xf32>) {
  ^bb0(%update: f32, %current: f32):
    tm_tensor.yield %update : f32
  } -> tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

// A column: every third element, and the dimensions behind the indices whole.
// CHECK-LABEL: func.func @column_of_rows
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 2, 0] [3, 1, 5] [1, 1, 1] : tensor<3x1x5xf32> into tensor<3x3x5xf32>
func.func @column_of_rows(%u: tensor<3x5xf32>, %o: tensor<9x5xf32>) -> tensor<9x5xf32> {
  %i = arith.constant dense<[[2], [5], [8]]> : tensor<3x1xi64>
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%u, %i : tensor<3x5xf32>, tensor<3x1xi64>) outs(%o : tensor<9x5xf32>) {
  ^bb0(%update: f32, %current: f32):
    tm_tensor.yield %update : f32
  } -> tensor<9x5xf32>
  return %r : tensor<9x5xf32>
}

// -----

// What stays: another combiner, another order, an index outside, unknown indices.
// CHECK-LABEL: func.func @others_stay
// CHECK-COUNT-4: tm_tensor.scatter
func.func @others_stay(%u: tensor<2xf32>, %o: tensor<6xf32>, %unknown: tensor<2x1xi64>) -> tensor<6xf32> {
  %i = arith.constant dense<[[0], [1]]> : tensor<2x1xi64>
  %0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%u, %i : tensor<2xf32>, tensor<2x1xi64>) outs(%o : tensor<6xf32>) {
  ^bb0(%update: f32, %current: f32):
    %s = arith.addf %update, %current : f32
    tm_tensor.yield %s : f32
  } -> tensor<6xf32>
  %backwards = arith.constant dense<[[1], [0]]> : tensor<2x1xi64>
  %1 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%u, %backwards : tensor<2xf32>, tensor<2x1xi64>) outs(%0 : tensor<6xf32>) {
  ^bb0(%update: f32, %current: f32):
    tm_tensor.yield %update : f32
  } -> tensor<6xf32>
  %outside = arith.constant dense<[[5], [6]]> : tensor<2x1xi64>
  %2 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%u, %outside : tensor<2xf32>, tensor<2x1xi64>) outs(%1 : tensor<6xf32>) {
  ^bb0(%update: f32, %current: f32):
    tm_tensor.yield %update : f32
  } -> tensor<6xf32>
  %3 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
      ins(%u, %unknown : tensor<2xf32>, tensor<2x1xi64>) outs(%2 : tensor<6xf32>) {
  ^bb0(%update: f32, %current: f32):
    tm_tensor.yield %update : f32
  } -> tensor<6xf32>
  return %3 : tensor<6xf32>
}
