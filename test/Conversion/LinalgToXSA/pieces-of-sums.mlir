// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s

// The softmax of each head has a sum of products, of exponentials with what they
// are masked by: terms of that sum are merged, and not factors of scores.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func @exponentials(
// CHECK-NOT: tensor.concat
// CHECK: xsa.attention {{.*}} ins(%{{.*}} : tensor<2x8x4xf32>
// CHECK: return
func.func @exponentials(%x: tensor<2x8x4xf32>, %keep: tensor<8x8xf32>, %b: tensor<8x8xi1>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %mask = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%c: i1, %o: f32):
    %u = arith.uitofp %c : i1 to f32
    linalg.yield %u : f32
  } -> tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%h0) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %e0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %c: i1, %o: f32):
    %e = math.exp %s : f32
    %t = arith.addf %e, %zero : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %l0 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%e0, %mask : tensor<8x8xf32>, tensor<8x8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p0 = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e0, %mask, %l0 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%e: f32, %m: f32, %l: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.divf %p, %l : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w0 = tensor.expand_shape %p0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s1 = call @scores(%h1) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %e1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %b : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %c: i1, %o: f32):
    %e = math.exp %s : f32
    %t = arith.addf %e, %zero : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %l1 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%e1, %mask : tensor<8x8xf32>, tensor<8x8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p1 = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e1, %mask, %l1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%e: f32, %m: f32, %l: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.divf %p, %l : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w1 = tensor.expand_shape %p1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %w0, %w1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %y = linalg.batch_matmul ins(%all, %x : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// CHECK-LABEL: func @powers_of_two(
// CHECK-NOT: tensor.concat
// CHECK: xsa.attention {{.*}} ins(%{{.*}} : tensor<2x8x4xf32>
// CHECK: return
func.func @powers_of_two(%x: tensor<2x8x4xf32>, %keep: tensor<8x8xf32>, %b: tensor<8x8xi1>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %mask = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%c: i1, %o: f32):
    %u = arith.uitofp %c : i1 to f32
    linalg.yield %u : f32
  } -> tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%h0) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %e0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %c: i1, %o: f32):
    %e = math.exp2 %s : f32
    %t = arith.addf %e, %zero : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %l0 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%e0, %mask : tensor<8x8xf32>, tensor<8x8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p0 = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e0, %mask, %l0 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%e: f32, %m: f32, %l: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.divf %p, %l : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w0 = tensor.expand_shape %p0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s1 = call @scores(%h1) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %e1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %b : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %c: i1, %o: f32):
    %e = math.exp2 %s : f32
    %t = arith.addf %e, %zero : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %l1 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%e1, %mask : tensor<8x8xf32>, tensor<8x8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p1 = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e1, %mask, %l1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%e: f32, %m: f32, %l: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.divf %p, %l : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w1 = tensor.expand_shape %p1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %w0, %w1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %y = linalg.batch_matmul ins(%all, %x : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// CHECK-LABEL: func @scaled(
// CHECK-NOT: tensor.concat
// CHECK: xsa.attention {{.*}} ins(%{{.*}} : tensor<2x8x4xf32>
// CHECK: return
func.func @scaled(%x: tensor<2x8x4xf32>, %keep: tensor<8x8xf32>, %b: tensor<8x8xi1>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %mask = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%c: i1, %o: f32):
    %u = arith.uitofp %c : i1 to f32
    linalg.yield %u : f32
  } -> tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%h0) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %e0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %c: i1, %o: f32):
    %e = math.exp %s : f32
    %t = arith.mulf %e, %half : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %l0 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%e0, %mask : tensor<8x8xf32>, tensor<8x8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p0 = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e0, %mask, %l0 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%e: f32, %m: f32, %l: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.divf %p, %l : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w0 = tensor.expand_shape %p0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s1 = call @scores(%h1) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %e1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %b : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %c: i1, %o: f32):
    %e = math.exp %s : f32
    %t = arith.mulf %e, %half : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %l1 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%e1, %mask : tensor<8x8xf32>, tensor<8x8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p1 = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e1, %mask, %l1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%e: f32, %m: f32, %l: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.divf %p, %l : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w1 = tensor.expand_shape %p1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %w0, %w1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %y = linalg.batch_matmul ins(%all, %x : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// CHECK-LABEL: func @chosen(
// CHECK-NOT: tensor.concat
// CHECK: xsa.attention {{.*}} ins(%{{.*}} : tensor<2x8x4xf32>
// CHECK: return
func.func @chosen(%x: tensor<2x8x4xf32>, %keep: tensor<8x8xf32>, %b: tensor<8x8xi1>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %el = tensor.empty() : tensor<8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%el : tensor<8xf32>) -> tensor<8xf32>
  %mask = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%c: i1, %o: f32):
    %u = arith.uitofp %c : i1 to f32
    linalg.yield %u : f32
  } -> tensor<8x8xf32>
  %h0 = tensor.extract_slice %x[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0 = call @scores(%h0) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %e0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s0, %b : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %c: i1, %o: f32):
    %e = math.exp %s : f32
    %t = arith.select %c, %e, %zero : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %l0 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%e0, %mask : tensor<8x8xf32>, tensor<8x8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p0 = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e0, %mask, %l0 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%e: f32, %m: f32, %l: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.divf %p, %l : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w0 = tensor.expand_shape %p0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %h1 = tensor.extract_slice %x[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s1 = call @scores(%h1) : (tensor<8x4xf32>) -> tensor<8x8xf32>
  %e1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s1, %b : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%s: f32, %c: i1, %o: f32):
    %e = math.exp %s : f32
    %t = arith.select %c, %e, %zero : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %l1 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["parallel", "reduction"]} ins(%e1, %mask : tensor<8x8xf32>, tensor<8x8xf32>) outs(%none : tensor<8xf32>) {
  ^bb0(%e: f32, %m: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %p1 = linalg.generic {indexing_maps = [#id, #id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e1, %mask, %l1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%e: f32, %m: f32, %l: f32, %o: f32):
    %p = arith.mulf %e, %m : f32
    %r = arith.divf %p, %l : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %w1 = tensor.expand_shape %p1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %all = tensor.concat dim(0) %w0, %w1 : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %y = linalg.batch_matmul ins(%all, %x : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

func.func private @scores(%x: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}
