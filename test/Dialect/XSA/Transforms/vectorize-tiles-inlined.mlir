// RUN: xsa-opt %s --xsa-vectorize-tiles=vector-bits=512 --split-input-file | FileCheck %s

#tile = affine_map<(r, d) -> (d, r)>
#row = affine_map<(r, d) -> (r)>
#back = affine_map<(r, d) -> (r, d)>

// What is multiplied and added per element is so where it is read, in a sum over
// columns and in a copy that transposes, and not written to a tile before.

// CHECK-LABEL: func.func @inlined(
// CHECK-SAME:    %[[Y:[^ ,:)]*]]: tensor<32x16xf32>, %[[F:[^ ,:)]*]]: tensor<16xf32>
// CHECK:         scf.for
// CHECK:           %[[A:[^ ,:)]*]] = vector.transfer_read %[[Y]]
// CHECK:           %[[S:[^ ,:)]*]] = arith.mulf %[[A]], %{{.*}} : vector<16xf32>
// CHECK:           arith.addf %{{.*}}, %[[S]]
// CHECK-NOT:       vector.transfer_write {{.*}} tensor<32x16xf32>
// CHECK:         scf.for
// CHECK-COUNT-16:  arith.mulf {{.*}} : vector<16xf32>
// CHECK-NOT:       arith.mulf
// CHECK:           vector.shuffle
// CHECK-COUNT-16:  vector.transfer_write {{.*}} tensor<16x32xf32>
func.func @inlined(%y: tensor<32x16xf32>, %f: tensor<16xf32>, %sum: tensor<16xf32>, %out: tensor<16x32xf32>)
    -> (tensor<16xf32>, tensor<16x32xf32>) {
  %scratch = tensor.empty() : tensor<32x16xf32>
  %scaled = linalg.generic {indexing_maps = [#tile, #row, #tile], iterator_types = ["parallel", "parallel"]}
      ins(%y, %f : tensor<32x16xf32>, tensor<16xf32>) outs(%scratch : tensor<32x16xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<32x16xf32>
  %total = linalg.generic {indexing_maps = [#tile, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<32x16xf32>) outs(%sum : tensor<16xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<16xf32>
  %transposed = linalg.generic {indexing_maps = [#tile, #back], iterator_types = ["parallel", "parallel"]}
      ins(%scaled : tensor<32x16xf32>) outs(%out : tensor<16x32xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<16x32xf32>
  return %total, %transposed : tensor<16xf32>, tensor<16x32xf32>
}

// -----

#tile = affine_map<(r, d) -> (d, r)>
#row = affine_map<(r, d) -> (r)>

// A division is made once, and so is what something else reads, too.

// CHECK-LABEL: func.func @stays(
// CHECK:         scf.for
// CHECK:           arith.divf {{.*}} : vector<16xf32>
// CHECK:           vector.transfer_write {{.*}} tensor<32x16xf32>
// CHECK:         %[[READ:[^ ,:)]*]] = scf.for
// CHECK:           arith.mulf {{.*}} : vector<16xf32>
// CHECK:           vector.transfer_write {{.*}} tensor<32x16xf32>
// CHECK-NOT:     linalg.generic
// CHECK-NOT:     xsa.inlined
// CHECK:         tensor.extract_slice %[[READ]]
func.func @stays(%y: tensor<32x16xf32>, %f: tensor<16xf32>, %sum: tensor<16xf32>)
    -> (tensor<16xf32>, tensor<16x16xf32>) {
  %scratch = tensor.empty() : tensor<32x16xf32>
  %scratch2 = tensor.empty() : tensor<32x16xf32>
  %quotient = linalg.generic {indexing_maps = [#tile, #row, #tile], iterator_types = ["parallel", "parallel"]}
      ins(%y, %f : tensor<32x16xf32>, tensor<16xf32>) outs(%scratch : tensor<32x16xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.divf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<32x16xf32>
  %scaled = linalg.generic {indexing_maps = [#tile, #row, #tile], iterator_types = ["parallel", "parallel"]}
      ins(%quotient, %f : tensor<32x16xf32>, tensor<16xf32>) outs(%scratch2 : tensor<32x16xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<32x16xf32>
  %total = linalg.generic {indexing_maps = [#tile, #row], iterator_types = ["parallel", "reduction"]}
      ins(%scaled : tensor<32x16xf32>) outs(%sum : tensor<16xf32>) attrs = {xsa.tile} {
  ^bb0(%a: f32, %o: f32):
    %m = arith.addf %o, %a : f32
    linalg.yield %m : f32
  } -> tensor<16xf32>
  %part = tensor.extract_slice %scaled[0, 0] [16, 16] [1, 1] : tensor<32x16xf32> to tensor<16x16xf32>
  return %total, %part : tensor<16xf32>, tensor<16x16xf32>
}
