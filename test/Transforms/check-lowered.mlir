// RUN: xsa-opt %s -split-input-file -allow-unregistered-dialect -xsa-check-lowered -verify-diagnostics

llvm.func @lowered(%x: f32) -> f32 {
  llvm.return %x : f32
}

// -----

llvm.func @left_over(%x: f32) -> f32 {
  // expected-error @below {{cannot be compiled for the cpu: there is no lowering for 'arith.addf' of the dialect 'arith'}}
  %0 = arith.addf %x, %x : f32
  llvm.return %0 : f32
}

// -----

llvm.func @unregistered() {
  // expected-error @below {{there is no lowering for 'foo.bar' of the dialect 'foo'}}
  "foo.bar"() : () -> ()
  llvm.return
}

// -----

llvm.func @left_over_cast(%x: i64) {
  // expected-error @below {{cannot be compiled for the cpu: no lowering from 'i64' to 'index'}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to index
  llvm.return
}
