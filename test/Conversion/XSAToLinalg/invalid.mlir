// RUN: xsa-opt %s --convert-xsa-to-linalg --split-input-file --verify-diagnostics
// RUN: xsa-opt %s --convert-xsa-to-linalg=mode=exclude-only --split-input-file --verify-diagnostics

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#s = affine_map<(m, k1, k2, n) -> (m, n)>

func.func @attention_on_memrefs(%x: memref<8x8xf32>) {
  // expected-error @below {{can be decomposed on tensors only; run convert-xsa-to-linalg before bufferization}}
  xsa.attention {exclusion = #xsa.exclusion<raw>, indexing_maps = [#q, #k, #v, #s, #s]}
      ins(%x, %x, %x : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>)
      self_value(%x : memref<8x8xf32>) outs(%x : memref<8x8xf32>)
  return
}

// -----

#y = affine_map<(m, n) -> (m, n)>

func.func @exclude_on_memrefs(%x: memref<8x8xf32>) {
  // expected-error @below {{can be decomposed on tensors only; run convert-xsa-to-linalg before bufferization}}
  xsa.exclude {exclusion = #xsa.exclusion<raw>, indexing_maps = [#y, #y, #y]}
      ins(%x, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%x : memref<8x8xf32>)
  return
}
