// RUN: xsa-opt %s --xsa-tile-attention --canonicalize --cse --split-input-file | FileCheck %s

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// A tile of keys is converted once, then eight blocks of 16 rows go through it.
// What each block carries has the number of the block in front.

// CHECK-LABEL: func.func @blocks_share_keys
// CHECK:         scf.forall (%{{.*}}, %[[M:[^ ,:)]*]]) = (0, 0) to (2, 256) step (1, 128)
// CHECK:           %[[START:[^ ,:)]*]]:4 = scf.for %{{.*}} -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x32x16xf32>, tensor<8x64x16xf32>)
// CHECK:           scf.for %[[J:[^ ,:)]*]] = %{{.*}} iter_args(%[[MAX:[^ ,:)]*]] = %[[START]]#0, %[[SUM:[^ ,:)]*]] = %[[START]]#1, %[[ACC:[^ ,:)]*]] = %[[START]]#2)
// CHECK:             %[[KEYS:[^ ,:)]*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<64x64xbf16>) outs(%{{.*}} : tensor<64x64xf32>)
// CHECK:             scf.for %[[B:[^ ,:)]*]] = %{{.*}} to %{{.*}} iter_args(%[[BMAX:[^ ,:)]*]] = %[[MAX]]
// CHECK:               %[[Q:[^ ,:)]*]] = tensor.extract_slice %[[START]]#3[%[[B]], 0, 0] [1, 64, 16] {{.*}} to tensor<64x16xf32>
// CHECK:               linalg.generic {{.*}} ins(%[[KEYS]], %[[Q]] : tensor<64x64xf32>, tensor<64x16xf32>)
// CHECK:               tensor.insert_slice %{{.*}} into %[[BMAX]][%[[B]], 0] [1, 16]
func.func @blocks_share_keys(%q: tensor<2x256x64xbf16>, %k: tensor<2x512x64xbf16>, %v: tensor<2x512x32xbf16>,
                             %o: tensor<2x256x32xbf16>) -> tensor<2x256x32xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<2x256x64xbf16>, tensor<2x512x64xbf16>, tensor<2x512x32xbf16>)
      outs(%o : tensor<2x256x32xbf16>) -> tensor<2x256x32xbf16>
  return %r : tensor<2x256x32xbf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// On the diagonal a block takes the keys up to its last row, in steps of eight.

// CHECK-DAG:   #[[REVERSED:.*]] = affine_map<(d0) -> (-d0 + 128)>
// CHECK-DAG:   #[[END:.*]] = affine_map<(d0, d1, d2, d3) -> (-d0 + d1 * 16 + 144, d2 + d3)>
// CHECK-DAG:   #[[ROUNDED:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 + (d1 ceildiv 8) * 8, d2 + d3)>
// The tiles of rows with most keys come first.

// CHECK-LABEL: func.func @diagonal_is_cut_per_block
// CHECK:         scf.forall (%[[M:[^ ,:)]*]]) = (0) to (256) step (128)
// CHECK:           affine.apply #[[REVERSED]](%[[M]])
// CHECK:           scf.for
// CHECK-NOT:         arith.cmpi
// CHECK:             scf.yield
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               affine.min #[[END]]
// CHECK:               %[[STOP:[^ ,:)]*]] = affine.min #[[ROUNDED]]
// CHECK:               arith.cmpi sle
func.func @diagonal_is_cut_per_block(%q: tensor<256x8xf32>, %k: tensor<256x8xf32>, %v: tensor<256x8xf32>,
                                     %o: tensor<256x8xf32>) -> tensor<256x8xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<256x8xf32>, tensor<256x8xf32>, tensor<256x8xf32>)
      outs(%o : tensor<256x8xf32>) -> tensor<256x8xf32>
  return %r : tensor<256x8xf32>
}

// The last tile of keys is just as long as it is: no padding and no mask.

// CHECK-LABEL: func.func @last_tile_is_short
// CHECK:         scf.forall
// CHECK:           linalg.generic {{.*}} tensor<64x8xf32>, tensor<8x16xf32>) outs(%{{.*}} : tensor<64x16xf32>)
// CHECK:           tensor.extract_slice %{{.*}}[64, 0] [36, 8]
// CHECK-NOT:       arith.cmpi
// CHECK:           linalg.generic {{.*}} tensor<36x8xf32>, tensor<8x16xf32>) outs(%{{.*}} : tensor<36x16xf32>)
// CHECK-NOT:       arith.cmpi
// CHECK:         return
func.func @last_tile_is_short(%q: tensor<256x8xf32>, %k: tensor<100x8xf32>, %v: tensor<100x8xf32>,
                              %o: tensor<256x8xf32>) -> tensor<256x8xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<256x8xf32>, tensor<100x8xf32>, tensor<100x8xf32>)
      outs(%o : tensor<256x8xf32>) -> tensor<256x8xf32>
  return %r : tensor<256x8xf32>
}

// Wide rows leave room for fewer blocks in the cache: 3 of 2 x 1024 elements
// would not do.

// CHECK-LABEL: func.func @wide_rows
// CHECK:         scf.forall (%{{.*}}) = (0) to (256) step (16)
func.func @wide_rows(%q: tensor<256x1024xf32>, %k: tensor<256x1024xf32>, %v: tensor<256x1024xf32>,
                     %o: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<256x1024xf32>, tensor<256x1024xf32>, tensor<256x1024xf32>)
      outs(%o : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %r : tensor<256x1024xf32>
}
