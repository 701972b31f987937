// RUN: xsa-opt %s -split-input-file --xsa-lower-to-nvvm-pipeline="format=mlir query-tile=32 key-tile=16 warps=1 stages=2" --mlir-print-ir-after=xsa-stage-tiles -o /dev/null 2>&1 | FileCheck %s

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Under a causal mask the tiles on the diagonal are the last: the two stages of
// values, seen as one tile, are the own values. They are read for the sums, and
// again for the difference.

// CHECK-LABEL: gpu.func @diagonal_attention0
// CHECK:         memref.view
// CHECK:         %[[OWN:.*]] = memref.view {{.*}} to memref<1x32x16xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    memref.view {{.*}} to memref<2x16x16xf16, #gpu.address_space<workgroup>>
// CHECK-NOT:     vector.transfer_write {{.*}}, %[[OWN]][
// CHECK:         vector.transfer_read %[[OWN]][{{.*}}xsa.layout = #xsa.layout<accumulator>
// CHECK:         vector.multi_reduction
// CHECK:         vector.multi_reduction
// CHECK:         nvvm.bar.warp.sync
// CHECK-NEXT:    vector.transfer_read %[[OWN]][
// CHECK:         arith.subf
// CHECK:         gpu.return
func.func @diagonal(%q: tensor<64x16xf16>, %k: tensor<64x16xf16>, %v: tensor<64x16xf16>) -> tensor<64x16xf16> {
  %o = tensor.empty() : tensor<64x16xf16>
  %r = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#q, #k, #v, #o, #o]}
      ins(%q, %k, %v : tensor<64x16xf16>, tensor<64x16xf16>, tensor<64x16xf16>)
      self_value(%v : tensor<64x16xf16>)
      outs(%o : tensor<64x16xf16>) -> tensor<64x16xf16>
  return %r : tensor<64x16xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// With 40 keys the second tile of rows visits one tile of keys on the diagonal,
// not two: its own values are copied while the loops run.

// CHECK-LABEL: gpu.func @ragged_attention0
// CHECK:         vector.transfer_read {{.*}}xsa.layout = #xsa.layout<lhs>
// CHECK-NEXT:    gpu.barrier
// CHECK:         vector.transfer_write {{.*}}, %[[OWN:.*]][{{.*}}] {{{.*}}xsa.async, {{.*}} : vector<32x16xf16>
// CHECK-NEXT:    nvvm.cp.async.commit.group
// CHECK-NEXT:    scf.for
// CHECK:         vector.transfer_read %[[OWN]][{{.*}}xsa.layout = #xsa.layout<accumulator>
// CHECK:         gpu.return
func.func @ragged(%q: tensor<40x16xf16>, %k: tensor<40x16xf16>, %v: tensor<40x16xf16>) -> tensor<40x16xf16> {
  %o = tensor.empty() : tensor<40x16xf16>
  %r = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#q, #k, #v, #o, #o]}
      ins(%q, %k, %v : tensor<40x16xf16>, tensor<40x16xf16>, tensor<40x16xf16>)
      self_value(%v : tensor<40x16xf16>)
      outs(%o : tensor<40x16xf16>) -> tensor<40x16xf16>
  return %r : tensor<40x16xf16>
}
