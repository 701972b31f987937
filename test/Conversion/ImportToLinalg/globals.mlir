// RUN: xsa-opt %s --xsa-import-to-linalg | FileCheck %s

// CHECK-NOT: @never_used
// CHECK-NOT: @weights
// CHECK-NOT: @written_by_nobody
// CHECK: ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
// CHECK: ml_program.global public mutable @public_state
// CHECK: ml_program.global private @elsewhere(#extern) : tensor<2xf32>
ml_program.global private mutable @never_used(dense<0> : tensor<i64>) : tensor<i64>
ml_program.global private @weights(dense<[1.0, 2.0]> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @written_by_nobody(dense<3.0> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
ml_program.global public mutable @public_state(dense<0.0> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private @elsewhere(#ml_program.extern : tensor<2xf32>) : tensor<2xf32>

// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[A:[a-z0-9_]+]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[B:[a-z0-9_]+]] = arith.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK: return %[[A]], %[[A]], %[[B]]
func.func @constants() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = ml_program.global_load_const @weights : tensor<2xf32>
  %1 = ml_program.global_load @weights : tensor<2xf32>
  %2 = ml_program.global_load @written_by_nobody : tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// State stays: what is stored to, what others may store to, what has no value.
// CHECK-LABEL: func.func @state
// CHECK: ml_program.global_load @global_seed
// CHECK: ml_program.global_store @global_seed
// CHECK: ml_program.global_load @public_state
// CHECK: ml_program.global_load_const @elsewhere
func.func @state() -> (tensor<i64>, tensor<2xf32>, tensor<2xf32>) {
  %0 = ml_program.global_load @global_seed : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %next = arith.addi %0, %one : tensor<i64>
  ml_program.global_store @global_seed = %next : tensor<i64>
  %1 = ml_program.global_load @public_state : tensor<2xf32>
  %2 = ml_program.global_load_const @elsewhere : tensor<2xf32>
  return %next, %1, %2 : tensor<i64>, tensor<2xf32>, tensor<2xf32>
}
