// RUN: xsa-opt %s --xsa-verify-dynamic-sizes | FileCheck %s

#y = affine_map<(t, n) -> (t, n)>

// CHECK-LABEL: func.func @dynamic
// CHECK:         cf.assert %{{.*}}, "'xsa.exclude': size of 'value' in dimension d0 differs from that of 'input'"
// CHECK:         xsa.exclude
func.func @dynamic(%y: tensor<8x4xf32>, %v: tensor<?x4xf32>) -> tensor<8x4xf32> {
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<8x4xf32>, tensor<?x4xf32>) outs(%y : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @static
// CHECK-NOT:     cf.assert
// CHECK:         xsa.exclude
func.func @static(%y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %y : tensor<8x4xf32>, tensor<8x4xf32>) outs(%y : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %z : tensor<8x4xf32>
}
