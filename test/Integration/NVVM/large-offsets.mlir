// REQUIRES: execution, numpy
// The second batch of keys and values begins 2^31 elements after the first, and
// the first of its keys are read from there.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/large_offsets.py xsa-opt mlir-translate xsa-emulate %s %t

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#l = affine_map<(b, m, k1, k2, n) -> (b)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
func.func @main(%q: tensor<2x40x64xf16>, %k: tensor<2x?x64xf16>, %v: tensor<2x?x64xf16>, %own: tensor<2x40x64xf16>, %lengths: tensor<2xi32>) -> tensor<2x40x64xf16> {
  %empty = tensor.empty() : tensor<2x40x64xf16>
  %z = xsa.attention {exclusion = #xsa.exclusion<raw>, indexing_maps = [#q, #k, #v, #o, #l, #o], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<2x40x64xf16>, tensor<2x?x64xf16>, tensor<2x?x64xf16>)
      self_value(%own : tensor<2x40x64xf16>) key_lengths(%lengths : tensor<2xi32>)
      outs(%empty : tensor<2x40x64xf16>) -> tensor<2x40x64xf16>
  return %z : tensor<2x40x64xf16>
}
