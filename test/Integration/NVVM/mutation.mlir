// REQUIRES: execution, numpy
// A kernel of the pipeline, broken in one place at a time. The last tile of keys
// is short, but holds the maximum of some rows.
//
// RUN: mkdir -p %t
// RUN: %python %S/Inputs/mutate.py xsa-opt mlir-translate xsa-emulate %s %t | FileCheck %s

// CHECK-NOT: MISSED
// CHECK:     0 missed

#query = affine_map<(m, k1, k2, n) -> (m, k1)>
#key = affine_map<(m, k1, k2, n) -> (k2, k1)>
#value = affine_map<(m, k1, k2, n) -> (k2, n)>
#result = affine_map<(m, k1, k2, n) -> (m, n)>

func.func @main(%q: tensor<248x64xf16>, %k: tensor<248x64xf16>, %v: tensor<248x64xf16>) -> tensor<248x64xf16> {
  %empty = tensor.empty() : tensor<248x64xf16>
  %z = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>,
                      indexing_maps = [#query, #key, #value, #result, #result], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<248x64xf16>, tensor<248x64xf16>, tensor<248x64xf16>)
      self_value(%v : tensor<248x64xf16>)
      outs(%empty : tensor<248x64xf16>) -> tensor<248x64xf16>
  return %z : tensor<248x64xf16>
}
