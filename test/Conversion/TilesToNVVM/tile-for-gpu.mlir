// RUN: xsa-opt %s -split-input-file -xsa-tile-attention-for-gpu -verify-diagnostics | FileCheck %s
// RUN: xsa-opt %s -split-input-file -xsa-tile-attention-for-gpu="query-tile=64 key-tile=32 warps=4" -verify-diagnostics | FileCheck %s --check-prefix=SIZES

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// Rows come first; scores stay as the products make them, and the scale goes
// into the exponential; weights are narrowed to the type of the values. The
// rescale takes both products as they were rounded.

// CHECK-LABEL: func.func @half
// CHECK:         scf.forall
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<{{.*}}xf16>, tensor<{{.*}}xf16>)
// CHECK:             arith.maximumf %[[OLD:.*]], %{{.*}} : f32
// CHECK:             %[[BEFORE:.*]] = arith.mulf %[[OLD]], %{{.*}} : f32
// CHECK:             %[[AFTER:.*]] = arith.negf
// CHECK-NEXT:        %[[ONE:.*]] = arith.constant 1.000000e+00
// CHECK-NEXT:        math.fma %[[BEFORE]], %[[ONE]], %[[AFTER]]
// CHECK:             arith.maximumf
// CHECK:             %[[FACTOR:.*]] = arith.select %{{.*}}, %cst{{.*}}, %cst{{.*}} : f32
// CHECK:             %[[E:.*]] = math.fma %{{.*}}, %[[FACTOR]], %{{.*}} : f32
// CHECK-NEXT:        math.exp2 %[[E]]
// CHECK:             arith.truncf %{{.*}} : f32 to f16
// CHECK:         } {xsa.kernel = #xsa.kernel<name = "half_attention0", unit = mma_sync, warps = {{[0-9]+}}, stages = 2, query_in_registers = {{.*}}>}
// SIZES-LABEL: func.func @half
// SIZES:         scf.forall {{.*}} step (1, 64)
// SIZES:         warps = 4
func.func @half(%q: tensor<2x128x64xf16>, %k: tensor<2x128x64xf16>, %v: tensor<2x128x64xf16>, %o: tensor<2x128x64xf16>) -> tensor<2x128x64xf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<2x128x64xf16>, tensor<2x128x64xf16>, tensor<2x128x64xf16>)
      outs(%o : tensor<2x128x64xf16>) -> tensor<2x128x64xf16>
  return %r : tensor<2x128x64xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// A bias stands between product and exponential: the difference comes first, so
// that the lowest finite value stays finite.

// CHECK-LABEL: func.func @bias
// CHECK:         %[[D:.*]] = arith.subf
// CHECK:         %[[E:.*]] = arith.mulf %[[D]],
// CHECK-NEXT:    math.exp2 %[[E]]
func.func @bias(%q: tensor<64x64xf16>, %k: tensor<64x64xf16>, %v: tensor<64x64xf16>, %b: tensor<64x64xf32>, %o: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, affine_map<(m, k1, k2, n) -> (m, k2)>, #o]}
      ins(%q, %k, %v : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>)
      bias(%b : tensor<64x64xf32>)
      outs(%o : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @f64
// CHECK:         xsa.attention
func.func @f64(%q: tensor<64x64xf64>, %k: tensor<64x64xf64>, %v: tensor<64x64xf64>, %o: tensor<64x64xf64>) -> tensor<64x64xf64> {
  // expected-warning @+1 {{left to the host: no kernel for f64}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x64xf64>, tensor<64x64xf64>, tensor<64x64xf64>)
      outs(%o : tensor<64x64xf64>) -> tensor<64x64xf64>
  return %r : tensor<64x64xf64>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @deep
// CHECK:         xsa.attention
func.func @deep(%q: tensor<64x512xf16>, %k: tensor<64x512xf16>, %v: tensor<64x64xf16>, %o: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-warning @+1 {{left to the host: no kernel for a key depth of 512: expected one from 1 to 256}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x512xf16>, tensor<64x512xf16>, tensor<64x64xf16>)
      outs(%o : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @mixed
// CHECK:         xsa.attention
func.func @mixed(%q: tensor<64x64xf16>, %k: tensor<64x64xbf16>, %v: tensor<64x64xf16>, %o: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-warning @+1 {{left to the host: no kernel for query, key and value of different types: f16 and bf16}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x64xf16>, tensor<64x64xbf16>, tensor<64x64xf16>)
      outs(%o : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @dynamic_depth
// CHECK:         xsa.attention
func.func @dynamic_depth(%q: tensor<64x?xf16>, %k: tensor<64x?xf16>, %v: tensor<64x64xf16>, %o: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-warning @+1 {{left to the host: no kernel for a dynamic key depth}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x?xf16>, tensor<64x?xf16>, tensor<64x64xf16>)
      outs(%o : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @far_start
// CHECK:         xsa.attention
func.func @far_start(%q: tensor<64x64xf16>, %k: tensor<64x64xf16>, %v: tensor<64x64xf16>, %o: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %start = arith.constant 1073741825 : index
  // expected-warning @+1 {{left to the host: no kernel for a key start of 1073741825: expected at most 2^30, positions in a thread are of 32 bits}}
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>)
      key_start(%start)
      outs(%o : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @region
// CHECK:         xsa.attention
func.func @region(%q: tensor<64x64xf16>, %k: tensor<64x64xf16>, %v: tensor<64x64xf16>, %o: tensor<64x64xf16>) -> tensor<64x64xf16> {
  // expected-warning @+1 {{left to the host: no kernel for 'math.erf' in the score region}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>)
      outs(%o : tensor<64x64xf16>)
      score {
      ^bb0(%s: f32, %p: index, %j: index):
        %e = math.erf %s : f32
        xsa.yield %e : f32
      } -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#r = affine_map<(m, k1, k2, n) -> (m)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Intervals of keys bound the loops together with the causal mask.

// CHECK-LABEL: func.func @packed_causal
// CHECK-NOT:     xsa.attention
// CHECK:         scf.forall
// CHECK:         xsa.kernel
func.func @packed_causal(%x: tensor<64x64xf16>, %begin: tensor<64xi64>, %o: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #r, #o]}
      ins(%x, %x, %x : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>)
      key_begin(%begin : tensor<64xi64>)
      outs(%o : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Own values are rows of the values: those on the diagonal are the tiles visited
// last, if every tile there has a key.

// CHECK-LABEL: func.func @diagonal
// CHECK:         xsa.own_in_stages
func.func @diagonal(%x: tensor<256x64xf16>, %o: tensor<256x64xf16>) -> tensor<256x64xf16> {
  %r = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#q, #k, #v, #o, #o]}
      ins(%x, %x, %x : tensor<256x64xf16>, tensor<256x64xf16>, tensor<256x64xf16>)
      self_value(%x : tensor<256x64xf16>)
      outs(%o : tensor<256x64xf16>) -> tensor<256x64xf16>
  return %r : tensor<256x64xf16>
}

// CHECK-LABEL: func.func @full
// CHECK-NOT:     xsa.own_in_stages
func.func @full(%x: tensor<256x64xf16>, %o: tensor<256x64xf16>) -> tensor<256x64xf16> {
  %r = xsa.attention {exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#q, #k, #v, #o, #o]}
      ins(%x, %x, %x : tensor<256x64xf16>, tensor<256x64xf16>, tensor<256x64xf16>)
      self_value(%x : tensor<256x64xf16>)
      outs(%o : tensor<256x64xf16>) -> tensor<256x64xf16>
  return %r : tensor<256x64xf16>
}

// CHECK-LABEL: func.func @other_rows
// CHECK-NOT:     xsa.own_in_stages
func.func @other_rows(%x: tensor<256x64xf16>, %own: tensor<256x64xf16>, %o: tensor<256x64xf16>) -> tensor<256x64xf16> {
  %r = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#q, #k, #v, #o, #o]}
      ins(%x, %x, %x : tensor<256x64xf16>, tensor<256x64xf16>, tensor<256x64xf16>)
      self_value(%own : tensor<256x64xf16>)
      outs(%o : tensor<256x64xf16>) -> tensor<256x64xf16>
  return %r : tensor<256x64xf16>
}
