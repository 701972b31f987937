// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="key-splits=3" | FileCheck %s
// RUN: not xsa-opt %s -xsa-tile-attention-for-gpu="key-splits=-1" 2>&1 | FileCheck %s --check-prefix=INVALID

// INVALID: expected the option 'key-splits' to be from 0 to 1024, got -1

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Any number of rows can be split where it is asked for; two attentions of a
// function are kernels of two names.

// CHECK-LABEL: func.func @rows
// CHECK:         tensor.empty() : tensor<3x200x64xf32>
// CHECK:         "rows_attention0"
// CHECK:         "rows_attention0_merge"
// CHECK:         "rows_attention1"
// CHECK:         "rows_attention1_merge"
func.func @rows(%q: tensor<200x64xf16>, %k: tensor<?x64xf16>, %v: tensor<?x64xf16>, %o: tensor<200x64xf16>) -> tensor<200x64xf16> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<200x64xf16>, tensor<?x64xf16>, tensor<?x64xf16>)
      outs(%o : tensor<200x64xf16>) -> tensor<200x64xf16>
  %s = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%r, %k, %v : tensor<200x64xf16>, tensor<?x64xf16>, tensor<?x64xf16>)
      outs(%o : tensor<200x64xf16>) -> tensor<200x64xf16>
  return %s : tensor<200x64xf16>
}
