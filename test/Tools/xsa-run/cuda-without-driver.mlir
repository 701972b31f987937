// The driver is looked for when it is asked for, and only then.
//
// UNSUPPORTED: cuda-driver
// RUN: not xsa-run %s --target cuda --outputs %t.npz 2>&1 | FileCheck %s
// CHECK: error: the target 'cuda' cannot be used: the NVIDIA driver was not found: {{.*}}libcuda.so.1

func.func @main() -> tensor<1xf32> {
  %one = arith.constant dense<1.0> : tensor<1xf32>
  return %one : tensor<1xf32>
}
