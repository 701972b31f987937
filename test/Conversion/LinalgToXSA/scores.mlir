// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention),cse)' 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention{strict=true}),cse)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT

// Sums with something more, scores in another order, bounds of keys.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> ()>

// A learned logit in the sum.
// CHECK-LABEL: func @sink_as_term(
// CHECK-SAME: %[[SINK:[^:]*]]: tensor<f32>
// CHECK: xsa.attention {indexing_maps
// CHECK-SAME: sinks(%[[SINK]] : tensor<f32>)
func.func @sink_as_term(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %sink: tensor<f32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%s : tensor<8x8xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %mx : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #row, #all, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l, %mx, %sink : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %o: f32):
    %d = arith.subf %a3, %a2 : f32
    %f = math.exp %d : f32
    %n = arith.addf %a1, %f : f32
    %r = arith.divf %a0, %n : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Softmax off by one is a sink of 0.
// CHECK-LABEL: func @off_by_one(
// CHECK: xsa.attention {indexing_maps
// CHECK-SAME: sinks(%{{.*}} : tensor<f32>)
func.func @off_by_one(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.exp ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %n = arith.addf %a1, %one : f32
    %r = arith.divf %a0, %n : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A further key that is cut off after the softmax.
// CHECK-LABEL: func @sink_as_key(
// CHECK-SAME: %[[SINK:[^:]*]]: tensor<f32>
// CHECK: xsa.attention {indexing_maps
// CHECK-SAME: sinks(%[[SINK]] : tensor<f32>)
func.func @sink_as_key(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %sink: tensor<f32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %ec = tensor.empty() : tensor<8x1xf32>
  %e9 = tensor.empty() : tensor<8x9xf32>
  %column = linalg.generic {indexing_maps = [#all, #id], iterator_types = ["parallel", "parallel"]} ins(%sink : tensor<f32>) outs(%ec : tensor<8x1xf32>) {
  ^bb0(%a0: f32, %o: f32):
    linalg.yield %a0 : f32
  } -> tensor<8x1xf32>
  %j = tensor.concat dim(1) %s, %column : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x9xf32>
  %q = linalg.softmax dimension(1) ins(%j : tensor<8x9xf32>) outs(%e9 : tensor<8x9xf32>) -> tensor<8x9xf32>
  %p = tensor.extract_slice %q[0, 0] [8, 8] [1, 1] : tensor<8x9xf32> to tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A logit of each head that an exporter repeated for all rows.
// CHECK-LABEL: func @repeated_sink(
// CHECK: xsa.attention {indexing_maps
// CHECK-SAME: sinks(%{{.*}} : tensor<2xf32>)
func.func @repeated_sink(%x: tensor<2x3x4xf32>, %t: tensor<2x4x3xf32>) -> tensor<2x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %column = arith.constant dense<[[[0.5], [0.5], [0.5]], [[2.0], [2.0], [2.0]]]> : tensor<2x3x1xf32>
  %es = tensor.empty() : tensor<2x3x3xf32>
  %ey = tensor.empty() : tensor<2x3x4xf32>
  %e4 = tensor.empty() : tensor<2x3x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %s = linalg.batch_matmul ins(%x, %t : tensor<2x3x4xf32>, tensor<2x4x3xf32>) outs(%s0 : tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %j = tensor.concat dim(2) %s, %column : (tensor<2x3x3xf32>, tensor<2x3x1xf32>) -> tensor<2x3x4xf32>
  %q = linalg.softmax dimension(2) ins(%j : tensor<2x3x4xf32>) outs(%e4 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %p = tensor.extract_slice %q[0, 0, 0] [2, 3, 3] [1, 1, 1] : tensor<2x3x4xf32> to tensor<2x3x3xf32>
  %y = linalg.batch_matmul ins(%p, %x : tensor<2x3x3xf32>, tensor<2x3x4xf32>) outs(%y0 : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// An epsilon below the rounding of a sum that is at least 1.
// CHECK-LABEL: func @epsilon(
// CHECK: xsa.attention {indexing_maps
// CHECK-NOT: sinks
// STRICT-DAG: remark: attention left alone: a constant is added to the sum of exponentials after the maximum was subtracted
func.func @epsilon(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %eps = arith.constant 1.0e-8 : f32
  %mx = linalg.reduce { arith.maximumf } ins(%s : tensor<8x8xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %mx : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.subf %a0, %a1 : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %n = arith.addf %a1, %eps : f32
    %r = arith.divf %a0, %n : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The soft cap is the last thing done to scores: the bias is inside of it.
// CHECK-LABEL: func @cap_after_bias(
// CHECK-SAME: %[[BIAS:[^:]*]]: tensor<8x8xf32>
// CHECK: xsa.attention {indexing_maps
// CHECK-SAME: score_inputs(%[[BIAS]] : tensor<8x8xf32>)
// CHECK: ^bb0(%[[S:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: index, %{{.*}}: index):
// CHECK: %[[SUM:.*]] = arith.addf %[[S]], %[[B]]
// CHECK: arith.mulf %[[SUM]]
// CHECK: math.tanh
// CHECK: xsa.yield
func.func @cap_after_bias(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %bias: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %cap = arith.constant 20.0 : f32
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %bias : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %u = arith.addf %a0, %a1 : f32
    %d = arith.divf %u, %cap : f32
    %h = math.tanh %d : f32
    %r = arith.mulf %h, %cap : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%b : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Whether a row keeps a key is known at run time only: a finite value stays one.
// CHECK-LABEL: func @finite_value(
// CHECK: xsa.attention {indexing_maps
// CHECK-SAME: score_inputs(%{{.*}} : tensor<8x8xf32>)
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: xsa.yield
func.func @finite_value(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %keep: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %low = arith.constant -1.0e9 : f32
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %keep : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %low : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%b : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A length hides keys without a mask.
// CHECK-LABEL: func @length(
// CHECK-SAME: %[[LENGTH:[^:]*]]: tensor<i64>
// CHECK: xsa.attention {indexing_maps
// CHECK-NOT: mask(
// CHECK-SAME: key_end(%[[LENGTH]] : tensor<i64>)
// STRICT-DAG: remark: attention left alone: rows may keep no key, for which the model gives NaN
func.func @length(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %length: tensor<i64>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = linalg.generic {indexing_maps = [#id, #all, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %length : tensor<8x8xf32>, tensor<i64>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i64, %o: f32):
    %j = linalg.index 1 : index
    %j64 = arith.index_cast %j : index to i64
    %c = arith.cmpi slt, %j64, %a1 : i64
    %r = arith.select %c, %a0, %ninf : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%b : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
