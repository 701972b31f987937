// RUN: xsa-opt %s --convert-xsa-to-linalg | FileCheck %s

// Values beyond the length are 0 before they meet a weight of 0: they may be
// NaN.
// CHECK-LABEL: func @beyond(
// CHECK-SAME: %[[V:[^:]*]]: tensor<6x4xf32>, %[[L:[^:]*]]: tensor<2xi32>
// CHECK: %[[KEPT:.*]] = linalg.generic {{.*}} ins(%[[V]], %[[L]] : tensor<6x4xf32>, tensor<2xi32>) outs(%{{.*}} : tensor<2x6x4xf32>)
// CHECK: arith.cmpi slt
// CHECK: arith.select
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[KEPT]] :
func.func @beyond(%q: tensor<2x3x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x4xf32>, %l: tensor<2xi32>, %o: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = xsa.attention {indexing_maps = [affine_map<(b, m, k1, k2, n) -> (b, m, k1)>, affine_map<(b, m, k1, k2, n) -> (k2, k1)>, affine_map<(b, m, k1, k2, n) -> (k2, n)>, affine_map<(b, m, k1, k2, n) -> (b)>, affine_map<(b, m, k1, k2, n) -> (b, m, n)>]}
    ins(%q, %k, %v : tensor<2x3x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>)
    key_lengths(%l : tensor<2xi32>)
    outs(%o : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
