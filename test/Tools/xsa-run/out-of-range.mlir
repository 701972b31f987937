// REQUIRES: execution, numpy
// What data decides is checked before memory is touched: indices and sizes.
// RUN: rm -f %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.array([3, 0], np.int64)" "arg1=np.array(5, np.int64)"
// RUN: xsa-run %s --inputs %t.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.npz "out0=np.array([13, 10])" "out1=np.full(5, 7, np.float32)" | FileCheck %s --check-prefix=GOOD
// GOOD: arrays agree
// RUN: rm -f %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.array([1, 4], np.int64)" "arg1=np.array(5, np.int64)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.array([-1, 0], np.int64)" "arg1=np.array(5, np.int64)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.array([0, 10**9], np.int64)" "arg1=np.array(5, np.int64)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: index out of range in dimension 0 of size 4 ({{.*}}out-of-range.mlir:{{[0-9]+}}:{{[0-9]+}})
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.array([0, 0], np.int64)" "arg1=np.array(-1, np.int64)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.array([0, 0], np.int64)" "arg1=np.array(2**62, np.int64)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.array([0, 0], np.int64)" "arg1=np.array(2**62 + 1, np.int64)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: a size is negative, or makes more bytes than 64 bits hold ({{.*}}out-of-range.mlir:{{[0-9]+}}:{{[0-9]+}})
// RUN: not ls %t.out.npz

#id = affine_map<(i) -> (i)>
func.func @main(%i: tensor<2xi64>, %size: tensor<i64>) -> (tensor<2xi64>, tensor<?xf32>) {
  %table = arith.constant dense<[10, 11, 12, 13]> : tensor<4xi64>
  %e = tensor.empty() : tensor<2xi64>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%i : tensor<2xi64>) outs(%e : tensor<2xi64>) {
  ^bb0(%a: i64, %o: i64):
    %at = arith.index_cast %a : i64 to index
    %v = tensor.extract %table[%at] : tensor<4xi64>
    linalg.yield %v : i64
  } -> tensor<2xi64>
  %n = tensor.extract %size[] : tensor<i64>
  %extent = arith.index_cast %n : i64 to index
  %seven = arith.constant 7.0 : f32
  %f = tensor.empty(%extent) : tensor<?xf32>
  %1 = linalg.fill ins(%seven : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<2xi64>, tensor<?xf32>
}
