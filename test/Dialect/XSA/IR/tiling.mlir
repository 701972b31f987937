// RUN: xsa-opt %s --transform-interpreter --canonicalize --cse --split-input-file | FileCheck %s

#q = affine_map<(b, h, m, k1, k2, n) -> (b, h, m, k1)>
#k = affine_map<(b, h, m, k1, k2, n) -> (b, h, k2, k1)>
#v = affine_map<(b, h, m, k1, k2, n) -> (b, h, k2, n)>
#o = affine_map<(b, h, m, k1, k2, n) -> (b, h, m, n)>
#id = affine_map<(b, h, t, d) -> (b, h, t, d)>
#th = affine_map<(b, h, t, d) -> (t, d)>
#head = affine_map<(b, h, t, d) -> (b, t, h)>

// Attention tiled over batch, heads and query rows, with the rotary embedding of
// the query (a producer) and a gate per head (a consumer) in the same loop.
// CHECK-LABEL: func.func @rotary_attention_gate
// CHECK:         scf.forall (%[[B:[a-z0-9]*]], %[[H:[a-z0-9]*]], %[[I:[a-z0-9]*]]) in (2, 4, 4)
// CHECK:           %[[M:[0-9]*]] = affine.apply #{{.*}}(%[[I]])
// CHECK:           %[[ROT:.*]] = linalg.generic
// CHECK-SAME:        tensor<1x1x16x8xf32>
// CHECK:           %[[SELF:.*]] = tensor.extract_slice %{{.*}}[%[[B]], %[[H]], %[[M]], 0] [1, 1, 16, 8]
// CHECK:           %[[Y:.*]] = xsa.attention {alignment = #xsa.alignment<top_left>, causal
// CHECK-SAME:        ins(%[[ROT]], %{{.*}}, %{{.*}} : tensor<1x1x16x8xf32>, tensor<1x1x64x8xf32>, tensor<1x1x64x8xf32>)
// CHECK-SAME:        self_value(%[[SELF]] : tensor<1x1x16x8xf32>)
// CHECK-SAME:        query_start(%[[M]])
// CHECK:           linalg.generic
// CHECK-SAME:        ins(%[[Y]]
// CHECK:           scf.forall.in_parallel
func.func @rotary_attention_gate(%x: tensor<2x4x64x8xf32>, %cos: tensor<64x8xf32>, %k: tensor<2x4x64x8xf32>,
    %v: tensor<2x4x64x8xf32>, %gate: tensor<2x64x4xf32>) -> tensor<2x4x64x8xf32> {
  %e = tensor.empty() : tensor<2x4x64x8xf32>
  %q = linalg.generic {indexing_maps = [#id, #th, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %cos : tensor<2x4x64x8xf32>, tensor<64x8xf32>) outs(%e : tensor<2x4x64x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %r = arith.mulf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<2x4x64x8xf32>
  %z = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#q, #k, #v, #o, #o]}
      ins(%q, %k, %v : tensor<2x4x64x8xf32>, tensor<2x4x64x8xf32>, tensor<2x4x64x8xf32>)
      self_value(%v : tensor<2x4x64x8xf32>)
      outs(%e : tensor<2x4x64x8xf32>) -> tensor<2x4x64x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #head, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%z, %gate : tensor<2x4x64x8xf32>, tensor<2x64x4xf32>) outs(%e : tensor<2x4x64x8xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %r = arith.mulf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<2x4x64x8xf32>
  return %g : tensor<2x4x64x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %generics = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %rotary, %gate = transform.split_handle %generics : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %tiled, %loop = transform.structured.tile_using_forall %gate tile_sizes [1, 1, 16, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %attention = transform.structured.match ops{["xsa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %fused, %loop2 = transform.structured.fuse_into_containing_op %attention into %loop
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fused2, %loop3 = transform.structured.fuse_into_containing_op %rotary into %loop2
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// Bottom-right alignment is about the whole: a tile starts at K2 - M more.
// CHECK: #[[START:.*]] = affine_map<(d0)[s0, s1] -> (d0 + s0 - s1)>
// CHECK: func.func @bottom_right_dynamic
// CHECK-SAME:    %[[Q:[a-z0-9]*]]: tensor<?x?x8xf32>, %[[K:[a-z0-9]*]]: tensor<?x?x8xf32>
// CHECK-DAG:     %[[M:.*]] = tensor.dim %[[Q]], %c1
// CHECK-DAG:     %[[K2:.*]] = tensor.dim %[[K]], %c1
// CHECK:         scf.for
// CHECK:         scf.for %[[I:[a-z0-9]*]] =
// CHECK:           %[[P:.*]] = affine.apply #[[START]](%[[I]])[%[[K2]], %[[M]]]
// CHECK:           xsa.attention {alignment = #xsa.alignment<top_left>, causal
// CHECK-SAME:        query_start(%[[P]])
func.func @bottom_right_dynamic(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %o: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %z = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %k : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>)
      outs(%o : tensor<?x?x8xf32>) -> tensor<?x?x8xf32>
  return %z : tensor<?x?x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["xsa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %attention tile_sizes [2, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>
#len = affine_map<(b, m, k1, k2, n) -> (b)>

// With key lengths the offset of each batch is made explicit.
// CHECK-LABEL: func.func @key_lengths
// CHECK-SAME:    %[[LEN:[a-z0-9]*]]: tensor<2xi32>
// CHECK:         scf.for
// CHECK:           linalg.generic
// CHECK:             arith.subi %{{.*}}, %c32_i32 : i32
// CHECK:           xsa.attention
// CHECK-SAME:        key_lengths(%[[LEN]] : tensor<2xi32>) query_offset(%{{.*}} : tensor<2xi32>) query_start(
func.func @key_lengths(%q: tensor<2x32x8xf32>, %k: tensor<2x64x8xf32>, %len: tensor<2xi32>) -> tensor<2x32x8xf32> {
  %z = xsa.attention {causal, indexing_maps = [#q, #k, #v, #len, #o]}
      ins(%q, %k, %k : tensor<2x32x8xf32>, tensor<2x64x8xf32>, tensor<2x64x8xf32>)
      key_lengths(%len : tensor<2xi32>)
      outs(%q : tensor<2x32x8xf32>) -> tensor<2x32x8xf32>
  return %z : tensor<2x32x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["xsa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %attention tile_sizes [0, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// The plain form tiles along the value depth too.
// CHECK-LABEL: func.func @plain_value_depth
// CHECK:         scf.for
// CHECK:           xsa.attention
// CHECK-SAME:        outs(%{{.*}} : tensor<32x4xf32>)
func.func @plain_value_depth(%q: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %z = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %q, %q : tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>)
      outs(%q : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %z : tensor<32x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["xsa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %attention tile_sizes [0, 0, 0, 4]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#y = affine_map<(b, h, g, t, n) -> (b, t, h, g, n)>
#w = affine_map<(b, h, g, t, n) -> (b, t, h, n)>

// CHECK-LABEL: func.func @exclude
// CHECK:         scf.forall
// CHECK:           xsa.exclude
// CHECK-SAME:        ins(%{{.*}}, %{{.*}} : tensor<1x4x2x4x16xf16>, tensor<1x4x2x16xf16>)
func.func @exclude(%y: tensor<2x8x2x4x16xf16>, %v: tensor<2x8x2x16xf16>) -> tensor<2x8x2x4x16xf16> {
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #w, #y]}
      ins(%y, %v : tensor<2x8x2x4x16xf16>, tensor<2x8x2x16xf16>)
      outs(%y : tensor<2x8x2x4x16xf16>) -> tensor<2x8x2x4x16xf16>
  return %z : tensor<2x8x2x4x16xf16>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %exclude = transform.structured.match ops{["xsa.exclude"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %exclude tile_sizes [1, 0, 0, 4]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
