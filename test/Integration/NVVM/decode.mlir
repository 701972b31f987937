// REQUIRES: execution, numpy
// Few query rows on many keys: the keys are split, so that every SM has a block;
// a cache of dynamic length too, whatever its length turns out to be.
//
// RUN: %python %S/Inputs/decode.py xsa-run %s --blocks 108

#query = affine_map<(b, h, g, m, k1, k2, n) -> (b, m, h, g, k1)>
#key = affine_map<(b, h, g, m, k1, k2, n) -> (b, k2, h, k1)>
#value = affine_map<(b, h, g, m, k1, k2, n) -> (b, k2, h, n)>
#own = affine_map<(b, h, g, m, k1, k2, n) -> (b, m, h, n)>
#length = affine_map<(b, h, g, m, k1, k2, n) -> (b)>
#output = affine_map<(b, h, g, m, k1, k2, n) -> (b, m, h, g, n)>
#row = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, g, m)>

func.func @main(%q: tensor<2x1x4x8x64xf16>, %k: tensor<2x?x4x64xf16>, %v: tensor<2x?x4x64xf16>, %own: tensor<2x1x4x64xf16>, %lengths: tensor<2xi32>)
    -> (tensor<2x1x4x8x64xf16>, tensor<2x4x8x1xf32>, tensor<2x4x8x1xf32>) {
  %empty = tensor.empty() : tensor<2x1x4x8x64xf16>
  %row = tensor.empty() : tensor<2x4x8x1xf32>
  %r:3 = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, scale = 0.125 : f64,
                        indexing_maps = [#query, #key, #value, #own, #length, #output, #row, #row]}
      ins(%q, %k, %v : tensor<2x1x4x8x64xf16>, tensor<2x?x4x64xf16>, tensor<2x?x4x64xf16>)
      self_value(%own : tensor<2x1x4x64xf16>) key_lengths(%lengths : tensor<2xi32>)
      outs(%empty : tensor<2x1x4x8x64xf16>) lse(%row : tensor<2x4x8x1xf32>) coefficient(%row : tensor<2x4x8x1xf32>)
      -> tensor<2x1x4x8x64xf16>, tensor<2x4x8x1xf32>, tensor<2x4x8x1xf32>
  return %r#0, %r#1, %r#2 : tensor<2x1x4x8x64xf16>, tensor<2x4x8x1xf32>, tensor<2x4x8x1xf32>
}
