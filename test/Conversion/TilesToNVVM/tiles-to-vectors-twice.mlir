// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="query-tile=16 key-tile=16 warps=1" -xsa-tiles-to-vectors -o %t
// RUN: xsa-opt %t -xsa-tiles-to-vectors -o %t.twice
// RUN: diff %t %t.twice

// Vectors stay what they are.

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

func.func @attention(%q: tensor<32x16xf16>, %k: tensor<40x16xf16>, %v: tensor<40x16xf16>, %o: tensor<32x16xf16>) -> tensor<32x16xf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<32x16xf16>, tensor<40x16xf16>, tensor<40x16xf16>)
      outs(%o : tensor<32x16xf16>) -> tensor<32x16xf16>
  return %r : tensor<32x16xf16>
}
