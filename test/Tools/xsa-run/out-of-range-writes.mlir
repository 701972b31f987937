// REQUIRES: execution, numpy
// A cache is written where data say, and divided by what data are.
// RUN: rm -f %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.zeros((4, 2), np.float32)" "arg1=np.array(3, np.int64)" "arg2=np.array([2, -1], np.int32)"
// RUN: xsa-run %s --inputs %t.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.npz "out0=np.array([[0, 0], [0, 0], [0, 0], [7, 7]], np.float32)" "out1=np.array([-1073741824, 5], np.int32)" | FileCheck %s --check-prefix=GOOD
// GOOD: arrays agree
// RUN: rm -f %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.zeros((4, 2), np.float32)" "arg1=np.array(4, np.int64)" "arg2=np.array([2, -1], np.int32)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.zeros((4, 2), np.float32)" "arg1=np.array(-10**9, np.int64)" "arg2=np.array([2, -1], np.int32)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=SLICE
// SLICE: error: slice out of range in dimension 0 of size 4 ({{.*}}out-of-range-writes.mlir:{{[0-9]+}}:{{[0-9]+}})
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.zeros((4, 2), np.float32)" "arg1=np.array(0, np.int64)" "arg2=np.array([2, 0], np.int32)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: integer division by zero ({{.*}}out-of-range-writes.mlir:{{[0-9]+}}:{{[0-9]+}})
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.zeros((4, 2), np.float32)" "arg1=np.array(0, np.int64)" "arg2=np.array([-1, 2], np.int32)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: error: integer division of the least number by -1 ({{.*}}out-of-range-writes.mlir:{{[0-9]+}}:{{[0-9]+}})
// RUN: %python %S/Inputs/npz.py write %t.npz "arg0=np.zeros((5, 2), np.float32)" "arg1=np.array(0, np.int64)" "arg2=np.array([2, 2], np.int32)"
// RUN: not xsa-run %s --inputs %t.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=CAST
// CAST: error: dimension 0 is not of size 4 as its type says ({{.*}}out-of-range-writes.mlir:{{[0-9]+}}:{{[0-9]+}})
// RUN: not ls %t.out.npz

#id = affine_map<(i) -> (i)>
func.func @main(%cache: tensor<?x2xf32>, %at: tensor<i64>, %by: tensor<2xi32>) -> (tensor<4x2xf32>, tensor<2xi32>) {
  %rows = tensor.cast %cache : tensor<?x2xf32> to tensor<4x2xf32>
  %new = arith.constant dense<7.0> : tensor<1x2xf32>
  %position = tensor.extract %at[] : tensor<i64>
  %row = arith.index_cast %position : i64 to index
  %0 = tensor.insert_slice %new into %rows[%row, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<4x2xf32>
  %numbers = arith.constant dense<[-2147483648, -5]> : tensor<2xi32>
  %e = tensor.empty() : tensor<2xi32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%numbers, %by : tensor<2xi32>, tensor<2xi32>) outs(%e : tensor<2xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %q = arith.divsi %a, %b : i32
    linalg.yield %q : i32
  } -> tensor<2xi32>
  return %0, %1 : tensor<4x2xf32>, tensor<2xi32>
}
