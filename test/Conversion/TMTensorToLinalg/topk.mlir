// RUN: xsa-opt %s --convert-tm-tensor-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @positions_from_index
// CHECK-SAME: %[[X:[a-z0-9_]+]]: tensor<2x8xf32>, %[[V:[a-z0-9_]+]]: tensor<2x3xf32>, %[[P:[a-z0-9_]+]]: tensor<2x3xi32>
// CHECK: scf.for %[[B:[a-z0-9_]+]] = {{.*}} iter_args(%{{.*}} = %[[V]], %{{.*}} = %[[P]])
// CHECK: scf.for %[[J:[a-z0-9_]+]] =
// CHECK: %[[E:[a-z0-9_]+]] = tensor.extract %[[X]][%[[B]], %[[J]]]
// CHECK: %[[POS:[a-z0-9_]+]] = arith.index_cast %[[J]] : index to i32
// CHECK: scf.for %[[K:[a-z0-9_]+]] = {{.*}} iter_args(%[[EL:[a-z0-9_]+]] = %[[E]], %[[EP:[a-z0-9_]+]] = %[[POS]], %[[LV:[a-z0-9_]+]] = %{{.*}}, %[[LP:[a-z0-9_]+]] = %{{.*}})
// CHECK:   %[[ENTRY:[a-z0-9_]+]] = tensor.extract %[[LV]][%[[B]], %[[K]]]
// CHECK:   %[[PLACE:[a-z0-9_]+]] = tensor.extract %[[LP]][%[[B]], %[[K]]]
// CHECK:   %[[BEFORE:[a-z0-9_]+]] = arith.cmpf ogt, %[[EL]], %[[ENTRY]]
// CHECK:   %[[AFTER:[a-z0-9_]+]] = arith.cmpf ogt, %[[ENTRY]], %[[EL]]
// CHECK:   %[[EQUAL:[a-z0-9_]+]] = arith.cmpi eq, %[[BEFORE]], %[[AFTER]]
// CHECK:   arith.cmpi slt, %[[EP]], %[[PLACE]]
func.func @positions_from_index(%x: tensor<2x8xf32>, %values: tensor<2x3xf32>, %places: tensor<2x3xi32>)
    -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<2x8xf32>)
      outs(%values, %places : tensor<2x3xf32>, tensor<2x3xi32>) {
  ^bb0(%element: f32, %entry: f32):
    %c = arith.cmpf ogt, %element, %entry : f32
    tm_tensor.yield %c : i1
  } -> tensor<2x3xf32>, tensor<2x3xi32>
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<2x3xi32>
}

// -----

// CHECK-LABEL: func.func @given_positions_dynamic
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<?xf32>, %[[I:[a-z0-9_]+]]: tensor<?xi64>
// CHECK: tensor.extract %[[I]][%{{.*}}] : tensor<?xi64>
func.func @given_positions_dynamic(%x: tensor<?xf32>, %i: tensor<?xi64>, %values: tensor<?xf32>, %places: tensor<?xi64>)
    -> (tensor<?xf32>, tensor<?xi64>) {
  %r:2 = tm_tensor.topk dimension(0) ins(%x, %i : tensor<?xf32>, tensor<?xi64>)
      outs(%values, %places : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%element: f32, %entry: f32):
    %c = arith.cmpf olt, %element, %entry : f32
    tm_tensor.yield %c : i1
  } -> tensor<?xf32>, tensor<?xi64>
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi64>
}
