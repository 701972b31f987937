// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="chip=sm_80 ptx=60 format=isa" | FileCheck %s -DCHIP=sm_80 -DPTX=8.0
// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="chip=sm_90a format=isa" | FileCheck %s -DCHIP=sm_90a -DPTX=8.0
// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="chip=sm_100f format=isa" | FileCheck %s -DCHIP=sm_100f -DPTX=8.8
// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="chip=sm_103 format=isa" | FileCheck %s -DCHIP=sm_103 -DPTX=8.8
// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="chip=sm_110 format=isa" | FileCheck %s -DCHIP=sm_110 -DPTX=9.0
// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="chip=sm_121 format=isa" | FileCheck %s -DCHIP=sm_121 -DPTX=8.8

// Each chip gets the version of PTX that it needs.
// CHECK: .version [[PTX]]
// CHECK-SAME: .target [[CHIP]]

#q = affine_map<(i, d, j, e) -> (i, d)>
#k = affine_map<(i, d, j, e) -> (j, d)>
#v = affine_map<(i, d, j, e) -> (j, e)>
#o = affine_map<(i, d, j, e) -> (i, e)>
func.func @main(%q: tensor<32x16xf16>, %k: tensor<32x16xf16>, %v: tensor<32x16xf16>) -> tensor<32x16xf16> {
  %e = tensor.empty() : tensor<32x16xf16>
  %y = xsa.attention {indexing_maps = [#q, #k, #v, #o]}
      ins(%q, %k, %v : tensor<32x16xf16>, tensor<32x16xf16>, tensor<32x16xf16>)
      outs(%e : tensor<32x16xf16>) -> tensor<32x16xf16>
  return %y : tensor<32x16xf16>
}
