// RUN: xsa-opt %s --xsa-import-to-linalg | FileCheck %s

// CHECK-NOT: @unused
func.func private @unused(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}

// CHECK-NOT: func.func private @inner
func.func private @inner(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tosa.exp %a : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-NOT: func.func private @outer
func.func private @outer(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @inner(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @inner(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @main
// CHECK-NOT: call
// CHECK-COUNT-2: math.exp
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @outer(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Functions defined elsewhere stay called.
// CHECK: func.func private @elsewhere
// CHECK-LABEL: func.func @calls_elsewhere
// CHECK: call @elsewhere
func.func private @elsewhere(tensor<2xf32>) -> tensor<2xf32>
func.func @calls_elsewhere(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @elsewhere(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
