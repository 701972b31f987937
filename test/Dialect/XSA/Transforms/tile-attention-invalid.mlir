// RUN: xsa-opt %s --xsa-tile-attention --split-input-file --verify-diagnostics

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#row = affine_map<(m, k1, k2, n) -> (m)>

func.func @complex_score_input(%x: tensor<8x8xf32>, %c: tensor<8xcomplex<f32>>) -> tensor<8x8xf32> {
  // expected-error @below {{cannot be tiled with a score input of 'complex<f32>' elements: expected integers, index or floats}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #row, #o]}
      ins(%x, %x, %x : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
      score_inputs(%c : tensor<8xcomplex<f32>>) outs(%x : tensor<8x8xf32>)
      score {
      ^bb0(%s: f32, %z: complex<f32>, %p: index, %j: index):
        xsa.yield %s : f32
      } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
