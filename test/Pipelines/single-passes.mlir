// RUN: xsa-opt %s -pass-pipeline='builtin.module(xsa-import-to-linalg,func.func(xsa-raise-attention,xsa-make-exclusive,xsa-tile-attention,xsa-vectorize-tiles))' | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: xsa-opt %s -pass-pipeline='builtin.module(xsa-import-to-linalg,func.func(xsa-raise-attention,xsa-make-exclusive,xsa-tile-attention-for-gpu,xsa-tiles-to-vectors))' | FileCheck %s --check-prefixes=CHECK,GPU

// The steps one by one, in a pipeline of one's own.

// CHECK-LABEL: func.func @main
// CHECK:         scf.forall
// CPU:             vector.transfer_read
// GPU:             vector.contract
func.func @main(%x: tensor<1x64x16xf16>) -> tensor<1x64x16xf16> {
  %zero = arith.constant 0.0 : f16
  %scores_empty = tensor.empty() : tensor<1x64x64xf16>
  %scores_init = linalg.fill ins(%zero : f16) outs(%scores_empty : tensor<1x64x64xf16>) -> tensor<1x64x64xf16>
  %out_empty = tensor.empty() : tensor<1x64x16xf16>
  %out_init = linalg.fill ins(%zero : f16) outs(%out_empty : tensor<1x64x16xf16>) -> tensor<1x64x16xf16>
  %t_empty = tensor.empty() : tensor<1x16x64xf16>
  %xt = linalg.transpose ins(%x : tensor<1x64x16xf16>) outs(%t_empty : tensor<1x16x64xf16>) permutation = [0, 2, 1]
  %scores = linalg.batch_matmul ins(%x, %xt : tensor<1x64x16xf16>, tensor<1x16x64xf16>)
                                outs(%scores_init : tensor<1x64x64xf16>) -> tensor<1x64x64xf16>
  %p = linalg.softmax dimension(2) ins(%scores : tensor<1x64x64xf16>)
                                   outs(%scores_empty : tensor<1x64x64xf16>) -> tensor<1x64x64xf16>
  %y = linalg.batch_matmul ins(%p, %x : tensor<1x64x64xf16>, tensor<1x64x16xf16>)
                           outs(%out_init : tensor<1x64x16xf16>) -> tensor<1x64x16xf16>
  return %y : tensor<1x64x16xf16>
}
