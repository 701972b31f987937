// RUN: xsa-opt %s -xsa-lower-to-cpu-pipeline -mlir-print-ir-after=xsa-fuse-output-cast -o %t 2>&1 | FileCheck %s
// RUN: xsa-opt %s -xsa-lower-to-nvvm-pipeline=format=isa -mlir-print-ir-after=xsa-fuse-output-cast -o %t 2>&1 | FileCheck %s

// Both write the model's type at once, whatever a conversion is written as.

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>

// CHECK-LABEL: func.func @main
// CHECK:         %[[Y:.*]] = xsa.attention {{.*}} -> tensor<64x16xbf16>
// CHECK-NOT:     arith.truncf
// CHECK:         return %[[Y]]
func.func @main(%q: tensor<64x16xbf16>) -> tensor<64x16xbf16> {
  %e = tensor.empty() : tensor<64x16xf32>
  %r = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %q, %q : tensor<64x16xbf16>, tensor<64x16xbf16>, tensor<64x16xbf16>)
      outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %t = arith.truncf %r : tensor<64x16xf32> to tensor<64x16xbf16>
  return %t : tensor<64x16xbf16>
}
