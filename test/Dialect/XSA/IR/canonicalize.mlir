// RUN: xsa-opt %s --canonicalize --split-input-file | FileCheck %s

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// CHECK-DAG: #[[KT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3)>
// CHECK-LABEL: func.func @transposed_operand
// CHECK-SAME:    (%[[Q:[a-z0-9]*]]: tensor<2x8x4xf32>, %[[K:[a-z0-9]*]]: tensor<2x4x8xf32>, %[[V:[a-z0-9]*]]: tensor<2x8x4xf32>)
// CHECK-NOT:     linalg.transpose
// CHECK:         xsa.attention {indexing_maps = [#{{.*}}, #[[KT]], #{{.*}}, #{{.*}}]} ins(%[[Q]], %[[K]], %[[V]]
func.func @transposed_operand(%q: tensor<2x8x4xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %e = tensor.empty() : tensor<2x8x4xf32>
  %t = linalg.transpose ins(%k : tensor<2x4x8xf32>) outs(%e : tensor<2x8x4xf32>) permutation = [0, 2, 1]
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %t, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
#in = affine_map<(b, t, d) -> (t, d)>
#id = affine_map<(b, t, d) -> (b, t, d)>

// A key head repeated over the batch is read in place.
// CHECK-DAG: #[[KB:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d2)>
// CHECK-LABEL: func.func @broadcast_operand
// CHECK-SAME:    %[[K:[a-z0-9]*]]: tensor<8x4xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         xsa.attention {indexing_maps = [#{{.*}}, #[[KB]], #{{.*}}, #{{.*}}]} ins(%{{.*}}, %[[K]], %{{.*}}
func.func @broadcast_operand(%k: tensor<8x4xf32>, %q: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %e = tensor.empty() : tensor<2x8x4xf32>
  %b = linalg.generic {indexing_maps = [#in, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<8x4xf32>) outs(%e : tensor<2x8x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<2x8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %b, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
#in = affine_map<(b, t, d) -> (b, d)>
#id = affine_map<(b, t, d) -> (b, t, d)>

// A query that is the same for all rows still has rows, so it stays.
// CHECK-LABEL: func.func @broadcast_of_query_rows_stays
// CHECK:         linalg.generic
// CHECK:         xsa.attention
func.func @broadcast_of_query_rows_stays(%q: tensor<2x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %e = tensor.empty() : tensor<2x8x4xf32>
  %b = linalg.generic {indexing_maps = [#in, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<2x4xf32>) outs(%e : tensor<2x8x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<2x8x4xf32>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%b, %k, %v : tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%e : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(b, h, m, k1, k2, n) -> (b, h, m, k1)>
#k = affine_map<(b, h, m, k1, k2, n) -> (b, h, k2, k1)>
#v = affine_map<(b, h, m, k1, k2, n) -> (b, h, k2, n)>
#o = affine_map<(b, h, m, k1, k2, n) -> (b, h, m, n)>

// CHECK-DAG: #[[OT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d1, d5)>
// CHECK-LABEL: func.func @transposed_result
// CHECK-NOT:     linalg.transpose
// CHECK:         %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<2x?x3x4xf32>
// CHECK:         %[[Y:.*]] = xsa.attention {indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}, #[[OT]]]}
// CHECK-SAME:      outs(%[[E]] : tensor<2x?x3x4xf32>) -> tensor<2x?x3x4xf32>
// CHECK:         return %[[Y]]
func.func @transposed_result(%q: tensor<2x3x?x4xf32>, %k: tensor<2x3x?x4xf32>, %o: tensor<2x3x?x4xf32>, %t: index) -> tensor<2x?x3x4xf32> {
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %k : tensor<2x3x?x4xf32>, tensor<2x3x?x4xf32>, tensor<2x3x?x4xf32>)
      outs(%o : tensor<2x3x?x4xf32>) -> tensor<2x3x?x4xf32>
  %e = tensor.empty(%t) : tensor<2x?x3x4xf32>
  %r = linalg.transpose ins(%y : tensor<2x3x?x4xf32>) outs(%e : tensor<2x?x3x4xf32>) permutation = [0, 2, 1, 3]
  return %r : tensor<2x?x3x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @unit_scale
// CHECK-NOT:     scale
// CHECK:         return
func.func @unit_scale(%q: tensor<8x4xf32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 1.0 : f64}
      ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#mask = affine_map<(m, k1, k2, n) -> (m, k2)>

// CHECK-LABEL: func.func @full_mask
// CHECK:         xsa.attention {indexing_maps = [#{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}, #{{[a-z0-9]+}}]}
// CHECK-NOT:     mask(
func.func @full_mask(%q: tensor<3x4xf32>, %o: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %mask = arith.constant dense<true> : tensor<3x3xi1>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #mask, #o]}
      ins(%q, %q, %q : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
      mask(%mask : tensor<3x3xi1>)
      outs(%o : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @constant_triangle
// CHECK:         xsa.attention {causal, indexing_maps
// CHECK-NOT:     mask(
func.func @constant_triangle(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %o: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %mask = arith.constant dense<[[true, true, false], [true, true, true]]> : tensor<2x3xi1>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #mask, #o]}
      ins(%q, %k, %k : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
      mask(%mask : tensor<2x3xi1>)
      outs(%o : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @constant_triangle_top_left
// CHECK:         xsa.attention {alignment = #xsa.alignment<top_left>, causal,
func.func @constant_triangle_top_left(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %o: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %mask = arith.constant dense<[[true, false, false], [true, true, false]]> : tensor<2x3xi1>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #mask, #o]}
      ins(%q, %k, %k : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
      mask(%mask : tensor<2x3xi1>)
      outs(%o : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// A diagonal that keeps j < i is no alignment: its first row is empty.
// CHECK-LABEL: func.func @strict_triangle_stays
// CHECK:         mask(
func.func @strict_triangle_stays(%q: tensor<3x4xf32>, %o: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %mask = arith.constant dense<[[false, false, false], [true, false, false], [true, true, false]]> : tensor<3x3xi1>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #mask, #o]}
      ins(%q, %q, %q : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
      mask(%mask : tensor<3x3xi1>)
      outs(%o : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @triangle_with_a_hole_stays
// CHECK:         mask(
func.func @triangle_with_a_hole_stays(%q: tensor<3x4xf32>, %o: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %mask = arith.constant dense<[[true, false, false], [true, true, false], [false, true, true]]> : tensor<3x3xi1>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #mask, #o]}
      ins(%q, %q, %q : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
      mask(%mask : tensor<3x3xi1>)
      outs(%o : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#mask = affine_map<(m, k1, k2, n) -> (m, k2)>
#id = affine_map<(i, j) -> (i, j)>

// `i + 1 > j` on dynamic shapes.
// CHECK-LABEL: func.func @computed_triangle
// CHECK-NOT:     linalg.generic
// CHECK:         xsa.attention {alignment = #xsa.alignment<top_left>, causal,
// CHECK-NOT:     mask(
func.func @computed_triangle(%q: tensor<?x4xf32>, %o: tensor<?x4xf32>, %t: index) -> tensor<?x4xf32> {
  %e = tensor.empty(%t, %t) : tensor<?x?xi1>
  %mask = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %one = arith.constant 1 : i64
    %next = arith.addi %i64, %one : i64
    %keep = arith.cmpi sgt, %next, %j64 : i64
    linalg.yield %keep : i1
  } -> tensor<?x?xi1>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #mask, #o]}
      ins(%q, %q, %q : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
      mask(%mask : tensor<?x?xi1>)
      outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

#q = affine_map<(h, g, m, k1, k2, n) -> (h, g, m, k1)>
#k = affine_map<(h, g, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, g, m, k1, k2, n) -> (h, k2, n)>
#o = affine_map<(h, g, m, k1, k2, n) -> (m, h, g, n)>
#ey = affine_map<(t, h, g, n) -> (t, h, g, n)>
#ev = affine_map<(t, h, g, n) -> (h, t, n)>
#ea = affine_map<(t, h, g, n) -> (h, g)>
#ez = affine_map<(t, h, g, n) -> (h, g, t, n)>

// CHECK-DAG: #[[OWN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d5)>
// CHECK-DAG: #[[HEADS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d5)>
// CHECK-LABEL: func.func @exclude_of_attention
// CHECK-NOT:     xsa.exclude
// CHECK:         xsa.attention {causal, exclusion = #xsa.exclusion<raw, strength = 5.000000e-01>,
// CHECK-SAME:      indexing_maps = [#{{.*}}, #{{.*}}, #{{.*}}, #[[OWN]], #[[HEADS]], #[[OUT]]]
// CHECK-SAME:      self_value(%{{.*}} : tensor<2x8x4xf32>) strength(%{{.*}} : tensor<2x3xf32>)
// CHECK-SAME:      -> tensor<2x3x8x4xf32>
func.func @exclude_of_attention(%q: tensor<2x3x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<2x8x4xf32>,
                                %a: tensor<2x3xf32>, %o: tensor<8x2x3x4xf32>) -> tensor<2x3x8x4xf32> {
  %y = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<2x3x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>)
      outs(%o : tensor<8x2x3x4xf32>) -> tensor<8x2x3x4xf32>
  %e = tensor.empty() : tensor<2x3x8x4xf32>
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw, strength = 0.5>, indexing_maps = [#ey, #ev, #ea, #ez]}
      ins(%y, %v : tensor<8x2x3x4xf32>, tensor<2x8x4xf32>) strength(%a : tensor<2x3xf32>)
      outs(%e : tensor<2x3x8x4xf32>) -> tensor<2x3x8x4xf32>
  return %z : tensor<2x3x8x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#row = affine_map<(m, k1, k2, n) -> (m)>
#y = affine_map<(t, n) -> (t, n)>
#r = affine_map<(t, n) -> (t)>

// Extra results keep their users.
// CHECK-LABEL: func.func @exclude_with_coefficient_of_attention_with_lse
// CHECK:         %[[R:.*]]:5 = xsa.attention
// CHECK:         return %[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3, %[[R]]#4
func.func @exclude_with_coefficient_of_attention_with_lse(%q: tensor<8x4xf32>, %o: tensor<8x4xf32>, %l: tensor<8xf32>)
    -> (tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a:4 = xsa.attention {indexing_maps = [#q, #k, #v, #o, #row, #row, #row]}
      ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%o : tensor<8x4xf32>) lse(%l : tensor<8xf32>) max(%l : tensor<8xf32>) sum(%l : tensor<8xf32>)
      -> tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  %z:2 = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y, #r]}
      ins(%a#0, %q : tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%o : tensor<8x4xf32>) coefficient(%l : tensor<8xf32>) -> tensor<8x4xf32>, tensor<8xf32>
  return %z#0, %a#1, %a#2, %a#3, %z#1 : tensor<8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// A second user of y needs the plain attention.
// CHECK-LABEL: func.func @exclude_of_shared_attention_stays
// CHECK:         xsa.attention
// CHECK:         xsa.exclude
func.func @exclude_of_shared_attention_stays(%q: tensor<8x4xf32>, %o: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %a = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%a, %q : tensor<8x4xf32>, tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %a, %z : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @exclude_twice
// CHECK-COUNT-1: xsa.exclude
// CHECK-NOT:     xsa.exclude
func.func @exclude_twice(%y: tensor<8x4xf32>, %v: tensor<8x4xf32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<8x4xf32>, tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  %w = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%z, %v : tensor<8x4xf32>, tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %w : tensor<8x4xf32>
}

// With an eps the first exclusion leaves something in rows below it, and with a
// strength other than one in all rows.
// CHECK-LABEL: func.func @exclude_twice_with_eps_stays
// CHECK-COUNT-3: xsa.exclude
func.func @exclude_twice_with_eps_stays(%y: tensor<8x4xf32>, %v: tensor<8x4xf32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %z = xsa.exclude {exclusion = #xsa.exclusion<sq_add, eps = 1.0e-6>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<8x4xf32>, tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  %w = xsa.exclude {exclusion = #xsa.exclusion<raw, strength = 0.5>, indexing_maps = [#y, #y, #y]}
      ins(%z, %v : tensor<8x4xf32>, tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  %x = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%w, %v : tensor<8x4xf32>, tensor<8x4xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %x : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @strength_zero
// CHECK-NOT:     exclusion
// CHECK-NOT:     self_value
// CHECK:         return
func.func @strength_zero(%q: tensor<8x4xf32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = xsa.attention {exclusion = #xsa.exclusion<raw, strength = 0.0>, indexing_maps = [#q, #k, #v, #o, #o]}
      ins(%q, %q, %q : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
      self_value(%q : tensor<8x4xf32>)
      outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A projection along the rows is not one along the values' own dimension.
// CHECK-LABEL: func.func @exclude_along_rows
// CHECK: xsa.attention
// CHECK: xsa.exclude
func.func @exclude_along_rows(%q: tensor<2x8x8xf32>, %v: tensor<2x8x8xf32>) -> tensor<2x8x8xf32> {
  %e = tensor.empty() : tensor<2x8x8xf32>
  %y = xsa.attention {indexing_maps = [affine_map<(b, m, k, j, n) -> (b, m, k)>, affine_map<(b, m, k, j, n) -> (b, j, k)>, affine_map<(b, m, k, j, n) -> (b, j, n)>, affine_map<(b, m, k, j, n) -> (b, m, n)>]}
      ins(%q, %q, %v : tensor<2x8x8xf32>, tensor<2x8x8xf32>, tensor<2x8x8xf32>) outs(%e : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [affine_map<(b, n, m) -> (b, m, n)>, affine_map<(b, n, m) -> (b, m, n)>, affine_map<(b, n, m) -> (b, m, n)>]}
      ins(%y, %v : tensor<2x8x8xf32>, tensor<2x8x8xf32>) outs(%e : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  return %z : tensor<2x8x8xf32>
}
