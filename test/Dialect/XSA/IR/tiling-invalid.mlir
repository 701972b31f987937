// RUN: xsa-opt %s --transform-interpreter --split-input-file --verify-diagnostics

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// The projection sums over the value depth.
func.func @exclusive_value_depth(%q: tensor<32x8xf32>) -> tensor<32x8xf32> {
  // expected-error @+2 {{to tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %z = xsa.attention {exclusion = #xsa.exclusion<raw>, indexing_maps = [#q, #k, #v, #o, #o]}
      ins(%q, %q, %q : tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>)
      self_value(%q : tensor<32x8xf32>)
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

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

func.func @keys(%q: tensor<32x8xf32>) -> tensor<32x8xf32> {
  // expected-error @+2 {{to tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %z = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %q, %q : tensor<32x8xf32>, tensor<32x8xf32>, tensor<32x8xf32>)
      outs(%q : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %z : tensor<32x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["xsa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %attention tile_sizes [0, 0, 4]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// There is no slice of a dimension without elements.
func.func @no_keys(%q: tensor<32x8xf32>, %k: tensor<0x8xf32>) -> tensor<32x8xf32> {
  // expected-error @+2 {{to tile operation}}
  // expected-error @+1 {{failed to generate tiling loops}}
  %z = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %k : tensor<32x8xf32>, tensor<0x8xf32>, tensor<0x8xf32>)
      outs(%q : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %z : tensor<32x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["xsa.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_for %attention tile_sizes [4]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
