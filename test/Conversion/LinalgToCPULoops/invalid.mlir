// RUN: xsa-opt %s -convert-linalg-to-cpu-loops -verify-diagnostics

func.func @tensors(%x: f32, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{is not on buffers; bufferize first}}
  %z = linalg.fill ins(%x : f32) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
