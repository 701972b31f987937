// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="print-plan=true" -split-input-file -verify-diagnostics | FileCheck %s

#q = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, k1)>
#k = affine_map<(h, g, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, g, m, k1, k2, n) -> (h, k2, n)>
#s = affine_map<(h, g, m, k1, k2, n) -> (h, m, n)>
#o = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, n)>

// The heads of a group are the rows of a tile; ranges that divide the keys have
// a static length. A range counts by the distance of its maximum, which is
// subtracted before anything rounds, times its sum.

// CHECK-LABEL: func.func @decode
// CHECK:         %[[Y:.*]] = tensor.empty() : tensor<[[SPLITS:.*]]x2x8x1x64xf32>
// CHECK:         %[[RANGES:.*]]:3 = scf.forall
// CHECK-NOT:       exclusion
// CHECK-NOT:       math.log
// CHECK:         } {xsa.kernel = #xsa.kernel<name = "decode_attention0", unit = mma_sync
// CHECK:         scf.forall
// CHECK:           scf.for
// CHECK:             %[[MAX:.*]] = tensor.extract_slice %[[RANGES]]#1
// CHECK:             %[[SUM:.*]] = tensor.extract_slice %[[RANGES]]#2
// CHECK:             tensor.extract_slice %[[RANGES]]#0
// CHECK:             %[[NEWMAX:[0-9]+]] = linalg.generic {{.*}} outs(%arg{{[0-9]+}} : tensor<4xf32>)
// CHECK:               arith.maximumf
// CHECK:             %[[EXP:[0-9]+]] = linalg.generic {{.*}} ins(%[[NEWMAX]]
// CHECK:               %[[DISTANCE:.*]] = arith.subf
// CHECK:               %[[EXPONENT:.*]] = arith.mulf %[[DISTANCE]]
// CHECK:               math.exp2 %[[EXPONENT]]
// CHECK:             linalg.generic {{.*}} ins(%{{.*}}) outs(%[[EXP]]
// CHECK:               arith.mulf
// CHECK:             scf.yield
// CHECK:         } {xsa.kernel = #xsa.kernel<name = "decode_attention0_merge", unit = none
func.func @decode(%q: tensor<2x8x1x64xf16>, %k: tensor<2x8192x64xf16>, %v: tensor<2x8192x64xf16>, %s: tensor<2x1x64xf16>, %o: tensor<2x8x1x64xf16>) -> tensor<2x8x1x64xf16> {
  // expected-remark @+2 {{tile 16 x}}
  // expected-remark-re @+1 {{keys in {{[0-9]+}} ranges, merged in tiles of {{[0-9]+}} rows; the rows of 8 heads are in a tile}}
  %r = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#q, #k, #v, #s, #o]}
      ins(%q, %k, %v : tensor<2x8x1x64xf16>, tensor<2x8192x64xf16>, tensor<2x8192x64xf16>)
      self_value(%s : tensor<2x1x64xf16>)
      outs(%o : tensor<2x8x1x64xf16>) -> tensor<2x8x1x64xf16>
  return %r : tensor<2x8x1x64xf16>
}

// -----

#q = affine_map<(h, m, k1, k2, n) -> (h, m, k1)>
#k = affine_map<(h, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, m, k1, k2, n) -> (h, k2, n)>
#o = affine_map<(h, m, k1, k2, n) -> (h, m, n)>

#gq = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, k1)>
#gk = affine_map<(h, g, m, k1, k2, n) -> (h, k2, k1)>
#gv = affine_map<(h, g, m, k1, k2, n) -> (h, k2, n)>
#gs = affine_map<(h, g, m, k1, k2, n) -> (h, m, n)>
#gl = affine_map<(h, g, m, k1, k2, n) -> (h, g)>
#gq2 = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, n)>
#tq = affine_map<(h, g, m, k1, k2, n) -> (h, m, g, k1)>
#tq2 = affine_map<(h, g, m, k1, k2, n) -> (h, m, g, n)>

// Enough heads for every SM need no split, nor do few keys.

// CHECK-LABEL: func.func @many_heads
// CHECK-COUNT-1: #xsa.kernel<name
// CHECK-NOT:     #xsa.kernel<name
func.func @many_heads(%q: tensor<512x1x64xf16>, %k: tensor<512x1024x64xf16>, %v: tensor<512x1024x64xf16>, %o: tensor<512x1x64xf16>) -> tensor<512x1x64xf16> {
  // expected-remark @+1 {{tile 16 x}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<512x1x64xf16>, tensor<512x1024x64xf16>, tensor<512x1024x64xf16>)
      outs(%o : tensor<512x1x64xf16>) -> tensor<512x1x64xf16>
  return %r : tensor<512x1x64xf16>
}

// Sizes that are not known: the host compares times of numbers of ranges, and
// takes one kernel where no split pays.

// CHECK-LABEL: func.func @dynamic(
// CHECK:         %[[FEW:.*]] = arith.cmpi ule, %{{.*}}, %c32
// CHECK:         %[[END:.*]] = arith.select %[[FEW]], %{{.*}}, %{{.*}} : index
// CHECK:         %[[BEST:.*]]:2 = scf.for %{{.*}} = %{{.*}} to %[[END]] step %{{.*}} iter_args
// CHECK:         %[[SPLIT:.*]] = arith.cmpi ugt, %[[BEST]]#0, %
// CHECK:         scf.if %[[SPLIT]]
// CHECK:           tensor.empty(%[[BEST]]#0, %{{.*}}, %{{.*}}) : tensor<?x?x?x64xf32>
// CHECK:           #xsa.kernel<name = "dynamic_attention0_ranges"
// CHECK:           #xsa.kernel<name = "dynamic_attention0_merge"
// CHECK:         else
// CHECK-NOT:       #xsa.kernel<name
// CHECK:           #xsa.kernel<name = "dynamic_attention0",
// CHECK-NOT:     #xsa.kernel<name
func.func @dynamic(%q: tensor<?x?x64xf16>, %k: tensor<?x?x64xf16>, %v: tensor<?x?x64xf16>, %o: tensor<?x?x64xf16>) -> tensor<?x?x64xf16> {
  // expected-remark-re @+3 {{tile 16 x{{.*}}}}
  // expected-remark @+2 {{keys in a number of ranges that the host chooses, merged in tiles of}}
  // expected-remark-re @+1 {{tile 128 x{{.*}}}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<?x?x64xf16>, tensor<?x?x64xf16>, tensor<?x?x64xf16>)
      outs(%o : tensor<?x?x64xf16>) -> tensor<?x?x64xf16>
  return %r : tensor<?x?x64xf16>
}

// As many rows as keys: where rows are few, keys are.

// CHECK-LABEL: func.func @dynamic_self
// CHECK-NOT:     scf.if
// CHECK-COUNT-1: #xsa.kernel<name
// CHECK-NOT:     #xsa.kernel<name
func.func @dynamic_self(%x: tensor<?x?x64xf16>, %o: tensor<?x?x64xf16>) -> tensor<?x?x64xf16> {
  // expected-remark @+1 {{tile 128 x}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%x, %x, %x : tensor<?x?x64xf16>, tensor<?x?x64xf16>, tensor<?x?x64xf16>)
      outs(%o : tensor<?x?x64xf16>) -> tensor<?x?x64xf16>
  return %r : tensor<?x?x64xf16>
}

// Heads that share keys and have several rows each are one dimension, in views;
// where a row stands repeats with each head.

// CHECK-LABEL: func.func @rows_of_heads
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: tensor<2x8x4x64xf16>
// CHECK:         %[[PACKED:.*]] = tensor.collapse_shape %[[Q]] {{\[}}[0], [1, 2], [3]] : tensor<2x8x4x64xf16> into tensor<2x32x64xf16>
// CHECK:         %[[RANGES:.*]]:3 = scf.forall
// CHECK:           tensor.extract_slice %[[PACKED]]
// CHECK:           %[[ROW:.*]] = linalg.index 0
// CHECK:           arith.remui %[[ROW]], %c4
// CHECK:         name = "rows_of_heads_attention0", unit
// CHECK-DAG:     tensor.expand_shape %[[RANGES]]#0 {{\[}}[0], [1], [2, 3], [4]] output_shape {{\[}}[[SPLITS:.*]], 2, 8, 4, 64]
// CHECK-DAG:     tensor.expand_shape %[[RANGES]]#1 {{\[}}[0], [1], [2, 3]] output_shape {{\[}}[[SPLITS]], 2, 8, 4]
// CHECK-DAG:     tensor.expand_shape %[[RANGES]]#2 {{\[}}[0], [1], [2, 3]] output_shape {{\[}}[[SPLITS]], 2, 8, 4]
// CHECK:         name = "rows_of_heads_attention0_merge"
func.func @rows_of_heads(%q: tensor<2x8x4x64xf16>, %k: tensor<2x8192x64xf16>, %v: tensor<2x8192x64xf16>, %s: tensor<2x4x64xf16>, %o: tensor<2x8x4x64xf16>) -> tensor<2x8x4x64xf16> {
  // expected-remark @+2 {{tile 32 x}}
  // expected-remark-re @+1 {{keys in {{[0-9]+}} ranges, merged in tiles of {{[0-9]+}} rows; the rows of 8 heads are in a tile}}
  %r = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#gq, #gk, #gv, #gs, #gq2]}
      ins(%q, %k, %v : tensor<2x8x4x64xf16>, tensor<2x8192x64xf16>, tensor<2x8192x64xf16>)
      self_value(%s : tensor<2x4x64xf16>)
      outs(%o : tensor<2x8x4x64xf16>) -> tensor<2x8x4x64xf16>
  return %r : tensor<2x8x4x64xf16>
}

// Rows before heads are no one dimension.

// CHECK-LABEL: func.func @rows_before_heads
// CHECK-NOT:     collapse_shape
// CHECK:         "rows_before_heads_attention0_merge"
func.func @rows_before_heads(%q: tensor<2x4x8x64xf16>, %k: tensor<2x8192x64xf16>, %v: tensor<2x8192x64xf16>, %o: tensor<2x4x8x64xf16>) -> tensor<2x4x8x64xf16> {
  // expected-remark @+2 {{tile 16 x}}
  // expected-remark-re @+1 {{keys in {{[0-9]+}} ranges, merged in tiles of {{[0-9]+}} rows}}
  %r = xsa.attention {causal, indexing_maps = [#tq, #gk, #gv, #tq2]}
      ins(%q, %k, %v : tensor<2x4x8x64xf16>, tensor<2x8192x64xf16>, tensor<2x8192x64xf16>)
      outs(%o : tensor<2x4x8x64xf16>) -> tensor<2x4x8x64xf16>
  return %r : tensor<2x4x8x64xf16>
}

// Rows of a tile have one number of keys.

// CHECK-LABEL: func.func @lengths_of_heads
// CHECK-NOT:     collapse_shape
// CHECK:         "lengths_of_heads_attention0_merge"
func.func @lengths_of_heads(%q: tensor<2x8x4x64xf16>, %k: tensor<2x8192x64xf16>, %v: tensor<2x8192x64xf16>, %l: tensor<2x8xi32>, %o: tensor<2x8x4x64xf16>) -> tensor<2x8x4x64xf16> {
  // expected-remark @+2 {{tile 16 x}}
  // expected-remark-re @+1 {{keys in {{[0-9]+}} ranges, merged in tiles of {{[0-9]+}} rows}}
  %r = xsa.attention {causal, indexing_maps = [#gq, #gk, #gv, #gl, #gq2]}
      ins(%q, %k, %v : tensor<2x8x4x64xf16>, tensor<2x8192x64xf16>, tensor<2x8192x64xf16>)
      key_lengths(%l : tensor<2x8xi32>)
      outs(%o : tensor<2x8x4x64xf16>) -> tensor<2x8x4x64xf16>
  return %r : tensor<2x8x4x64xf16>
}

// CHECK-LABEL: func.func @few_keys
// CHECK-COUNT-1: #xsa.kernel<name
// CHECK-NOT:     #xsa.kernel<name
func.func @few_keys(%q: tensor<2x1x64xf16>, %k: tensor<2x64x64xf16>, %v: tensor<2x64x64xf16>, %o: tensor<2x1x64xf16>) -> tensor<2x1x64xf16> {
  // expected-remark @+1 {{tile 16 x}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<2x1x64xf16>, tensor<2x64x64xf16>, tensor<2x64x64xf16>)
      outs(%o : tensor<2x1x64xf16>) -> tensor<2x1x64xf16>
  return %r : tensor<2x1x64xf16>
}

// Packed rows of f32 would leave a fourth of a tile empty, and nothing else
// makes them cheaper.

// CHECK-LABEL: func.func @packed_would_be_dearer
// CHECK-NOT:     collapse_shape
// CHECK:         "packed_would_be_dearer_attention0_merge"
func.func @packed_would_be_dearer(%q: tensor<2x3x24x64xf32>, %k: tensor<2x8192x64xf32>, %v: tensor<2x8192x64xf32>, %o: tensor<2x3x24x64xf32>) -> tensor<2x3x24x64xf32> {
  // expected-remark @+2 {{tile 32 x}}
  // expected-remark-re @+1 {{keys in {{[0-9]+}} ranges, merged in tiles of {{[0-9]+}} rows}}
  %r = xsa.attention {causal, indexing_maps = [#gq, #gk, #gv, #gq2]}
      ins(%q, %k, %v : tensor<2x3x24x64xf32>, tensor<2x8192x64xf32>, tensor<2x8192x64xf32>)
      outs(%o : tensor<2x3x24x64xf32>) -> tensor<2x3x24x64xf32>
  return %r : tensor<2x3x24x64xf32>
}

// There are no more ranges than the merge goes through in reasonable time.

func.func @most_ranges(%q: tensor<1x1x64xf16>, %k: tensor<1x1048576x64xf16>, %v: tensor<1x1048576x64xf16>, %o: tensor<1x1x64xf16>) -> tensor<1x1x64xf16> {
  // expected-remark @+2 {{tile 16 x}}
  // expected-remark @+1 {{keys in 128 ranges}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<1x1x64xf16>, tensor<1x1048576x64xf16>, tensor<1x1048576x64xf16>)
      outs(%o : tensor<1x1x64xf16>) -> tensor<1x1x64xf16>
  return %r : tensor<1x1x64xf16>
}

// -----

#gq = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, k1)>
#gk = affine_map<(h, g, m, k1, k2, n) -> (h, k2, k1)>
#gv = affine_map<(h, g, m, k1, k2, n) -> (h, k2, n)>
#gq2 = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, n)>

// The keys that packed rows may see end after the rows of one head, not after
// those of all: the first stands at 8192 - 4 * 8 + start.

// CHECK-DAG:   #[[FIRST:.*]] = affine_map<(d0)[s0] -> (d0 + s0 + 8160)>
// CHECK-DAG:   #[[LAST:.*]] = affine_map<(d0, d1)[s0] -> (d0 - d1 * 128 + s0 + 8164, 128)>
// CHECK-LABEL: func.func @keys_of_packed_rows
// CHECK:         affine.apply #[[FIRST]]
// CHECK:         affine.min #[[LAST]]
func.func @keys_of_packed_rows(%q: tensor<2x8x4x64xf16>, %k: tensor<2x8192x64xf16>, %v: tensor<2x8192x64xf16>, %start: index, %o: tensor<2x8x4x64xf16>) -> tensor<2x8x4x64xf16> {
  // expected-remark @+2 {{tile 32 x}}
  // expected-remark-re @+1 {{keys in 64 ranges{{.*}}; the rows of 8 heads are in a tile}}
  %r = xsa.attention {causal, window_left = 512 : i64, indexing_maps = [#gq, #gk, #gv, #gq2]}
      ins(%q, %k, %v : tensor<2x8x4x64xf16>, tensor<2x8192x64xf16>, tensor<2x8192x64xf16>)
      query_start(%start)
      outs(%o : tensor<2x8x4x64xf16>) -> tensor<2x8x4x64xf16>
  return %r : tensor<2x8x4x64xf16>
}
