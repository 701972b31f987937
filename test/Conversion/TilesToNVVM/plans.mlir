// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="print-plan=true" -split-input-file -verify-diagnostics -o /dev/null

#q = affine_map<(h, m, k1, k2, n) -> (h, m, k1)>
#k = affine_map<(h, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, m, k1, k2, n) -> (h, k2, n)>
#b = affine_map<(h, m, k1, k2, n) -> (m, k2)>
#r = affine_map<(h, m, k1, k2, n) -> (m)>
#o = affine_map<(h, m, k1, k2, n) -> (h, m, n)>

// What a loop holds besides tiles takes registers: tiles have fewer keys where
// an operand has an element for each score, not for a few numbers of rows.

func.func @plain(%q: tensor<32x2048x128xf16>, %k: tensor<32x2048x128xf16>, %v: tensor<32x2048x128xf16>, %o: tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16> {
  // expected-remark @+1 {{tile 128 x 128, 8 warps, 2 stages, query in registers; about 214 registers}}
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<32x2048x128xf16>, tensor<32x2048x128xf16>, tensor<32x2048x128xf16>)
      outs(%o : tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16>
  return %r : tensor<32x2048x128xf16>
}

func.func @masked(%q: tensor<32x2048x128xf16>, %k: tensor<32x2048x128xf16>, %v: tensor<32x2048x128xf16>, %b: tensor<2048x2048xi1>, %o: tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16> {
  // expected-remark @+1 {{tile 128 x 64, 8 warps, 2 stages, query in registers; about 202 registers}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #b, #o]}
      ins(%q, %k, %v : tensor<32x2048x128xf16>, tensor<32x2048x128xf16>, tensor<32x2048x128xf16>)
      mask(%b : tensor<2048x2048xi1>)
      outs(%o : tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16>
  return %r : tensor<32x2048x128xf16>
}

func.func @biased(%q: tensor<32x2048x128xf16>, %k: tensor<32x2048x128xf16>, %v: tensor<32x2048x128xf16>, %b: tensor<2048x2048xf16>, %o: tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16> {
  // expected-remark @+1 {{tile 128 x 64, 8 warps, 2 stages, query in registers; about 202 registers}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #b, #o]}
      ins(%q, %k, %v : tensor<32x2048x128xf16>, tensor<32x2048x128xf16>, tensor<32x2048x128xf16>)
      bias(%b : tensor<2048x2048xf16>)
      outs(%o : tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16>
  return %r : tensor<32x2048x128xf16>
}

// A number for each row's begin, two for the windows; two for each extent that
// is not known.

func.func @numbers(%q: tensor<?x?x128xf16>, %k: tensor<?x?x128xf16>, %v: tensor<?x?x128xf16>, %b: tensor<?xi64>, %o: tensor<?x?x128xf16>) -> tensor<?x?x128xf16> {
  // expected-remark @+3 {{tile 16 x 32, 1 warps}}
  // expected-remark @+2 {{the host chooses}}
  // expected-remark @+1 {{tile 128 x 128, 8 warps, 2 stages, query in registers; about 226 registers}}
  %r = xsa.attention {window_left = 8 : i64, window_right = 8 : i64, indexing_maps = [#q, #k, #v, #r, #o]}
      ins(%q, %k, %v : tensor<?x?x128xf16>, tensor<?x?x128xf16>, tensor<?x?x128xf16>)
      key_begin(%b : tensor<?xi64>)
      outs(%o : tensor<?x?x128xf16>) -> tensor<?x?x128xf16>
  return %r : tensor<?x?x128xf16>
}

// Where no tile leaves room for all of it, the one that lacks least is taken.

func.func @deep(%q: tensor<?x?x240xf16>, %k: tensor<?x?x240xf16>, %v: tensor<?x?x240xf16>, %b: tensor<?x?xi1>, %c: tensor<?x?xf16>, %o: tensor<?x?x240xf16>) -> tensor<?x?x240xf16> {
  // expected-remark @+3 {{tile 16 x 16, 1 warps}}
  // expected-remark @+2 {{the host chooses}}
  // expected-remark @+1 {{tile 128 x 16, 8 warps, 2 stages, query in shared memory; about 268 registers}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #b, #b, #o]}
      ins(%q, %k, %v : tensor<?x?x240xf16>, tensor<?x?x240xf16>, tensor<?x?x240xf16>)
      mask(%b : tensor<?x?xi1>) bias(%c : tensor<?x?xf16>)
      outs(%o : tensor<?x?x240xf16>) -> tensor<?x?x240xf16>
  return %r : tensor<?x?x240xf16>
}

// The smallest tiles of keys are a choice.

func.func @f32(%q: tensor<32x2048x256xf32>, %k: tensor<32x2048x256xf32>, %v: tensor<32x2048x256xf32>, %o: tensor<32x2048x256xf32>) -> tensor<32x2048x256xf32> {
  // expected-remark @+1 {{tile 64 x 16, 4 warps}}
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<32x2048x256xf32>, tensor<32x2048x256xf32>, tensor<32x2048x256xf32>)
      outs(%o : tensor<32x2048x256xf32>) -> tensor<32x2048x256xf32>
  return %r : tensor<32x2048x256xf32>
}

// Two tiles of keys stand one after the other, without a loop, and overlap.

func.func @two_tiles(%q: tensor<32x250x64xf16>, %k: tensor<32x250x64xf16>, %v: tensor<32x250x64xf16>, %o: tensor<32x250x64xf16>) -> tensor<32x250x64xf16> {
  // expected-remark @+1 {{x 64, 8 warps}}
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<32x250x64xf16>, tensor<32x250x64xf16>, tensor<32x250x64xf16>)
      outs(%o : tensor<32x250x64xf16>) -> tensor<32x250x64xf16>
  return %r : tensor<32x250x64xf16>
}
