// RUN: xsa-opt %s --split-input-file --convert-attention-to-xsa --canonicalize 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --split-input-file --convert-attention-to-xsa -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not="remark:"

// Scores and probabilities that are put together from pieces, such as one
// product for each head, are one product of what the pieces read.

#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>

// torch.stack([q[h] @ k[h].T for h in range(2)]).softmax(-1) @ v
// CHECK-LABEL: func @scores_of_each_head(
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK: %[[H:.*]] = tensor.expand_shape %[[X]]
// CHECK-NOT: tensor.concat
// CHECK: xsa.attention {exclusion = {{.*}} ins(%[[H]], %[[H]], %[[H]]
func.func @scores_of_each_head(%x: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %ess = tensor.empty() : tensor<8x8xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %ss0 = linalg.fill ins(%zero : f32) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %h0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %h[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h0, %h0 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h1, %h1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s0he = tensor.expand_shape %s0h [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %s1he = tensor.expand_shape %s1h [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %s = tensor.concat dim(0) %s0he, %s1he : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y = linalg.batch_matmul ins(%p, %h : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>

// The softmax is of each head too.
// CHECK-LABEL: func @probabilities_of_each_head(
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK: %[[H:.*]] = tensor.expand_shape %[[X]]
// CHECK: xsa.attention {exclusion = {{.*}} ins(%[[H]], %[[H]], %[[H]]
func.func @probabilities_of_each_head(%x: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %ess = tensor.empty() : tensor<8x8xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %ss0 = linalg.fill ins(%zero : f32) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %h0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %h[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h0, %h0 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h1, %h1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p0 = linalg.softmax dimension(1) ins(%s0h : tensor<8x8xf32>) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p1 = linalg.softmax dimension(1) ins(%s1h : tensor<8x8xf32>) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p0e = tensor.expand_shape %p0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p1e = tensor.expand_shape %p1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %p = tensor.concat dim(0) %p0e, %p1e : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %y = linalg.batch_matmul ins(%p, %h : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>

// A number that differs by head is a factor of the queries.
// CHECK-LABEL: func @scale_of_each_head(
// CHECK: %[[Q:.*]] = linalg.generic
// CHECK: arith.select
// CHECK: arith.mulf
// CHECK: xsa.attention {exclusion = {{.*}} ins(%[[Q]],
func.func @scale_of_each_head(%x: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %ess = tensor.empty() : tensor<8x8xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %ss0 = linalg.fill ins(%zero : f32) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %h0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %h[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h0, %h0 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h1, %h1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %ct0 = arith.constant dense<0.5> : tensor<8x8xf32>
  %t0 = linalg.mul ins(%s0h, %ct0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %ct1 = arith.constant dense<0.25> : tensor<8x8xf32>
  %t1 = linalg.mul ins(%s1h, %ct1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t0e = tensor.expand_shape %t0 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %t1e = tensor.expand_shape %t1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %s = tensor.concat dim(0) %t0e, %t1e : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y = linalg.batch_matmul ins(%p, %h : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>

// Keys of the other head: read at places that grow from the last to the first.
// CHECK-LABEL: func @keys_of_the_other_head(
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK: %[[H:.*]] = tensor.expand_shape %[[X]]
// CHECK: %[[K:.*]] = linalg.generic
// CHECK: xsa.attention {exclusion = {{.*}} ins(%[[H]], %[[K]], %[[H]]
func.func @keys_of_the_other_head(%x: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %ess = tensor.empty() : tensor<8x8xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %ss0 = linalg.fill ins(%zero : f32) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %h0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %h[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h0, %h1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h1, %h0 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s0he = tensor.expand_shape %s0h [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %s1he = tensor.expand_shape %s1h [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %s = tensor.concat dim(0) %s0he, %s1he : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y = linalg.batch_matmul ins(%p, %h : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>

// Queries that have nothing in common are put together as a tensor.
// CHECK-LABEL: func @queries_apart(
// CHECK: linalg.tanh
// CHECK: linalg.exp
// CHECK: xsa.attention {exclusion
func.func @queries_apart(%x: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %e1 = tensor.empty() : tensor<8x4xf32>
  %ess = tensor.empty() : tensor<8x8xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %ss0 = linalg.fill ins(%zero : f32) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %h0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %h[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %w0 = linalg.tanh ins(%h0 : tensor<8x4xf32>) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %w1 = linalg.exp ins(%h1 : tensor<8x4xf32>) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s0h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w0, %h0 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w1, %h1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s0he = tensor.expand_shape %s0h [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %s1he = tensor.expand_shape %s1h [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %s = tensor.concat dim(0) %s0he, %s1he : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y = linalg.batch_matmul ins(%p, %h : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>

// Scores of some keys, then of the others, that are not as many.
// CHECK-LABEL: func @keys_in_two_pieces(
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK: xsa.attention {exclusion = {{.*}} ins(%[[X]], %[[X]], %[[X]]
func.func @keys_in_two_pieces(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ess = tensor.empty() : tensor<8x8xf32>
  %ss0 = linalg.fill ins(%zero : f32) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %ka = tensor.extract_slice %x[0, 0] [3, 8] [1, 1] : tensor<8x8xf32> to tensor<3x8xf32>
  %kb = tensor.extract_slice %x[3, 0] [5, 8] [1, 1] : tensor<8x8xf32> to tensor<5x8xf32>
  %esa = tensor.empty() : tensor<8x3xf32>
  %fsa = linalg.fill ins(%zero : f32) outs(%esa : tensor<8x3xf32>) -> tensor<8x3xf32>
  %sa = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %ka : tensor<8x8xf32>, tensor<3x8xf32>) outs(%fsa : tensor<8x3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x3xf32>
  %esb = tensor.empty() : tensor<8x5xf32>
  %fsb = linalg.fill ins(%zero : f32) outs(%esb : tensor<8x5xf32>) -> tensor<8x5xf32>
  %sb = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %kb : tensor<8x8xf32>, tensor<5x8xf32>) outs(%fsb : tensor<8x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x5xf32>
  %s = tensor.concat dim(1) %sa, %sb : (tensor<8x3xf32>, tensor<8x5xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%ss0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>

// The product with a single key does not depend on the key.
// CHECK-LABEL: func @one_key_alone(
// CHECK-SAME: %[[X:.*]]: tensor
// CHECK: xsa.attention {exclusion = {{.*}} ins(%[[X]], %[[X]], %[[X]]
func.func @one_key_alone(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %ess = tensor.empty() : tensor<8x8xf32>
  %ss0 = linalg.fill ins(%zero : f32) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %ka = tensor.extract_slice %x[0, 0] [7, 8] [1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
  %kb = tensor.extract_slice %x[7, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %esa = tensor.empty() : tensor<8x7xf32>
  %fsa = linalg.fill ins(%zero : f32) outs(%esa : tensor<8x7xf32>) -> tensor<8x7xf32>
  %sa = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %ka : tensor<8x8xf32>, tensor<7x8xf32>) outs(%fsa : tensor<8x7xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x7xf32>
  %f8 = tensor.empty() : tensor<8xf32>
  %g8 = linalg.fill ins(%zero : f32) outs(%f8 : tensor<8xf32>) -> tensor<8xf32>
  %sv = linalg.matvec ins(%x, %kb : tensor<8x8xf32>, tensor<8xf32>) outs(%g8 : tensor<8xf32>) -> tensor<8xf32>
  %sb = tensor.expand_shape %sv [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %s = tensor.concat dim(1) %sa, %sb : (tensor<8x7xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%ss0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>

// Scores that go through different operations are two attentions.
// REMARK: remark: attention left alone: scores are chosen between two products of queries and keys
// CHECK-LABEL: func @different_operations(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @different_operations(%x: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %ess = tensor.empty() : tensor<8x8xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %ss0 = linalg.fill ins(%zero : f32) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %h0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %h[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h0, %h0 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h1, %h1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %t1 = linalg.tanh ins(%s1h : tensor<8x8xf32>) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s0he = tensor.expand_shape %s0h [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %t1e = tensor.expand_shape %t1 [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %s = tensor.concat dim(0) %s0he, %t1e : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y = linalg.batch_matmul ins(%p, %h : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}

// -----

#q = affine_map<(i, j, d) -> (i, d)>
#k = affine_map<(i, j, d) -> (j, d)>
#s = affine_map<(i, j, d) -> (i, j)>

// Values in the other order are not the own ones, however scores are made.
// REMARK: remark: attention not made exclusive: query and value read different rows of argument 0
// CHECK-LABEL: func @values_swapped(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
// CHECK: return
func.func @values_swapped(%x: tensor<8x8xf32>) -> tensor<2x8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %ess = tensor.empty() : tensor<8x8xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %ss0 = linalg.fill ins(%zero : f32) outs(%ess : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %h0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %h1 = tensor.extract_slice %h[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %s0h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h0, %h0 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s1h = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h1, %h1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ss0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %s0he = tensor.expand_shape %s0h [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %s1he = tensor.expand_shape %s1h [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %s = tensor.concat dim(0) %s0he, %s1he : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %hs = linalg.generic {indexing_maps = [affine_map<(b, i, d) -> (b, i, d)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%ey : tensor<2x8x4xf32>) {
  ^bb0(%out: f32):
    %b = linalg.index 0 : index
    %i = linalg.index 1 : index
    %d = linalg.index 2 : index
    %c7 = arith.constant 7 : index
    %j = arith.subi %c7, %i : index
    %r = tensor.extract %h[%b, %j, %d] : tensor<2x8x4xf32>
    linalg.yield %r : f32
  } -> tensor<2x8x4xf32>
  %y = linalg.batch_matmul ins(%p, %hs : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %y : tensor<2x8x4xf32>
}
