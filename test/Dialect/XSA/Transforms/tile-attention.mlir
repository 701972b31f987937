// RUN: xsa-opt %s --xsa-tile-attention="query-tile=16 exact-keys=false" --canonicalize --cse --split-input-file | FileCheck %s

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// One loop over keys where nothing is masked and tiles divide, without padding.
// The query is scaled once, by scale * log2(e); rows are the last dimension.

// CHECK-LABEL: func.func @plain
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<2x128x64xf32>, %[[K:[^:]*]]: tensor<2x256x64xf32>, %[[V:[^:]*]]: tensor<2x256x32xf32>, %[[O:[^:]*]]: tensor<2x128x32xf32>
// CHECK-DAG:     %[[NINF:[^ ,:)]*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:     %[[ZERO:[^ ,:)]*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[SCALE:[^ ,:)]*]] = arith.constant 0.180336878 : f32
// CHECK-DAG:     %[[C64:[^ ,:)]*]] = arith.constant 64 : index
// CHECK-DAG:     %[[C256:[^ ,:)]*]] = arith.constant 256 : index
// CHECK-DAG:     %[[C0:[^ ,:)]*]] = arith.constant 0 : index
// CHECK:         scf.forall (%[[B:[^ ,:)]*]], %[[M:[^ ,:)]*]]) = (0, 0) to (2, 128) step (1, 16) shared_outs(%[[OUT:[^ ,:)]*]] = %[[O]])
// CHECK:           tensor.extract_slice %[[Q]][%[[B]], %[[M]], 0] [1, 16, 64]
// CHECK:           %[[MAX0:[^ ,:)]*]] = linalg.fill {xsa.tile} ins(%[[NINF]] : f32)
// CHECK:           %[[SUM0:[^ ,:)]*]] = linalg.fill {xsa.tile} ins(%[[ZERO]] : f32)
// CHECK:           linalg.generic {{.*}} outs(%{{.*}} : tensor<64x16xf32>) attrs = {xsa.tile}
// CHECK:             arith.mulf %{{.*}}, %[[SCALE]]
// CHECK:           scf.for %[[J:[^ ,:)]*]] = %[[C0]] to %[[C256]] step %[[C64]] iter_args(%[[MAX:[^ ,:)]*]] = %[[MAX0]], %[[SUM:[^ ,:)]*]] = %[[SUM0]], %[[ACC:[^ ,:)]*]] = %{{.*}}) -> (tensor<16xf32>, tensor<16xf32>, tensor<32x16xf32>)
// CHECK:             tensor.extract_slice %{{.*}}[%[[J]], 0] [64, 64]
// CHECK-NOT:         arith.cmpi
// CHECK-NOT:         tensor.insert_slice
// The factor comes before the maximum that replaces the old one in place.
// CHECK:             %[[TILEMAX:[^ ,:)]*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK:               arith.maximumf
// CHECK:             %[[ALPHA:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[MAX]], %[[TILEMAX]]
// CHECK:               math.exp2
// CHECK:             %[[NEWMAX:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[TILEMAX]] : tensor<16xf32>) outs(%[[MAX]]
// CHECK:             %[[P:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[NEWMAX]] : tensor<16xf32>) outs(%{{.*}} : tensor<64x16xf32>)
// CHECK:               math.exp2
// CHECK:             %[[SCALED:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[ALPHA]] : tensor<16xf32>) outs(%[[SUM]]
// CHECK:             %[[NEWSUM:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<64x16xf32>) outs(%[[SCALED]]
// CHECK:             %[[ACC1:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[ALPHA]] : tensor<16xf32>) outs(%[[ACC]]
// CHECK:             %[[NEWACC:[^ ,:)]*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[P]] : tensor<64x32xf32>, tensor<64x16xf32>) outs(%[[ACC1]]
// CHECK:             scf.yield %[[NEWMAX]], %[[NEWSUM]], %[[NEWACC]]
// CHECK-NOT:       scf.for %
// CHECK:           arith.divf
// CHECK:           tensor.parallel_insert_slice %{{.*}} into %[[OUT]][%[[B]], %[[M]], 0] [1, 16, 32]
func.func @plain(%q: tensor<2x128x64xf32>, %k: tensor<2x256x64xf32>, %v: tensor<2x256x32xf32>,
                 %o: tensor<2x128x32xf32>) -> tensor<2x128x32xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<2x128x64xf32>, tensor<2x256x64xf32>, tensor<2x256x32xf32>)
      outs(%o : tensor<2x128x32xf32>) -> tensor<2x128x32xf32>
  return %r : tensor<2x128x32xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// The loop without masks ends before the diagonal; the one with masks ends with
// the tile that the last row reaches. Tiles right of it are not visited. Rows
// and keys are compared by their numbers in the tile, in 32 bits, and the
// distance of the first ones, cut to what 32 bits hold.

// CHECK-LABEL: func.func @causal_stops_at_the_diagonal
// CHECK:         scf.forall (%[[M:[^ ,:)]*]]) = (0) to (256) step (16)
// CHECK:           scf.for %{{.*}} = %{{.*}} to %[[DIAGONAL:[^ ,:)]*]] step
// CHECK-NOT:         arith.cmpi
// CHECK:             scf.yield
// CHECK:           scf.for %[[J:[^ ,:)]*]] = %[[DIAGONAL]] to %{{.*}} step
// CHECK:             %[[WIDE:[^ ,:)]*]] = arith.subi %[[J]], %{{.*}} : index
// CHECK:             %[[CUT:[^ ,:)]*]] = arith.maxsi %[[WIDE]], %c-1073741824
// CHECK:             %[[BOTH:[^ ,:)]*]] = arith.minsi %[[CUT]], %c1073741824
// CHECK:             %[[DISTANCE:[^ ,:)]*]] = arith.index_cast %[[BOTH]] : index to i32
// CHECK:             %[[KEY:[^ ,:)]*]] = arith.addi %{{.*}}, %[[DISTANCE]] : i32
// CHECK:             arith.cmpi sle, %[[KEY]], %{{.*}} : i32
// CHECK-NOT:         arith.cmpi slt
// CHECK:             scf.yield
// CHECK-NOT:       scf.for %
func.func @causal_stops_at_the_diagonal(%q: tensor<256x8xf32>, %k: tensor<256x8xf32>, %v: tensor<256x8xf32>,
                                        %o: tensor<256x8xf32>) -> tensor<256x8xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<256x8xf32>, tensor<256x8xf32>, tensor<256x8xf32>)
      outs(%o : tensor<256x8xf32>) -> tensor<256x8xf32>
  return %r : tensor<256x8xf32>
}

// A window has a masked edge on both sides.

// CHECK-LABEL: func.func @window_has_two_edges
// CHECK:         scf.forall
// CHECK:           scf.for %{{.*}} = %{{.*}} to %[[B1:[^ ,:)]*]] step
// CHECK:             arith.cmpi sge
// CHECK:             arith.cmpi sle
// CHECK:           scf.for %{{.*}} = %[[B1]] to %[[B2:[^ ,:)]*]] step
// CHECK-NOT:         arith.cmpi
// CHECK:             scf.yield
// CHECK:           scf.for %{{.*}} = %[[B2]] to
// CHECK:             arith.cmpi sge
// CHECK:             arith.cmpi sle
// CHECK-NOT:       scf.for %
func.func @window_has_two_edges(%q: tensor<256x8xf32>, %k: tensor<256x8xf32>, %v: tensor<256x8xf32>,
                                %o: tensor<256x8xf32>) -> tensor<256x8xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], window_left = 9 : i64, window_right = 9 : i64}
      ins(%q, %k, %v : tensor<256x8xf32>, tensor<256x8xf32>, tensor<256x8xf32>)
      outs(%o : tensor<256x8xf32>) -> tensor<256x8xf32>
  return %r : tensor<256x8xf32>
}

// Dynamic extents: tiles stay static. Only the last tile of keys is padded and
// masked, and of the last tile of rows only those that exist are stored.

// CHECK-LABEL: func.func @dynamic_is_padded
// CHECK:         scf.forall (%[[M:[^ ,:)]*]]) =
// CHECK:           %[[ROWS:[^ ,:)]*]] = affine.min
// CHECK:           scf.for
// CHECK:             tensor.extract_slice %{{.*}}[%{{.*}}, 0] [64, 8]
// CHECK-NOT:         tensor.insert_slice
// CHECK:             scf.yield
// CHECK:           scf.for %[[J:[^ ,:)]*]] =
// CHECK:             %[[KEYS:[^ ,:)]*]] = affine.apply
// CHECK:             %[[PART:[^ ,:)]*]] = tensor.extract_slice %{{.*}}[%[[J]], 0] [%[[KEYS]], 8]
// CHECK:             tensor.insert_slice %[[PART]] into %{{.*}}[0, 0] [%[[KEYS]], 8] {{.*}} into tensor<64x8xf32>
// CHECK:             arith.cmpi slt, %{{.*}}, %[[KEYS]]
// CHECK:           tensor.extract_slice %{{.*}}[0, 0] [8, %[[ROWS]]] [1, 1] : tensor<8x16xf32> to tensor<8x?xf32>
func.func @dynamic_is_padded(%q: tensor<?x8xf32>, %k: tensor<?x8xf32>, %v: tensor<?x8xf32>,
                             %o: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>)
      outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// Keys of another type than the accumulator are widened once per tile.

// CHECK-LABEL: func.func @bf16_keys_are_widened
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}} ins(%{{.*}} : tensor<64x8xbf16>) outs(%{{.*}} : tensor<64x8xf32>)
// CHECK:               arith.extf
// CHECK:             linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x8xf32>, tensor<8x16xf32>)
// CHECK:           arith.truncf
func.func @bf16_keys_are_widened(%q: tensor<64x8xbf16>, %k: tensor<64x8xbf16>, %v: tensor<64x8xbf16>,
                                 %o: tensor<64x8xbf16>) -> tensor<64x8xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x8xbf16>, tensor<64x8xbf16>, tensor<64x8xbf16>)
      outs(%o : tensor<64x8xbf16>) -> tensor<64x8xbf16>
  return %r : tensor<64x8xbf16>
}

// -----

#q = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, k1)>
#k = affine_map<(h, g, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, g, m, k1, k2, n) -> (h, k2, n)>
#s = affine_map<(h, g, m, k1, k2, n) -> (h, m, n)>
#hg = affine_map<(h, g, m, k1, k2, n) -> (h, g)>
#row = affine_map<(h, g, m, k1, k2, n) -> (h, g, m)>
#o = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, n)>

// Grouped heads are loops of their own that read the same keys. The sink is
// the start of the maximum; the exclusion is applied before the tile is stored.

// CHECK-LABEL: func.func @grouped_exclusive_with_sinks
// CHECK-SAME:    %[[SELF:[^:]*]]: tensor<2x64x8xf32>, %[[SINKS:[^:]*]]: tensor<2x3xf32>
// CHECK-DAG:     %[[LOG2E:[^ ,:)]*]] = arith.constant 1.44269502 : f32
// CHECK-DAG:     %[[LN2:[^ ,:)]*]] = arith.constant 0.693147182 : f32
// CHECK-DAG:     %[[LARGEST:[^ ,:)]*]] = arith.constant 3.40282347E+38 : f32
// CHECK-DAG:     %[[LOWEST:[^ ,:)]*]] = arith.constant -3.40282347E+38 : f32
// CHECK-DAG:     %[[NONE:[^ ,:)]*]] = arith.constant 0xFF800000 : f32
// CHECK:         scf.forall (%[[H:[^ ,:)]*]], %[[G:[^ ,:)]*]], %[[M:[^ ,:)]*]]) = (0, 0, 0) to (2, 3, 64) step (1, 1, 16)
// CHECK:           %[[SINKTILE:[^ ,:)]*]] = tensor.extract_slice %[[SINKS]][%[[H]], %[[G]]] [1, 1]
// CHECK:           %[[SINK:[^ ,:)]*]] = tensor.extract %[[SINKTILE]]
// The base of powers is changed within what is finite; -inf is no sink.
// CHECK:           %[[MAX0:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[SINK]] : f32)
// CHECK:             %[[SINK2:[^ ,:)]*]] = arith.mulf %{{.*}}, %[[LOG2E]]
// CHECK:             arith.minimumf %[[SINK2]], %[[LARGEST]]
// CHECK:             arith.maximumf %{{.*}}, %[[LOWEST]]
// CHECK:             arith.select %{{.*}}, %[[NONE]]
// CHECK:           %[[SUM0:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[MAX0]] : tensor<16xf32>)
// CHECK:             math.exp2
// CHECK:           %[[END:[^ ,:)]*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %[[MAX0]], %{{.*}} = %[[SUM0]]
// One division per row.
// CHECK:           %[[INVERSE:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[END]]#1
// CHECK:             arith.divf
// CHECK:           %[[Y:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[END]]#2, %[[INVERSE]] :
// CHECK:             arith.mulf
// CHECK:             arith.divf
// CHECK:           linalg.generic {{.*}} ins(%[[Y]], %{{.*}}, %{{.*}} : tensor<8x16xf32>, tensor<8x16xf32>, tensor<16xf32>)
// CHECK:             arith.subf
// CHECK:           linalg.generic {{.*}} ins(%[[END]]#0, %[[END]]#1, %[[SINK]] :
// CHECK:             arith.mulf %{{.*}}, %[[LN2]]
// CHECK:             math.log
// The maximum is a natural logarithm in results, and the sink itself where it is
// that; the sum is as it is.
// CHECK:           %[[MAX:[^ ,:)]*]] = linalg.generic {{.*}} ins(%[[END]]#0, %[[SINK]] :
// CHECK:           ^bb0(%{{.*}}: f32, %[[GIVEN:[^ ,:)]*]]: f32, %{{.*}}: f32):
// CHECK:             arith.mulf %{{.*}}, %[[LN2]]
// CHECK:             arith.select %{{.*}}, %[[GIVEN]]
// CHECK-DAG:       tensor.insert_slice %[[MAX]] into
// CHECK-DAG:       tensor.insert_slice %[[END]]#1 into
// CHECK:           scf.forall.in_parallel
// CHECK-COUNT-5:     tensor.parallel_insert_slice
func.func @grouped_exclusive_with_sinks(%q: tensor<2x3x64x8xf32>, %k: tensor<2x128x8xf32>, %v: tensor<2x128x8xf32>,
    %self: tensor<2x64x8xf32>, %sinks: tensor<2x3xf32>, %o: tensor<2x3x64x8xf32>,
    %r: tensor<2x3x64xf32>) -> (tensor<2x3x64x8xf32>, tensor<2x3x64xf32>, tensor<2x3x64xf32>, tensor<2x3x64xf32>, tensor<2x3x64xf32>) {
  %z:5 = xsa.attention {exclusion = #xsa.exclusion<sq_add, eps = 1.0e-6>,
                        indexing_maps = [#q, #k, #v, #s, #hg, #o, #row, #row, #row, #row]}
      ins(%q, %k, %v : tensor<2x3x64x8xf32>, tensor<2x128x8xf32>, tensor<2x128x8xf32>)
      self_value(%self : tensor<2x64x8xf32>) sinks(%sinks : tensor<2x3xf32>)
      outs(%o : tensor<2x3x64x8xf32>) lse(%r : tensor<2x3x64xf32>)
      max(%r : tensor<2x3x64xf32>) sum(%r : tensor<2x3x64xf32>) coefficient(%r : tensor<2x3x64xf32>)
      -> tensor<2x3x64x8xf32>, tensor<2x3x64xf32>, tensor<2x3x64xf32>, tensor<2x3x64xf32>, tensor<2x3x64xf32>
  return %z#0, %z#1, %z#2, %z#3, %z#4
      : tensor<2x3x64x8xf32>, tensor<2x3x64xf32>, tensor<2x3x64xf32>, tensor<2x3x64xf32>, tensor<2x3x64xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
#b = affine_map<(b, m, k1, k2, n) -> (b)>
#bm = affine_map<(b, m, k1, k2, n) -> (b, m)>
#bmk = affine_map<(b, m, k1, k2, n) -> (b, m, k2)>

// Lengths say how many keys there are, and so which tile is not filled;
// intervals bound the keys from both sides, by the least and the greatest of the
// tile's rows.

// CHECK-LABEL: func.func @lengths_and_intervals_bound_the_loops
// CHECK-SAME:    %[[LEN:[^:]*]]: tensor<2xi32>, %[[BEGIN:[^:]*]]: tensor<2x64xi32>, %[[ENDS:[^:]*]]: tensor<2x64xi32>
// CHECK:         scf.forall
// CHECK:           %[[L:[^ ,:)]*]] = tensor.extract %{{.*}} : tensor<1xi32>
// CHECK:           arith.index_cast %[[L]]
// CHECK:             arith.minsi
// CHECK:             arith.maxsi
// CHECK:             arith.maxsi
// CHECK:             arith.minsi
// CHECK:           scf.for {{.*}} to %[[FULL:[^ ,:)]*]] step
// CHECK:             arith.cmpi sge
// CHECK-NEXT:        arith.index_cast
// CHECK-NEXT:        arith.cmpi slt
// CHECK:           scf.for %{{.*}} = %[[FULL]]
// CHECK-NOT:         arith.cmpi
// CHECK:             scf.yield
// CHECK:           scf.for
// CHECK:             arith.cmpi sge
// CHECK-NEXT:        arith.index_cast
// CHECK-NEXT:        arith.cmpi slt
// CHECK:           scf.for %[[J:[^ ,:)]*]] =
// CHECK:             %[[REST:[^ ,:)]*]] = affine.apply #{{.*}}(%{{.*}}, %[[J]])
// CHECK:             tensor.extract_slice %{{.*}}[%[[J]], 0] [%[[REST]], 8] [1, 1] : tensor<128x8xf32> to tensor<?x8xf32>
func.func @lengths_and_intervals_bound_the_loops(%q: tensor<2x64x8xf32>, %k: tensor<2x128x8xf32>, %v: tensor<2x128x8xf32>,
    %len: tensor<2xi32>, %begin: tensor<2x64xi32>, %end: tensor<2x64xi32>, %o: tensor<2x64x8xf32>) -> tensor<2x64x8xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #b, #bm, #bm, #o]}
      ins(%q, %k, %v : tensor<2x64x8xf32>, tensor<2x128x8xf32>, tensor<2x128x8xf32>)
      key_lengths(%len : tensor<2xi32>) key_begin(%begin : tensor<2x64xi32>) key_end(%end : tensor<2x64xi32>)
      outs(%o : tensor<2x64x8xf32>) -> tensor<2x64x8xf32>
  return %r : tensor<2x64x8xf32>
}

// Masks and biases are sliced per tile and laid out like the scores, a mask as
// bytes. With a bias the scores are scaled by log2(e) after it.

// CHECK-LABEL: func.func @mask_and_bias_are_sliced
// CHECK-DAG:     %[[LOG2E:[^ ,:)]*]] = arith.constant 1.44269502 : f32
// CHECK:         scf.for %[[J:[^ ,:)]*]] =
// CHECK:           tensor.extract_slice %{{.*}}[0, %[[J]]] [16, 64] [1, 1] : tensor<16x128xi1> to tensor<16x64xi1>
// CHECK:           %[[MASK:[^ ,:)]*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<16x64xi1>) outs(%{{.*}} : tensor<64x16xi8>)
// CHECK:             arith.extui
// CHECK:           tensor.extract_slice %{{.*}}[0, %[[J]]] [16, 64] [1, 1] : tensor<16x128xf32> to tensor<16x64xf32>
// CHECK:           %[[BIAS:[^ ,:)]*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<64x16xf32>)
// CHECK:           linalg.generic {{.*}} ins(%[[BIAS]], %[[MASK]] : tensor<64x16xf32>, tensor<64x16xi8>)
// CHECK:             %[[SUM:[^ ,:)]*]] = arith.addf
// CHECK:             %[[KEEP:[^ ,:)]*]] = arith.cmpi ne
// CHECK:             arith.select %[[KEEP]], %[[SUM]]
// CHECK:             arith.subf
// CHECK:             arith.mulf %{{.*}}, %[[LOG2E]]
func.func @mask_and_bias_are_sliced(%q: tensor<2x64x8xf32>, %k: tensor<2x128x8xf32>, %v: tensor<2x128x8xf32>,
    %mask: tensor<2x64x128xi1>, %bias: tensor<2x64x128xf32>, %o: tensor<2x64x8xf32>) -> tensor<2x64x8xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #bmk, #bmk, #o]}
      ins(%q, %k, %v : tensor<2x64x8xf32>, tensor<2x128x8xf32>, tensor<2x128x8xf32>)
      mask(%mask : tensor<2x64x128xi1>) bias(%bias : tensor<2x64x128xf32>)
      outs(%o : tensor<2x64x8xf32>) -> tensor<2x64x8xf32>
  return %r : tensor<2x64x8xf32>
}

// A score region sees the position of the row in the whole sequence, and of
// the key, not of the tile.

// CHECK-LABEL: func.func @region_sees_positions
// CHECK:         scf.forall (%[[B:[^ ,:)]*]], %[[M:[^ ,:)]*]]) =
// CHECK:           scf.for %[[J:[^ ,:)]*]] =
// CHECK:             linalg.generic {{.*}} ins(%[[P0:[^ ,:)]*]] : index)
// CHECK:               %[[ROW:[^ ,:)]*]] = arith.addi %{{.*}}, %{{.*}}
// CHECK:               %[[KEY:[^ ,:)]*]] = arith.addi %{{.*}}, %[[J]]
// CHECK:               arith.subi %[[KEY]], %[[ROW]]
// CHECK:               arith.sitofp
func.func @region_sees_positions(%q: tensor<2x64x8xf32>, %k: tensor<2x128x8xf32>, %v: tensor<2x128x8xf32>,
                                 %o: tensor<2x64x8xf32>) -> tensor<2x64x8xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<2x64x8xf32>, tensor<2x128x8xf32>, tensor<2x128x8xf32>)
      outs(%o : tensor<2x64x8xf32>)
      score {
      ^bb0(%s: f32, %p: index, %j: index):
        %d = arith.subi %j, %p : index
        %i = arith.index_cast %d : index to i64
        %f = arith.sitofp %i : i64 to f32
        %sum = arith.addf %s, %f : f32
        xsa.yield %sum : f32
      } -> tensor<2x64x8xf32>
  return %r : tensor<2x64x8xf32>
}
