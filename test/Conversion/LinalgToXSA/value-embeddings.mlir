// RUN: xsa-opt %s --convert-attention-to-xsa 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// What is added to values from another tensor belongs to a token as well, where it
// is read at the token's own position.

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @in_place(
// CHECK: xsa.attention {exclusion
func.func @in_place(%x: tensor<8x4xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %y = call @attention(%x, %e) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// CHECK-LABEL: func @reversed(
// CHECK: xsa.attention
// CHECK-NOT: exclusion
// CHECK: return
// REMARK: attention not made exclusive: value rows are not at their own position in argument 1
func.func @reversed(%x: tensor<8x4xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %last = arith.constant 7 : index
  %ee = tensor.empty() : tensor<8x4xf32>
  %f = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ee : tensor<8x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %d = linalg.index 1 : index
    %at = arith.subi %last, %i : index
    %a = tensor.extract %e[%at, %d] : tensor<8x4xf32>
    linalg.yield %a : f32
  } -> tensor<8x4xf32>
  %y = call @attention(%x, %f) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @attention(%x: tensor<8x4xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %v = linalg.add ins(%x, %e : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %v : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
