// RUN: xsa-opt %s --verify-roundtrip | FileCheck %s

#q = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, g, m, k1)>
#k = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, k2, k1)>
#v = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, k2, n)>
#s = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, m, n)>
#o = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, g, m, n)>
#row = affine_map<(b, h, g, m, k1, k2, n) -> (b, h, g, m)>
#head = affine_map<(b, h, g, m, k1, k2, n) -> (h, g)>
#batch = affine_map<(b, h, g, m, k1, k2, n) -> (b)>
#bm = affine_map<(b, h, g, m, k1, k2, n) -> (b, m)>
#mk = affine_map<(b, h, g, m, k1, k2, n) -> (m, k2)>
#bmk = affine_map<(b, h, g, m, k1, k2, n) -> (b, m, k2)>

// CHECK-LABEL: func.func @causal_grouped_exclusive
// CHECK:         xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 9.9999999999999998E-13>
// CHECK-SAME:      ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<1x2x4x128x64xf32>, tensor<1x2x128x64xf32>, tensor<1x2x128x64xf32>)
// CHECK-SAME:      self_value(%{{.*}} : tensor<1x2x128x64xf32>)
// CHECK-SAME:      outs(%{{.*}} : tensor<1x2x4x128x64xf32>) -> tensor<1x2x4x128x64xf32>
func.func @causal_grouped_exclusive(%q: tensor<1x2x4x128x64xf32>, %k: tensor<1x2x128x64xf32>,
                                    %v: tensor<1x2x128x64xf32>) -> tensor<1x2x4x128x64xf32> {
  %init = tensor.empty() : tensor<1x2x4x128x64xf32>
  %z = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>,
                      indexing_maps = [#q, #k, #v, #s, #o], scale = 1.250000e-01 : f64}
      ins(%q, %k, %v : tensor<1x2x4x128x64xf32>, tensor<1x2x128x64xf32>, tensor<1x2x128x64xf32>)
      self_value(%v : tensor<1x2x128x64xf32>)
      outs(%init : tensor<1x2x4x128x64xf32>) -> tensor<1x2x4x128x64xf32>
  return %z : tensor<1x2x4x128x64xf32>
}

// CHECK-LABEL: func.func @every_operand
// CHECK:         %{{.*}}:5 = xsa.attention {alignment = #xsa.alignment<top_left>, causal, exclusion = #xsa.exclusion<sq_add, eps = 9.9999999999999995E-7, strength = 5.000000e-01>
// CHECK-SAME:      scale = 1.250000e-01 : f64, softcap = 2.000000e+01 : f64, window_left = 7 : i64, window_right = 0 : i64
// CHECK-SAME:      mask(
// CHECK-SAME:      bias(
// CHECK-SAME:      sinks(
// CHECK-SAME:      strength(
// CHECK-SAME:      key_lengths(
// CHECK-SAME:      key_begin(
// CHECK-SAME:      key_end(
// CHECK-SAME:      query_offset(
// CHECK-SAME:      score_inputs(
// CHECK-SAME:      query_start(
// CHECK-SAME:      key_start(
// CHECK-SAME:      lse(
// CHECK-SAME:      max(
// CHECK-SAME:      sum(
// CHECK-SAME:      coefficient(
// CHECK-SAME:      score {
// CHECK:           xsa.yield %{{.*}} : f32
func.func @every_operand(%q: tensor<?x2x4x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x32xbf16>,
    %s: tensor<?x2x?x32xbf16>, %mask: tensor<?x?x?xi1>, %bias: tensor<?x?xf32>, %heads: tensor<2x4xf32>,
    %len: tensor<?xi32>, %begin: tensor<?x?xi64>, %end: tensor<?x?xindex>, %slopes: tensor<2x4xf32>, %i: index,
    %o: tensor<?x2x4x?x32xbf16>, %r: tensor<?x2x4x?xf32>)
    -> (tensor<?x2x4x?x32xbf16>, tensor<?x2x4x?xf32>, tensor<?x2x4x?xf32>, tensor<?x2x4x?xf32>) {
  %z:5 = xsa.attention {alignment = #xsa.alignment<top_left>, causal,
      exclusion = #xsa.exclusion<sq_add, eps = 1.0e-6, strength = 0.5>,
      indexing_maps = [#q, #k, #v, #s, #bmk, #mk, #head, #head, #batch, #bm, #bm, #batch, #head, #o, #row, #row, #row, #row],
      scale = 1.250000e-01 : f64, softcap = 20.0 : f64, window_left = 7 : i64, window_right = 0 : i64}
      ins(%q, %k, %v : tensor<?x2x4x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x32xbf16>)
      self_value(%s : tensor<?x2x?x32xbf16>)
      mask(%mask : tensor<?x?x?xi1>)
      bias(%bias : tensor<?x?xf32>)
      sinks(%heads : tensor<2x4xf32>)
      strength(%heads : tensor<2x4xf32>)
      key_lengths(%len : tensor<?xi32>)
      key_begin(%begin : tensor<?x?xi64>)
      key_end(%end : tensor<?x?xindex>)
      query_offset(%len : tensor<?xi32>)
      score_inputs(%slopes : tensor<2x4xf32>)
      query_start(%i) key_start(%i)
      outs(%o : tensor<?x2x4x?x32xbf16>) lse(%r : tensor<?x2x4x?xf32>)
      max(%r : tensor<?x2x4x?xf32>) sum(%r : tensor<?x2x4x?xf32>) coefficient(%r : tensor<?x2x4x?xf32>)
      score {
      ^bb0(%score: f32, %slope: f32, %p: index, %j: index):
        %d = arith.subi %j, %p : index
        %di = arith.index_cast %d : index to i64
        %df = arith.sitofp %di : i64 to f32
        %b = arith.mulf %slope, %df : f32
        %sum = arith.addf %score, %b : f32
        xsa.yield %sum : f32
      } -> tensor<?x2x4x?x32xbf16>, tensor<?x2x4x?xf32>, tensor<?x2x4x?xf32>, tensor<?x2x4x?xf32>, tensor<?x2x4x?xf32>
  return %z#0, %z#2, %z#3, %z#4 : tensor<?x2x4x?x32xbf16>, tensor<?x2x4x?xf32>, tensor<?x2x4x?xf32>, tensor<?x2x4x?xf32>
}

#qm = affine_map<(m, k1, k2, n) -> (m, k1)>
#km = affine_map<(m, k1, k2, n) -> (k2, k1)>
#vm = affine_map<(m, k1, k2, n) -> (k2, n)>
#om = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @on_memrefs
// CHECK:         xsa.attention
// CHECK-SAME:      outs(%{{.*}} : memref<8x4xf32>){{$}}
func.func @on_memrefs(%q: memref<8x4xf32>, %k: memref<8x4xf32>, %o: memref<8x4xf32>) {
  xsa.attention {indexing_maps = [#qm, #km, #vm, #om]}
      ins(%q, %k, %k : memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>)
      outs(%o : memref<8x4xf32>)
  return
}

#y = affine_map<(b, h, g, t, n) -> (b, t, h, g, n)>
#w = affine_map<(b, h, g, t, n) -> (b, t, h, n)>
#a = affine_map<(b, h, g, t, n) -> (h, g)>
#c = affine_map<(b, h, g, t, n) -> (b, h, g, t)>

// CHECK-LABEL: func.func @exclude
// CHECK:         xsa.exclude {exclusion = #xsa.exclusion<raw>
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<2x8x2x4x16xf16>, tensor<2x8x2x16xf16>)
// CHECK-SAME:      strength(%{{.*}} : tensor<2x4xf32>)
// CHECK-SAME:      outs(%{{.*}} : tensor<2x8x2x4x16xf16>)
// CHECK-SAME:      coefficient(%{{.*}} : tensor<2x2x4x8xf32>)
// CHECK-SAME:      -> tensor<2x8x2x4x16xf16>, tensor<2x2x4x8xf32>
func.func @exclude(%y: tensor<2x8x2x4x16xf16>, %v: tensor<2x8x2x16xf16>, %a: tensor<2x4xf32>,
                   %c: tensor<2x2x4x8xf32>) -> (tensor<2x8x2x4x16xf16>, tensor<2x2x4x8xf32>) {
  %z:2 = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #w, #a, #y, #c]}
      ins(%y, %v : tensor<2x8x2x4x16xf16>, tensor<2x8x2x16xf16>)
      strength(%a : tensor<2x4xf32>)
      outs(%y : tensor<2x8x2x4x16xf16>) coefficient(%c : tensor<2x2x4x8xf32>)
      -> tensor<2x8x2x4x16xf16>, tensor<2x2x4x8xf32>
  return %z#0, %z#1 : tensor<2x8x2x4x16xf16>, tensor<2x2x4x8xf32>
}
