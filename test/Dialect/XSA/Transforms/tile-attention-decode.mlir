// RUN: xsa-opt %s --xsa-tile-attention --canonicalize --cse --split-input-file | FileCheck %s

#q = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, k1)>
#k = affine_map<(h, g, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, g, m, k1, k2, n) -> (h, k2, n)>
#s = affine_map<(h, g, m, k1, k2, n) -> (h, m, n)>
#h = affine_map<(h, g, m, k1, k2, n) -> (h)>
#o = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, n)>

// One query row and four heads that share keys: the heads are the rows of the
// tile. At the last key a causal mask hides nothing; lengths still do.

// CHECK-LABEL: func.func @grouped_heads_are_rows
// CHECK:         scf.forall (%{{.*}}) in (2)
// CHECK:           scf.for {{.*}} -> (tensor<4xf32>, tensor<4xf32>, tensor<4x32xf32>)
// CHECK:             linalg.generic {{.*}} tensor<4x16xf32>, tensor<256x16xf32>) outs(%{{.*}} : tensor<4x256xf32>)
// CHECK-NOT:         arith.cmpi sle
// CHECK:         return
func.func @grouped_heads_are_rows(%q: tensor<2x4x1x16xf32>, %k: tensor<2x512x16xf32>, %v: tensor<2x512x32xf32>,
                                  %len: tensor<2xi32>, %o: tensor<2x4x1x32xf32>) -> tensor<2x4x1x32xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #h, #o]}
      ins(%q, %k, %v : tensor<2x4x1x16xf32>, tensor<2x512x16xf32>, tensor<2x512x32xf32>)
      key_lengths(%len : tensor<2xi32>)
      outs(%o : tensor<2x4x1x32xf32>) -> tensor<2x4x1x32xf32>
  return %r : tensor<2x4x1x32xf32>
}

// The own value is the same for all heads of a group.

// CHECK-LABEL: func.func @own_value_is_repeated
// CHECK:         %[[SELF:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<2x1x32xf32>) outs(%{{.*}} : tensor<4x2x1x32xf32>)
// CHECK:         scf.forall
// CHECK:           tensor.extract_slice %[[SELF]]
func.func @own_value_is_repeated(%q: tensor<2x4x1x16xf32>, %k: tensor<2x512x16xf32>, %v: tensor<2x512x32xf32>,
                                 %self: tensor<2x1x32xf32>, %o: tensor<2x4x1x32xf32>) -> tensor<2x4x1x32xf32> {
  %r = xsa.attention {exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#q, #k, #v, #s, #o]}
      ins(%q, %k, %v : tensor<2x4x1x16xf32>, tensor<2x512x16xf32>, tensor<2x512x32xf32>)
      self_value(%self : tensor<2x1x32xf32>)
      outs(%o : tensor<2x4x1x32xf32>) -> tensor<2x4x1x32xf32>
  return %r : tensor<2x4x1x32xf32>
}

// Keys and values of low precision stay as they are: each is read once.

// CHECK-LABEL: func.func @read_in_place
// CHECK:         scf.for
// CHECK:           %[[KEYS:.*]] = tensor.extract_slice %{{.*}} : tensor<512x16xbf16> to tensor<256x16xbf16>
// CHECK-NEXT:      tensor.extract_slice %{{.*}} : tensor<512x32xbf16> to tensor<256x32xbf16>
// CHECK:           linalg.generic {{.*}} ins(%{{.*}}, %[[KEYS]] : tensor<4x16xf32>, tensor<256x16xbf16>)
func.func @read_in_place(%q: tensor<2x4x1x16xbf16>, %k: tensor<2x512x16xbf16>, %v: tensor<2x512x32xbf16>,
                         %o: tensor<2x4x1x32xbf16>) -> tensor<2x4x1x32xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<2x4x1x16xbf16>, tensor<2x512x16xbf16>, tensor<2x512x32xbf16>)
      outs(%o : tensor<2x4x1x32xbf16>) -> tensor<2x4x1x32xbf16>
  return %r : tensor<2x4x1x32xbf16>
}

// Where the row stands matters: it stays a row.

// CHECK-LABEL: func.func @window_needs_position
// CHECK:         scf.forall (%{{.*}}, %{{.*}}) in (2, 4)
func.func @window_needs_position(%q: tensor<2x4x1x16xf32>, %k: tensor<2x512x16xf32>, %v: tensor<2x512x32xf32>,
                                 %o: tensor<2x4x1x32xf32>) -> tensor<2x4x1x32xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o], window_left = 100 : i64}
      ins(%q, %k, %v : tensor<2x4x1x16xf32>, tensor<2x512x16xf32>, tensor<2x512x32xf32>)
      outs(%o : tensor<2x4x1x32xf32>) -> tensor<2x4x1x32xf32>
  return %r : tensor<2x4x1x32xf32>
}
