// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="strict=true" -verify-diagnostics

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

func.func @f64(%q: tensor<64x64xf64>, %k: tensor<64x64xf64>, %v: tensor<64x64xf64>, %o: tensor<64x64xf64>) -> tensor<64x64xf64> {
  // expected-error @+1 {{cannot become a kernel: f64}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf64>)
      outs(%o : tensor<64x64xf64>) -> tensor<64x64xf64>
  return %r : tensor<64x64xf64>
}
