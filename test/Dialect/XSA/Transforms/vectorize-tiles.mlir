// RUN: xsa-opt %s --xsa-tile-attention=query-tile=16 --xsa-vectorize-tiles=block-rows=4 --canonicalize --cse | FileCheck %s

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// The running maximum and sum are vectors carried by the loop over keys; the
// products keep four rows of sums in registers; scratch is made once.

// CHECK-LABEL: func.func @recurrence_in_registers
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<64x32xf32>, %[[K:[^:]*]]: tensor<128x32xf32>, %[[V:[^:]*]]: tensor<128x24xf32>
// CHECK-DAG:     %[[NINF:[^ ,:)]*]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK-DAG:     %[[ZERO:[^ ,:)]*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-DAG:     %[[C0:[^ ,:)]*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:[^ ,:)]*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C4:[^ ,:)]*]] = arith.constant 4 : index
// CHECK-DAG:     %[[C32:[^ ,:)]*]] = arith.constant 32 : index
// CHECK-DAG:     %[[C64:[^ ,:)]*]] = arith.constant 64 : index
// CHECK:         scf.forall
// CHECK:           %[[S:[^ ,:)]*]] = bufferization.alloc_tensor() : tensor<64x16xf32>
// CHECK:           scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[MAX:[^ ,:)]*]] = %[[NINF]], %[[SUM:[^ ,:)]*]] = %[[ZERO]]) -> (tensor<24x16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT:         alloc_tensor
// CHECK:             scf.for %[[J:[^ ,:)]*]] = %[[C0]] to %[[C64]] step %[[C4]] iter_args(%{{.*}} = %[[S]])
// CHECK:               scf.for %[[D:[^ ,:)]*]] = %[[C0]] to %[[C32]] step %[[C1]] iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]])
// CHECK:                 %[[KEY:[^ ,:)]*]] = tensor.extract %{{.*}}[%[[J]], %[[D]]]
// CHECK:                 %[[QUERY:[^ ,:)]*]] = vector.transfer_read %{{.*}}[%[[D]], %[[C0]]]
// CHECK:                 %[[B:[^ ,:)]*]] = vector.broadcast %[[KEY]]
// CHECK:                 arith.mulf %[[B]], %[[QUERY]] fastmath<contract>
// CHECK:                 arith.addf {{.*}} fastmath<contract>
// CHECK:               } {loop_annotation = #{{.*}}}
// CHECK-COUNT-4:       vector.transfer_write
// Maximum, without maximumf, and weights.
// CHECK-NOT:         arith.maximumf
// CHECK:             arith.cmpf ogt
// CHECK:             math.exp2 {{.*}} {xsa.bounded} : vector<16xf32>
// CHECK:             scf.yield %{{.*}}, %{{.*}}, %{{.*}} : tensor<24x16xf32>, vector<16xf32>, vector<16xf32>
// CHECK-NOT:       linalg.generic
// CHECK-NOT:       linalg.fill
// CHECK:         return
func.func @recurrence_in_registers(%q: tensor<64x32xf32>, %k: tensor<128x32xf32>, %v: tensor<128x24xf32>,
                                   %o: tensor<64x24xf32>) -> tensor<64x24xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<64x32xf32>, tensor<128x32xf32>, tensor<128x24xf32>)
      outs(%o : tensor<64x24xf32>) -> tensor<64x24xf32>
  return %r : tensor<64x24xf32>
}

// A depth that is not a multiple of the block becomes blocks of like size.

// CHECK-LABEL: func.func @rest_of_rows
// CHECK:         -> (tensor<6x16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK:           scf.for %{{.*}} = %c0 to %c6 step %c3
// CHECK:             scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>)
func.func @rest_of_rows(%q: tensor<64x8xf32>, %k: tensor<128x8xf32>, %v: tensor<128x6xf32>,
                        %o: tensor<64x6xf32>) -> tensor<64x6xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x8xf32>, tensor<128x8xf32>, tensor<128x6xf32>)
      outs(%o : tensor<64x6xf32>) -> tensor<64x6xf32>
  return %r : tensor<64x6xf32>
}

// Positions of rows are a vector, those of keys are the same for all lanes.

// CHECK-LABEL: func.func @mask_on_vectors
// CHECK:         %[[STEP:[^ ,:)]*]] = vector.step : vector<16xindex>
// CHECK:         %[[ROW:[^ ,:)]*]] = arith.index_cast %[[STEP]] : vector<16xindex> to vector<16xi32>
// CHECK:         arith.cmpi sle, %{{.*}}, %[[ROW]] : vector<16xi32>
// CHECK:         arith.select %{{.*}} : vector<16xi1>, vector<16xf32>
func.func @mask_on_vectors(%q: tensor<64x8xf32>, %k: tensor<64x8xf32>, %v: tensor<64x8xf32>,
                           %o: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>)
      outs(%o : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %r : tensor<64x8xf32>
}

// f64 has half as many rows in a tile.

// CHECK-LABEL: func.func @f64
// CHECK:         math.exp2 {{.*}} : vector<8xf64>
func.func @f64(%q: tensor<64x8xf64>, %k: tensor<64x8xf64>, %v: tensor<64x8xf64>, %o: tensor<64x8xf64>) -> tensor<64x8xf64> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x8xf64>, tensor<64x8xf64>, tensor<64x8xf64>)
      outs(%o : tensor<64x8xf64>) -> tensor<64x8xf64>
  return %r : tensor<64x8xf64>
}
