// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{layers=last:1}))' | FileCheck %s --check-prefix=LAST
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{layers=0}))' | FileCheck %s --check-prefix=FIRST
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{layers=1,2,7}))' 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{layers=last:3}))' 2>&1 | FileCheck %s --check-prefix=LASTBEYOND
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{denominator=sq_add}))' | FileCheck %s --check-prefix=DEFAULTEPS
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{denominator=sq_add eps=None}))' | FileCheck %s --check-prefix=DEFAULTEPS
// RUN: not xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{eps=small}))' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{assume-self=true}))' | FileCheck %s --check-prefix=ALL
// RUN: not xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{layers=some}))' 2>&1 | FileCheck %s --check-prefix=LAYERS
// RUN: not xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{denominator=l3}))' 2>&1 | FileCheck %s --check-prefix=DENOMINATOR
// RUN: not xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-make-exclusive{eps=-1}))' 2>&1 | FileCheck %s --check-prefix=EPS

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// The function is not wrong, so its text, which may be all of a model, is not shown.
// LAYERS: expected 'layers' to be all, last:N or a list of numbers, got 'some'
// LAYERS-NOT: see current operation
// DENOMINATOR: expected 'denominator' to be l2_clamp, sq_clamp, sq_add or raw, got 'l3'
// DENOMINATOR-NOT: see current operation
// NUMBER: expected a number, got 'small'
// EPS: expected 'eps' to be finite and not negative, got -1.000000e+00
// EPS-NOT: see current operation

// What does not exist is a warning; the rest is done.
// BEYOND: warning: option 'layers' names 2, 7, but @two_layers has 2 self attentions, counted from 0
// BEYOND-LABEL: func @two_layers(
// BEYOND: xsa.attention {indexing_maps
// BEYOND: xsa.attention {exclusion
// LASTBEYOND: warning: option 'layers' names the last 3, but @two_layers has 2 self attentions, counted from 0
// LASTBEYOND-LABEL: func @two_layers(
// LASTBEYOND: xsa.attention {exclusion
// LASTBEYOND: xsa.attention {exclusion
// DEFAULTEPS-LABEL: func @two_layers(
// DEFAULTEPS: exclusion = #xsa.exclusion<sq_add, eps = {{9.99.*E-7|1.0.*E-0?6}}>

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
