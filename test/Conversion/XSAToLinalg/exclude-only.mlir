// RUN: xsa-opt %s --convert-xsa-to-linalg=mode=exclude-only | FileCheck %s

#q = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, k1)>
#k = affine_map<(h, g, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, g, m, k1, k2, n) -> (h, k2, n)>
#s = affine_map<(h, g, m, k1, k2, n) -> (h, m, n)>
#hg = affine_map<(h, g, m, k1, k2, n) -> (h, g)>
#row = affine_map<(h, g, m, k1, k2, n) -> (h, g, m)>
#o = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, n)>

// CHECK-LABEL: func.func @exclusive_is_split
// CHECK-SAME:    %[[SELF:[^:]*]]: tensor<2x8x4xf16>, %[[SINKS:[^:]*]]: tensor<2x3xf32>, %[[STRENGTH:[^:]*]]: tensor<2x3xf32>
// CHECK:         %[[Y:.*]]:4 = xsa.attention {causal, indexing_maps = [{{[^]]*}}]}
// CHECK-SAME:      sinks(%[[SINKS]]
// CHECK-NOT:       self_value
// CHECK-SAME:      lse({{.*}} max({{.*}} sum(
// CHECK-NOT:       coefficient
// CHECK:           xsa.yield
// CHECK:         -> tensor<2x3x8x4xf16>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[SELF]], %[[SELF]]
// CHECK:         linalg.generic {{.*}} ins(%[[Y]]#0, %[[SELF]]
// CHECK:         %[[Z:.*]] = linalg.generic {{.*}} ins(%[[Y]]#0, %[[SELF]], %{{.*}}, %[[STRENGTH]]
// CHECK:         return %[[Z]], %[[Y]]#1, %[[Y]]#2, %[[Y]]#3, %{{.*}}
func.func @exclusive_is_split(%q: tensor<2x3x8x16xf16>, %k: tensor<2x9x16xf16>, %v: tensor<2x9x4xf16>,
    %self: tensor<2x8x4xf16>, %sinks: tensor<2x3xf32>, %strength: tensor<2x3xf32>, %o: tensor<2x3x8x4xf16>,
    %r: tensor<2x3x8xf32>) -> (tensor<2x3x8x4xf16>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %z:5 = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-4>,
                        indexing_maps = [#q, #k, #v, #s, #hg, #hg, #o, #row, #row, #row, #row]}
      ins(%q, %k, %v : tensor<2x3x8x16xf16>, tensor<2x9x16xf16>, tensor<2x9x4xf16>)
      self_value(%self : tensor<2x8x4xf16>) sinks(%sinks : tensor<2x3xf32>) strength(%strength : tensor<2x3xf32>)
      outs(%o : tensor<2x3x8x4xf16>) lse(%r : tensor<2x3x8xf32>)
      max(%r : tensor<2x3x8xf32>) sum(%r : tensor<2x3x8xf32>) coefficient(%r : tensor<2x3x8xf32>)
      score {
      ^bb0(%x: f32, %p: index, %j: index):
        xsa.yield %x : f32
      } -> tensor<2x3x8x4xf16>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
  return %z#0, %z#1, %z#2, %z#3, %z#4 : tensor<2x3x8x4xf16>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// CHECK-LABEL: func.func @plain_stays
// CHECK-NOT:     linalg.generic
// CHECK:         xsa.attention
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @plain_stays(%q: tensor<2x3x8x16xf16>, %k: tensor<2x9x16xf16>, %v: tensor<2x9x4xf16>,
                       %o: tensor<2x3x8x4xf16>) -> tensor<2x3x8x4xf16> {
  %z = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<2x3x8x16xf16>, tensor<2x9x16xf16>, tensor<2x9x4xf16>)
      outs(%o : tensor<2x3x8x4xf16>) -> tensor<2x3x8x4xf16>
  return %z : tensor<2x3x8x4xf16>
}
