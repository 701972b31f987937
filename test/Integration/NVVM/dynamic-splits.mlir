// REQUIRES: execution, numpy
// Whether keys are split, and into how many ranges, is decided when the sizes
// are known.
//
// RUN: %python %S/Inputs/dynamic_splits.py xsa-run %s

#query = affine_map<(b, h, m, k1, k2, n) -> (b, h, m, k1)>
#key = affine_map<(b, h, m, k1, k2, n) -> (b, h, k2, k1)>
#value = affine_map<(b, h, m, k1, k2, n) -> (b, h, k2, n)>
#output = affine_map<(b, h, m, k1, k2, n) -> (b, h, m, n)>
#row = affine_map<(b, h, m, k1, k2, n) -> (b, h, m)>
!t = tensor<?x?x?x64xf16>

func.func @main(%q: !t, %k: !t, %v: !t, %own: !t) -> (!t, tensor<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : !t
  %h = tensor.dim %q, %c1 : !t
  %m = tensor.dim %q, %c2 : !t
  %empty = tensor.empty(%b, %h, %m) : !t
  %row = tensor.empty(%b, %h, %m) : tensor<?x?x?xf32>
  %r:2 = xsa.attention {causal, alignment = #xsa.alignment<bottom_right>, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, scale = 0.125 : f64,
                        indexing_maps = [#query, #key, #value, #output, #output, #row]}
      ins(%q, %k, %v : !t, !t, !t) self_value(%own : !t)
      outs(%empty : !t) lse(%row : tensor<?x?x?xf32>) -> !t, tensor<?x?x?xf32>
  return %r#0, %r#1 : !t, tensor<?x?x?xf32>
}
