// RUN: xsa-opt %s --xsa-tile-attention=vector-bits=512 --split-input-file | FileCheck %s
// RUN: xsa-opt %s --xsa-tile-attention="vector-bits=512 bf16-dot=amx" --split-input-file | FileCheck %s --check-prefix=PAIRS

// (Canonicalization would drop copies that change nothing.)

#q = affine_map<(h, m, k1, k2, n) -> (m, h, k1)>
#k = affine_map<(h, m, k1, k2, n) -> (k2, h, k1)>
#v = affine_map<(h, m, k1, k2, n) -> (k2, h, n)>
#o = affine_map<(h, m, k1, k2, n) -> (m, h, n)>

// Heads lie between one key and the next: tiles of keys and values are packed.

// CHECK-LABEL: func.func @heads_between
// CHECK:         scf.for {{.*}} step %c64
// CHECK:           %[[KEYS:.*]] = tensor.extract_slice %{{.*}} : tensor<256x16xf32> to tensor<64x16xf32>
// CHECK:           linalg.generic {{.*}} ins(%[[KEYS]] : tensor<64x16xf32>) outs(%{{.*}} : tensor<64x16xf32>)
// CHECK:           %[[VALUES:.*]] = tensor.extract_slice %{{.*}} : tensor<256x16xf32> to tensor<64x16xf32>
// CHECK:           linalg.generic {{.*}} ins(%[[VALUES]] : tensor<64x16xf32>) outs(%{{.*}} : tensor<64x16xf32>)
// CHECK:           scf.for
func.func @heads_between(%q: tensor<256x4x16xf32>, %k: tensor<256x4x16xf32>, %v: tensor<256x4x16xf32>,
                         %o: tensor<256x4x16xf32>) -> tensor<256x4x16xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<256x4x16xf32>, tensor<256x4x16xf32>, tensor<256x4x16xf32>)
      outs(%o : tensor<256x4x16xf32>) -> tensor<256x4x16xf32>
  return %r : tensor<256x4x16xf32>
}

// -----

#q = affine_map<(h, m, k1, k2, n) -> (m, h, k1)>
#k = affine_map<(h, m, k1, k2, n) -> (k2, h, k1)>
#v = affine_map<(h, m, k1, k2, n) -> (k2, h, n)>
#o = affine_map<(h, m, k1, k2, n) -> (m, h, n)>

// One block of rows reads each key once.

// CHECK-LABEL: func.func @one_block
// CHECK:         scf.for {{.*}} step %c64
// CHECK-NEXT:      %[[KEYS:.*]] = tensor.extract_slice %{{.*}} : tensor<256x16xf32> to tensor<64x16xf32>
// CHECK-NEXT:      %[[VALUES:.*]] = tensor.extract_slice %{{.*}} : tensor<256x16xf32> to tensor<64x16xf32>
// CHECK:           linalg.generic {{.*}} ins(%[[KEYS]], %{{.*}} : tensor<64x16xf32>, tensor<16x32xf32>)
func.func @one_block(%q: tensor<32x4x16xf32>, %k: tensor<256x4x16xf32>, %v: tensor<256x4x16xf32>,
                     %o: tensor<32x4x16xf32>) -> tensor<32x4x16xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<32x4x16xf32>, tensor<256x4x16xf32>, tensor<256x4x16xf32>)
      outs(%o : tensor<32x4x16xf32>) -> tensor<32x4x16xf32>
  return %r : tensor<32x4x16xf32>
}

// -----

#q = affine_map<(h, m, k1, k2, n) -> (m, h, k1)>
#k = affine_map<(h, m, k1, k2, n) -> (k2, h, k1)>
#v = affine_map<(h, m, k1, k2, n) -> (k2, h, n)>
#o = affine_map<(h, m, k1, k2, n) -> (m, h, n)>

// A single head is nothing between them.

// CHECK-LABEL: func.func @one_head
// CHECK:         scf.for {{.*}} step %c64
// CHECK-NEXT:      %[[KEYS:.*]] = tensor.extract_slice %{{.*}} : tensor<256x16xf32> to tensor<64x16xf32>
// CHECK-NEXT:      %[[VALUES:.*]] = tensor.extract_slice %{{.*}} : tensor<256x16xf32> to tensor<64x16xf32>
// CHECK-NOT:       linalg.generic
// CHECK:           scf.for
func.func @one_head(%q: tensor<256x1x16xf32>, %k: tensor<256x1x16xf32>, %v: tensor<256x1x16xf32>,
                    %o: tensor<256x1x16xf32>) -> tensor<256x1x16xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<256x1x16xf32>, tensor<256x1x16xf32>, tensor<256x1x16xf32>)
      outs(%o : tensor<256x1x16xf32>) -> tensor<256x1x16xf32>
  return %r : tensor<256x1x16xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k1, k2)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Keys whose depth is not innermost are read where they lie.

// CHECK-LABEL: func.func @depth_outside
// CHECK:         scf.for {{.*}} step %c64
// CHECK-NEXT:      tensor.extract_slice %{{.*}} : tensor<16x256xf32> to tensor<16x64xf32>
// CHECK-NEXT:      tensor.extract_slice %{{.*}} : tensor<256x16xf32> to tensor<64x16xf32>
// CHECK-NOT:       linalg.generic
// CHECK:           scf.for
func.func @depth_outside(%q: tensor<256x16xf32>, %k: tensor<16x256xf32>, %v: tensor<256x16xf32>,
                         %o: tensor<256x16xf32>) -> tensor<256x16xf32> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<256x16xf32>, tensor<16x256xf32>, tensor<256x16xf32>)
      outs(%o : tensor<256x16xf32>) -> tensor<256x16xf32>
  return %r : tensor<256x16xf32>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#s = affine_map<(m, k1, k2, n) -> (m, k2)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Biases of their own are read for 32 rows at a time, or 64 in pairs.

// CHECK-LABEL: func.func @bias
// CHECK:         scf.forall (%{{.*}}) = (0) to (1024) step (32)
// PAIRS-LABEL: func.func @bias
// PAIRS:         scf.forall (%{{.*}}) = (0) to (1024) step (64)
func.func @bias(%q: tensor<1024x16xbf16>, %k: tensor<1024x16xbf16>, %v: tensor<1024x16xbf16>,
                %bias: tensor<1024x1024xf32>, %o: tensor<1024x16xbf16>) -> tensor<1024x16xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #s, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<1024x16xbf16>, tensor<1024x16xbf16>, tensor<1024x16xbf16>)
      bias(%bias : tensor<1024x1024xf32>)
      outs(%o : tensor<1024x16xbf16>) -> tensor<1024x16xbf16>
  return %r : tensor<1024x16xbf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#s = affine_map<(m, k1, k2, n) -> (m, k2)>
#t = affine_map<(m, k1, k2, n) -> (k2)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// A byte for each score, and biases that rows share, are little.

// CHECK-LABEL: func.func @mask
// CHECK:         scf.forall (%{{.*}}) = (0) to (1024) step (128)
// PAIRS-LABEL: func.func @mask
// PAIRS:         scf.forall (%{{.*}}) = (0) to (1024) step (256)
func.func @mask(%q: tensor<1024x16xbf16>, %k: tensor<1024x16xbf16>, %v: tensor<1024x16xbf16>,
                %mask: tensor<1024x1024xi1>, %bias: tensor<1024xf32>, %o: tensor<1024x16xbf16>) -> tensor<1024x16xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #s, #t, #o], scale = 0.25 : f64}
      ins(%q, %k, %v : tensor<1024x16xbf16>, tensor<1024x16xbf16>, tensor<1024x16xbf16>)
      mask(%mask : tensor<1024x1024xi1>) bias(%bias : tensor<1024xf32>)
      outs(%o : tensor<1024x16xbf16>) -> tensor<1024x16xbf16>
  return %r : tensor<1024x16xbf16>
}

// -----

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// Half of the keys of a window, and 64 at least; a causal mask ends a window.

// CHECK-LABEL: func.func @window
// CHECK:         scf.forall (%{{.*}}) = (0) to (1024) step (128)
// PAIRS-LABEL: func.func @window
// PAIRS:         scf.forall (%{{.*}}) = (0) to (1024) step (160)
func.func @window(%q: tensor<1024x16xbf16>, %k: tensor<1024x16xbf16>, %v: tensor<1024x16xbf16>,
                  %o: tensor<1024x16xbf16>) -> tensor<1024x16xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64, window_left = 255 : i64, window_right = 70 : i64}
      ins(%q, %k, %v : tensor<1024x16xbf16>, tensor<1024x16xbf16>, tensor<1024x16xbf16>)
      outs(%o : tensor<1024x16xbf16>) -> tensor<1024x16xbf16>
  return %r : tensor<1024x16xbf16>
}

// CHECK-LABEL: func.func @short_window
// CHECK:         scf.forall (%{{.*}}) = (0) to (1024) step (64)
// PAIRS-LABEL: func.func @short_window
// PAIRS:         scf.forall (%{{.*}}) = (0) to (1024) step (64)
func.func @short_window(%q: tensor<1024x16xbf16>, %k: tensor<1024x16xbf16>, %v: tensor<1024x16xbf16>,
                        %o: tensor<1024x16xbf16>) -> tensor<1024x16xbf16> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64, window_left = 20 : i64}
      ins(%q, %k, %v : tensor<1024x16xbf16>, tensor<1024x16xbf16>, tensor<1024x16xbf16>)
      outs(%o : tensor<1024x16xbf16>) -> tensor<1024x16xbf16>
  return %r : tensor<1024x16xbf16>
}

// A window that has no end does not count.

// CHECK-LABEL: func.func @one_sided
// CHECK:         scf.forall (%{{.*}}) = (0) to (1024) step (128)
func.func @one_sided(%q: tensor<1024x16xbf16>, %k: tensor<1024x16xbf16>, %v: tensor<1024x16xbf16>,
                     %o: tensor<1024x16xbf16>) -> tensor<1024x16xbf16> {
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o], scale = 0.25 : f64, window_left = 20 : i64}
      ins(%q, %k, %v : tensor<1024x16xbf16>, tensor<1024x16xbf16>, tensor<1024x16xbf16>)
      outs(%o : tensor<1024x16xbf16>) -> tensor<1024x16xbf16>
  return %r : tensor<1024x16xbf16>
}
