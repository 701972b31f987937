
func.func @main(%q: tensor<16x40xf16>, %k: tensor<20x16xf16>, %v: tensor<20x16xf16>) -> tensor<16x40xf16> {
  %e = tensor.empty() : tensor<16x40xf16>
  %z = xsa.attention {indexing_maps = [affine_map<(m,k1,k2,n)->(k1,m)>, affine_map<(m,k1,k2,n)->(k2,k1)>, affine_map<(m,k1,k2,n)->(k2,n)>, affine_map<(m,k1,k2,n)->(n,m)>], scale = 2.5e-01 : f64}
    ins(%q, %k, %v : tensor<16x40xf16>, tensor<20x16xf16>, tensor<20x16xf16>) outs(%e : tensor<16x40xf16>) -> tensor<16x40xf16>
  return %z : tensor<16x40xf16>
}