// RUN: xsa-opt %s --raise-attention-to-xsa | FileCheck %s

// What is added to all scores of a row cancels, but not where it is -inf: the
// row has no keys then.

#query = affine_map<(b, i, j, d) -> (b, i, d)>
#key = affine_map<(b, i, j, d) -> (b, j, d)>
#score = affine_map<(b, i, j, d) -> (b, i, j)>
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (b, i, 0)>

// CHECK-LABEL: func.func @given(
// CHECK-SAME:    %[[TERM:[a-z0-9]*]]: tensor<2x6x1xf32>
// CHECK:         %[[BIAS:.*]] = tensor.collapse_shape %[[TERM]]
// CHECK:         xsa.attention
// CHECK-SAME:    bias(%[[BIAS]] : tensor<2x6xf32>)
func.func @given(%q: tensor<2x6x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>, %m: tensor<2x6x1xf32>) -> tensor<2x6x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x5xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %s = linalg.generic {indexing_maps = [#query, #key, #score], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x6x8xf32>, tensor<2x5x8xf32>) outs(%s0 : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %t = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %m : tensor<2x6x5xf32>, tensor<2x6x1xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x5xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x6x5xf32>) outs(%e : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %ye = tensor.empty() : tensor<2x6x8xf32>
  %y0 = linalg.fill ins(%z : f32) outs(%ye : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<2x6x5xf32>, tensor<2x5x8xf32>) outs(%y0 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}

// What is computed from positions is finite.
// CHECK-LABEL: func.func @computed(
// CHECK:         xsa.attention
// CHECK-NOT:     bias(
// CHECK:         return
func.func @computed(%q: tensor<2x6x8xf32>, %k: tensor<2x5x8xf32>, %v: tensor<2x5x8xf32>) -> tensor<2x6x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x5xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %s = linalg.generic {indexing_maps = [#query, #key, #score], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x6x8xf32>, tensor<2x5x8xf32>) outs(%s0 : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x6x5xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<2x6x5xf32>) outs(%e : tensor<2x6x5xf32>) {
  ^bb0(%a: f32, %c: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f32
    %0 = arith.addf %a, %f : f32
    linalg.yield %0 : f32
  } -> tensor<2x6x5xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x6x5xf32>) outs(%e : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %ye = tensor.empty() : tensor<2x6x8xf32>
  %y0 = linalg.fill ins(%z : f32) outs(%ye : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<2x6x5xf32>, tensor<2x5x8xf32>) outs(%y0 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  return %y : tensor<2x6x8xf32>
}
