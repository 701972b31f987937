// RUN: xsa-opt %s --xsa-vectorize-tiles=vector-bits=256 --canonicalize --cse --split-input-file | FileCheck %s

#rows = affine_map<(m, k, d) -> (m, d)>
#keys = affine_map<(m, k, d) -> (k, d)>
#out = affine_map<(m, k, d) -> (m, k)>

// Query and keys lie along their depth: four rows and two keys are eight
// vectors of partial sums, and in the end one vector of eight scores.

// CHECK-LABEL: func.func @scores
// CHECK:         scf.for %[[KEY:.*]] = %{{.*}} to %c64 step %c2
// CHECK:           %[[SUMS:.*]]:8 = scf.for %{{.*}} = %c0 to %c32 step %c8
// CHECK-COUNT-8:     arith.addf {{.*}} fastmath<contract> : vector<8xf32>
// CHECK:           vector.shuffle %[[SUMS]]#0, %[[SUMS]]#4 [0, 1, 2, 3, 8, 9, 10, 11]
// CHECK:           vector.shuffle %[[ALL:.*]], %[[ALL]] [0, 1] : vector<8xf32>, vector<8xf32>
// CHECK:           vector.transfer_write %{{.*}}[%c0, %[[KEY]]] {{.*}} : vector<2xf32>, tensor<4x64xf32>
// CHECK:           vector.shuffle %[[ALL]], %[[ALL]] [6, 7] : vector<8xf32>, vector<8xf32>
// CHECK:           vector.transfer_write %{{.*}}[%c3, %[[KEY]]] {{.*}} : vector<2xf32>, tensor<4x64xf32>
func.func @scores(%q: tensor<4x32xf32>, %k: tensor<64x32xf32>, %s: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = linalg.generic {indexing_maps = [#rows, #keys, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x32xf32>, tensor<64x32xf32>) outs(%s : tensor<4x64xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

#rows = affine_map<(m, k, d) -> (m, d)>
#keys = affine_map<(m, k, d) -> (k, d)>
#out = affine_map<(m, k, d) -> (m, k)>

// A depth that vectors do not divide leaves terms that are added one by one.
// Low precision is widened where it is read.

// CHECK-LABEL: func.func @odd_depth
// CHECK:         scf.for %{{.*}} = %c0 to %c16 step %c8
// CHECK:           arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
// CHECK:         scf.for %{{.*}} = %c16 to %c21 step %c1
// CHECK:         vector.from_elements %{{.*}} : vector<8xf32>
func.func @odd_depth(%q: tensor<1x21xf32>, %k: tensor<64x21xbf16>, %s: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = linalg.generic {indexing_maps = [#rows, #keys, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<1x21xf32>, tensor<64x21xbf16>) outs(%s : tensor<1x64xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %b: bf16, %c: f32):
    %w = arith.extf %b : bf16 to f32
    %p = arith.mulf %a, %w : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// -----

// Maxima along keys of an unknown number. Three results are padded to four.

// CHECK-LABEL: func.func @row_maxima
// CHECK:         %[[WHOLE:.*]] = arith.subi
// CHECK:         scf.for %{{.*}} = %c0 to %[[WHOLE]] step %c8 iter_args({{.*}}, {{.*}}, {{.*}})
// CHECK:         scf.for %{{.*}} = %[[WHOLE]] to %{{.*}} step %c1
// CHECK:         vector.transfer_write %{{.*}} : vector<3xf32>, tensor<3xf32>
func.func @row_maxima(%s: tensor<3x?xf32>, %m: tensor<3xf32>) -> tensor<3xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<3x?xf32>) outs(%m : tensor<3xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %b: f32):
    %t = arith.maximumf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

#weights = affine_map<(m, n, k) -> (m, k)>
#values = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// The output lies along the depth of values. One row alone takes eight
// registers, so that its sums need not wait for each other. Values are read in
// the order in which they lie in memory: all columns of some keys.

// CHECK-LABEL: func.func @output
// CHECK:         scf.for %[[TERM:.*]] = %c0 to %c64 step %c16 iter_args
// CHECK:           %[[END:.*]] = arith.addi %[[TERM]], %c16
// CHECK:           scf.for %[[COLUMN:.*]] = %c0 to %c128 step %c64
// CHECK:           scf.for %{{.*}} = %[[TERM]] to %[[END]] step %c1 {{.*}} -> (vector<64xf32>)
// CHECK-NEXT:        tensor.extract
// CHECK-NEXT:        vector.transfer_read %{{.*}}[%{{.*}}, %[[COLUMN]]]{{.*}} vector<64xf32>
// CHECK-NEXT:        vector.broadcast %{{.*}} : f32 to vector<64xf32>
func.func @output(%p: tensor<1x64xf32>, %v: tensor<64x128xf32>, %o: tensor<1x128xf32>) -> tensor<1x128xf32> {
  %0 = linalg.generic {indexing_maps = [#weights, #values, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<1x64xf32>, tensor<64x128xf32>) outs(%o : tensor<1x128xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %r = arith.addf %c, %t : f32
    linalg.yield %r : f32
  } -> tensor<1x128xf32>
  return %0 : tensor<1x128xf32>
}


// Of an unknown number of keys the last ones are fewer.

// CHECK-LABEL: func.func @output_of_some_keys
// CHECK:         %[[KEYS:[^ ,:)]*]] = tensor.dim
// CHECK:         scf.for %[[TERM:[^ ,:)]*]] = %c0 to %[[KEYS]] step %c16
// CHECK:           %[[NEXT:[^ ,:)]*]] = arith.addi %[[TERM]], %c16
// CHECK:           %[[END:[^ ,:)]*]] = arith.minui %[[NEXT]], %[[KEYS]]
// CHECK:           scf.for %{{.*}} = %[[TERM]] to %[[END]] step %c1
func.func @output_of_some_keys(%p: tensor<4x?xf32>, %v: tensor<?x128xf32>, %o: tensor<4x128xf32>) -> tensor<4x128xf32> {
  %0 = linalg.generic {indexing_maps = [#weights, #values, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<4x?xf32>, tensor<?x128xf32>) outs(%o : tensor<4x128xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.mulf %a, %b : f32
    %r = arith.addf %c, %t : f32
    linalg.yield %r : f32
  } -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// -----

#rows = affine_map<(m, k, d) -> (m, d)>
#keys = affine_map<(m, k, d) -> (k, d)>
#out = affine_map<(m, k, d) -> (m, k)>
#tile = affine_map<(m, k) -> (m, k)>
#key = affine_map<(m, k) -> (k)>

// A change of the scores is made before they are written.

// CHECK-LABEL: func.func @changed_scores
// CHECK-SAME:    %{{[^:]*}}: tensor<1x32xf32>, %{{[^:]*}}: tensor<64x32xf32>, %[[MASK:[^:]*]]: tensor<64xi1>
// CHECK:         scf.for %[[KEY:[^ ,:)]*]] = %{{.*}} to %c64 step %c8
// CHECK:           %[[SUMS:[^ ,:)]*]]:8 = scf.for
// CHECK:           %[[KEEP:[^ ,:)]*]] = vector.transfer_read %[[MASK]][%[[KEY]]]{{.*}} : tensor<64xi1>, vector<8xi1>
// CHECK:           %[[MASKED:[^ ,:)]*]] = arith.select %[[KEEP]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK:           vector.transfer_write %[[MASKED]], %{{.*}}[%c0, %[[KEY]]]
// CHECK-NOT:     vector.transfer_write
func.func @changed_scores(%q: tensor<1x32xf32>, %k: tensor<64x32xf32>, %mask: tensor<64xi1>,
                          %s: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %none = arith.constant 0xFF800000 : f32
  %0 = linalg.generic {indexing_maps = [#rows, #keys, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<1x32xf32>, tensor<64x32xf32>) outs(%s : tensor<1x64xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<1x64xf32>
  %1 = linalg.generic {indexing_maps = [#key, #tile], iterator_types = ["parallel", "parallel"]}
      ins(%mask : tensor<64xi1>) outs(%0 : tensor<1x64xf32>) attrs = {xsa.tile} {
  ^bb0(%keep: i1, %c: f32):
    %t = arith.select %keep, %c, %none : f32
    linalg.yield %t : f32
  } -> tensor<1x64xf32>
  return %1 : tensor<1x64xf32>
}
