// REQUIRES: execution, numpy
// Compressed, zip64, Fortran order and the other byte order.
// RUN: %python %S/Inputs/npz.py write --compressed %t.1.npz "arg0=np.arange(24, dtype=np.float32).reshape(2, 3, 4)"
// RUN: xsa-run %s --inputs %t.1.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.1.npz out0=arg0+arg0 | FileCheck %s
// RUN: %python %S/Inputs/npz.py write --zip64 %t.2.npz "arg0=np.arange(24, dtype=np.float32).reshape(2, 3, 4)"
// RUN: xsa-run %s --inputs %t.2.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.2.npz out0=arg0+arg0 | FileCheck %s
// RUN: %python %S/Inputs/npz.py write %t.3.npz "arg0=np.asfortranarray(np.arange(24, dtype=np.float32).reshape(2, 3, 4))"
// RUN: xsa-run %s --inputs %t.3.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.3.npz out0=arg0+arg0 | FileCheck %s
// RUN: %python %S/Inputs/npz.py write %t.4.npz "arg0=np.arange(24, dtype='>f4').reshape(2, 3, 4)"
// RUN: xsa-run %s --inputs %t.4.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.4.npz "out0=(arg0+arg0).astype(np.float32)" | FileCheck %s
// An existing output is replaced.
// RUN: echo old > %t.out.npz
// RUN: xsa-run %s --inputs %t.1.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.1.npz out0=arg0+arg0 | FileCheck %s
// CHECK: arrays agree

func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = arith.addf %x, %x : tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
