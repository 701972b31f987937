// RUN: xsa-opt %s -allow-unregistered-dialect -xsa-check-bufferizable -verify-diagnostics

func.func @fine(%x: tensor<4xf32>, %i: index) -> f32 {
  %0 = tensor.extract %x[%i] : tensor<4xf32>
  "foo.no_tensors"(%0) : (f32) -> ()
  return %0 : f32
}

func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be compiled for the cpu: there is no lowering for 'foo.bar' of the dialect 'foo'}}
  %0 = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
