// RUN: xsa-opt %s -xsa-expand-dynamic-reshapes | FileCheck %s

// CHECK-LABEL: func.func @two_sizes(
// CHECK-SAME:    %[[A:.*]]: memref<?x8xf32>, %[[B:.*]]: index, %[[T:.*]]: index
// CHECK:         %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[A]]
// CHECK:         %[[STRIDE:.*]] = affine.apply #{{.*}}()[%[[T]]]
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[B]], %[[T]], 2, 4], strides: [%[[STRIDE]], 8, 4, 1]
func.func @two_sizes(%a: memref<?x8xf32>, %b: index, %t: index) -> memref<?x?x2x4xf32> {
  %0 = memref.expand_shape %a [[0, 1], [2, 3]] output_shape [%b, %t, 2, 4] : memref<?x8xf32> into memref<?x?x2x4xf32>
  return %0 : memref<?x?x2x4xf32>
}

// CHECK-LABEL: func.func @one_size(
// CHECK:         memref.expand_shape
func.func @one_size(%a: memref<?xf32>, %n: index) -> memref<?x4xf32> {
  %0 = memref.expand_shape %a [[0, 1]] output_shape [%n, 4] : memref<?xf32> into memref<?x4xf32>
  return %0 : memref<?x4xf32>
}
