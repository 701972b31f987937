// RUN: xsa-opt %s --convert-tm-tensor-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[U:[a-z0-9_]+]]: tensor<2x3xf32>, %[[I:[a-z0-9_]+]]: tensor<2x1xi32>, %[[O:[a-z0-9_]+]]: tensor<4x3xf32>
// CHECK-DAG: %[[C4:[a-z0-9_]+]] = arith.constant 4 : index
// CHECK: scf.for %[[N:[a-z0-9_]+]] = {{.*}} iter_args(%{{.*}} = %[[O]])
// CHECK:   scf.for %[[W:[a-z0-9_]+]] = {{.*}} iter_args(%[[CURRENT:[a-z0-9_]+]] = %{{.*}})
// CHECK:     %[[INDEX:[a-z0-9_]+]] = tensor.extract %[[I]][%[[N]], %{{.*}}]
// CHECK:     %[[AT:[a-z0-9_]+]] = arith.index_cast %[[INDEX]] : i32 to index
// CHECK:     %[[INSIDE:[a-z0-9_]+]] = arith.cmpi ult, %[[AT]], %[[C4]]
// CHECK:     scf.if
// CHECK:       %[[UPDATE:[a-z0-9_]+]] = tensor.extract %[[U]][%[[N]], %[[W]]]
// CHECK:       %[[OLD:[a-z0-9_]+]] = tensor.extract %[[CURRENT]][%[[AT]], %[[W]]]
// CHECK:       %[[SUM:[a-z0-9_]+]] = arith.subf %[[UPDATE]], %[[OLD]]
// CHECK:       tensor.insert %[[SUM]] into %[[CURRENT]][%[[AT]], %[[W]]]
// CHECK:     else
// CHECK:       scf.yield %[[CURRENT]]
func.func @rows(%updates: tensor<2x3xf32>, %indices: tensor<2x1xi32>, %original: tensor<4x3xf32>)
    -> tensor<4x3xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
      ins(%updates, %indices : tensor<2x3xf32>, tensor<2x1xi32>) outs(%original : tensor<4x3xf32>) {
  ^bb0(%update: f32, %current: f32):
    %s = arith.subf %update, %current : f32
    tm_tensor.yield %s : f32
  } -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// -----

// Components of an index in another order than the dimensions.
// CHECK-LABEL: func.func @dimension_map
// CHECK-DAG: %[[C0:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK: %[[A:[a-z0-9_]+]] = tensor.extract %[[I:[a-z0-9_]+]][%[[N:[a-z0-9_]+]], %[[C0]]] : tensor<?x2xi64>
// CHECK: %[[ACAST:[a-z0-9_]+]] = arith.index_cast %[[A]]
// CHECK: %[[B:[a-z0-9_]+]] = tensor.extract %[[I]][%[[N]], %[[C1]]]
// CHECK: %[[BCAST:[a-z0-9_]+]] = arith.index_cast %[[B]]
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%[[BCAST]], %[[ACAST]]] : tensor<?x?xf32>
func.func @dimension_map(%updates: tensor<?xf32>, %indices: tensor<?x2xi64>, %original: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 1, 0>} unique_indices(true)
      ins(%updates, %indices : tensor<?xf32>, tensor<?x2xi64>) outs(%original : tensor<?x?xf32>) {
  ^bb0(%update: f32, %current: f32):
    tm_tensor.yield %update : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// An index into a dimension that the window has too is an offset.
// CHECK-LABEL: func.func @window_offset
// CHECK: scf.for %[[N:[a-z0-9_]+]] =
// CHECK: scf.for %[[W:[a-z0-9_]+]] =
// CHECK: scf.for %[[V:[a-z0-9_]+]] =
// CHECK: %[[OFFSET:[a-z0-9_]+]] = arith.addi %{{.*}}, %[[W]] : index
// CHECK: tensor.insert %{{.*}} into %{{.*}}[%{{.*}}, %[[OFFSET]], %[[V]]] : tensor<2x64x12xf32>
func.func @window_offset(%updates: tensor<2x4x12xf32>, %indices: tensor<2x2xi32>, %original: tensor<2x64x12xf32>)
    -> tensor<2x64x12xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(true)
      ins(%updates, %indices : tensor<2x4x12xf32>, tensor<2x2xi32>) outs(%original : tensor<2x64x12xf32>) {
  ^bb0(%update: f32, %current: f32):
    tm_tensor.yield %update : f32
  } -> tensor<2x64x12xf32>
  return %r : tensor<2x64x12xf32>
}
