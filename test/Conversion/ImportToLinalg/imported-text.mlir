// RUN: xsa-opt %s --split-input-file | FileCheck %s

// MLIR 23 and later print a boolean constant of more than a hundred elements
// with a byte for each, MLIR 22 with a bit for each. Both are read.

// CHECK-LABEL: func @bytes
// CHECK: dense<"0x499224499224499224499224499224499224"> : tensor<13x11xi1>
func.func @bytes() -> tensor<13x11xi1> {
  %0 = arith.constant dense<"0x0100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100000100"> : tensor<13x11xi1>
  return %0 : tensor<13x11xi1>
}

// CHECK-LABEL: func @bits
// CHECK: dense<"0x499224499224499224499224499224499224"> : tensor<13x11xi1>
func.func @bits() -> tensor<13x11xi1> {
  %0 = arith.constant dense<"0x499224499224499224499224499224499224"> : tensor<13x11xi1>
  return %0 : tensor<13x11xi1>
}

// Two elements are in one byte, or in two.
// CHECK-LABEL: func @two
// CHECK: dense<[false, true]> : tensor<2xi1>
// CHECK: dense<[false, true]> : vector<2xi1>
func.func @two() -> (tensor<2xi1>, vector<2xi1>) {
  %0 = arith.constant dense<"0x0001"> : tensor<2xi1>
  %1 = arith.constant dense<"0x0001">:vector<2xi1>
  return %0, %1 : tensor<2xi1>, vector<2xi1>
}

// Bytes of other types, and text that only looks like data, stay.
// CHECK-LABEL: func @others
// CHECK-SAME: text = "dense<"
// CHECK: dense<[0, 1]> : tensor<2xi8>
// CHECK: dense<true> : tensor<1xi1>
func.func @others() -> (tensor<2xi8>, tensor<1xi1>) attributes {text = "dense<"} {
  %0 = arith.constant dense<"0x0001"> : tensor<2xi8>
  %1 = arith.constant dense<"0x01"> : tensor<1xi1>
  return %0, %1 : tensor<2xi8>, tensor<1xi1>
}
