// RUN: xsa-opt %s --xsa-lower-to-cpu-pipeline | FileCheck %s

// Heads as rows, in a layout that has a unit dimension after the depth: the
// vectors along the depth are read and written whatever the views fold to.

#q = affine_map<(b, g, m, k1, k2, n) -> (b, g, k1, m)>
#k = affine_map<(b, g, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, g, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, g, m, k1, k2, n) -> (b, g, n, m)>

// CHECK-LABEL: llvm.func @multi_query_decode
func.func @multi_query_decode(%q: tensor<2x8x40x1xf32>, %k: tensor<2x200x40xf32>, %v: tensor<2x200x32xf32>) -> tensor<2x8x32x1xf32> {
  %o = tensor.empty() : tensor<2x8x32x1xf32>
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<2x8x40x1xf32>, tensor<2x200x40xf32>, tensor<2x200x32xf32>)
      outs(%o : tensor<2x8x32x1xf32>) -> tensor<2x8x32x1xf32>
  return %r : tensor<2x8x32x1xf32>
}
