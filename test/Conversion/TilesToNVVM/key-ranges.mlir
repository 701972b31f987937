// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="format=mlir strict=true" | FileCheck %s
// RUN: xsa-opt %s -pass-pipeline='builtin.module(func.func(xsa-tile-attention-for-gpu{query-tile=32 key-tile=32},xsa-tiles-to-vectors))' | FileCheck %s --check-prefix=TILES

// Whatever bounds the keys that a tile of rows sees, and on whichever side, the
// loops over them follow on each other, also where tiles do not divide the keys
// and where extents are dynamic.

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#kt = affine_map<(m, k1, k2, n) -> (k1, k2)>
#vt = affine_map<(m, k1, k2, n) -> (n, k2)>
#r = affine_map<(m, k1, k2, n) -> (m)>
#s = affine_map<(m, k1, k2, n) -> ()>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @window_left
// CHECK:         gpu.launch_func @xsa_kernels::@window_left_attention0
func.func @window_left(%q: tensor<17x16xbf16>, %k: tensor<40x16xbf16>, %v: tensor<40x16xbf16>, %o: tensor<17x16xbf16>) -> tensor<17x16xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], window_left = 7 : i64}
      ins(%q, %k, %v : tensor<17x16xbf16>, tensor<40x16xbf16>, tensor<40x16xbf16>)
      outs(%o : tensor<17x16xbf16>) -> tensor<17x16xbf16>
  return %r : tensor<17x16xbf16>
}

// CHECK-LABEL: func.func @window_left_dynamic
// CHECK:         gpu.launch_func @xsa_kernels::@window_left_dynamic_attention0
func.func @window_left_dynamic(%q: tensor<?x16xbf16>, %k: tensor<?x16xbf16>, %v: tensor<?x16xbf16>, %o: tensor<?x16xbf16>) -> tensor<?x16xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], window_left = 7 : i64}
      ins(%q, %k, %v : tensor<?x16xbf16>, tensor<?x16xbf16>, tensor<?x16xbf16>)
      outs(%o : tensor<?x16xbf16>) -> tensor<?x16xbf16>
  return %r : tensor<?x16xbf16>
}

// CHECK-LABEL: func.func @begin_of_all_rows
// CHECK:         gpu.launch_func @xsa_kernels::@begin_of_all_rows_attention0
func.func @begin_of_all_rows(%q: tensor<?x16xbf16>, %k: tensor<40x16xbf16>, %v: tensor<40x16xbf16>, %begin: tensor<i32>, %o: tensor<?x16xbf16>) -> tensor<?x16xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #s, #o]}
      ins(%q, %k, %v : tensor<?x16xbf16>, tensor<40x16xbf16>, tensor<40x16xbf16>)
      key_begin(%begin : tensor<i32>)
      outs(%o : tensor<?x16xbf16>) -> tensor<?x16xbf16>
  return %r : tensor<?x16xbf16>
}

// CHECK-LABEL: func.func @begin_of_a_row
// CHECK:         gpu.launch_func @xsa_kernels::@begin_of_a_row_attention0
func.func @begin_of_a_row(%q: tensor<1x16xbf16>, %k: tensor<40x16xbf16>, %v: tensor<40x16xbf16>, %begin: tensor<1xi32>, %o: tensor<1x16xbf16>) -> tensor<1x16xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #r, #o]}
      ins(%q, %k, %v : tensor<1x16xbf16>, tensor<40x16xbf16>, tensor<40x16xbf16>)
      key_begin(%begin : tensor<1xi32>)
      outs(%o : tensor<1x16xbf16>) -> tensor<1x16xbf16>
  return %r : tensor<1x16xbf16>
}

// CHECK-LABEL: func.func @begin_of_dynamic_rows
// CHECK:         gpu.launch_func @xsa_kernels::@begin_of_dynamic_rows_attention0
func.func @begin_of_dynamic_rows(%q: tensor<?x16xbf16>, %k: tensor<?x16xbf16>, %v: tensor<?x16xbf16>, %begin: tensor<?xi32>, %o: tensor<?x16xbf16>) -> tensor<?x16xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #r, #o]}
      ins(%q, %k, %v : tensor<?x16xbf16>, tensor<?x16xbf16>, tensor<?x16xbf16>)
      key_begin(%begin : tensor<?xi32>)
      outs(%o : tensor<?x16xbf16>) -> tensor<?x16xbf16>
  return %r : tensor<?x16xbf16>
}

// With key_lengths two loops: over tiles that are filled, without a mask, and
// over the one at the end, which reads the keys that exist. Where neighbours in
// memory are keys, a copy may end in the middle of 16 bytes.

// TILES-LABEL: func.func @lengths
// TILES:         scf.for
// TILES-NOT:       arith.cmpi
// TILES:           scf.yield
// TILES:         scf.for %[[J:[^ ,:)]*]] =
// TILES:           %[[REST:[^ ,:)]*]] = affine.apply #{{.*}}(%{{.*}}, %[[J]])
// TILES:           tensor.extract_slice %{{.*}}[0, %[[J]]] [64, %[[REST]]] [1, 1]
// TILES:           arith.cmpi slt
// TILES-NOT:       arith.cmpi
// TILES:           scf.yield

// CHECK-LABEL: llvm.func @lengths_attention0
// CHECK:         %[[THERE:[^ ,:)]*]] = llvm.intr.smin(
// CHECK:         nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %
func.func @lengths(%q: tensor<64x64xf16>, %k: tensor<64x128xf16>, %v: tensor<64x128xf16>, %len: tensor<i32>, %o: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %r = xsa.attention {indexing_maps = [#q, #kt, #vt, #s, #o]}
      ins(%q, %k, %v : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf16>)
      key_lengths(%len : tensor<i32>)
      outs(%o : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}
