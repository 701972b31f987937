// REQUIRES: execution, numpy
// Scalars, empty arrays and dynamic dimensions.
// RUN: %python %S/Inputs/npz.py write %t.in.npz "arg0=np.float32(3)" "arg1=np.zeros((0, 4), np.float32)" "arg2=np.ones((5, 3), np.float32)"
// RUN: xsa-run %s --inputs %t.in.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.in.npz "out0=np.float32(6)" out1=arg1 "out2=arg2+arg2" "out3=np.zeros((0, 3), np.float32)" | FileCheck %s
// RUN: %python %S/Inputs/npz.py write %t.in.npz "arg0=np.float32(3)" "arg1=np.zeros((2, 4), np.float32)" "arg2=np.ones((0, 3), np.float32)"
// RUN: xsa-run %s --inputs %t.in.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.in.npz "out0=np.float32(6)" out1=arg1 "out2=arg2" "out3=np.zeros((0, 3), np.float32)" | FileCheck %s
// CHECK: arrays agree

func.func @main(%scalar: tensor<f32>, %rows: tensor<?x4xf32>, %any: tensor<?x?xf32>)
    -> (tensor<f32>, tensor<?x4xf32>, tensor<?x?xf32>, tensor<0x3xf32>) {
  %0 = arith.addf %scalar, %scalar : tensor<f32>
  %1 = arith.addf %rows, %rows : tensor<?x4xf32>
  %2 = arith.addf %any, %any : tensor<?x?xf32>
  %3 = tensor.empty() : tensor<0x3xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<?x4xf32>, tensor<?x?xf32>, tensor<0x3xf32>
}
