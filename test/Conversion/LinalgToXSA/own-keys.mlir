// RUN: xsa-opt %s --convert-attention-to-xsa 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// Not the own value alone, the own key too is of the query's token.

// CHECK-NOT: exclusion
#id = affine_map<(i, j) -> (i, j)>

// REMARK: query and key read different rows of argument 0
func.func @reversed_keys(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %last = arith.constant 7 : index
  %ee = tensor.empty() : tensor<8x4xf32>
  %k = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ee : tensor<8x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %d = linalg.index 1 : index
    %at = arith.subi %last, %i : index
    %a = tensor.extract %x[%at, %d] : tensor<8x4xf32>
    linalg.yield %a : f32
  } -> tensor<8x4xf32>
  %es = tensor.empty() : tensor<8x8xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ee : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%k : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A single row, that of the last token.
// REMARK: query comes from argument 0, key from argument 1
func.func @keys_of_others(%x: tensor<8x4xf32>, %k: tensor<8x4xf32>) -> tensor<1x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<1x8xf32>
  %ey = tensor.empty() : tensor<1x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<1x8xf32>) -> tensor<1x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<1x4xf32>) -> tensor<1x4xf32>
  %q = tensor.extract_slice %x[7, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %t = linalg.transpose ins(%k : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %t : tensor<1x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<1x8xf32>) -> tensor<1x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<1x8xf32>) outs(%es : tensor<1x8xf32>) -> tensor<1x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<1x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

// REMARK: there are fewer keys than queries
func.func @fewer_keys(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x6xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x6xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x6xf32>) -> tensor<8x6xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %k = tensor.extract_slice %x[0, 0] [6, 4] [1, 1] : tensor<8x4xf32> to tensor<6x4xf32>
  %t = linalg.transpose ins(%k : tensor<6x4xf32>) outs(%et : tensor<4x6xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x6xf32>) outs(%s0 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x6xf32>) outs(%es : tensor<8x6xf32>) -> tensor<8x6xf32>
  %y = linalg.matmul ins(%p, %k : tensor<8x6xf32>, tensor<6x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
