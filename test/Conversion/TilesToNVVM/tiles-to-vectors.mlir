// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="query-tile=16 key-tile=16 warps=1" -xsa-tiles-to-vectors -canonicalize -cse | FileCheck %s

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Tiles are carried as vectors; a value per row is computed once per row; depths
// are padded to 16; the last tile of keys is read with padding.

// CHECK-LABEL: func.func @recurrence
// CHECK:         scf.forall
// CHECK:           %[[Q:.*]] = vector.transfer_read {{.*}} {in_bounds = [true, false]} : tensor<16x8xf16>, vector<16x16xf16>
// CHECK:           scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16x16xf32>)
// CHECK:             %[[K:.*]] = vector.transfer_read {{.*}} : tensor<16x8xf16>, vector<16x16xf16>
// CHECK:             %[[S:.*]] = vector.contract {{.*}} %[[Q]], %[[K]], {{.*}} into vector<16x16xf32>
// CHECK:             %[[M:.*]] = vector.multi_reduction <maximumf>, %[[S]]
// CHECK:             arith.mulf {{.*}} : vector<16x1xf32>
// CHECK:             %[[E:.*]] = math.fma %[[S]], {{.*}} : vector<16x16xf32>
// CHECK:             %[[P:.*]] = math.exp2 %[[E]] {xsa.bounded} : vector<16x16xf32>
// CHECK:             %[[N:.*]] = arith.truncf %[[P]] : vector<16x16xf32> to vector<16x16xf16>
// CHECK:             %[[W:.*]] = arith.extf %[[N]]
// CHECK:             vector.multi_reduction <add>, %[[W]]
// CHECK:             vector.contract {{.*}} %[[N]]
// CHECK:           vector.transfer_read {{.*}} : tensor<8x8xf16>, vector<16x16xf16>
// CHECK:           vector.transfer_write {{.*}} {in_bounds = [true, false]} : vector<16x16xf16>, tensor<16x8xf16>
// CHECK-NOT:     linalg
func.func @recurrence(%q: tensor<32x8xf16>, %k: tensor<40x8xf16>, %v: tensor<40x8xf16>, %o: tensor<32x8xf16>) -> tensor<32x8xf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<32x8xf16>, tensor<40x8xf16>, tensor<40x8xf16>)
      outs(%o : tensor<32x8xf16>) -> tensor<32x8xf16>
  return %r : tensor<32x8xf16>
}

// Where a result shows the sum of weights, there is one of them before they are
// narrowed. The output is divided by the other.

#row = affine_map<(m, k1, k2, n) -> (m)>

// CHECK-LABEL: func.func @shown_sum
// CHECK:         %[[LOOP:[^ ,:)]+]]:4 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16x16xf32>, vector<16xf32>)
// CHECK:           %[[P:[^ ,:)]+]] = math.exp2 %{{.*}} : vector<16x16xf32>
// CHECK:           %[[N:[^ ,:)]+]] = arith.truncf %[[P]] : vector<16x16xf32> to vector<16x16xf16>
// CHECK:           %[[EXACT:[^ ,:)]+]] = vector.multi_reduction <add>, %[[P]]
// CHECK:           %[[W:[^ ,:)]+]] = arith.extf %[[N]]
// CHECK:           %[[SUM:[^ ,:)]+]] = vector.multi_reduction <add>, %[[W]]
// CHECK:           scf.yield %{{[^,]*}}, %[[SUM]], %{{[^,]*}}, %[[EXACT]]
// CHECK:         arith.divf %{{.*}}, %[[LOOP]]#1
// CHECK:         arith.mulf %[[LOOP]]#3, %{{.*}}
// CHECK:         math.log
func.func @shown_sum(%q: tensor<16x16xf16>, %k: tensor<48x16xf16>, %v: tensor<48x16xf16>, %o: tensor<16x16xf16>, %l: tensor<16xf32>) -> (tensor<16x16xf16>, tensor<16xf32>) {
  %r:2 = xsa.attention {indexing_maps = [#q, #k, #v, #o, #row]}
      ins(%q, %k, %v : tensor<16x16xf16>, tensor<48x16xf16>, tensor<48x16xf16>)
      outs(%o : tensor<16x16xf16>) lse(%l : tensor<16xf32>) -> tensor<16x16xf16>, tensor<16xf32>
  return %r#0, %r#1 : tensor<16x16xf16>, tensor<16xf32>
}

// The tile is stored transposed; its vector is not.

#t = affine_map<(m, k1, k2, n) -> (n, m)>

// CHECK-LABEL: func.func @transposed_output
// CHECK:         vector.transfer_write {{.*}} permutation_map = {{.*}} : vector<16x16xf16>, tensor<8x16xf16>
func.func @transposed_output(%q: tensor<32x8xf16>, %k: tensor<40x8xf16>, %v: tensor<40x8xf16>, %o: tensor<8x32xf16>) -> tensor<8x32xf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #t]}
      ins(%q, %k, %v : tensor<32x8xf16>, tensor<40x8xf16>, tensor<40x8xf16>)
      outs(%o : tensor<8x32xf16>) -> tensor<8x32xf16>
  return %r : tensor<8x32xf16>
}
