// RUN: xsa-opt %s --convert-attention-to-xsa --canonicalize --cse 2>/dev/null | FileCheck %s

// What scores are put together from, and in which order: pieces become one product and no
// more choices than there are pieces.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Scores plus bias in one head, bias plus scores in the other.
// CHECK-LABEL: func @terms_in_other_order(
// CHECK-NOT: arith.select
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @terms_in_other_order(%x: tensor<2x8x4xf32>, %b: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%b, %s1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// A bias of two factors, in one order and in the other.
// CHECK-LABEL: func @factors_in_other_order(
// CHECK-COUNT-1: math.tanh
// CHECK-NOT: math.tanh
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @factors_in_other_order(%x: tensor<2x8x4xf32>, %b0: tensor<8x8xf32>, %b1: tensor<8x8xf32>, %c0: tensor<8x8xf32>, %c1: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %t0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b0 : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.tanh %a0 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %u0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c0 : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.sin %a0 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %u1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c1 : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.sin %a0 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %t1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b1 : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.tanh %a0 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%t0, %u0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.mulf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%u1, %t1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.mulf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %w0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %w1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// Each chunk of rows has its part of the mask.
// CHECK-LABEL: func @causal_chunks(
// CHECK: xsa.attention {causal, exclusion
// CHECK: return
func.func @causal_chunks(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %q0 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %q1 = tensor.extract_slice %x[4, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %zs0 = tensor.empty() : tensor<4x8xf32>
  %fs0 = linalg.fill ins(%zero : f32) outs(%zs0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s0 = linalg.matmul ins(%q0, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %zs1 = tensor.empty() : tensor<4x8xf32>
  %fs1 = linalg.fill ins(%zero : f32) outs(%zs1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s1 = linalg.matmul ins(%q1, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0 : tensor<4x8xf32>) outs(%zs0 : tensor<4x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %at = arith.addi %i, %first : index
    %keep = arith.cmpi sle, %j, %at : index
    %r = arith.select %keep, %a0, %low : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1 : tensor<4x8xf32>) outs(%zs1 : tensor<4x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.constant 4 : index
    %low = arith.constant 0xFF800000 : f32
    %at = arith.addi %i, %first : index
    %keep = arith.cmpi sle, %j, %at : index
    %r = arith.select %keep, %a0, %low : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %all = tensor.concat dim(0) %m0, %m1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %y = call @weigh_rows(%all, %x) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// What is done to the rows of each chunk is done to all rows.
// CHECK-LABEL: func @changed_in_pieces(
// CHECK-COUNT-1: math.tanh
// CHECK-NOT: tensor.concat
// CHECK-NOT: math.tanh
// CHECK-NOT: arith.select
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @changed_in_pieces(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %c0 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %e0 = tensor.empty() : tensor<4x4xf32>
  %q0 = linalg.tanh ins(%c0 : tensor<4x4xf32>) outs(%e0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c1 = tensor.extract_slice %x[4, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<4x4xf32>
  %q1 = linalg.tanh ins(%c1 : tensor<4x4xf32>) outs(%e1 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %zs0 = tensor.empty() : tensor<4x8xf32>
  %fs0 = linalg.fill ins(%zero : f32) outs(%zs0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s0 = linalg.matmul ins(%q0, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %zs1 = tensor.empty() : tensor<4x8xf32>
  %fs1 = linalg.fill ins(%zero : f32) outs(%zs1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s1 = linalg.matmul ins(%q1, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %all = tensor.concat dim(0) %s0, %s1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %y = call @weigh_rows(%all, %x) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Products of queries with constants, one for each head: tensors, as projections are.
// CHECK-LABEL: func @positions_of_each_head(
// CHECK-COUNT-2: linalg.matmul
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @positions_of_each_head(%x: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %w0 = arith.constant dense<[[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.1, 0.3, 0.5, 0.7], [0.2, 0.4, 0.6, 0.8], [0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8], [0.1, 0.3, 0.5, 0.7], [0.2, 0.4, 0.6, 0.8]]> : tensor<8x4xf32>
  %w1 = arith.constant dense<[[0.8, 0.7, 0.6, 0.5], [0.4, 0.3, 0.2, 0.1], [0.7, 0.5, 0.3, 0.1], [0.8, 0.6, 0.4, 0.2], [0.8, 0.7, 0.6, 0.5], [0.4, 0.3, 0.2, 0.1], [0.7, 0.5, 0.3, 0.1], [0.8, 0.6, 0.4, 0.2]]> : tensor<8x4xf32>
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %u0 = call @scores(%h0, %w0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %u0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %u1 = call @scores(%h1, %w1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %u1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// Products with one number.
// CHECK-LABEL: func @sums_of_each_head(
// CHECK-COUNT-2: linalg.matmul
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @sums_of_each_head(%x: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %w0 = arith.constant dense<0.5> : tensor<8x4xf32>
  %w1 = arith.constant dense<0.25> : tensor<8x4xf32>
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %u0 = call @scores(%w0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %u0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %u1 = call @scores(%w1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %u1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// The bias of one head is a sum, that of the other one a maximum.
// CHECK-LABEL: func @sum_and_maximum(
// CHECK: linalg.reduce
// CHECK-SAME: arith.addf
// CHECK: linalg.reduce
// CHECK-SAME: arith.maximumf
// CHECK: arith.select
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @sum_and_maximum(%x: tensor<2x8x4xf32>, %b: tensor<3x8x8xf32>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %n0 = arith.constant 0.0 : f32
  %r0 = linalg.fill ins(%n0 : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %b0 = linalg.reduce { arith.addf } ins(%b : tensor<3x8x8xf32>) outs(%r0 : tensor<8x8xf32>) dimensions = [0]
  %n1 = arith.constant 0xFF800000 : f32
  %r1 = linalg.fill ins(%n1 : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %b1 = linalg.reduce { arith.maximumf } ins(%b : tensor<3x8x8xf32>) outs(%r1 : tensor<8x8xf32>) dimensions = [0]
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %b1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// Sums over one dimension and over two.
// CHECK-LABEL: func @sums_of_other_shapes(
// CHECK: linalg.reduce
// CHECK: linalg.reduce
// CHECK: arith.select
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @sums_of_other_shapes(%x: tensor<2x8x4xf32>, %b: tensor<2x8x8xf32>, %c: tensor<2x2x8x8xf32>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %n0 = arith.constant 0.0 : f32
  %r0 = linalg.fill ins(%n0 : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %b0 = linalg.reduce { arith.addf } ins(%c : tensor<2x2x8x8xf32>) outs(%r0 : tensor<8x8xf32>) dimensions = [0, 1]
  %n1 = arith.constant 0.0 : f32
  %r1 = linalg.fill ins(%n1 : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %b1 = linalg.reduce { arith.addf } ins(%b : tensor<2x8x8xf32>) outs(%r1 : tensor<8x8xf32>) dimensions = [0]
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %b1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.addf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// What is computed in f16 is widened for what is computed in f32.
// CHECK-LABEL: func @narrow_bias(
// CHECK: arith.extf
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @narrow_bias(%x: tensor<2x8x4xf32>, %b: tensor<8x8xf16>, %c: tensor<8x8xf16>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b : tensor<8x8xf32>, tensor<8x8xf16>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f16, %o: f32):
    %t = math.tanh %a1 : f16
    %w = arith.extf %t : f16 to f32
    %h = arith.constant 0.7 : f32
    %u = arith.mulf %w, %h : f32
    %r = arith.addf %a0, %u : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %c : tensor<8x8xf32>, tensor<8x8xf16>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f16, %o: f32):
    %t = math.tanh %a1 : f16
    %w = arith.extf %t : f16 to f32
    %h = arith.constant 0.7 : f32
    %u = arith.mulf %w, %h : f32
    %r = arith.addf %a0, %u : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// Conditions on numbers of other widths are other conditions.
// CHECK-LABEL: func @masks_of_two_widths(
// CHECK-DAG: arith.cmpf ogt, {{.*}} : f16
// CHECK-DAG: arith.cmpf ogt, {{.*}} : f32
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @masks_of_two_widths(%x: tensor<2x8x4xf32>, %b: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b : tensor<8x8xf32>, tensor<8x8xf16>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f16, %o: f32):
    %z = arith.constant 0.0 : f16
    %low = arith.constant 0xFF800000 : f32
    %keep = arith.cmpf ogt, %a1, %z : f16
    %r = arith.select %keep, %a0, %low : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %c : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %keep = arith.cmpf ogt, %a1, %z : f32
    %r = arith.select %keep, %a0, %low : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// Scores of three chunks that are inserted, the one in the middle first.
// CHECK-LABEL: func @inserted_chunks(
// CHECK-NOT: arith.select
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @inserted_chunks(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %es = tensor.empty() : tensor<8x8xf32>
  %q0 = tensor.extract_slice %x[0, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %q1 = tensor.extract_slice %x[2, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %q2 = tensor.extract_slice %x[6, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %zs0 = tensor.empty() : tensor<2x8xf32>
  %fs0 = linalg.fill ins(%zero : f32) outs(%zs0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s0 = linalg.matmul ins(%q0, %t : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %zs1 = tensor.empty() : tensor<4x8xf32>
  %fs1 = linalg.fill ins(%zero : f32) outs(%zs1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s1 = linalg.matmul ins(%q1, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %zs2 = tensor.empty() : tensor<2x8xf32>
  %fs2 = linalg.fill ins(%zero : f32) outs(%zs2 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s2 = linalg.matmul ins(%q2, %t : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs2 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %i0 = tensor.insert_slice %s1 into %es[2, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
  %i1 = tensor.insert_slice %s0 into %i0[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
  %all = tensor.insert_slice %s2 into %i1[6, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
  %y = call @weigh_rows(%all, %x) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Rows of two tensors of other lengths are one choice.
// CHECK-LABEL: func @rows_of_two_tensors(
// CHECK-COUNT-1: arith.select
// CHECK-NOT: arith.select
// CHECK: xsa.attention
// CHECK: return
func.func @rows_of_two_tensors(%x: tensor<8x4xf32>, %q0: tensor<3x4xf32>, %q1: tensor<5x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %zs0 = tensor.empty() : tensor<3x8xf32>
  %fs0 = linalg.fill ins(%zero : f32) outs(%zs0 : tensor<3x8xf32>) -> tensor<3x8xf32>
  %s0 = linalg.matmul ins(%q0, %t : tensor<3x4xf32>, tensor<4x8xf32>) outs(%fs0 : tensor<3x8xf32>) -> tensor<3x8xf32>
  %zs1 = tensor.empty() : tensor<5x8xf32>
  %fs1 = linalg.fill ins(%zero : f32) outs(%zs1 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %s1 = linalg.matmul ins(%q1, %t : tensor<5x4xf32>, tensor<4x8xf32>) outs(%fs1 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %all = tensor.concat dim(0) %s0, %s1 : (tensor<3x8xf32>, tensor<5x8xf32>) -> tensor<8x8xf32>
  %y = call @weigh_rows(%all, %x) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// So are halves.
// CHECK-LABEL: func @halves_of_two_tensors(
// CHECK-COUNT-1: arith.select
// CHECK-NOT: arith.select
// CHECK: xsa.attention
// CHECK: return
func.func @halves_of_two_tensors(%x: tensor<8x4xf32>, %q0: tensor<4x4xf32>, %q1: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %zs0 = tensor.empty() : tensor<4x8xf32>
  %fs0 = linalg.fill ins(%zero : f32) outs(%zs0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s0 = linalg.matmul ins(%q0, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %zs1 = tensor.empty() : tensor<4x8xf32>
  %fs1 = linalg.fill ins(%zero : f32) outs(%zs1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s1 = linalg.matmul ins(%q1, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %all = tensor.concat dim(0) %s0, %s1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %y = call @weigh_rows(%all, %x) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Heads of two tensors, inserted into an empty one.
// CHECK-LABEL: func @inserted_heads(
// CHECK-COUNT-1: arith.select
// CHECK-NOT: arith.select
// CHECK: xsa.attention
// CHECK: return
func.func @inserted_heads(%x: tensor<2x8x4xf32>, %q0: tensor<8x4xf32>, %q1: tensor<8x4xf32>) -> tensor<2x8x4xf32> {
  %e3 = tensor.empty() : tensor<2x8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%q0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @scores(%q1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %i0 = tensor.insert_slice %s0 into %e3[0, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<8x8xf32> into tensor<2x8x8xf32>
  %all = tensor.insert_slice %s1 into %i0[1, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<8x8xf32> into tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// Two heads of two tensors, the rows of each in three chunks.
// CHECK-LABEL: func @chunks_of_two_tensors(
// CHECK-COUNT-1: arith.select
// CHECK-NOT: arith.select
// CHECK: xsa.attention
// CHECK: return
func.func @chunks_of_two_tensors(%x: tensor<2x8x4xf32>, %q0: tensor<8x4xf32>, %q1: tensor<8x4xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %et0 = tensor.empty() : tensor<4x8xf32>
  %t0 = linalg.transpose ins(%h0 : tensor<8x4xf32>) outs(%et0 : tensor<4x8xf32>) permutation = [1, 0]
  %et1 = tensor.empty() : tensor<4x8xf32>
  %t1 = linalg.transpose ins(%h1 : tensor<8x4xf32>) outs(%et1 : tensor<4x8xf32>) permutation = [1, 0]
  %cs00 = tensor.extract_slice %q0[0, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %zs0_0 = tensor.empty() : tensor<2x8xf32>
  %fs0_0 = linalg.fill ins(%zero : f32) outs(%zs0_0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s0_0 = linalg.matmul ins(%cs00, %t0 : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs0_0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %cs01 = tensor.extract_slice %q0[2, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %zs0_1 = tensor.empty() : tensor<2x8xf32>
  %fs0_1 = linalg.fill ins(%zero : f32) outs(%zs0_1 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s0_1 = linalg.matmul ins(%cs01, %t0 : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs0_1 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %cs02 = tensor.extract_slice %q0[4, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %zs0_2 = tensor.empty() : tensor<4x8xf32>
  %fs0_2 = linalg.fill ins(%zero : f32) outs(%zs0_2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s0_2 = linalg.matmul ins(%cs02, %t0 : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs0_2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s0 = tensor.concat dim(0) %s0_0, %s0_1, %s0_2 : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %cs10 = tensor.extract_slice %q1[0, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %zs1_0 = tensor.empty() : tensor<2x8xf32>
  %fs1_0 = linalg.fill ins(%zero : f32) outs(%zs1_0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s1_0 = linalg.matmul ins(%cs10, %t1 : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs1_0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %cs11 = tensor.extract_slice %q1[2, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %zs1_1 = tensor.empty() : tensor<2x8xf32>
  %fs1_1 = linalg.fill ins(%zero : f32) outs(%zs1_1 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s1_1 = linalg.matmul ins(%cs11, %t1 : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs1_1 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %cs12 = tensor.extract_slice %q1[4, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %zs1_2 = tensor.empty() : tensor<4x8xf32>
  %fs1_2 = linalg.fill ins(%zero : f32) outs(%zs1_2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s1_2 = linalg.matmul ins(%cs12, %t1 : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs1_2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s1 = tensor.concat dim(0) %s1_0, %s1_1, %s1_2 : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %s0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %s1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// Chunks that end between the digits of the row.
// CHECK-LABEL: func @chunks_across_digits(
// CHECK-NOT: arith.select
// CHECK: xsa.attention
// CHECK-NOT: arith.select
// CHECK: return
func.func @chunks_across_digits(%x: tensor<8x4xf32>) -> tensor<4x2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %q0 = tensor.extract_slice %x[0, 0] [5, 4] [1, 1] : tensor<8x4xf32> to tensor<5x4xf32>
  %q1 = tensor.extract_slice %x[5, 0] [3, 4] [1, 1] : tensor<8x4xf32> to tensor<3x4xf32>
  %zs0 = tensor.empty() : tensor<5x8xf32>
  %fs0 = linalg.fill ins(%zero : f32) outs(%zs0 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %s0 = linalg.matmul ins(%q0, %t : tensor<5x4xf32>, tensor<4x8xf32>) outs(%fs0 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %zs1 = tensor.empty() : tensor<3x8xf32>
  %fs1 = linalg.fill ins(%zero : f32) outs(%zs1 : tensor<3x8xf32>) -> tensor<3x8xf32>
  %s1 = linalg.matmul ins(%q1, %t : tensor<3x4xf32>, tensor<4x8xf32>) outs(%fs1 : tensor<3x8xf32>) -> tensor<3x8xf32>
  %all = tensor.concat dim(0) %s0, %s1 : (tensor<5x8xf32>, tensor<3x8xf32>) -> tensor<8x8xf32>
  %blocks = tensor.expand_shape %all [[0, 1], [2]] output_shape [4, 2, 8] : tensor<8x8xf32> into tensor<4x2x8xf32>
  %eb = tensor.empty() : tensor<4x2x8xf32>
  %p = linalg.softmax dimension(2) ins(%blocks : tensor<4x2x8xf32>) outs(%eb : tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
  %ey = tensor.empty() : tensor<4x2x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x2x4xf32>) -> tensor<4x2x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, d, j) -> (b, i, j)>, affine_map<(b, i, d, j) -> (j, d)>, affine_map<(b, i, d, j) -> (b, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %x : tensor<4x2x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<4x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<4x2x4xf32>
  return %y : tensor<4x2x4xf32>
}

// Each chunk of rows counts from its first row.
// CHECK-LABEL: func @distances_in_chunks(
// CHECK-NOT: arith.select
// CHECK: xsa.attention {exclusion
// CHECK: return
func.func @distances_in_chunks(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %q0 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %q1 = tensor.extract_slice %x[4, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %zs0 = tensor.empty() : tensor<4x8xf32>
  %fs0 = linalg.fill ins(%zero : f32) outs(%zs0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s0 = linalg.matmul ins(%q0, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %zs1 = tensor.empty() : tensor<4x8xf32>
  %fs1 = linalg.fill ins(%zero : f32) outs(%zs1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s1 = linalg.matmul ins(%q1, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0 : tensor<4x8xf32>) outs(%zs0 : tensor<4x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.constant 0 : index
    %at = arith.addi %i, %first : index
    %d = arith.subi %j, %at : index
    %di = arith.index_cast %d : index to i32
    %df = arith.sitofp %di : i32 to f32
    %slope = arith.constant 0.5 : f32
    %bias = arith.mulf %df, %slope : f32
    %r = arith.addf %a0, %bias : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1 : tensor<4x8xf32>) outs(%zs1 : tensor<4x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.constant 4 : index
    %at = arith.addi %i, %first : index
    %d = arith.subi %j, %at : index
    %di = arith.index_cast %d : index to i32
    %df = arith.sitofp %di : i32 to f32
    %slope = arith.constant 0.5 : f32
    %bias = arith.mulf %df, %slope : f32
    %r = arith.addf %a0, %bias : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %all = tensor.concat dim(0) %m0, %m1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %y = call @weigh_rows(%all, %x) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Chunks in reverse, of which one between others is inserted last.
// CHECK-LABEL: func @inserted_in_reverse(
// CHECK-NOT: arith.select
// CHECK: xsa.attention
// CHECK-NOT: arith.select
// CHECK: return
func.func @inserted_in_reverse(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %es = tensor.empty() : tensor<8x8xf32>
  %q0 = tensor.extract_slice %x[0, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %zs0 = tensor.empty() : tensor<2x8xf32>
  %fs0 = linalg.fill ins(%zero : f32) outs(%zs0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s0 = linalg.matmul ins(%q0, %t : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %q1 = tensor.extract_slice %x[2, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %zs1 = tensor.empty() : tensor<2x8xf32>
  %fs1 = linalg.fill ins(%zero : f32) outs(%zs1 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s1 = linalg.matmul ins(%q1, %t : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs1 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %q2 = tensor.extract_slice %x[4, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %zs2 = tensor.empty() : tensor<2x8xf32>
  %fs2 = linalg.fill ins(%zero : f32) outs(%zs2 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s2 = linalg.matmul ins(%q2, %t : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs2 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %q3 = tensor.extract_slice %x[6, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %zs3 = tensor.empty() : tensor<2x8xf32>
  %fs3 = linalg.fill ins(%zero : f32) outs(%zs3 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s3 = linalg.matmul ins(%q3, %t : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs3 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %i0 = tensor.insert_slice %s0 into %es[6, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
  %i1 = tensor.insert_slice %s3 into %i0[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
  %i2 = tensor.insert_slice %s1 into %i1[4, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
  %all = tensor.insert_slice %s2 into %i2[2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into tensor<8x8xf32>
  %y = call @weigh_rows(%all, %x) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A piece that is a quarter of the rows does not make quarters of the other.
// CHECK-LABEL: func @a_quarter_of_another_tensor(
// CHECK-NOT: tensor.collapse_shape
// CHECK-COUNT-1: arith.select
// CHECK-NOT: tensor.collapse_shape
// CHECK: xsa.attention
// CHECK: return
func.func @a_quarter_of_another_tensor(%x: tensor<8x4xf32>, %q0: tensor<2x4xf32>, %q1: tensor<6x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %zs0 = tensor.empty() : tensor<2x8xf32>
  %fs0 = linalg.fill ins(%zero : f32) outs(%zs0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %s0 = linalg.matmul ins(%q0, %t : tensor<2x4xf32>, tensor<4x8xf32>) outs(%fs0 : tensor<2x8xf32>) -> tensor<2x8xf32>
  %zs1 = tensor.empty() : tensor<6x8xf32>
  %fs1 = linalg.fill ins(%zero : f32) outs(%zs1 : tensor<6x8xf32>) -> tensor<6x8xf32>
  %s1 = linalg.matmul ins(%q1, %t : tensor<6x4xf32>, tensor<4x8xf32>) outs(%fs1 : tensor<6x8xf32>) -> tensor<6x8xf32>
  %all = tensor.concat dim(0) %s0, %s1 : (tensor<2x8xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
  %y = call @weigh_rows(%all, %x) : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Heads in pairs, the last one alone.
// CHECK-LABEL: func @five_heads_on_three(
// CHECK-NOT: arith.select
// CHECK: xsa.attention
// CHECK: return
func.func @five_heads_on_three(%x: tensor<5x8x4xf32>, %k: tensor<3x8x4xf32>) -> tensor<5x8x4xf32> {
  %q0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<5x8x4xf32> to tensor<8x4xf32>
  %k0 = tensor.extract_slice %k[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<3x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%q0, %k0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %s0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %q1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<5x8x4xf32> to tensor<8x4xf32>
  %k1 = tensor.extract_slice %k[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<3x8x4xf32> to tensor<8x4xf32>
  %s1 = call @scores(%q1, %k1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p1 = tensor.expand_shape %s1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %q2 = tensor.extract_slice %x[2, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<5x8x4xf32> to tensor<8x4xf32>
  %k2 = tensor.extract_slice %k[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<3x8x4xf32> to tensor<8x4xf32>
  %s2 = call @scores(%q2, %k2) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p2 = tensor.expand_shape %s2 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %q3 = tensor.extract_slice %x[3, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<5x8x4xf32> to tensor<8x4xf32>
  %k3 = tensor.extract_slice %k[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<3x8x4xf32> to tensor<8x4xf32>
  %s3 = call @scores(%q3, %k3) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p3 = tensor.expand_shape %s3 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %q4 = tensor.extract_slice %x[4, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<5x8x4xf32> to tensor<8x4xf32>
  %k4 = tensor.extract_slice %k[2, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<3x8x4xf32> to tensor<8x4xf32>
  %s4 = call @scores(%q4, %k4) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p4 = tensor.expand_shape %s4 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1, %p2, %p3, %p4 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<5x8x8xf32>
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<5x8x8xf32>
  %ey = tensor.empty() : tensor<5x8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<5x8x4xf32>) -> tensor<5x8x4xf32>
  %p = linalg.softmax dimension(2) ins(%all : tensor<5x8x8xf32>) outs(%es : tensor<5x8x8xf32>) -> tensor<5x8x8xf32>
  %y = linalg.batch_matmul ins(%p, %x : tensor<5x8x8xf32>, tensor<5x8x4xf32>) outs(%y0 : tensor<5x8x4xf32>) -> tensor<5x8x4xf32>
  return %y : tensor<5x8x4xf32>
}

// As many chunks as values of the first digit, the last of which ends between them.
// CHECK-LABEL: func @three_chunks_across_digits(
// CHECK-NOT: arith.select
// CHECK: xsa.attention
// CHECK-NOT: arith.select
// CHECK: return
func.func @three_chunks_across_digits(%x: tensor<12x4xf32>, %k: tensor<8x4xf32>) -> tensor<3x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%k : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %es = tensor.empty() : tensor<12x8xf32>
  %q0 = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<12x4xf32> to tensor<4x4xf32>
  %q1 = tensor.extract_slice %x[4, 0] [5, 4] [1, 1] : tensor<12x4xf32> to tensor<5x4xf32>
  %q2 = tensor.extract_slice %x[9, 0] [3, 4] [1, 1] : tensor<12x4xf32> to tensor<3x4xf32>
  %zs0 = tensor.empty() : tensor<4x8xf32>
  %fs0 = linalg.fill ins(%zero : f32) outs(%zs0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %s0 = linalg.matmul ins(%q0, %t : tensor<4x4xf32>, tensor<4x8xf32>) outs(%fs0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %zs1 = tensor.empty() : tensor<5x8xf32>
  %fs1 = linalg.fill ins(%zero : f32) outs(%zs1 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %s1 = linalg.matmul ins(%q1, %t : tensor<5x4xf32>, tensor<4x8xf32>) outs(%fs1 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %zs2 = tensor.empty() : tensor<3x8xf32>
  %fs2 = linalg.fill ins(%zero : f32) outs(%zs2 : tensor<3x8xf32>) -> tensor<3x8xf32>
  %s2 = linalg.matmul ins(%q2, %t : tensor<3x4xf32>, tensor<4x8xf32>) outs(%fs2 : tensor<3x8xf32>) -> tensor<3x8xf32>
  %i0 = tensor.insert_slice %s0 into %es[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<12x8xf32>
  %i1 = tensor.insert_slice %s1 into %i0[4, 0] [5, 8] [1, 1] : tensor<5x8xf32> into tensor<12x8xf32>
  %all = tensor.insert_slice %s2 into %i1[9, 0] [3, 8] [1, 1] : tensor<3x8xf32> into tensor<12x8xf32>
  %blocks = tensor.expand_shape %all [[0, 1], [2]] output_shape [3, 4, 8] : tensor<12x8xf32> into tensor<3x4x8xf32>
  %eb = tensor.empty() : tensor<3x4x8xf32>
  %p = linalg.softmax dimension(2) ins(%blocks : tensor<3x4x8xf32>) outs(%eb : tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %ey = tensor.empty() : tensor<3x4x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b, i, d, j) -> (b, i, j)>, affine_map<(b, i, d, j) -> (j, d)>, affine_map<(b, i, d, j) -> (b, i, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %k : tensor<3x4x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<3x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<3x4x4xf32>
  return %y : tensor<3x4x4xf32>
}

func.func private @scores(%q: tensor<8x4xf32>, %k: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%k : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

func.func private @weigh(%s: tensor<2x8x8xf32>, %v: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

func.func private @weigh_rows(%s: tensor<8x8xf32>, %v: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %v : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
