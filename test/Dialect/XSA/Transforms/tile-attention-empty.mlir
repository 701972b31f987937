// RUN: xsa-opt %s --xsa-tile-attention --canonicalize --cse --split-input-file | FileCheck %s

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#l = affine_map<(m, k1, k2, n) -> (m)>

// A dimension that is known to have no elements has no tiles either: what is
// left of the definition fills rows with 0 and log-sum-exps with -inf.

// CHECK-LABEL: func.func @no_keys
// CHECK-NOT:     scf.
// CHECK-NOT:     xsa.attention
// CHECK:         return %{{.*}}, %{{.*}} : tensor<5x3xf32>, tensor<5xf32>
func.func @no_keys(%q: tensor<5x4xf32>, %k: tensor<0x4xf32>, %v: tensor<0x3xf32>, %o: tensor<5x3xf32>,
                   %l: tensor<5xf32>) -> (tensor<5x3xf32>, tensor<5xf32>) {
  %z:2 = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o, #l]}
      ins(%q, %k, %v : tensor<5x4xf32>, tensor<0x4xf32>, tensor<0x3xf32>)
      outs(%o : tensor<5x3xf32>) lse(%l : tensor<5xf32>) -> tensor<5x3xf32>, tensor<5xf32>
  return %z#0, %z#1 : tensor<5x3xf32>, tensor<5xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @no_key_depth
// CHECK-NOT:     scf.
// CHECK:         return %{{.*}} : tensor<5x3xf32>
func.func @no_key_depth(%q: tensor<5x0xf32>, %k: tensor<7x0xf32>, %v: tensor<7x3xf32>, %o: tensor<5x3xf32>)
    -> tensor<5x3xf32> {
  %z = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<5x0xf32>, tensor<7x0xf32>, tensor<7x3xf32>)
      outs(%o : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %z : tensor<5x3xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @no_value_depth
// CHECK-NOT:     scf.
// CHECK:         return %{{.*}} : tensor<5x0xf32>
func.func @no_value_depth(%q: tensor<5x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x0xf32>, %o: tensor<5x0xf32>)
    -> tensor<5x0xf32> {
  %z = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<5x4xf32>, tensor<7x4xf32>, tensor<7x0xf32>)
      outs(%o : tensor<5x0xf32>) -> tensor<5x0xf32>
  return %z : tensor<5x0xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Sizes that are not known may be 0 as well; then no loop is entered.

// CHECK-LABEL: func.func @unknown
// CHECK:         scf.forall
// CHECK:           scf.for
func.func @unknown(%q: tensor<?x?xf32>, %k: tensor<?x?xf32>, %v: tensor<?x?xf32>, %o: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %z = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
