// RUN: xsa-opt %s --xsa-tile-attention=vector-bits=512 --canonicalize --cse | FileCheck %s --check-prefix=WIDE
// RUN: xsa-opt %s --xsa-tile-attention="query-tile=4 row-block=4 key-tile=8" --canonicalize --cse | FileCheck %s --check-prefix=SMALL
// RUN: xsa-opt %s --xsa-tile-attention="split-masked-tiles=false query-tile=16" --canonicalize --cse | FileCheck %s --check-prefix=ONELOOP
// RUN: xsa-opt %s --xsa-tile-attention=powers-of-two=false --canonicalize --cse | FileCheck %s --check-prefix=NATURAL
// RUN: xsa-opt %s --xsa-tile-attention="rows-innermost=false query-tile=16" --canonicalize --cse | FileCheck %s --check-prefix=ROWSFIRST

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// WIDE:       scf.for {{.*}} -> (tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x8x32xf32>)

// SMALL:      scf.forall (%{{.*}}) = (0) to (128) step (4)
// SMALL:        -> (tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>)
// SMALL:        tensor.extract_slice %{{.*}} [8, 8]

// ONELOOP:    scf.forall
// ONELOOP:      scf.for
// ONELOOP:        arith.cmpi sle
// ONELOOP-NOT:  scf.for %

// NATURAL-NOT: math.exp2
// NATURAL:     math.exp
// NATURAL-NOT: math.exp2

// ROWSFIRST:  scf.for {{.*}} -> (tensor<16xf32>, tensor<16xf32>, tensor<16x8xf32>)
// ROWSFIRST:    linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<16x8xf32>, tensor<64x8xf32>) outs(%{{.*}} : tensor<16x64xf32>)
func.func @causal(%q: tensor<128x8xf32>, %k: tensor<128x8xf32>, %v: tensor<128x8xf32>,
                  %o: tensor<128x8xf32>) -> tensor<128x8xf32> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<128x8xf32>, tensor<128x8xf32>, tensor<128x8xf32>)
      outs(%o : tensor<128x8xf32>) -> tensor<128x8xf32>
  return %r : tensor<128x8xf32>
}
