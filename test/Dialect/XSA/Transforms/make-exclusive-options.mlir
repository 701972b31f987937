// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{layers=last:1}))' | FileCheck %s --check-prefix=LAST
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{layers=0}))' | FileCheck %s --check-prefix=FIRST
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{assume-self=true}))' | FileCheck %s --check-prefix=ALL
// RUN: not xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{layers=some}))' 2>&1 | FileCheck %s --check-prefix=LAYERS
// RUN: not xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{denominator=l3}))' 2>&1 | FileCheck %s --check-prefix=DENOMINATOR
// RUN: not xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{eps=-1}))' 2>&1 | FileCheck %s --check-prefix=EPS

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// LAYERS: expected 'layers' to be all, last:N or a list of numbers, got 'some'
// DENOMINATOR: expected 'denominator' to be l2_clamp, sq_clamp, sq_add or raw, got 'l3'
// EPS: expected 'eps' to be finite and not negative, got -1.000000e+00

// LAST-LABEL: func @two_layers(
// LAST: xsa.attention {indexing_maps
// LAST: xsa.attention {exclusion
// FIRST-LABEL: func @two_layers(
// FIRST: xsa.attention {exclusion
// FIRST: xsa.attention {indexing_maps
// ALL-LABEL: func @two_layers(
// ALL: xsa.attention {exclusion
// ALL: xsa.attention {exclusion
func.func @two_layers(%x: tensor<2x8x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %x, %x : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %z = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%y, %y, %y : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %z : tensor<2x8x4xf32>
}

// ALL-LABEL: func @arguments(
// ALL: xsa.attention {exclusion
func.func @arguments(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>, %init: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%init : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}
