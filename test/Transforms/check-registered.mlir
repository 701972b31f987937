// RUN: xsa-opt %s -split-input-file -allow-unregistered-dialect -xsa-check-registered -verify-diagnostics
// RUN: xsa-opt %s -split-input-file -allow-unregistered-dialect -xsa-lower-to-cpu-pipeline -verify-diagnostics
// RUN: xsa-opt %s -split-input-file -allow-unregistered-dialect -xsa-lower-to-nvvm-pipeline=format=isa -verify-diagnostics

func.func @fine(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}

// -----

func.func @inside(%x: f32) {
  // expected-error @below {{cannot be compiled for the cpu: there is no lowering for 'foo.bar' of the dialect 'foo'}}
  "foo.bar"(%x) : (f32) -> ()
  return
}

// -----

// expected-error @below {{cannot be compiled for the cpu: there is no lowering for 'foo.outside' of the dialect 'foo'}}
"foo.outside"() : () -> ()

// -----

"foo.region"() ({
  // expected-error @below {{cannot be compiled for the cpu: there is no lowering for 'foo.nested' of the dialect 'foo'}}
  "foo.nested"() : () -> ()
}) : () -> ()
