// RUN: xsa-opt %s --convert-attention-to-xsa=assume-self | FileCheck %s

// Heads that share one key/value head and are as many as the rows: without a
// mask, only where tensors are stored tells which are which. Own values are
// those of rows.

#q = affine_map<(b, x, y, j, d) -> (b, x, y, d)>
#s = affine_map<(b, x, y, j, d) -> (b, x, y, j)>
#k1 = affine_map<(b, x, y, j, d) -> (b, 0, j, d)>
#k0 = affine_map<(b, x, y, j, d) -> (b, j, 0, d)>

// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d5)>
// CHECK-DAG: #[[OUT_B:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d5)>

// CHECK-LABEL: func.func @heads_first(
// CHECK:         xsa.attention {exclusion = {{.*}}, indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}, #[[SECOND]], #[[OUT]]]
func.func @heads_first(%q: tensor<2x4x4x8xf32>, %k: tensor<2x1x4x8xf32>, %v: tensor<2x1x4x8xf32>) -> tensor<2x4x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %s = linalg.generic {indexing_maps = [#q, #k1, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x4x4x8xf32>, tensor<2x1x4x8xf32>) outs(%f : tensor<2x4x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x4x4xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<2x4x4x4xf32>) outs(%e : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %oe = tensor.empty() : tensor<2x4x4x8xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, x, y, d, j) -> (b, x, y, j)>, affine_map<(b, x, y, d, j) -> (b, 0, j, d)>, affine_map<(b, x, y, d, j) -> (b, x, y, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x4x4x4xf32>, tensor<2x1x4x8xf32>) outs(%of : tensor<2x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x4x8xf32>
  return %y : tensor<2x4x4x8xf32>
}

// CHECK-LABEL: func.func @rows_first(
// CHECK:         xsa.attention {exclusion = {{.*}}, indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}, #[[SECOND]], #[[OUT_B]]]
func.func @rows_first(%q: tensor<2x4x4x8xf32>, %k: tensor<2x4x1x8xf32>, %v: tensor<2x4x1x8xf32>) -> tensor<2x4x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %s = linalg.generic {indexing_maps = [#q, #k0, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<2x4x4x8xf32>, tensor<2x4x1x8xf32>) outs(%f : tensor<2x4x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x4x4xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<2x4x4x4xf32>) outs(%e : tensor<2x4x4x4xf32>) -> tensor<2x4x4x4xf32>
  %oe = tensor.empty() : tensor<2x4x4x8xf32>
  %of = linalg.fill ins(%zero : f32) outs(%oe : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, x, y, d, j) -> (b, x, y, j)>, affine_map<(b, x, y, d, j) -> (b, j, 0, d)>, affine_map<(b, x, y, d, j) -> (b, x, y, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x4x4x4xf32>, tensor<2x4x1x8xf32>) outs(%of : tensor<2x4x4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x4x8xf32>
  return %y : tensor<2x4x4x8xf32>
}
