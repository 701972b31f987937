// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="print-choices" -o /dev/null 2>&1 | FileCheck %s
// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="print-choices key-tile=32 warps=4" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: xsa-opt %s -xsa-tile-attention-for-gpu="print-plan" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="format=isa print-choices" -o /dev/null 2>&1 | FileCheck %s

#q = affine_map<(h, m, k1, k2, n) -> (h, m, k1)>
#k = affine_map<(h, m, k1, k2, n) -> (h, k2, k1)>
#v = affine_map<(h, m, k1, k2, n) -> (h, k2, n)>
#o = affine_map<(h, m, k1, k2, n) -> (h, m, n)>

// The first line of the table is the choice.

// CHECK:      remark: tile [[TILE:[0-9]+ x [0-9]+]], [[WARPS:[0-9]+]] warps, [[STAGES:[0-9]+]] stages, query in registers; about [[REGISTERS:[0-9]+]] registers, [[BYTES:[0-9]+]] bytes of shared memory
// CHECK:      note: choices, the cheapest first, those that may lack registers last:
// CHECK-NEXT: tile       warps  stages  query      registers  shared bytes  blocks  slots   cost
// CHECK-NEXT: [[TILE]] {{ *}}[[WARPS]] {{ *}}[[STAGES]] registers {{ *}}[[REGISTERS]] {{ *}}[[BYTES]] {{ *[0-9]+ *[0-9.]+ *[0-9.]+$}}
// CHECK-NEXT: {{[0-9]+ x [0-9]+ *}}

// Sizes that are given are those of all lines.

// FIXED:     note: choices, 
// FIXED:     tile
// FIXED-NOT: x 128
// FIXED-NOT: x 64
// FIXED:     x 32 {{ *}}4 {{ *}}2

// PLAN:     remark: tile
// PLAN-NOT: cheapest
func.func @plain(%q: tensor<32x2048x128xf16>, %k: tensor<32x2048x128xf16>, %v: tensor<32x2048x128xf16>, %o: tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16> {
  %r = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<32x2048x128xf16>, tensor<32x2048x128xf16>, tensor<32x2048x128xf16>)
      outs(%o : tensor<32x2048x128xf16>) -> tensor<32x2048x128xf16>
  return %r : tensor<32x2048x128xf16>
}
