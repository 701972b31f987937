// RUN: xsa-opt %s --xsa-tile-attention | FileCheck %s --check-prefixes=CHECK,TILE
// RUN: xsa-opt %s --convert-xsa-to-linalg | FileCheck %s --check-prefixes=CHECK,LINALG

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#l = affine_map<(m, k1, k2, n) -> (m)>

// A destination that is known to be memory of its own is written in place.

// CHECK-LABEL: func.func @own_destination
// CHECK-SAME:    %[[Q:[^:]*]]: memref<?x4xf32>, %[[KV:[^:]*]]: memref<8x4xf32>
// CHECK:         %[[O:.*]] = memref.alloc(
// CHECK-DAG:     bufferization.to_tensor %[[Q]] restrict :
// CHECK-DAG:     bufferization.to_tensor %[[KV]] restrict :
// CHECK-DAG:     tensor.empty(%{{.*}}) : tensor<?x4xf32>
// TILE:          scf.forall
// LINALG:        linalg.generic
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable %[[O]]
// CHECK-NOT:     memref.copy
// CHECK:         return %[[O]]
func.func @own_destination(%q: memref<?x4xf32>, %kv: memref<8x4xf32>) -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = memref.dim %q, %c0 : memref<?x4xf32>
  %o = memref.alloc(%m) : memref<?x4xf32>
  xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %kv, %kv : memref<?x4xf32>, memref<8x4xf32>, memref<8x4xf32>)
      outs(%o : memref<?x4xf32>)
  return %o : memref<?x4xf32>
}

// Arguments may overlap: everything is read before they are written.

// CHECK-LABEL: func.func @destinations_may_overlap
// CHECK-SAME:    %[[X:[^:]*]]: memref<8x4xf32, strided<[?, 1]>>, %[[L:[^:]*]]: memref<8xf32>
// CHECK:         %[[OWN:.*]] = memref.alloc() : memref<8x4xf32>
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OWN]]
// CHECK:         %[[OWNL:.*]] = memref.alloc() : memref<8xf32>
// CHECK:         bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OWNL]]
// CHECK:         memref.copy %[[OWN]], %[[X]]
// CHECK:         memref.copy %[[OWNL]], %[[L]]
func.func @destinations_may_overlap(%x: memref<8x4xf32, strided<[?, 1]>>, %l: memref<8xf32>) {
  xsa.attention {causal, indexing_maps = [#q, #k, #v, #o, #l]}
      ins(%x, %x, %x : memref<8x4xf32, strided<[?, 1]>>, memref<8x4xf32, strided<[?, 1]>>, memref<8x4xf32, strided<[?, 1]>>)
      outs(%x : memref<8x4xf32, strided<[?, 1]>>) lse(%l : memref<8xf32>)
  return
}
