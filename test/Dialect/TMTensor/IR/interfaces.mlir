// RUN: xsa-opt %s --canonicalize --cse | FileCheck %s --check-prefix=CANON
// RUN: xsa-opt %s --inline | FileCheck %s --check-prefix=INLINE

// An operation on tensors has no effects: unused ones go away.
// CANON-LABEL: func.func @unused
// CANON-NEXT: return
func.func @unused(%x: tensor<8xf32>) {
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<8xf32>
  return
}

// One on memrefs writes its destination and stays.
// CANON-LABEL: func.func @written
// CANON-NEXT: tm_tensor.sort
func.func @written(%x: memref<8xf32>) {
  tm_tensor.sort dimension(0) outs(%x : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %c : i1
  }
  return
}

// Destination-passing style: the result has the destination's extents, and a
// cast folds into the operation.
// CANON-LABEL: func.func @destination_style
// CANON-SAME: %[[X:.*]]: tensor<8xf32>
// CANON: tm_tensor.sort dimension(0) outs(%[[X]] : tensor<8xf32>)
// CANON-NOT: tensor.dim
func.func @destination_style(%x: tensor<8xf32>) -> (tensor<?xf32>, index) {
  %c0 = arith.constant 0 : index
  %y = tensor.cast %x : tensor<8xf32> to tensor<?xf32>
  %r = tm_tensor.sort dimension(0) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<?xf32>
  %d = tensor.dim %r, %c0 : tensor<?xf32>
  return %r, %d : tensor<?xf32>, index
}

func.func private @callee(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = tm_tensor.sort dimension(0) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// INLINE-LABEL: func.func @caller
// INLINE-NOT: call
// INLINE: tm_tensor.sort
func.func @caller(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = call @callee(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
