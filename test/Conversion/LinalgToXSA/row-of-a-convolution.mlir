// RUN: xsa-opt %s --split-input-file --convert-attention-to-xsa --verify-diagnostics | FileCheck %s

// One query row, read from the result of a convolution whose rows are the keys, as
// where an image shrinks to a single token. What the convolution reads is no row
// of anybody: the query has to be the own key, which is the last.

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>

// CHECK-LABEL: func.func @first_row(
// CHECK-NOT:     exclusion
// CHECK:         xsa.attention
// CHECK-NOT:     exclusion
// CHECK:         return
func.func @first_row(%x: tensor<1x6x4xf32>, %f: tensor<3x4x4xf32>, %g: tensor<3x4x4xf32>) -> tensor<1x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ec = tensor.empty() : tensor<1x4x4xf32>
  %c0 = linalg.fill ins(%zero : f32) outs(%ec : tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  %c = linalg.conv_1d_nwc_wcf ins(%x, %f : tensor<1x6x4xf32>, tensor<3x4x4xf32>) outs(%c0 : tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  %k = tensor.collapse_shape %c [[0, 1], [2]] : tensor<1x4x4xf32> into tensor<4x4xf32>
  %q = tensor.extract_slice %k[0, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<1x4xf32>
  %e = tensor.empty() : tensor<1x4xf32>
  // expected-remark @below {{attention not made exclusive: value rows are not computed token by token}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %k : tensor<1x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// -----

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>

// Without the convolution the last row is proven.
// CHECK-LABEL: func.func @last_row(
// CHECK:         xsa.attention {exclusion
func.func @last_row(%x: tensor<1x4x4xf32>) -> tensor<1x4xf32> {
  %k = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x4x4xf32> into tensor<4x4xf32>
  %q = tensor.extract_slice %k[3, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<1x4xf32>
  %e = tensor.empty() : tensor<1x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %k : tensor<1x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
