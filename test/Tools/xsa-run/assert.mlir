// REQUIRES: execution, numpy
// A failed check is an error of the run, on any number of threads.
// RUN: rm -f %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.bad.npz "arg0=np.array([0, 1, 5, 2], np.int64)" "arg1=np.arange(4000, dtype=np.int64)"
// RUN: not xsa-run %s --inputs %t.bad.npz --outputs %t.out.npz 2>&1 | FileCheck %s
// RUN: not ls %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.bad2.npz "arg0=np.array([0, 1, 3, 2], np.int64)" "arg1=np.arange(4000, dtype=np.int64)"
// RUN: not xsa-run %s --inputs %t.bad2.npz --outputs %t.out.npz --threads 1 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: not xsa-run %s --inputs %t.bad2.npz --outputs %t.out.npz --threads 4 --repeat 2 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: not ls %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.good.npz "arg0=np.array([0, 1, 3, 2], np.int64)" "arg1=np.full(4000, 3, np.int64)"
// RUN: xsa-run %s --inputs %t.good.npz --outputs %t.out.npz --threads 4
// RUN: %python %S/Inputs/npz.py check %t.out.npz --inputs %t.good.npz "out0=np.array([10, 11, 13, 12])" "out1=np.full((4000, 512), 13)" | FileCheck %s --check-prefix=GOOD
// GOOD: arrays agree

// CHECK: error: index must be smaller than dim size ({{.*}}assert.mlir:{{[0-9]+}}:{{[0-9]+}})
// PARALLEL: error: row must be smaller than 4

func.func @main(%i: tensor<4xi64>, %rows: tensor<4000xi64>) -> (tensor<4xi64>, tensor<4000x512xi64>) {
  %table = arith.constant dense<[10, 11, 12, 13]> : tensor<4xi64>
  %c4 = arith.constant 4 : i64
  %e = tensor.empty() : tensor<4xi64>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4xi64>) outs(%e : tensor<4xi64>) {
  ^bb0(%a: i64, %o: i64):
    %ok = arith.cmpi slt, %a, %c4 : i64
    cf.assert %ok, "index must be smaller than dim size"
    %at = arith.index_cast %a : i64 to index
    %v = tensor.extract %table[%at] : tensor<4xi64>
    linalg.yield %v : i64
  } -> tensor<4xi64>
  %f = tensor.empty() : tensor<4000x512xi64>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<4000xi64>) outs(%f : tensor<4000x512xi64>) {
  ^bb0(%a: i64, %o: i64):
    %ok = arith.cmpi slt, %a, %c4 : i64
    cf.assert %ok, "row must be smaller than 4"
    %at = arith.index_cast %a : i64 to index
    %v = tensor.extract %table[%at] : tensor<4xi64>
    linalg.yield %v : i64
  } -> tensor<4000x512xi64>
  return %0, %1 : tensor<4xi64>, tensor<4000x512xi64>
}
