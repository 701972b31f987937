// REQUIRES: execution, numpy
// Sizes that disagree are an error of the run, not a read past a buffer.
// RUN: rm -f %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.bad.npz "arg0=np.zeros((2, 8), np.float32)" "arg1=np.zeros(2, np.float32)"
// RUN: not xsa-run %s --inputs %t.bad.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=CAST
// CAST: error: dimension 1 is not of size 1 as its type says ({{.*}}shape-mismatch.mlir:
// RUN: %python %S/Inputs/npz.py write %t.bad2.npz "arg0=np.zeros((2, 1), np.float32)" "arg1=np.zeros(5, np.float32)"
// RUN: not xsa-run %s --inputs %t.bad2.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=OPERANDS
// OPERANDS: error: operands disagree on the size of dimension 0 of 'linalg.generic'
// RUN: not ls %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.good.npz "arg0=np.ones((2, 1), np.float32)" "arg1=np.ones(2, np.float32)"
// RUN: xsa-run %s --inputs %t.good.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz "out0=np.full((2, 1), 2, np.float32)" | FileCheck %s --check-prefix=GOOD
// GOOD: arrays agree

func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x1xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %cast = tensor.cast %x : tensor<?x?xf32> to tensor<?x1xf32>
  %e = tensor.empty(%n) : tensor<?x1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%cast, %y : tensor<?x1xf32>, tensor<?xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}
