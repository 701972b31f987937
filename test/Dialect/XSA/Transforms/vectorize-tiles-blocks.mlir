// RUN: xsa-opt %s --xsa-tile-attention --xsa-vectorize-tiles --canonicalize --cse | FileCheck %s
// RUN: xsa-opt %s --xsa-tile-attention=vector-bits=512 --xsa-vectorize-tiles=vector-bits=512 --canonicalize --cse | FileCheck %s --check-prefix=WIDE

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#mk = affine_map<(m, k1, k2, n) -> (m, k2)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// The query goes into the tile in squares of registers.

// CHECK-LABEL:   func.func @attention
// CHECK-COUNT-8:   vector.transfer_read {{.*}} tensor<?x64xf32>, vector<8xf32>
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11]
// CHECK:           vector.shuffle %{{.*}}, %{{.*}} [4, 5, 6, 7, 12, 13, 14, 15]
// CHECK-COUNT-8:   vector.transfer_write {{.*}} vector<8xf32>, tensor<64x?xf32>

// 64 keys are nine blocks of six and two of five; 16 registers hold no more
// than twelve sums. The output is rescaled where the sums of a tile are added to it.

// CHECK:           scf.for %{{.*}} = %{{.*}} to %c54 step %c6
// CHECK:             scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK:           scf.for %{{.*}} = %c54 to %c64 step %c5
// CHECK:           scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK:             arith.cmpf ogt
// CHECK:           %[[ALPHA:.*]] = math.exp2 {{.*}} : vector<16xf32>
// CHECK:           scf.for %{{.*}} to %c64 step %c1
// CHECK:             math.exp2
// CHECK:           scf.for %{{.*}} to %c54 step %c6
// CHECK:             %[[TILE:[^ ,:)]*]]:6 = scf.for %{{.*}} = %c0 to %c64 {{.*}}(%{{[^ ]*}} = %[[ZERO:[^ ,]*]], %{{[^ ]*}} = %[[ZERO]], %
// CHECK:             } {loop_annotation
// CHECK:             %[[OUTPUT:[^ ,:)]*]] = vector.transfer_read {{.*}} tensor<64x16xf32>, vector<16xf32>
// CHECK-NEXT:        %[[RESCALED:[^ ,:)]*]] = arith.mulf %[[OUTPUT]], %[[ALPHA]]
// CHECK:             arith.addf %[[RESCALED]], %[[TILE]]#0

// WIDE-LABEL:    func.func @attention
// WIDE-COUNT-16:   vector.shuffle {{.*}} vector<16xf32>
// WIDE:            scf.for %{{.*}} to %c64 step %c8
// WIDE:              scf.for {{.*}} vector<32xf32>
func.func @attention(%q: tensor<500x64xf32>, %k: tensor<128x64xf32>, %v: tensor<128x64xf32>,
                     %o: tensor<500x64xf32>) -> tensor<500x64xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<500x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>)
      outs(%o : tensor<500x64xf32>) -> tensor<500x64xf32>
  return %r : tensor<500x64xf32>
}

// Keys are widened in vectors of falling length.

// CHECK-LABEL: func.func @widened
// CHECK:         vector.transfer_read %{{.*}}[%[[ROW:.*]], %c0], {{.*}} tensor<64x24xbf16>, vector<16xbf16>
// CHECK:         arith.extf %{{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK:         vector.transfer_read %{{.*}}[%[[ROW:.*]], %c16], {{.*}} tensor<64x24xbf16>, vector<8xbf16>
// CHECK:         arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
func.func @widened(%q: tensor<64x24xbf16>, %k: tensor<64x24xbf16>, %v: tensor<64x24xbf16>,
                   %o: tensor<64x24xbf16>) -> tensor<64x24xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x24xbf16>, tensor<64x24xbf16>, tensor<64x24xbf16>)
      outs(%o : tensor<64x24xbf16>) -> tensor<64x24xbf16>
  return %r : tensor<64x24xbf16>
}

// Bools of a mask are vectors, and four in a lane change places at once: then each
// byte of a lane is looked at. Scores are capped,
// biased and masked while they are in registers: after their sums, and before
// they are written. A sum's terms are added in parts, so that its rounding does
// not grow with the depth.

// CHECK-LABEL: func.func @changed_scores
// CHECK-SAME:    %[[MASK:[^:]*]]: tensor<64x128xi1>, %[[BIAS:[^:]*]]: tensor<64x128xf32>
// CHECK:         scf.for %{{.*}} = %c0 to %c128 step %c64
// CHECK-NOT:       tensor.insert
// CHECK-COUNT-8:   vector.transfer_read {{.*}} tensor<16x64xi1>, vector<32xi1>
// CHECK-COUNT-8:   vector.bitcast {{.*}} : vector<32xi8> to vector<8xi32>
// CHECK-COUNT-24:  vector.shuffle {{.*}} : vector<8xi32>, vector<8xi32>
// CHECK:           %[[BYTE:[^ ,:)]*]] = arith.andi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK:           %[[BOOL:[^ ,:)]*]] = arith.cmpi ne, %[[BYTE]], %{{.*}} : vector<8xi32>
// CHECK:           arith.extui %[[BOOL]] : vector<8xi1> to vector<8xi8>
// CHECK-COUNT-32:  vector.transfer_write {{.*}} : vector<8xi8>, tensor<64x16xi8>
// CHECK:           scf.for %{{.*}} to %c54 step %c6
// CHECK:             %[[PART0:[^ ,:)]*]]:6 = scf.for %{{.*}} = %c0 to %c32 {{.*}} -> (vector<16xf32>,
// CHECK:             } {loop_annotation
// CHECK:             %[[PART1:[^ ,:)]*]]:6 = scf.for %{{.*}} = %c32 to %c64 {{.*}} -> (vector<16xf32>,
// CHECK:             } {loop_annotation
// CHECK:             %[[SCORES:[^ ,:)]*]] = arith.addf %[[PART0]]#0, %[[PART1]]#0
// CHECK:             %[[B:[^ ,:)]*]] = vector.transfer_read {{.*}} : tensor<64x16xf32>, vector<16xf32>
// CHECK:             %[[M:[^ ,:)]*]] = vector.transfer_read {{.*}} : tensor<64x16xi8>, vector<16xi8>
// CHECK:             %[[BIASED:[^ ,:)]*]] = arith.addf %[[SCORES]], %[[B]]
// CHECK:             %[[KEEP:[^ ,:)]*]] = arith.cmpi ne, %[[M]]
// CHECK:             %[[MASKED:[^ ,:)]*]] = arith.select %[[KEEP]], %[[BIASED]]
// CHECK-NEXT:        vector.transfer_write %[[MASKED]]
// CHECK-NOT:       linalg.generic
// CHECK:         return
func.func @changed_scores(%mask: tensor<64x128xi1>, %bias: tensor<64x128xf32>, %q: tensor<64x64xf32>,
                          %k: tensor<128x64xf32>, %v: tensor<128x64xf32>, %o: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #mk, #mk, #o]}
      ins(%q, %k, %v : tensor<64x64xf32>, tensor<128x64xf32>, tensor<128x64xf32>)
      mask(%mask : tensor<64x128xi1>) bias(%bias : tensor<64x128xf32>)
      outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
