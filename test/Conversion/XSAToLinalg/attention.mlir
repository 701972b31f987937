// RUN: xsa-opt %s --convert-xsa-to-linalg --canonicalize --cse --split-input-file | FileCheck %s

// One generic per term: products, maximum, weights, sum, output.

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// CHECK-DAG:   #[[QK:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG:   #[[K:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG:   #[[S:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-LABEL: func.func @plain_bf16_accumulates_in_f32
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<2x8x16xbf16>, %[[KEY:[^:]*]]: tensor<2x9x16xbf16>, %[[V:[^:]*]]: tensor<2x9x4xbf16>, %[[INIT:[^:]*]]: tensor<2x8x4xbf16>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[SCALE:.*]] = arith.constant 2.500000e-01 : f32
// CHECK-DAG:     %[[NINF:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[S0:.*]] = linalg.fill ins(%[[ZERO]] : f32) {{.*}} -> tensor<2x8x9xf32>
// CHECK:         %[[S1:.*]] = linalg.generic {indexing_maps = [#[[QK]], #[[K]], #[[S]]], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
// CHECK-SAME:      ins(%[[Q]], %[[KEY]] : tensor<2x8x16xbf16>, tensor<2x9x16xbf16>) outs(%[[S0]]
// CHECK:           arith.extf %{{.*}} : bf16 to f32
// CHECK:           arith.extf %{{.*}} : bf16 to f32
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:         %[[S2:.*]] = linalg.generic {{.*}} outs(%[[S1]]
// CHECK:           arith.mulf %{{.*}}, %[[SCALE]]
// CHECK:         %[[M0:.*]] = linalg.fill ins(%[[NINF]] : f32)
// CHECK:         %[[M:.*]] = linalg.generic {{.*}} ins(%[[S2]] : tensor<2x8x9xf32>) outs(%[[M0]]
// CHECK:           arith.maximumf
// A row without keys has the maximum -inf: exp(-inf - 0) is 0, never NaN.
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} ins(%[[M]] : tensor<2x8xf32>) outs(%[[S2]]
// CHECK:           %[[EMPTY:.*]] = arith.cmpf oeq, %[[MAX:.*]], %[[NINF]]
// CHECK:           %[[SHIFT:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[MAX]]
// CHECK:           %[[D:.*]] = arith.subf %{{.*}}, %[[SHIFT]]
// CHECK:           math.exp %[[D]]
// CHECK:         %[[L:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<2x8x9xf32>)
// CHECK:           arith.addf
// CHECK:         %[[Y0:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[V]] : tensor<2x8x9xf32>, tensor<2x9x4xbf16>)
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}} ins(%[[L]] : tensor<2x8xf32>) outs(%[[Y0]]
// CHECK:           arith.divf
// CHECK:           arith.select
// CHECK:         %[[O:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<2x8x4xf32>) outs(%[[INIT]] : tensor<2x8x4xbf16>)
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
// CHECK:         return %[[O]]
func.func @plain_bf16_accumulates_in_f32(%q: tensor<2x8x16xbf16>, %k: tensor<2x9x16xbf16>, %v: tensor<2x9x4xbf16>,
                                         %o: tensor<2x8x4xbf16>) -> tensor<2x8x4xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<2x8x16xbf16>, tensor<2x9x16xbf16>, tensor<2x9x4xbf16>)
      outs(%o : tensor<2x8x4xbf16>) -> tensor<2x8x4xbf16>
  return %r : tensor<2x8x4xbf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// The default alignment puts the last row at the last key: p = i + (K2 - M).

// CHECK-LABEL: func.func @causal_bottom_right_dynamic
// CHECK-SAME:    %[[Q:[^:]*]]: tensor<?x16xf32>, %[[K:[^:]*]]: tensor<?x16xf32>
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[ROWS:.*]] = tensor.dim %[[Q]], %[[C0]]
// CHECK-DAG:     %[[KEYS:.*]] = tensor.dim %[[K]], %[[C0]]
// CHECK:         linalg.index 0
// CHECK:         %[[BASE:.*]] = arith.subi %[[KEYS]], %[[ROWS]]
// CHECK:         %[[P:.*]] = arith.addi %{{.*}}, %[[BASE]]
// CHECK:         %[[J:.*]] = linalg.index 1
// CHECK:         %[[KEEP:.*]] = arith.cmpi sle, %[[J]], %[[P]]
// CHECK:         arith.select %[[KEEP]]
func.func @causal_bottom_right_dynamic(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>,
                                       %o: tensor<?x16xf32>) -> tensor<?x16xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
      outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// CHECK-LABEL: func.func @causal_top_left_window
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[CM2:.*]] = arith.constant -2 : index
// CHECK:         %[[I:.*]] = linalg.index 0
// CHECK:         %[[J:.*]] = linalg.index 1
// CHECK:         arith.cmpi sle, %[[J]], %[[I]]
// CHECK:         %[[LO:.*]] = arith.addi %[[I]], %[[CM2]]
// CHECK:         arith.cmpi sge, %[[J]], %[[LO]]
// CHECK:         arith.andi
// CHECK:         %[[HI:.*]] = arith.addi %[[I]], %[[C3]]
// CHECK:         arith.cmpi sle, %[[J]], %[[HI]]
// CHECK:         arith.andi
// CHECK-NEXT:    arith.select
func.func @causal_top_left_window(%q: tensor<8x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x16xf32>,
                                  %o: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = xsa.attention {alignment = #xsa.alignment<top_left>, causal, indexing_maps = [#q, #k, #v, #o],
                      window_left = 2 : i64, window_right = 3 : i64}
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<9x16xf32>, tensor<9x16xf32>)
      outs(%o : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
#b = affine_map<(b, m, k1, k2, n) -> (b)>
#bm = affine_map<(b, m, k1, k2, n) -> (b, m)>
#mk = affine_map<(b, m, k1, k2, n) -> (m, k2)>

// The order is soft cap, bias, score region, masks.

// CHECK-LABEL: func.func @score_modifications_in_order
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK:         ^bb0(%[[BIAS:.*]]: f32, %[[MASK:.*]]: i1, %[[SLOPE:.*]]: f32, %[[SCORE:.*]]: f32):
// CHECK:           %[[RATIO:.*]] = arith.divf %[[SCORE]], %{{.*}}
// CHECK:           %[[TANH:.*]] = math.tanh %[[RATIO]]
// CHECK:           %[[CAPPED:.*]] = arith.mulf %[[TANH]]
// CHECK:           %[[BIASED:.*]] = arith.addf %[[CAPPED]], %[[BIAS]]
// CHECK:           arith.subi
// CHECK:           arith.sitofp
// CHECK:           %[[ALIBI:.*]] = arith.mulf %[[SLOPE]]
// CHECK:           %[[MODIFIED:.*]] = arith.addf %[[BIASED]], %[[ALIBI]]
// CHECK:           arith.select %[[MASK]], %[[MODIFIED]]
func.func @score_modifications_in_order(%q: tensor<2x8x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>,
    %mask: tensor<8x9xi1>, %bias: tensor<8x9xf32>, %slopes: tensor<2xf32>, %o: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #mk, #mk, #b, #o], softcap = 20.0 : f64}
      ins(%q, %k, %v : tensor<2x8x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32>)
      mask(%mask : tensor<8x9xi1>) bias(%bias : tensor<8x9xf32>) score_inputs(%slopes : tensor<2xf32>)
      outs(%o : tensor<2x8x4xf32>)
      score {
      ^bb0(%s: f32, %slope: f32, %p: index, %j: index):
        %d = arith.subi %j, %p : index
        %i = arith.index_cast %d : index to i64
        %f = arith.sitofp %i : i64 to f32
        %a = arith.mulf %slope, %f : f32
        %sum = arith.addf %s, %a : f32
        xsa.yield %sum : f32
      } -> tensor<2x8x4xf32>
  return %r : tensor<2x8x4xf32>
}

// Lengths place the rows (p = i + length - M) and hide the keys behind them.

// CHECK-LABEL: func.func @key_lengths_and_intervals
// CHECK:         ^bb0(%[[LENGTH:.*]]: i32, %[[BEGIN:.*]]: i64, %[[END:.*]]: index, %[[SCORE:.*]]: f32):
// CHECK:           %[[L0:.*]] = arith.index_cast %[[LENGTH]] : i32 to index
// CHECK:           %[[BASE:.*]] = arith.subi %[[L0]], %{{.*}}
// CHECK:           %[[P:.*]] = arith.addi %{{.*}}, %[[BASE]]
// CHECK:           arith.cmpi sle, %[[J:.*]], %[[P]]
// CHECK:           arith.cmpi slt, %[[J]], %[[L0]]
// CHECK:           %[[B:.*]] = arith.index_cast %[[BEGIN]] : i64 to index
// CHECK:           arith.cmpi sge, %[[J]], %[[B]]
// CHECK:           arith.cmpi slt, %[[J]], %[[END]]
// CHECK:           arith.select
func.func @key_lengths_and_intervals(%q: tensor<2x8x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>,
    %len: tensor<2xi32>, %begin: tensor<2x8xi64>, %end: tensor<2x8xindex>, %o: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #b, #bm, #bm, #o]}
      ins(%q, %k, %v : tensor<2x8x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32>)
      key_lengths(%len : tensor<2xi32>) key_begin(%begin : tensor<2x8xi64>) key_end(%end : tensor<2x8xindex>)
      outs(%o : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %r : tensor<2x8x4xf32>
}

// CHECK-LABEL: func.func @offsets_and_starts
// CHECK-SAME:    %[[QSTART:[^:]*]]: index, %[[KSTART:[^:]*]]: index
// CHECK:         %[[QLEAST:.*]] = arith.maxsi %[[QSTART]], %c-1152921504606846976
// CHECK:         %[[QLIMITED:.*]] = arith.minsi %[[QLEAST]], %c1152921504606846976
// CHECK:         %[[KLEAST:.*]] = arith.maxsi %[[KSTART]], %c-1152921504606846976
// CHECK:         %[[KLIMITED:.*]] = arith.minsi %[[KLEAST]], %c1152921504606846976
// CHECK:         ^bb0(%[[OFFSET:.*]]: i64, %[[SCORE:.*]]: f32):
// CHECK:           %[[I:.*]] = linalg.index 1
// CHECK:           %[[ROW:.*]] = arith.addi %[[I]], %[[QLIMITED]]
// CHECK:           %[[OFF:.*]] = arith.index_cast %[[OFFSET]]
// CHECK:           %[[LEAST:.*]] = arith.maxsi %[[OFF]]
// CHECK:           %[[LIMITED:.*]] = arith.minsi %[[LEAST]]
// CHECK:           %[[P:.*]] = arith.addi %[[ROW]], %[[LIMITED]]
// CHECK:           %[[K:.*]] = linalg.index 2
// CHECK:           %[[J:.*]] = arith.addi %[[K]], %[[KLIMITED]]
// CHECK:           arith.cmpi sle, %[[J]], %[[P]]
func.func @offsets_and_starts(%q: tensor<2x8x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>,
    %off: tensor<2xi64>, %o: tensor<2x8x4xf32>, %qs: index, %ks: index) -> tensor<2x8x4xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #b, #o]}
      ins(%q, %k, %v : tensor<2x8x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32>)
      query_offset(%off : tensor<2xi64>) query_start(%qs) key_start(%ks)
      outs(%o : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %r : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, k1)>
#k = affine_map<(h, g, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, g, m, k1, k2, n) -> (h, k2, n)>
#s = affine_map<(h, g, m, k1, k2, n) -> (h, m, n)>
#hg = affine_map<(h, g, m, k1, k2, n) -> (h, g)>
#row = affine_map<(h, g, m, k1, k2, n) -> (h, g, m)>
#o = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, n)>

// The sink enters the maximum and the sum; the own value of a group is read
// once for |v|^2; strengths multiply.

// CHECK-LABEL: func.func @sinks_exclusive_grouped
// CHECK-SAME:    %[[SELF:[^:]*]]: tensor<2x8x4xf32>, %[[SINKS:[^:]*]]: tensor<2x3xf32>, %[[STRENGTH:[^:]*]]: tensor<2x3xf32>
// CHECK-DAG:     %[[EPS2:.*]] = arith.constant 9.99999993E-9 : f32
// CHECK-DAG:     %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:           arith.maximumf
// CHECK:           arith.maximumf
// CHECK:           math.exp
// CHECK:           math.exp
// CHECK:         %[[VV:.*]] = linalg.generic {{.*}} ins(%[[SELF]], %[[SELF]] : {{.*}} outs(%{{.*}} : tensor<2x8xf32>)
// CHECK:         %[[YV:.*]] = linalg.generic {{.*}} ins(%[[Y:.*]], %[[SELF]] : {{.*}} outs(%{{.*}} : tensor<2x3x8xf32>)
// CHECK:         %[[C:.*]] = linalg.generic {{.*}} ins(%[[VV]] : tensor<2x8xf32>) outs(%[[YV]] : tensor<2x3x8xf32>)
// CHECK:           %[[SMALL:.*]] = arith.cmpf olt, %[[SQ:.*]], %[[EPS2]]
// CHECK:           %[[N:.*]] = arith.select %[[SMALL]], %[[EPS2]], %[[SQ]]
// CHECK:           arith.divf %{{.*}}, %[[N]]
// CHECK:         %[[Z:.*]] = linalg.generic {{.*}} ins(%[[Y]], %[[SELF]], %[[C]], %[[STRENGTH]]
// CHECK:           %[[A:.*]] = arith.mulf
// CHECK:           %[[AC:.*]] = arith.mulf %[[A]], %[[HALF]]
// CHECK:           %[[ACV:.*]] = arith.mulf %[[AC]]
// CHECK:           arith.subf %{{.*}}, %[[ACV]]
// CHECK:         %[[LSE:.*]] = linalg.generic
// CHECK:           math.log
// CHECK:         return %[[Z]], %[[LSE]], %[[C]]
func.func @sinks_exclusive_grouped(%q: tensor<2x3x8x16xf32>, %k: tensor<2x9x16xf32>, %v: tensor<2x9x4xf32>,
    %self: tensor<2x8x4xf32>, %sinks: tensor<2x3xf32>, %strength: tensor<2x3xf32>, %o: tensor<2x3x8x4xf32>,
    %r: tensor<2x3x8xf32>) -> (tensor<2x3x8x4xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  %z:3 = xsa.attention {exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-4, strength = 0.5>,
                        indexing_maps = [#q, #k, #v, #s, #hg, #hg, #o, #row, #row]}
      ins(%q, %k, %v : tensor<2x3x8x16xf32>, tensor<2x9x16xf32>, tensor<2x9x4xf32>)
      self_value(%self : tensor<2x8x4xf32>) sinks(%sinks : tensor<2x3xf32>) strength(%strength : tensor<2x3xf32>)
      outs(%o : tensor<2x3x8x4xf32>) lse(%r : tensor<2x3x8xf32>) coefficient(%r : tensor<2x3x8xf32>)
      -> tensor<2x3x8x4xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
  return %z#0, %z#1, %z#2 : tensor<2x3x8x4xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#row = affine_map<(m, k1, k2, n) -> (m)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// The log-sum-exp in two parts are the maximum and the sum as they are.

// CHECK-LABEL: func.func @maximum_and_sum
// CHECK:         %[[M:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:           arith.maximumf
// CHECK:         linalg.generic {{.*}} ins(%[[M]] : tensor<8xf32>)
// CHECK:           math.exp
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:           arith.addf
// CHECK:         %[[MAX:.*]] = linalg.generic {{.*}} ins(%[[M]] : tensor<8xf32>) outs(%{{.*}} : tensor<8xf64>)
// CHECK-NOT:       math.log
// CHECK:         %[[SUMS:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<8xf32>) outs(%{{.*}} : tensor<8xf64>)
// CHECK-NOT:       math.log
// CHECK:         return %{{.*}}, %[[MAX]], %[[SUMS]]
func.func @maximum_and_sum(%q: tensor<8x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x4xf32>, %o: tensor<8x4xf32>,
                           %r: tensor<8xf64>) -> (tensor<8x4xf32>, tensor<8xf64>, tensor<8xf64>) {
  %y:3 = xsa.attention {indexing_maps = [#q, #k, #v, #o, #row, #row]}
      ins(%q, %k, %v : tensor<8x16xf32>, tensor<9x16xf32>, tensor<9x4xf32>)
      outs(%o : tensor<8x4xf32>) max(%r : tensor<8xf64>) sum(%r : tensor<8xf64>)
      -> tensor<8x4xf32>, tensor<8xf64>, tensor<8xf64>
  return %y#0, %y#1, %y#2 : tensor<8x4xf32>, tensor<8xf64>, tensor<8xf64>
}
