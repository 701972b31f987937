// REQUIRES: execution, numpy
// A product in f32 adds up 32 products at a time: one sum through all of them
// would round each time at its whole size. With one key the log-sum-exp is its
// score.
//
// RUN: %python %S/Inputs/long_sums.py xsa-run %s

#query = affine_map<(m, k1, k2, n) -> (m, k1)>
#key = affine_map<(m, k1, k2, n) -> (k2, k1)>
#value = affine_map<(m, k1, k2, n) -> (k2, n)>
#output = affine_map<(m, k1, k2, n) -> (m, n)>
#row = affine_map<(m, k1, k2, n) -> (m)>

func.func @depth64(%q: tensor<192x64xf32>, %k: tensor<1x64xf32>, %v: tensor<1x16xf32>) -> tensor<192xf32> {
  %empty = tensor.empty() : tensor<192x16xf32>
  %row = tensor.empty() : tensor<192xf32>
  %r:2 = xsa.attention {scale = 1.0 : f64, indexing_maps = [#query, #key, #value, #output, #row]}
      ins(%q, %k, %v : tensor<192x64xf32>, tensor<1x64xf32>, tensor<1x16xf32>)
      outs(%empty : tensor<192x16xf32>) lse(%row : tensor<192xf32>) -> tensor<192x16xf32>, tensor<192xf32>
  return %r#1 : tensor<192xf32>
}

func.func @depth128(%q: tensor<192x128xf32>, %k: tensor<1x128xf32>, %v: tensor<1x16xf32>) -> tensor<192xf32> {
  %empty = tensor.empty() : tensor<192x16xf32>
  %row = tensor.empty() : tensor<192xf32>
  %r:2 = xsa.attention {scale = 1.0 : f64, indexing_maps = [#query, #key, #value, #output, #row]}
      ins(%q, %k, %v : tensor<192x128xf32>, tensor<1x128xf32>, tensor<1x16xf32>)
      outs(%empty : tensor<192x16xf32>) lse(%row : tensor<192xf32>) -> tensor<192x16xf32>, tensor<192xf32>
  return %r#1 : tensor<192xf32>
}

func.func @depth256(%q: tensor<192x256xf32>, %k: tensor<1x256xf32>, %v: tensor<1x16xf32>) -> tensor<192xf32> {
  %empty = tensor.empty() : tensor<192x16xf32>
  %row = tensor.empty() : tensor<192xf32>
  %r:2 = xsa.attention {scale = 1.0 : f64, indexing_maps = [#query, #key, #value, #output, #row]}
      ins(%q, %k, %v : tensor<192x256xf32>, tensor<1x256xf32>, tensor<1x16xf32>)
      outs(%empty : tensor<192x16xf32>) lse(%row : tensor<192xf32>) -> tensor<192x16xf32>, tensor<192xf32>
  return %r#1 : tensor<192xf32>
}
