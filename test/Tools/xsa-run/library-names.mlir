// REQUIRES: execution, numpy
// Functions named like those that arithmetic becomes calls of.
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/npz.py write %t/in.npz "arg0=np.linspace(-1, 1, 9)"
// RUN: xsa-run %s --entry exp --inputs %t/in.npz --outputs %t/exp.npz
// RUN: %python %S/Inputs/npz.py check %t/exp.npz --inputs %t/in.npz "out0=np.exp(arg0)" --tolerance 1e-12
// RUN: xsa-run %s --entry malloc --inputs %t/in.npz --outputs %t/malloc.npz
// RUN: %python %S/Inputs/npz.py check %t/malloc.npz --inputs %t/in.npz "out0=np.sin(np.exp(arg0))" --tolerance 1e-12

func.func @exp(%x: tensor<9xf64>) -> tensor<9xf64> {
  %y = math.exp %x : tensor<9xf64>
  return %y : tensor<9xf64>
}
func.func private @sin(%x: tensor<9xf64>) -> tensor<9xf64> {
  %y = math.sin %x : tensor<9xf64>
  return %y : tensor<9xf64>
}
func.func @malloc(%x: tensor<9xf64>) -> tensor<9xf64> {
  %y = call @exp(%x) : (tensor<9xf64>) -> tensor<9xf64>
  %z = call @sin(%y) : (tensor<9xf64>) -> tensor<9xf64>
  return %z : tensor<9xf64>
}
