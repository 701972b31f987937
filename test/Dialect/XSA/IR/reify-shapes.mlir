// RUN: xsa-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize | FileCheck %s

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// The shape of the result is that of the destination; the op is not needed.
// CHECK-LABEL: func.func @attention
// CHECK-SAME:    %[[O:[a-z0-9]*]]: tensor<?x?x8xf32>)
// CHECK-NOT:     xsa.attention
// CHECK:         %[[D:.*]] = tensor.dim %[[O]], %c1
// CHECK:         return %[[D]]
func.func @attention(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %o: tensor<?x?x8xf32>) -> index {
  %z = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %k : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>)
      outs(%o : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  %c1 = arith.constant 1 : index
  %d = tensor.dim %z, %c1 : tensor<?x?x8xf32>
  return %d : index
}
