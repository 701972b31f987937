// REQUIRES: execution, numpy
// RUN: %python %S/Inputs/npz.py write %t.in.npz "arg0=np.random.rand(8, 4).astype(np.float32)"
// RUN: xsa-run %s --inputs %t.in.npz --report 2>&1 | FileCheck %s
// RUN: xsa-run %s --inputs %t.in.npz --report --convert-attention-to-xsa=layers=0 2>&1 | FileCheck %s --check-prefix=CONVERT
// RUN: not xsa-run %s --inputs %t.in.npz --convert-attention-to-xsa=layer=0 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: attention in @main
// CHECK: total: 1 found, 1 raised, 0 exclusive in the model, 0 made exclusive
// CONVERT: 0 report.mlir:{{.*}} made exclusive (l2_clamp, eps 1e-12)
// CONVERT: total: 1 found, 1 raised, 0 exclusive in the model, 1 made exclusive
// UNKNOWN: no such option layer
// UNKNOWN: error: the module could not be raised

func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
