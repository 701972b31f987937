// RUN: xsa-opt %s -xsa-fuse-output-cast | FileCheck %s

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
#id = affine_map<(i, j, k, l) -> (i, j, k, l)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>

// CHECK-LABEL: func.func @through_a_reshape
// CHECK:         xsa.attention {{.*}} -> tensor<2x16x16xbf16>
// CHECK-NEXT:    %[[R:.*]] = tensor.expand_shape {{.*}} into tensor<1x2x16x16xbf16>
// CHECK-NEXT:    return %[[R]]
func.func @through_a_reshape(%q: tensor<2x16x16xbf16>) -> tensor<1x2x16x16xbf16> {
  %e = tensor.empty() : tensor<2x16x16xf32>
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %q, %q : tensor<2x16x16xbf16>, tensor<2x16x16xbf16>, tensor<2x16x16xbf16>)
      outs(%e : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %x = tensor.expand_shape %r [[0, 1], [2], [3]] output_shape [1, 2, 16, 16] : tensor<2x16x16xf32> into tensor<1x2x16x16xf32>
  %i = tensor.empty() : tensor<1x2x16x16xbf16>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x2x16x16xf32>) outs(%i : tensor<1x2x16x16xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<1x2x16x16xbf16>
  return %c : tensor<1x2x16x16xbf16>
}

// The wide output has another reader.

// CHECK-LABEL: func.func @kept
// CHECK:         xsa.attention {{.*}} -> tensor<2x16x16xf32>
func.func @kept(%q: tensor<2x16x16xbf16>) -> (tensor<2x16x16xbf16>, tensor<2x16x16xf32>) {
  %e = tensor.empty() : tensor<2x16x16xf32>
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %q, %q : tensor<2x16x16xbf16>, tensor<2x16x16xbf16>, tensor<2x16x16xbf16>)
      outs(%e : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %i = tensor.empty() : tensor<2x16x16xbf16>
  %c = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<2x16x16xf32>) outs(%i : tensor<2x16x16xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<2x16x16xbf16>
  return %c, %r : tensor<2x16x16xbf16>, tensor<2x16x16xf32>
}
