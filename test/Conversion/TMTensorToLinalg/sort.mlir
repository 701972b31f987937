// RUN: xsa-opt %s --convert-tm-tensor-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// One scratch row per operand, three passes over rows of eight; the right head
// is taken only if it goes strictly before the left, which keeps ties in order.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: %[[X:[a-z0-9_]+]]: tensor<2x8xf32>, %[[P:[a-z0-9_]+]]: tensor<2x8xi64>
// CHECK-DAG: %[[C3:[a-z0-9_]+]] = arith.constant 3 : index
// CHECK-DAG: %[[SX:[a-z0-9_]+]] = tensor.empty() : tensor<8xf32>
// CHECK-DAG: %[[SP:[a-z0-9_]+]] = tensor.empty() : tensor<8xi64>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[X]], %{{.*}} = %[[P]], %{{.*}} = %[[SX]], %{{.*}} = %[[SP]])
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C3]]
// CHECK: %[[FORWARD:[a-z0-9_]+]] = arith.cmpf ole, %[[RIGHT:[a-z0-9_]+]], %[[LEFT:[a-z0-9_]+]] : f32
// CHECK: %[[BACKWARD:[a-z0-9_]+]] = arith.cmpf ole, %[[LEFT]], %[[RIGHT]] : f32
// CHECK: %[[NOT:[a-z0-9_]+]] = arith.xori %[[BACKWARD]]
// CHECK: arith.andi %[[FORWARD]], %[[NOT]]
func.func @pairs(%x: tensor<2x8xf32>, %positions: tensor<2x8xi64>) -> (tensor<2x8xf32>, tensor<2x8xi64>) {
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %positions : tensor<2x8xf32>, tensor<2x8xi64>) {
  ^bb0(%a: f32, %b: f32, %ia: i64, %ib: i64):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<2x8xf32>, tensor<2x8xi64>
  return %r#0, %r#1 : tensor<2x8xf32>, tensor<2x8xi64>
}

// -----

// ceil(log2(n)) passes, counted at run time.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: %[[X:[a-z0-9_]+]]: tensor<?x?xi32>
// CHECK-DAG: %[[C0:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK: %[[N:[a-z0-9_]+]] = tensor.dim %[[X]], %[[C0]]
// CHECK: %[[AT_LEAST_ONE:[a-z0-9_]+]] = arith.maxui %[[N]], %[[C1]]
// CHECK: %[[LAST:[a-z0-9_]+]] = arith.subi %[[AT_LEAST_ONE]], %[[C1]]
// CHECK: math.ctlz
func.func @dynamic(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<?x?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi sgt, %a, %b : i32
    tm_tensor.yield %c : i1
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}
