// RUN: xsa-opt %s --xsa-tile-attention=vector-bits=512 --split-input-file | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: xsa-opt %s --xsa-tile-attention=vector-bits=256 --split-input-file | FileCheck %s --check-prefixes=CHECK,NARROW

// Where registers are there for it blocks have three vectors of rows, if the
// rows fill them.

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @many
// WIDE:          scf.forall (%{{.*}}) = (0) to (2048) step (144)
// WIDE:          tensor.empty() : tensor<64x48xf32>
// NARROW:        scf.forall (%{{.*}}) = (0) to (2048) step (128)
// NARROW:        tensor.empty() : tensor<64x16xf32>
func.func @many(%q: tensor<2048x16xf32>, %k: tensor<2048x16xf32>, %v: tensor<2048x16xf32>, %o: tensor<2048x16xf32>)
    -> tensor<2048x16xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<2048x16xf32>, tensor<2048x16xf32>, tensor<2048x16xf32>)
      outs(%o : tensor<2048x16xf32>) -> tensor<2048x16xf32>
  return %r : tensor<2048x16xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// 256 rows would leave 32 of six blocks of 48 empty.

// CHECK-LABEL: func.func @rest
// WIDE:          scf.forall (%{{.*}}) = (0) to (256) step (128)
// WIDE:          tensor.empty() : tensor<64x32xf32>
func.func @rest(%q: tensor<256x16xf32>, %k: tensor<2048x16xf32>, %v: tensor<2048x16xf32>, %o: tensor<256x16xf32>)
    -> tensor<256x16xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<256x16xf32>, tensor<2048x16xf32>, tensor<2048x16xf32>)
      outs(%o : tensor<256x16xf32>) -> tensor<256x16xf32>
  return %r : tensor<256x16xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// The more rows a block has, the more keys it takes that a causal mask hides
// from most of them: that counts with few keys.

// CHECK-LABEL: func.func @few_keys
// WIDE:          scf.forall (%{{.*}}) = (0) to (960) step (128)
// WIDE:          tensor.empty() : tensor<64x32xf32>
func.func @few_keys(%q: tensor<960x16xf32>, %k: tensor<384x16xf32>, %v: tensor<384x16xf32>, %o: tensor<960x16xf32>)
    -> tensor<960x16xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<960x16xf32>, tensor<384x16xf32>, tensor<384x16xf32>)
      outs(%o : tensor<960x16xf32>) -> tensor<960x16xf32>
  return %r : tensor<960x16xf32>
}

// CHECK-LABEL: func.func @many_keys
// WIDE:          scf.forall (%{{.*}}) = (0) to (960) step (144)
// WIDE:          tensor.empty() : tensor<64x48xf32>
func.func @many_keys(%q: tensor<960x16xf32>, %k: tensor<2048x16xf32>, %v: tensor<2048x16xf32>, %o: tensor<960x16xf32>)
    -> tensor<960x16xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<960x16xf32>, tensor<2048x16xf32>, tensor<2048x16xf32>)
      outs(%o : tensor<960x16xf32>) -> tensor<960x16xf32>
  return %r : tensor<960x16xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @unknown_rows
// WIDE:          scf.forall {{.*}} step (144)
// WIDE:          tensor.empty() : tensor<64x48xf32>
func.func @unknown_rows(%q: tensor<?x16xf32>, %k: tensor<?x16xf32>, %v: tensor<?x16xf32>, %o: tensor<?x16xf32>)
    -> tensor<?x16xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>)
      outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Rows of a window that is short see fewer keys together the fewer they are.

// CHECK-LABEL: func.func @short_window
// WIDE:          tensor.empty() : tensor<64x32xf32>
func.func @short_window(%q: tensor<2048x16xf32>, %k: tensor<2048x16xf32>, %v: tensor<2048x16xf32>, %o: tensor<2048x16xf32>)
    -> tensor<2048x16xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64, window_left = 256 : i64}
      ins(%q, %k, %v : tensor<2048x16xf32>, tensor<2048x16xf32>, tensor<2048x16xf32>)
      outs(%o : tensor<2048x16xf32>) -> tensor<2048x16xf32>
  return %r : tensor<2048x16xf32>
}

// CHECK-LABEL: func.func @long_window
// WIDE:          tensor.empty() : tensor<64x48xf32>
func.func @long_window(%q: tensor<4096x16xf32>, %k: tensor<4096x16xf32>, %v: tensor<4096x16xf32>, %o: tensor<4096x16xf32>)
    -> tensor<4096x16xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64, window_left = 1024 : i64}
      ins(%q, %k, %v : tensor<4096x16xf32>, tensor<4096x16xf32>, tensor<4096x16xf32>)
      outs(%o : tensor<4096x16xf32>) -> tensor<4096x16xf32>
  return %r : tensor<4096x16xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Few rows with so much in each fit in the cache.

// CHECK-LABEL: func.func @deep
// WIDE:          scf.forall (%{{.*}}) = (0) to (2048) step (64)
// WIDE:          tensor.empty() : tensor<64x32xf32>
func.func @deep(%q: tensor<2048x256xf32>, %k: tensor<2048x256xf32>, %v: tensor<2048x256xf32>, %o: tensor<2048x256xf32>)
    -> tensor<2048x256xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<2048x256xf32>, tensor<2048x256xf32>, tensor<2048x256xf32>)
      outs(%o : tensor<2048x256xf32>) -> tensor<2048x256xf32>
  return %r : tensor<2048x256xf32>
}
