// RUN: xsa-opt %s -xsa-fuse-output-cast | FileCheck %s

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
#id = affine_map<(i, j, k, l) -> (i, j, k, l)>
#id3 = affine_map<(i, j, k) -> (i, j, k)>
#id2 = affine_map<(i, j) -> (i, j)>

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

// Several reshapes, of sizes that are not known, after an exclusion.

// CHECK-LABEL: func.func @exclude
// CHECK-SAME:    %[[Y:[^:]*]]: tensor<?x4x16xbf16>
// CHECK:         %[[N:.*]] = tensor.dim %[[Y]], %c0
// CHECK:         %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?x4x16xbf16>
// CHECK:         xsa.exclude {{.*}} outs(%[[E]] : tensor<?x4x16xbf16>)
// CHECK-NEXT:    tensor.collapse_shape {{.*}} : tensor<?x4x16xbf16> into tensor<?x16xbf16>
// CHECK-NEXT:    tensor.cast {{.*}} : tensor<?x16xbf16> to tensor<8x16xbf16>
// CHECK-NEXT:    %[[R:.*]] = tensor.expand_shape {{.*}} into tensor<2x4x16xbf16>
// CHECK-NEXT:    return %[[R]]
func.func @exclude(%y: tensor<?x4x16xbf16>) -> tensor<2x4x16xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x4x16xbf16>
  %e = tensor.empty(%n) : tensor<?x4x16xf32>
  %r = xsa.exclude {exclusion = #xsa.exclusion<l2_clamp>, indexing_maps = [#id3, #id3, #id3]}
      ins(%y, %y : tensor<?x4x16xbf16>, tensor<?x4x16xbf16>)
      outs(%e : tensor<?x4x16xf32>) -> tensor<?x4x16xf32>
  %x = tensor.collapse_shape %r [[0, 1], [2]] : tensor<?x4x16xf32> into tensor<?x16xf32>
  %s = tensor.cast %x : tensor<?x16xf32> to tensor<8x16xf32>
  %t = tensor.expand_shape %s [[0, 1], [2]] output_shape [2, 4, 16] : tensor<8x16xf32> into tensor<2x4x16xf32>
  %i = tensor.empty() : tensor<2x4x16xbf16>
  %c = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%t : tensor<2x4x16xf32>) outs(%i : tensor<2x4x16xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %d = arith.truncf %a : f32 to bf16
    linalg.yield %d : bf16
  } -> tensor<2x4x16xbf16>
  return %c : tensor<2x4x16xbf16>
}

// Another reader of what lies between, and a destination that is not new.

// CHECK-LABEL: func.func @kept_between
// CHECK:         xsa.attention {{.*}} -> tensor<2x16x16xf32>
func.func @kept_between(%q: tensor<2x16x16xbf16>) -> (tensor<32x16xbf16>, tensor<32x16xf32>) {
  %e = tensor.empty() : tensor<2x16x16xf32>
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %q, %q : tensor<2x16x16xbf16>, tensor<2x16x16xbf16>, tensor<2x16x16xbf16>)
      outs(%e : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %x = tensor.collapse_shape %r [[0, 1], [2]] : tensor<2x16x16xf32> into tensor<32x16xf32>
  %i = tensor.empty() : tensor<32x16xbf16>
  %c = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<32x16xf32>) outs(%i : tensor<32x16xbf16>) {
  ^bb0(%a: f32, %b: bf16):
    %t = arith.truncf %a : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<32x16xbf16>
  return %c, %x : tensor<32x16xbf16>, tensor<32x16xf32>
}

// CHECK-LABEL: func.func @given
// CHECK:         xsa.attention {{.*}} -> tensor<2x16x16xf32>
func.func @given(%q: tensor<2x16x16xbf16>, %e: tensor<2x16x16xf32>) -> tensor<2x16x16xbf16> {
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
  return %c : tensor<2x16x16xbf16>
}
