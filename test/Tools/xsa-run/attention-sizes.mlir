// REQUIRES: execution, numpy
// Sizes of an attention that disagree are an error of the run as well.
// RUN: rm -f %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.keys.npz "arg0=np.zeros((5, 4), np.float32)" "arg1=np.zeros((700, 4), np.float32)" "arg2=np.zeros((7, 4), np.float32)" "arg3=np.zeros((5, 4), np.float32)"
// RUN: not xsa-run %s --inputs %t.keys.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=KEYS
// KEYS: error: 'xsa.attention': size of 'value' in dimension k2 (keys) differs from that of 'key' ({{.*}}attention-sizes.mlir:
// RUN: %python %S/Inputs/npz.py write %t.rows.npz "arg0=np.zeros((50, 4), np.float32)" "arg1=np.zeros((7, 4), np.float32)" "arg2=np.zeros((7, 4), np.float32)" "arg3=np.zeros((5, 4), np.float32)"
// RUN: not xsa-run %s --inputs %t.rows.npz --outputs %t.out.npz 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: 'xsa.attention': size of 'output' in dimension m (query rows) differs from that of 'query'
// RUN: not ls %t.out.npz
// RUN: %python %S/Inputs/npz.py write %t.good.npz "arg0=np.zeros((5, 4), np.float32)" "arg1=np.zeros((7, 4), np.float32)" "arg2=np.ones((7, 4), np.float32)" "arg3=np.zeros((5, 4), np.float32)"
// RUN: xsa-run %s --inputs %t.good.npz --outputs %t.out.npz
// RUN: %python %S/Inputs/npz.py check %t.out.npz "out0=np.ones((5, 4), np.float32)" | FileCheck %s --check-prefix=GOOD
// GOOD: arrays agree

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @main(%q: tensor<?x?xf32>, %k: tensor<?x?xf32>, %v: tensor<?x?xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
