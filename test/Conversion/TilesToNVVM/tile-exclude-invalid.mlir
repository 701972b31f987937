// RUN: xsa-opt %s -xsa-tile-exclude-for-gpu="strict=true" -verify-diagnostics

#y = affine_map<(t, n) -> (t, n)>

func.func @f64(%y: tensor<64x64xf64>, %v: tensor<64x64xf64>, %o: tensor<64x64xf64>) -> tensor<64x64xf64> {
  // expected-error @+1 {{cannot become a kernel: f64}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<64x64xf64>, tensor<64x64xf64>)
      outs(%o : tensor<64x64xf64>) -> tensor<64x64xf64>
  return %z : tensor<64x64xf64>
}
