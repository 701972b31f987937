// RUN: xsa-opt %s --convert-tm-tensor-to-linalg --split-input-file --verify-diagnostics

func.func @memref(%x: memref<8xf32>) {
  // expected-error @+1 {{cannot be lowered: expected operands on tensors, got memrefs}}
  tm_tensor.sort dimension(0) outs(%x : memref<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    tm_tensor.yield %c : i1
  }
  return
}
