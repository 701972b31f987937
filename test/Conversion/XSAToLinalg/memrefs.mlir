// RUN: xsa-opt %s --convert-xsa-to-linalg | FileCheck %s
// RUN: xsa-opt %s --convert-xsa-to-linalg=mode=exclude-only | FileCheck %s --check-prefix=EXCLUDE

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#s = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @attention
// CHECK-NOT:     xsa.
// CHECK:         bufferization.materialize_in_destination
// EXCLUDE-LABEL: func.func @attention
// EXCLUDE:         xsa.attention {indexing_maps = {{.*}}} ins({{.*}} : tensor<8x8xf32>
// EXCLUDE:         bufferization.materialize_in_destination
func.func @attention(%x: memref<8x8xf32>) {
  xsa.attention {exclusion = #xsa.exclusion<raw>, indexing_maps = [#q, #k, #v, #s, #s]}
      ins(%x, %x, %x : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>)
      self_value(%x : memref<8x8xf32>) outs(%x : memref<8x8xf32>)
  return
}

// Plain attention is left to another compiler as it is, on memrefs.
// EXCLUDE-LABEL: func.func @plain
// EXCLUDE-NOT:     bufferization.
// EXCLUDE:         xsa.attention {{.*}} outs({{.*}} : memref<8x8xf32>)
func.func @plain(%x: memref<8x8xf32>, %o: memref<8x8xf32>) {
  xsa.attention {indexing_maps = [#q, #k, #v, #s]}
      ins(%x, %x, %x : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) outs(%o : memref<8x8xf32>)
  return
}

#y = affine_map<(m, n) -> (m, n)>

// CHECK-LABEL: func.func @exclude
// CHECK-SAME:    %[[X:[^:]*]]: memref<8x8xf32>
// CHECK-NOT:     xsa.
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OWN:.*]] :
// CHECK:         memref.copy %[[OWN]], %[[X]]
func.func @exclude(%x: memref<8x8xf32>) {
  xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%x, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%x : memref<8x8xf32>)
  return
}
