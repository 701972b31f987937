// RUN: xsa-opt %s --xsa-lower-to-cpu-pipeline=bf16-dot=amx | FileCheck %s --check-prefix=AMX
// RUN: xsa-opt %s --xsa-lower-to-cpu-pipeline=bf16-dot=avx512 | FileCheck %s --check-prefix=AVX512
// RUN: xsa-opt %s --xsa-lower-to-cpu-pipeline | FileCheck %s --check-prefix=NONE
// RUN: xsa-opt %s --xsa-lower-to-nvvm-pipeline="format=llvm bf16-dot=avx512" | FileCheck %s --check-prefix=AVX512
// RUN: not xsa-opt %s --xsa-lower-to-cpu-pipeline=bf16-dot=sse 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// The pairs are split on tensors; what is left of that is one way to read a
// buffer. No memory is filled with zeros.

// AMX-NOT:     llvm.intr.memset
// AMX-COUNT-2: llvm.call_intrinsic "llvm.x86.tilezero.internal"
// AMX-NOT:     llvm.call_intrinsic "llvm.x86.tilezero.internal"
// AMX:         llvm.call_intrinsic "llvm.x86.tdpbf16ps.internal"
// AVX512:      llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// NONE-NOT:    llvm.x86
// UNKNOWN: for the --bf16-dot option: Cannot find option named 'sse'!
func.func @main(%lhs: tensor<32x32xbf16>, %rhs: tensor<16x64xbf16>) -> tensor<32x32xf32> {
  %a = tensor.expand_shape %lhs [[0], [1, 2]] output_shape [32, 16, 2] : tensor<32x32xbf16> into tensor<32x16x2xbf16>
  %b = tensor.expand_shape %rhs [[0], [1, 2]] output_shape [16, 32, 2] : tensor<16x64xbf16> into tensor<16x32x2xbf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<32x32xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x32xf32>) -> tensor<32x32xf32>
  %sum = linalg.generic {
    indexing_maps = [affine_map<(i, j, k, r) -> (i, k, r)>, affine_map<(i, j, k, r) -> (k, j, r)>, affine_map<(i, j, k, r) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : tensor<32x16x2xbf16>, tensor<16x32x2xbf16>) outs(%init : tensor<32x32xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xf = arith.extf %x : bf16 to f32
    %yf = arith.extf %y : bf16 to f32
    %p = arith.mulf %xf, %yf : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<32x32xf32>
  return %sum : tensor<32x32xf32>
}
