// REQUIRES: execution, numpy
// The exclusion by itself moves what it must and no more: each row of the input
// once, own values once for all heads that share them, each result once.
//
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); np.savez('%t.npz', arg0=r.standard_normal((2, 300, 2, 4, 64)).astype(np.float16), arg1=r.standard_normal((2, 300, 2, 64)).astype(np.float16))"
// RUN: xsa-run %s --target emulator --entry heads --inputs %t.npz --stats %t.json
// RUN: %python %S/Inputs/exclude_traffic.py %t.json 2 4 1200 64
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); np.savez('%t.npz', arg0=r.standard_normal((2, 2, 500, 128)).astype(np.float32), arg1=r.standard_normal((2, 500, 128)).astype(np.float32))"
// RUN: xsa-run %s --target emulator --entry floats --inputs %t.npz --stats %t.json
// RUN: %python %S/Inputs/exclude_traffic.py %t.json 4 2 1000 128
//
// Nor where rows are few, in a kernel that was made for many.
//
// RUN: %python -c "import numpy as np; r = np.random.default_rng(0); np.savez('%t.npz', arg0=r.standard_normal((2, 2, 3, 128)).astype(np.float32), arg1=r.standard_normal((2, 3, 128)).astype(np.float32))"
// RUN: xsa-run %s --target emulator --entry floats --inputs %t.npz --stats %t.json
// RUN: %python %S/Inputs/exclude_traffic.py %t.json 4 2 6 128

#heads = affine_map<(b, h, g, t, n) -> (b, t, h, g, n)>
#own = affine_map<(b, h, g, t, n) -> (b, t, h, n)>

func.func @heads(%y: tensor<2x300x2x4x64xf16>, %v: tensor<2x300x2x64xf16>) -> tensor<2x300x2x4x64xf16> {
  %init = tensor.empty() : tensor<2x300x2x4x64xf16>
  %z = xsa.exclude {exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#heads, #own, #heads]}
      ins(%y, %v : tensor<2x300x2x4x64xf16>, tensor<2x300x2x64xf16>)
      outs(%init : tensor<2x300x2x4x64xf16>) -> tensor<2x300x2x4x64xf16>
  return %z : tensor<2x300x2x4x64xf16>
}

#rows = affine_map<(b, g, t, n) -> (b, g, t, n)>
#shared = affine_map<(b, g, t, n) -> (b, t, n)>

func.func @floats(%y: tensor<2x2x?x128xf32>, %v: tensor<2x?x128xf32>) -> tensor<2x2x?x128xf32> {
  %c2 = arith.constant 2 : index
  %t = tensor.dim %y, %c2 : tensor<2x2x?x128xf32>
  %init = tensor.empty(%t) : tensor<2x2x?x128xf32>
  %z = xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#rows, #shared, #rows]}
      ins(%y, %v : tensor<2x2x?x128xf32>, tensor<2x?x128xf32>)
      outs(%init : tensor<2x2x?x128xf32>) -> tensor<2x2x?x128xf32>
  return %z : tensor<2x2x?x128xf32>
}
