// RUN: xsa-opt %s --one-shot-bufferize="bufferize-function-boundaries" --canonicalize | FileCheck %s

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
#r = affine_map<(b, m, k1, k2, n) -> (b, m)>

// Destinations are written without being filled or copied first.
// CHECK-LABEL: func.func @attention
// CHECK-DAG:     %[[O:.*]] = memref.alloc() {{.*}} : memref<2x8x4xf32>
// CHECK-DAG:     %[[L:.*]] = memref.alloc() {{.*}} : memref<2x8xf32>
// CHECK-NOT:     memref.copy
// CHECK:         xsa.attention
// CHECK-SAME:      outs(%[[O]] : memref<2x8x4xf32>) lse(%[[L]] : memref<2x8xf32>)
// CHECK:         return %[[O]], %[[L]]
func.func @attention(%q: tensor<2x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>)
    -> (tensor<2x8x4xf32>, tensor<2x8xf32>) {
  %e = tensor.empty() : tensor<2x8x4xf32>
  %l = tensor.empty() : tensor<2x8xf32>
  %z:2 = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o, #r]}
      ins(%q, %k, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%e : tensor<2x8x4xf32>) lse(%l : tensor<2x8xf32>) -> tensor<2x8x4xf32>, tensor<2x8xf32>
  return %z#0, %z#1 : tensor<2x8x4xf32>, tensor<2x8xf32>
}

#y = affine_map<(t, n) -> (t, n)>

// An input that lives on is not overwritten.
// CHECK-LABEL: func.func @exclude_keeps_its_input
// CHECK-SAME:    %[[Y:[a-z0-9]*]]: memref<8x4xf32
// CHECK:         %[[O:.*]] = memref.alloc()
// CHECK:         xsa.exclude
// CHECK-SAME:      outs(%[[O]]
// CHECK:         return %[[O]], %[[Y]]
func.func @exclude_keeps_its_input(%y: tensor<8x4xf32>, %v: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<8x4xf32>, tensor<8x4xf32>) outs(%y : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %z, %y : tensor<8x4xf32>, tensor<8x4xf32>
}
