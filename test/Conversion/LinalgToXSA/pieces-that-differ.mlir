// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s

// Pieces of scores that look alike and are not: what differs stays different.
// Pieces that read heads in groups are read as such.

#id = affine_map<(i, j) -> (i, j)>

// The bias of one head is a sine, of the other one a cosine.
// CHECK-LABEL: func @biases(
// CHECK-DAG: math.sin
// CHECK-DAG: math.cos
// CHECK: return
func.func @biases(%x: tensor<2x8x4xf32>, %b: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %t: f32, %o: f32):
    %u = math.sin %t : f32
    %r = arith.addf %s, %u : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %t: f32, %o: f32):
    %u = math.cos %t : f32
    %r = arith.addf %s, %u : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// One head sees what the other one does not.
// CHECK-LABEL: func @masks(
// CHECK-DAG: arith.cmpf oge
// CHECK-DAG: arith.cmpf olt
// CHECK: return
func.func @masks(%x: tensor<2x8x4xf32>, %b: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %t: f32, %o: f32):
    %c = arith.cmpf oge, %t, %zero : f32
    %r = arith.select %c, %s, %low : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %t: f32, %o: f32):
    %c = arith.cmpf olt, %t, %zero : f32
    %r = arith.select %c, %s, %low : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// A sum in one head, a product in the other one.
// CHECK-LABEL: func @steps(
// CHECK-DAG: arith.addf %{{.*}}, %cst
// CHECK-DAG: arith.mulf %{{.*}}, %cst
// CHECK: return
func.func @steps(%x: tensor<2x8x4xf32>, %b: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %es = tensor.empty() : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %s1 = call @scores(%h1, %h1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %m0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %t: f32, %o: f32):
    %k = arith.constant 0.75 : f32
    %u = arith.addf %t, %k : f32
    %w = math.tanh %u : f32
    %r = arith.addf %s, %w : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %m1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %t: f32, %o: f32):
    %k = arith.constant 0.75 : f32
    %u = arith.mulf %t, %k : f32
    %w = math.tanh %u : f32
    %r = arith.addf %s, %w : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %m0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %m1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// Two heads in a row read the same keys, which are not copied.
// CHECK-LABEL: func @groups_inside(
// CHECK-NOT: tensor.concat
// CHECK-NOT: tensor.extract %
// CHECK: xsa.attention
// CHECK: return
func.func @groups_inside(%x: tensor<4x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<4x8x4xf32>) -> tensor<4x8x4xf32> {
  %q0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<4x8x4xf32> to tensor<8x4xf32>
  %k0 = tensor.extract_slice %k[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%q0, %k0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %s0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %q1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<4x8x4xf32> to tensor<8x4xf32>
  %k1 = tensor.extract_slice %k[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s1 = call @scores(%q1, %k1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p1 = tensor.expand_shape %s1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %q2 = tensor.extract_slice %x[2, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<4x8x4xf32> to tensor<8x4xf32>
  %k2 = tensor.extract_slice %k[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s2 = call @scores(%q2, %k2) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p2 = tensor.expand_shape %s2 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %q3 = tensor.extract_slice %x[3, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<4x8x4xf32> to tensor<8x4xf32>
  %k3 = tensor.extract_slice %k[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s3 = call @scores(%q3, %k3) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p3 = tensor.expand_shape %s3 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1, %p2, %p3 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<4x8x8xf32>
  %y = call @weigh_four(%all, %v) : (tensor<4x8x8xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
  return %y : tensor<4x8x4xf32>
}

// Or every other one.
// CHECK-LABEL: func @groups_outside(
// CHECK-NOT: tensor.concat
// CHECK-NOT: tensor.extract %
// CHECK: xsa.attention
// CHECK: return
func.func @groups_outside(%x: tensor<4x8x4xf32>, %k: tensor<2x8x4xf32>, %v: tensor<4x8x4xf32>) -> tensor<4x8x4xf32> {
  %q0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<4x8x4xf32> to tensor<8x4xf32>
  %k0 = tensor.extract_slice %k[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%q0, %k0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %s0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %q1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<4x8x4xf32> to tensor<8x4xf32>
  %k1 = tensor.extract_slice %k[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s1 = call @scores(%q1, %k1) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p1 = tensor.expand_shape %s1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %q2 = tensor.extract_slice %x[2, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<4x8x4xf32> to tensor<8x4xf32>
  %k2 = tensor.extract_slice %k[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s2 = call @scores(%q2, %k2) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p2 = tensor.expand_shape %s2 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %q3 = tensor.extract_slice %x[3, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<4x8x4xf32> to tensor<8x4xf32>
  %k3 = tensor.extract_slice %k[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s3 = call @scores(%q3, %k3) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %p3 = tensor.expand_shape %s3 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1, %p2, %p3 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<4x8x8xf32>
  %y = call @weigh_four(%all, %v) : (tensor<4x8x8xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
  return %y : tensor<4x8x4xf32>
}

// One head multiplies half of the columns only: a sum of another length.
// CHECK-LABEL: func @shorter_product(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @shorter_product(%x: tensor<2x8x4xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %s00 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 2] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x2xf32>
  %s0 = call @scores(%h0, %h0) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  %et = tensor.empty() : tensor<2x8xf32>
  %t = linalg.transpose ins(%h1 : tensor<8x2xf32>) outs(%et : tensor<2x8xf32>) permutation = [1, 0]
  %s1 = linalg.matmul ins(%h1, %t : tensor<8x2xf32>, tensor<2x8xf32>) outs(%s00 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p0 = tensor.expand_shape %s0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1 = tensor.expand_shape %s1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %p0, %p1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = call @weigh(%all, %x) : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
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

func.func private @weigh_four(%s: tensor<4x8x8xf32>, %v: tensor<4x8x4xf32>) -> tensor<4x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x8x8xf32>
  %ey = tensor.empty() : tensor<4x8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x8x8xf32>) outs(%es : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %y = linalg.batch_matmul ins(%p, %v : tensor<4x8x8xf32>, tensor<4x8x4xf32>) outs(%y0 : tensor<4x8x4xf32>) -> tensor<4x8x4xf32>
  return %y : tensor<4x8x4xf32>
}
