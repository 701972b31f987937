// RUN: xsa-opt %s --xsa-import-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: tosa
// CHECK: arith.addf
func.func @elementwise(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = tosa.add %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @matmul_and_reshape
// CHECK-NOT: tosa
// CHECK: linalg.batch_matmul
// CHECK: tensor.collapse_shape
func.func @matmul_and_reshape(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<6x5xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %s = tosa.const_shape {values = dense<[6, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<2x3x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>
  %1 = tosa.reshape %0, %s : (tensor<2x3x5xf32>, !tosa.shape<2>) -> tensor<6x5xf32>
  return %1 : tensor<6x5xf32>
}

// -----

// A scatter of one batch stays one; one of several goes to a loop.
// CHECK-LABEL: func.func @scatter
// CHECK-NOT: tosa
// CHECK: tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%{{.*}}, %{{.*}} : tensor<3x2xf32>, tensor<3x1xi32>) outs(%{{.*}} : tensor<4x2xf32>)
// CHECK: scf.for
// CHECK-NOT: tosa
func.func @scatter(%v: tensor<1x4x2xf32>, %i: tensor<1x3xi32>, %u: tensor<1x3x2xf32>,
                   %vs: tensor<2x4x2xf32>, %is: tensor<2x3xi32>, %us: tensor<2x3x2xf32>) -> (tensor<1x4x2xf32>, tensor<2x4x2xf32>) {
  %0 = tosa.scatter %v, %i, %u : (tensor<1x4x2xf32>, tensor<1x3xi32>, tensor<1x3x2xf32>) -> tensor<1x4x2xf32>
  %1 = tosa.scatter %vs, %is, %us : (tensor<2x4x2xf32>, tensor<2x3xi32>, tensor<2x3x2xf32>) -> tensor<2x4x2xf32>
  return %0, %1 : tensor<1x4x2xf32>, tensor<2x4x2xf32>
}

// -----

// Control flow and what is inside it are converted.
// CHECK-LABEL: func.func @control_flow
// CHECK-NOT: tosa
// CHECK: scf.if
// CHECK-NOT: tosa
func.func @control_flow(%v: tensor<1x4x2xf32>, %c: tensor<i1>) -> tensor<1x4x2xf32> {
  %1 = tosa.cond_if %c (%a = %v) : tensor<i1> (tensor<1x4x2xf32>) -> tensor<1x4x2xf32> {
  ^bb0(%a: tensor<1x4x2xf32>):
    %2 = tosa.exp %a : (tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
    tosa.yield %2 : tensor<1x4x2xf32>
  } else {
  ^bb0(%a: tensor<1x4x2xf32>):
    tosa.yield %a : tensor<1x4x2xf32>
  }
  return %1 : tensor<1x4x2xf32>
}

// -----

// Unranked results are inferred.
// CHECK-LABEL: func.func @inferred
// CHECK: math.exp %{{.*}} : f32
func.func @inferred(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tosa.exp %a : (tensor<2x3xf32>) -> tensor<?x?xf32>
  %1 = tosa.exp %0 : (tensor<?x?xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
