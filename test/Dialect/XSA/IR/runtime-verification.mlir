// RUN: xsa-opt %s --generate-runtime-verification | FileCheck %s

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// Sizes that are known need no check.
// CHECK-LABEL: func.func @attention
// CHECK:         %[[KD:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<2x?x8xf32>
// CHECK:         %[[VD:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<2x?x8xf32>
// CHECK:         %[[EQ:.*]] = arith.cmpi eq, %[[KD]], %[[VD]]
// CHECK:         cf.assert %[[EQ]], "{{.*}}size of 'value' in dimension k2 (keys) differs from that of 'key'
// CHECK-NOT:     cf.assert
// CHECK:         xsa.attention
func.func @attention(%q: memref<2x4x8xf32>, %k: memref<2x?x8xf32>, %v: memref<2x?x8xf32>, %o: memref<2x4x8xf32>) {
  xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : memref<2x4x8xf32>, memref<2x?x8xf32>, memref<2x?x8xf32>)
      outs(%o : memref<2x4x8xf32>)
  return
}

#y = affine_map<(t, n) -> (t, n)>

// CHECK-LABEL: func.func @exclude
// CHECK:         cf.assert %{{.*}}, "{{.*}}size of 'output' in dimension d0 differs from that of 'input'
// CHECK:         cf.assert %{{.*}}, "{{.*}}size of 'value' in dimension d0 differs from that of 'input'
func.func @exclude(%y: tensor<?x4xf32>, %v: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<?x4xf32>, tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}
