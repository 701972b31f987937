// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="format=mlir" | FileCheck %s --implicit-check-not="llvm.func @{{.*}}attention"

// Attentions that do the same on other buffers share a kernel, in whatever
// function they are. Another mask is another kernel, and so is another plan. The
// kernels' module makes way for a symbol that is there.

// CHECK-LABEL: func.func @main
// CHECK:         gpu.launch_func @[[KERNELS:xsa_kernels_[0-9]+]]::@main_attention0
// CHECK:         gpu.launch_func @[[KERNELS]]::@main_attention0
// CHECK:         gpu.launch_func @[[KERNELS]]::@main_attention2
// CHECK:         gpu.launch_func @[[KERNELS]]::@main_attention3
// CHECK-LABEL: func.func @other
// CHECK:         gpu.launch_func @[[KERNELS]]::@main_attention0
// CHECK:       gpu.module @[[KERNELS]]
// CHECK:         llvm.func @main_attention0
// CHECK:         llvm.func @main_attention2
// CHECK:         llvm.func @main_attention3

#q = affine_map<(m, k1, k2, n) -> (m, k1)>
#k = affine_map<(m, k1, k2, n) -> (k2, k1)>
#v = affine_map<(m, k1, k2, n) -> (k2, n)>
#o = affine_map<(m, k1, k2, n) -> (m, n)>
!t = tensor<64x64xf16>
!short = tensor<16x64xf16>

func.func @xsa_kernels() {
  return
}

func.func @main(%q: !t, %k: !t, %v: !t, %few: !short) -> (!t, !t, !short) {
  %empty = tensor.empty() : !t
  %short = tensor.empty() : !short
  %0 = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : !t, !t, !t) outs(%empty : !t) -> !t
  %1 = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]} ins(%0, %v, %k : !t, !t, !t) outs(%empty : !t) -> !t
  %2 = xsa.attention {indexing_maps = [#q, #k, #v, #o]} ins(%1, %k, %v : !t, !t, !t) outs(%empty : !t) -> !t
  %3 = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]} ins(%few, %k, %v : !short, !t, !t) outs(%short : !short) -> !short
  return %1, %2, %3 : !t, !t, !short
}

func.func @other(%q: !t, %k: !t, %v: !t) -> !t {
  %empty = tensor.empty() : !t
  %0 = xsa.attention {causal, indexing_maps = [#q, #k, #v, #o]} ins(%q, %k, %v : !t, !t, !t) outs(%empty : !t) -> !t
  return %0 : !t
}
