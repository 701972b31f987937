// REQUIRES: execution
// The host's instructions, and the arithmetic of a processor without AVX-512.
// RUN: %python %S/Inputs/exp2.py xsa-run %s --entry main | FileCheck %s
// RUN: %if x86_64 %{ %python %S/Inputs/exp2.py xsa-run %s --entry main --cpu x86-64-v3 | FileCheck %s %}
// CHECK: {{^}}35{{[0-9]+}} results within their errors, 5{{[0-9]+}} small
func.func @main(%x: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 4096 : index
  %pad = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096xf32>
  %r:2 = scf.for %i = %c0 to %n step %c16 iter_args(%a = %e, %b = %e) -> (tensor<4096xf32>, tensor<4096xf32>) {
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : tensor<4096xf32>, vector<16xf32>
    %exact = math.exp2 %v : vector<16xf32>
    %rough = math.exp2 %v {xsa.rough} : vector<16xf32>
    %s = vector.transfer_write %exact, %a[%i] {in_bounds = [true]} : vector<16xf32>, tensor<4096xf32>
    %t = vector.transfer_write %rough, %b[%i] {in_bounds = [true]} : vector<16xf32>, tensor<4096xf32>
    scf.yield %s, %t : tensor<4096xf32>, tensor<4096xf32>
  }
  return %r#0, %r#1 : tensor<4096xf32>, tensor<4096xf32>
}
