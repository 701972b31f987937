// RUN: xsa-opt %s --xsa-import-to-linalg | FileCheck %s

// Weights stay resources: nothing copies them into the module.
// CHECK-LABEL: func.func @weights_stay
// CHECK: arith.constant dense_resource<weights> : tensor<9x9xf32>
// CHECK: arith.addf
func.func @weights_stay(%a: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %w = "tosa.const"() <{values = dense_resource<weights> : tensor<9x9xf32>}> : () -> tensor<9x9xf32>
  %0 = tosa.add %a, %w : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
  return %0 : tensor<9x9xf32>
}

// Upstream folds a slice of one element by reading the constant's elements,
// which aborts on a resource.
// CHECK-LABEL: func.func @slice_of_weights
// CHECK: %[[W:[a-z0-9_]+]] = arith.constant dense_resource<weights> : tensor<9x9xf32>
// CHECK: tensor.extract_slice %[[W]][0, 0] [1, 1] [1, 1]
func.func @slice_of_weights() -> tensor<1x1xf32> {
  %w = "tosa.const"() <{values = dense_resource<weights> : tensor<9x9xf32>}> : () -> tensor<9x9xf32>
  %start = tosa.const_shape {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
  %size = tosa.const_shape {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.slice %w, %start, %size : (tensor<9x9xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// Small ones can be read, and folded.
// CHECK-LABEL: func.func @slice_of_small
// CHECK: %[[C:[a-z0-9_]+]] = arith.constant dense<2.000000e+00> : tensor<1xf32>
// CHECK: return %[[C]]
func.func @slice_of_small() -> tensor<1xf32> {
  %w = "tosa.const"() <{values = dense_resource<small> : tensor<2xf32>}> : () -> tensor<2xf32>
  %start = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %size = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %0 = tosa.slice %w, %start, %size : (tensor<2xf32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// Elided and missing resources are kept as they are.
// CHECK-LABEL: func.func @without_data
// CHECK-DAG: arith.constant dense_resource<__elided__> : tensor<2xf32>
// CHECK-DAG: arith.constant dense_resource<missing> : tensor<2xf32>
func.func @without_data() -> tensor<2xf32> {
  %a = "tosa.const"() <{values = dense_resource<__elided__> : tensor<2xf32>}> : () -> tensor<2xf32>
  %b = "tosa.const"() <{values = dense_resource<missing> : tensor<2xf32>}> : () -> tensor<2xf32>
  %0 = tosa.add %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      small: "0x040000000000803F00000040",
      weights: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}
