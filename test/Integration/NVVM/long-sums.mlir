// REQUIRES: execution, numpy
// A product in f32 of rows longer than 128 adds up a step of products by itself
// first: one sum through all of them would round twice as much. With one key the
// log-sum-exp is its score.
//
// RUN: %python %S/Inputs/long_sums.py xsa-run %s

#query = affine_map<(m, k1, k2, n) -> (m, k1)>
#key = affine_map<(m, k1, k2, n) -> (k2, k1)>
#value = affine_map<(m, k1, k2, n) -> (k2, n)>
#output = affine_map<(m, k1, k2, n) -> (m, n)>
#row = affine_map<(m, k1, k2, n) -> (m)>

func.func @main(%q: tensor<192x256xf32>, %k: tensor<1x256xf32>, %v: tensor<1x16xf32>) -> tensor<192xf32> {
  %empty = tensor.empty() : tensor<192x16xf32>
  %row = tensor.empty() : tensor<192xf32>
  %r:2 = xsa.attention {scale = 1.0 : f64, indexing_maps = [#query, #key, #value, #output, #row]}
      ins(%q, %k, %v : tensor<192x256xf32>, tensor<1x256xf32>, tensor<1x16xf32>)
      outs(%empty : tensor<192x16xf32>) lse(%row : tensor<192xf32>) -> tensor<192x16xf32>, tensor<192xf32>
  return %r#1 : tensor<192xf32>
}
