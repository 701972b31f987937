// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="format=mlir" | FileCheck %s --check-prefix=MLIR
// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="chip=sm_90 ptx=80 format=isa" | FileCheck %s --check-prefix=ISA
// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="format=mlir print-plan=true" 2>&1 | FileCheck %s --check-prefix=PLAN

#q = affine_map<(b, m, k1, k2, n) -> (b, m, k1)>
#k = affine_map<(b, m, k1, k2, n) -> (b, k2, k1)>
#v = affine_map<(b, m, k1, k2, n) -> (b, k2, n)>
#o = affine_map<(b, m, k1, k2, n) -> (b, m, n)>

// One kernel, on the host one launch; nothing of the device code is a call.

// MLIR-LABEL:  func.func @main
// MLIR:          gpu.launch_func @xsa_kernels::@main_attention0
// MLIR:        llvm.func @main_attention0
// MLIR-NOT:      llvm.call @
// MLIR:          nvvm.cp.async.shared.global
// MLIR:          nvvm.mma.sync
// MLIR:          llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// MLIR-NOT:    llvm.func @main_attention

// ISA:         gpu.binary @xsa_kernels
// ISA-SAME:      .version 8.0
// ISA-SAME:      .target sm_90
// ISA-SAME:      .entry main_attention0
// ISA-SAME:      mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32

// PLAN:        remark: tile {{[0-9]+}} x {{[0-9]+}}, {{[0-9]+}} warps, 2 stages, query in {{.*}}; about {{[0-9]+}} registers, {{[0-9]+}} bytes of shared memory, {{[0-9]+}} blocks on an SM, {{[0-9.]+}} issue slots per 32 scores

func.func @main(%q: tensor<4x256x64xbf16>, %k: tensor<4x256x64xbf16>, %v: tensor<4x256x64xbf16>) -> tensor<4x256x64xbf16> {
  %init = tensor.empty() : tensor<4x256x64xbf16>
  %r = xsa.attention {causal, exclusion = #xsa.exclusion<l2_clamp, eps = 1.0e-12>, indexing_maps = [#q, #k, #v, #o, #o], scale = 0.125 : f64}
      ins(%q, %k, %v : tensor<4x256x64xbf16>, tensor<4x256x64xbf16>, tensor<4x256x64xbf16>)
      self_value(%v : tensor<4x256x64xbf16>)
      outs(%init : tensor<4x256x64xbf16>) -> tensor<4x256x64xbf16>
  return %r : tensor<4x256x64xbf16>
}
