// RUN: xsa-opt %s --convert-xsa-to-linalg --canonicalize --cse | FileCheck %s

#y = affine_map<(t, h, n) -> (t, h, n)>
#v = affine_map<(t, h, n) -> (t, n)>
#row = affine_map<(t, h, n) -> (h, t)>

// CHECK-LABEL: func.func @sq_clamp
// CHECK:         %[[EPS:.*]] = arith.constant 9.99999993E-9 : f32
// CHECK:         arith.cmpf olt, %[[N:.*]], %[[EPS]]
// CHECK:         arith.select %{{.*}}, %[[EPS]], %[[N]]
func.func @sq_clamp(%y: tensor<?x4x8xf16>, %v: tensor<?x8xf16>, %o: tensor<?x4x8xf16>) -> tensor<?x4x8xf16> {
  %z = xsa.exclude {exclusion = #xsa.exclusion<sq_clamp, eps = 1.0e-8>, indexing_maps = [#y, #v, #y]}
      ins(%y, %v : tensor<?x4x8xf16>, tensor<?x8xf16>) outs(%o : tensor<?x4x8xf16>) -> tensor<?x4x8xf16>
  return %z : tensor<?x4x8xf16>
}

// CHECK-LABEL: func.func @sq_add
// CHECK-DAG:     %[[EPS:.*]] = arith.constant 9.99999997E-7 : f32
// CHECK:         %[[N:.*]] = arith.addf %{{.*}}, %[[EPS]]
// CHECK:         arith.divf %{{.*}}, %[[N]]
func.func @sq_add(%y: tensor<?x4x8xf16>, %v: tensor<?x8xf16>, %o: tensor<?x4x8xf16>) -> tensor<?x4x8xf16> {
  %z = xsa.exclude {exclusion = #xsa.exclusion<sq_add, eps = 1.0e-6>, indexing_maps = [#y, #v, #y]}
      ins(%y, %v : tensor<?x4x8xf16>, tensor<?x8xf16>) outs(%o : tensor<?x4x8xf16>) -> tensor<?x4x8xf16>
  return %z : tensor<?x4x8xf16>
}

// v = 0 leaves y: where the denominator is 0 the coefficient is 0.

// CHECK-LABEL: func.func @raw_f64_with_coefficient
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK:         %[[IS0:.*]] = arith.cmpf oeq, %[[N:.*]], %[[ZERO]] : f64
// CHECK:         %[[Q:.*]] = arith.divf %{{.*}}, %[[N]] : f64
// CHECK:         arith.select %[[IS0]], %[[ZERO]], %[[Q]] : f64
// CHECK:         %[[Z:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x8xf32>)
// CHECK:         %[[C:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x2xf64>)
// CHECK:         return %[[Z]], %[[C]]
func.func @raw_f64_with_coefficient(%y: tensor<2x4x8xf32>, %v: tensor<2x8xf64>, %o: tensor<2x4x8xf32>,
                                    %c: tensor<4x2xf64>) -> (tensor<2x4x8xf32>, tensor<4x2xf64>) {
  %z:2 = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #v, #y, #row]}
      ins(%y, %v : tensor<2x4x8xf32>, tensor<2x8xf64>) outs(%o : tensor<2x4x8xf32>)
      coefficient(%c : tensor<4x2xf64>) -> tensor<2x4x8xf32>, tensor<4x2xf64>
  return %z#0, %z#1 : tensor<2x4x8xf32>, tensor<4x2xf64>
}
