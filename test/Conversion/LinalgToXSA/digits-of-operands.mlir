// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s

// Rows and keys are counted in blocks by a mask alone, and by a table of numbers that is
// read for each pair: attention is seen with the digits before its operands are built.

#id = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @numbers_in_blocks(
// CHECK: xsa.attention
// CHECK-NOT: math.exp
// CHECK: return
func.func @numbers_in_blocks(%x: tensor<8x4xf32>, %table: tensor<5xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %number = arith.constant dense<[[0, 1, 4, 2, 2, 3, 1, 1], [3, 0, 0, 2, 1, 3, 0, 4], [2, 0, 3, 1, 4, 1, 0, 1], [0, 4, 2, 0, 3, 1, 0, 0], [3, 1, 1, 1, 4, 2, 3, 3], [1, 1, 2, 0, 1, 3, 0, 0], [3, 2, 4, 0, 4, 1, 0, 1], [3, 3, 0, 1, 1, 1, 0, 1]]> : tensor<8x8xi64>
  %es = tensor.empty() : tensor<8x8xf32>
  %ep = tensor.empty() : tensor<8x4xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p0 = linalg.fill ins(%zero : f32) outs(%ep : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %biased = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %number : tensor<8x8xf32>, tensor<8x8xi64>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %n: i64, %o: f32):
    %c0 = arith.constant 0 : i64
    %c5 = arith.constant 5 : i64
    %negative = arith.cmpi slt, %n, %c0 : i64
    %wrapped = arith.addi %n, %c5 : i64
    %w = arith.select %negative, %wrapped, %n : i64
    %at = arith.index_cast %w : i64 to index
    %b = tensor.extract %table[%at] : tensor<5xf32>
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%biased : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c4 = arith.constant 4 : index
    %low = arith.constant -3.0 : f32
    %c = math.tanh %a : f32
    %bi = arith.divui %i, %c4 : index
    %bj = arith.divui %j, %c4 : index
    %same = arith.cmpi uge, %bi, %bj : index
    %m = arith.select %same, %c, %low : f32
    %r = math.exp %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %parts = tensor.expand_shape %e [[0], [1, 2]] output_shape [8, 4, 2] : tensor<8x8xf32> into tensor<8x4x2xf32>
  %partial = linalg.reduce {arith.addf} ins(%parts : tensor<8x4x2xf32>) outs(%p0 : tensor<8x4xf32>) dimensions = [2]
  %l = linalg.reduce {arith.addf} ins(%partial : tensor<8x4xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %wide = linalg.broadcast ins(%l : tensor<8xf32>) outs(%es : tensor<8x8xf32>) dimensions = [1]
  %p = linalg.div ins(%e, %wide : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
