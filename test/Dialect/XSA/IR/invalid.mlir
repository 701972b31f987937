// RUN: xsa-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected denominator l2_clamp, sq_clamp, sq_add or raw, got 'norm'}}
func.func private @denominator_unknown() attributes {a = #xsa.exclusion<norm>}

// -----

// expected-error @+1 {{expected 'eps' or 'strength', got 'epsilon'}}
func.func private @exclusion_keyword_unknown() attributes {a = #xsa.exclusion<sq_add, epsilon = 1.0>}

// -----

// expected-error @+1 {{'eps' is given twice}}
func.func private @exclusion_keyword_twice() attributes {a = #xsa.exclusion<sq_add, eps = 1.0, eps = 1.0>}

// -----

// expected-error @+1 {{expected 'eps' to be finite and not negative, got -1.000000e+00}}
func.func private @eps_negative() attributes {a = #xsa.exclusion<sq_add, eps = -1.0>}

// -----

// expected-error @+1 {{denominator raw takes no 'eps', got 1.000000e+00}}
func.func private @eps_of_raw() attributes {a = #xsa.exclusion<raw, eps = 1.0>}

// -----

// expected-error @+1 {{expected 'strength' to be finite, got INF}}
func.func private @strength_infinite() attributes {a = #xsa.exclusion<raw, strength = 0x7FF0000000000000>}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
func.func @too_few_maps(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected 4 maps in 'indexing_maps', one for each shaped operand, got 3}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#a = affine_map<(m, n) -> (m, n)>
func.func @too_few_dimensions(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected maps over at least 4 dimensions, got 2}}
  %y = xsa.attention {indexing_maps = [#a, #a, #a, #a]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @different_domains(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected all maps over the same number of dimensions, got 4 and 5}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n)[s] -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @symbols(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected maps without symbols}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1 + 1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @not_a_permutation(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected the map of 'query' to be a projected permutation}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1, m)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @rank_of_map(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected the map of 'key' to have 2 results, one for each dimension of 'tensor<4x4xf32>', got 3}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, m)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @query_rows_in_key(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected the map of 'key' not to contain dimension m (query rows)}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (k2, b)>
#v = affine_map<(b, m, k1, k2, n) -> (k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (m, n)>
func.func @key_depth_missing(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected the map of 'key' to contain dimension k1 (key depth)}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (m, n)>
func.func @output_without_batch(%t: tensor<2x4x4xf32>, %o: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected the map of 'output' to contain dimension d0 (leading)}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>)
      outs(%o : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @sizes(%q: tensor<4x4xf32>, %k: tensor<5x4xf32>, %v: tensor<6x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected 'value' to have size 5 in dimension k2 (keys), as 'key' has, got 6}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<4x4xf32>, tensor<5x4xf32>, tensor<6x4xf32>)
      outs(%q : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @tensors_and_memrefs(%t: tensor<4x4xf32>, %k: memref<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected all shaped operands to be tensors, as 'output' is, got operand #1 of type 'memref<4x4xf32>'}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %k, %t : tensor<4x4xf32>, memref<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @result_type(%t: tensor<4x4xf32>) -> tensor<4x4xf16> {
  // expected-error @+1 {{expected type of operand #3 ('tensor<4x4xf32>') to match type of corresponding result ('tensor<4x4xf16>')}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf16>
  return %y : tensor<4x4xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @exclusion_without_self_value(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{with 'exclusion' needs the operand 'self_value'}}
  %y = xsa.attention {exclusion = #xsa.exclusion<raw>, indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @self_value_without_exclusion(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{operand 'self_value' needs the attribute 'exclusion'}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      self_value(%t : tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#r = affine_map<(m, k1, k2, n) -> (m)>
func.func @coefficient_without_exclusion(%t: tensor<4x4xf32>, %c: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{operand 'coefficient_output' needs the attribute 'exclusion'}}
  %y:2 = xsa.attention {indexing_maps = [#q, #k, #v, #o, #r]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) coefficient(%c : tensor<4xf32>) -> tensor<4x4xf32>, tensor<4xf32>
  return %y#0 : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#r = affine_map<(m, k1, k2, n) -> (m)>
func.func @max_without_sum(%t: tensor<4x4xf32>, %r: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{operand 'max_output' needs the operand 'sum_output'}}
  %y:2 = xsa.attention {indexing_maps = [#q, #k, #v, #o, #r]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) max(%r : tensor<4xf32>) -> tensor<4x4xf32>, tensor<4xf32>
  return %y#0 : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#r = affine_map<(m, k1, k2, n) -> (m)>
func.func @sum_without_max(%t: tensor<4x4xf32>, %r: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{operand 'sum_output' needs the operand 'max_output'}}
  %y:2 = xsa.attention {indexing_maps = [#q, #k, #v, #o, #r]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) sum(%r : tensor<4xf32>) -> tensor<4x4xf32>, tensor<4xf32>
  return %y#0 : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @softcap_not_positive(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected 'softcap' to be finite and positive as 'f32', got 0.000000e+00 : f64}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], softcap = 0.0 : f64}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @softcap_infinite_as_f32(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected 'softcap' to be finite and positive as 'f32', got 1.000000e+300 : f64}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], softcap = 1.0e300 : f64}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @softcap_zero_as_f32(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected 'softcap' to be finite and positive as 'f32', got 1.000000e-300 : f64}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], softcap = 1.0e-300 : f64}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @scale_infinite_as_f32(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected 'scale' to be finite as 'f32', got -9.9999999999999994E+38 : f64}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = -1.0e39 : f64}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @scale_infinite(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected 'scale' to be finite as 'f32', got 0x7FF0000000000000 : f64}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0x7FF0000000000000 : f64}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @window_negative(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected 'window_left' to be between 0 and 2^62, got -1}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], window_left = -1 : i64}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @window_huge(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected 'window_right' to be between 0 and 2^62, got 9223372036854775807}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o], window_right = 9223372036854775807 : i64}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
#r = affine_map<(m, k1, k2, n) -> (m)>
func.func @score_inputs_without_region(%t: tensor<4x4xf32>, %s: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{operand 'score_inputs' needs a score region}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #r, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      score_inputs(%s : tensor<4xf32>)
      outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @score_region_arguments(%t: tensor<4x4xf16>) -> tensor<4x4xf16> {
  // expected-error @+1 {{expected the score region's arguments to be ('f32', 'index', 'index'): the score, an element of each of 'score_inputs', query and key position; got ('f16')}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>)
      outs(%t : tensor<4x4xf16>)
      score {
      ^bb0(%s: f16):
        xsa.yield %s : f16
      } -> tensor<4x4xf16>
  return %y : tensor<4x4xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @score_region_result(%t: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>)
      outs(%t : tensor<4x4xf16>)
      score {
      ^bb0(%s: f32, %p: index, %j: index):
        %h = arith.truncf %s : f32 to f16
        // expected-error @+1 {{expected a score of the accumulator type 'f32', got 'f16'}}
        xsa.yield %h : f16
      } -> tensor<4x4xf16>
  return %y : tensor<4x4xf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
func.func @score_region_terminator(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected the score region to end in 'xsa.yield'}}
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%t, %t, %t : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%t : tensor<4x4xf32>)
      score {
      ^bb0(%s: f32, %p: index, %j: index):
        "llvm.unreachable"() : () -> ()
      } -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

#y = affine_map<(t, n) -> (t, n)>
#r = affine_map<(t, n) -> (t)>
func.func @exclude_value_depth_missing(%y: tensor<4x4xf32>, %v: tensor<4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected the map of 'value' to contain dimension n (value depth)}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #r, #y]}
      ins(%y, %v : tensor<4x4xf32>, tensor<4xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// -----

#y = affine_map<(t, n) -> (t, n)>
func.func @exclude_sizes(%y: tensor<4x4xf32>, %v: tensor<5x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected 'value' to have size 4 in dimension d0, as 'input' has, got 5}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%y, %v : tensor<4x4xf32>, tensor<5x4xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// -----

#y = affine_map<(t, n) -> (t, n)>
func.func @exclude_strength_per_element(%y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expected the map of 'strength' not to contain dimension n (value depth)}}
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y, #y]}
      ins(%y, %y : tensor<4x4xf32>, tensor<4x4xf32>) strength(%y : tensor<4x4xf32>)
      outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}
