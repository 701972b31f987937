// RUN: xsa-opt %s --convert-attention-to-xsa="assume-self" | FileCheck %s

// Heads of a group that share a dimension with the rows, and a mask that relates
// something of that dimension to the keys: what the rows are.

#d3 = affine_map<(g, i, j) -> (g, i, j)>

// The number of a block alone is not the row, and the head is not part of it: it is
// stored beside the depth.
// CHECK-LABEL: func @blocks(
// CHECK: xsa.attention {exclusion = {{.*}} : tensor<8x2x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
// CHECK-SAME: mask(%
func.func @blocks(%x: tensor<8x8xf32>) -> tensor<16x4xf32> {
  %four = arith.constant 4 : index
  %eq = tensor.empty() : tensor<2x8x4xf32>
  %em = tensor.empty() : tensor<2x8x8xi1>
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %t = linalg.transpose ins(%heads : tensor<8x2x4xf32>) outs(%eq : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %q = tensor.collapse_shape %t [[0, 1], [2]] : tensor<2x8x4xf32> into tensor<16x4xf32>
  %k = tensor.extract_slice %x[0, 0] [8, 4] [1, 1] : tensor<8x8xf32> to tensor<8x4xf32>
  %keep = linalg.generic {indexing_maps = [#d3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%em : tensor<2x8x8xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %bi = arith.divui %i, %four : index
    %bj = arith.divui %j, %four : index
    %r = arith.cmpi eq, %bi, %bj : index
    linalg.yield %r : i1
  } -> tensor<2x8x8xi1>
  %flat = tensor.collapse_shape %keep [[0, 1], [2]] : tensor<2x8x8xi1> into tensor<16x8xi1>
  %y = call @attention(%q, %k, %flat) : (tensor<16x4xf32>, tensor<8x4xf32>, tensor<16x8xi1>) -> tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

func.func private @attention(%q: tensor<16x4xf32>, %k: tensor<8x4xf32>, %keep: tensor<16x8xi1>) -> tensor<16x4xf32> {
  %zero = arith.constant 0.0 : f32
  %fill = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<16x8xf32>
  %ey = tensor.empty() : tensor<16x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<16x8xf32>) -> tensor<16x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<16x4xf32>) -> tensor<16x4xf32>
  %t = linalg.transpose ins(%k : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %t : tensor<16x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<16x8xf32>) -> tensor<16x8xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%keep, %s : tensor<16x8xi1>, tensor<16x8xf32>) outs(%es : tensor<16x8xf32>) {
  ^bb0(%c: i1, %a: f32, %out: f32):
    %r = arith.select %c, %a, %fill : f32
    linalg.yield %r : f32
  } -> tensor<16x8xf32>
  %p = linalg.softmax dimension(1) ins(%m : tensor<16x8xf32>) outs(%es : tensor<16x8xf32>) -> tensor<16x8xf32>
  %y = linalg.matmul ins(%p, %k : tensor<16x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<16x4xf32>) -> tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

// With bare arguments nothing tells heads from rows but the mask: row i of 6, in
// two groups, sees the keys up to i + 2.
// CHECK-LABEL: func @fewer_rows(
// CHECK: xsa.attention {causal
// CHECK-SAME: ins(%{{.*}} : tensor<2x6x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
func.func @fewer_rows(%q: tensor<12x4xf32>, %k: tensor<8x4xf32>) -> tensor<12x4xf32> {
  %zero = arith.constant 0.0 : f32
  %fill = arith.constant 0xFF800000 : f32
  %two = arith.constant 2 : index
  %es = tensor.empty() : tensor<12x8xf32>
  %e3 = tensor.empty() : tensor<2x6x8xf32>
  %ey = tensor.empty() : tensor<12x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<12x8xf32>) -> tensor<12x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<12x4xf32>) -> tensor<12x4xf32>
  %t = linalg.transpose ins(%k : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %t : tensor<12x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<12x8xf32>) -> tensor<12x8xf32>
  %groups = tensor.expand_shape %s [[0, 1], [2]] output_shape [2, 6, 8] : tensor<12x8xf32> into tensor<2x6x8xf32>
  %m = linalg.generic {indexing_maps = [#d3, #d3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%groups : tensor<2x6x8xf32>) outs(%e3 : tensor<2x6x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %last = arith.addi %i, %two : index
    %c = arith.cmpi sle, %j, %last : index
    %r = arith.select %c, %a, %fill : f32
    linalg.yield %r : f32
  } -> tensor<2x6x8xf32>
  %p3 = linalg.softmax dimension(2) ins(%m : tensor<2x6x8xf32>) outs(%e3 : tensor<2x6x8xf32>) -> tensor<2x6x8xf32>
  %p = tensor.collapse_shape %p3 [[0, 1], [2]] : tensor<2x6x8xf32> into tensor<12x8xf32>
  %y = linalg.matmul ins(%p, %k : tensor<12x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<12x4xf32>) -> tensor<12x4xf32>
  return %y : tensor<12x4xf32>
}
