// RUN: xsa-opt %s -split-input-file -convert-scf-parallel-to-xsa-runtime -verify-diagnostics

func.func @captures_tensor(%t: tensor<4xf32>, %buffer: memref<?xf32>, %n: index) {
  // expected-error @below {{cannot run this loop in parallel: it uses a value of type 'tensor<4xf32>' from outside}}
  scf.forall (%i) in (%n) {
    %x = tensor.extract %t[%i] : tensor<4xf32>
    memref.store %x, %buffer[%i] : memref<?xf32>
  }
  return
}
