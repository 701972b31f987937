// REQUIRES: execution, numpy
// Bytes loaded from global memory: those of the tiles visited and no more. Under
// a causal mask own values are in shared memory already, and exclusion adds
// nothing; without one it adds the own values, once.
//
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); np.savez('%t.npz', **{f'arg{i}': r.standard_normal((512, 64)).astype(np.float16) for i in range(3)})"
// RUN: xsa-run %s --target emulator --entry plain --inputs %t.npz --stats %t.plain.json
// RUN: xsa-run %s --target emulator --entry exclusive --inputs %t.npz --stats %t.exclusive.json
// RUN: xsa-run %s --target emulator --entry full --inputs %t.npz --stats %t.full.json
// RUN: xsa-run %s --target emulator --entry full_exclusive --inputs %t.npz --stats %t.full_exclusive.json
// RUN: %python %S/Inputs/traffic.py 512 64 0 %t.plain.json %t.exclusive.json
// RUN: %python %S/Inputs/traffic.py 512 64 1 %t.full.json %t.full_exclusive.json

#query = affine_map<(m, k1, k2, n) -> (m, k1)>
#key = affine_map<(m, k1, k2, n) -> (k2, k1)>
#value = affine_map<(m, k1, k2, n) -> (k2, n)>
#result = affine_map<(m, k1, k2, n) -> (m, n)>

func.func @plain(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>) -> tensor<512x64xf16> {
  %empty = tensor.empty() : tensor<512x64xf16>
  %y = xsa.attention {causal, indexing_maps = [#query, #key, #value, #result], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<512x64xf16>, tensor<512x64xf16>, tensor<512x64xf16>)
      outs(%empty : tensor<512x64xf16>) -> tensor<512x64xf16>
  return %y : tensor<512x64xf16>
}

func.func @exclusive(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>) -> tensor<512x64xf16> {
  %empty = tensor.empty() : tensor<512x64xf16>
  %z = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>,
                      indexing_maps = [#query, #key, #value, #result, #result], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<512x64xf16>, tensor<512x64xf16>, tensor<512x64xf16>)
      self_value(%v : tensor<512x64xf16>)
      outs(%empty : tensor<512x64xf16>) -> tensor<512x64xf16>
  return %z : tensor<512x64xf16>
}

func.func @full(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>) -> tensor<512x64xf16> {
  %empty = tensor.empty() : tensor<512x64xf16>
  %y = xsa.attention {indexing_maps = [#query, #key, #value, #result], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<512x64xf16>, tensor<512x64xf16>, tensor<512x64xf16>)
      outs(%empty : tensor<512x64xf16>) -> tensor<512x64xf16>
  return %y : tensor<512x64xf16>
}

func.func @full_exclusive(%q: tensor<512x64xf16>, %k: tensor<512x64xf16>, %v: tensor<512x64xf16>) -> tensor<512x64xf16> {
  %empty = tensor.empty() : tensor<512x64xf16>
  %z = xsa.attention {exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>,
                      indexing_maps = [#query, #key, #value, #result, #result], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<512x64xf16>, tensor<512x64xf16>, tensor<512x64xf16>)
      self_value(%v : tensor<512x64xf16>)
      outs(%empty : tensor<512x64xf16>) -> tensor<512x64xf16>
  return %z : tensor<512x64xf16>
}
