// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="chip=sm_100 print-plan=true" -verify-diagnostics -o /dev/null

#q = affine_map<(h, m, k1, k2, n) -> (h, m, k1)>
#k = affine_map<(h, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, m, k1, k2, n) -> (h, k2, n)>
#b = affine_map<(h, m, k1, k2, n) -> (m, k2)>
#o = affine_map<(h, m, k1, k2, n) -> (h, m, n)>

// Of plans that cost the same the first is taken, which has the larger tiles:
// here 4 warps on tiles of 64 keys would do as well, by the model.

func.func @tie(%q: tensor<32x2048x176xf16>, %k: tensor<32x2048x176xf16>, %v: tensor<32x2048x16xf16>, %b: tensor<2048x2048xi1>, %o: tensor<32x2048x16xf16>) -> tensor<32x2048x16xf16> {
  // expected-remark @+1 {{tile 128 x 128, 8 warps, 2 stages, query in registers}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #b, #o]}
      ins(%q, %k, %v : tensor<32x2048x176xf16>, tensor<32x2048x176xf16>, tensor<32x2048x16xf16>)
      mask(%b : tensor<2048x2048xi1>)
      outs(%o : tensor<32x2048x16xf16>) -> tensor<32x2048x16xf16>
  return %r : tensor<32x2048x16xf16>
}
