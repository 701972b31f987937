// RUN: xsa-opt %s --raise-attention-to-xsa | FileCheck %s

// Masks by the distance of key and query, (i - j).abs() <= width, whichever finite
// value they put in place of scores: a window, where every row provably keeps a key.

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @near(
// CHECK: xsa.attention {{{.*}}window_left = 2 : i64, window_right = 2 : i64
func.func @near(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %width = arith.constant 2 : i64
  %0 = call @masked(%x, %width) : (tensor<8x4xf32>, i64) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// No key is at a distance below 0: such a row is an average over all keys.
// CHECK-LABEL: func @nowhere(
// CHECK: xsa.attention
// CHECK: arith.constant -1.000000e+09
// CHECK: xsa.yield
func.func @nowhere(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %width = arith.constant -1 : i64
  %0 = call @masked(%x, %width) : (tensor<8x4xf32>, i64) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

func.func private @masked(%x: tensor<8x4xf32>, %width: i64) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %fill = arith.constant -1.0e+09 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %w = arith.index_cast %d : index to i64
    %distance = math.absi %w : i64
    %far = arith.cmpi sgt, %distance, %width : i64
    %r = arith.select %far, %fill, %a : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
