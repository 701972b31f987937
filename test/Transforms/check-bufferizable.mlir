// RUN: xsa-opt %s -split-input-file -allow-unregistered-dialect -xsa-check-bufferizable -verify-diagnostics

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

// -----

// Dynamic sizes count as 1.
func.func @large(%n: index) -> tensor<?x9223372036854775807xi8> {
  %0 = tensor.empty(%n) : tensor<?x9223372036854775807xi8>
  return %0 : tensor<?x9223372036854775807xi8>
}

// -----

// expected-error @below {{argument 1 of 'argument' is of type 'tensor<9223372036854775807x9xf32>', whose size in bytes does not fit in 64 bits}}
func.func @argument(%x: tensor<4xf32>, %y: tensor<9223372036854775807x9xf32>) {
  return
}

// -----

// expected-error @below {{result 0 of 'declared' is of type 'tensor<4294967296x4294967296x4xf32>', whose size in bytes does not fit in 64 bits}}
func.func private @declared() -> tensor<4294967296x4294967296x4xf32>

// -----

func.func @buffer(%n: index) {
  // expected-error @below {{result 0 of 'memref.alloc' is of type 'memref<?x4611686018427387904xf16>', whose size in bytes does not fit in 64 bits}}
  %0 = memref.alloc(%n) : memref<?x4611686018427387904xf16>
  return
}

// -----

// No bytes, but a stride that no number of 64 bits holds.
func.func @stride() {
  // expected-error @below {{result 0 of 'tensor.empty' is of type 'tensor<0x4294967296x4294967296xi1>', whose size in bytes does not fit in 64 bits}}
  %0 = tensor.empty() : tensor<0x4294967296x4294967296xi1>
  return
}
