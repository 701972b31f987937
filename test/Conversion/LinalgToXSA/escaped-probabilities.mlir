// RUN: xsa-opt %s --split-input-file --convert-attention-to-xsa --verify-diagnostics | FileCheck %s

// What else a model does with probabilities decides whether its attention may
// become exclusive. Raising keeps it either way.

// Returned, and averaged over the rows on the way: for looking at.
// CHECK-LABEL: func @looked_at(
// CHECK: xsa.attention {exclusion
func.func @looked_at(%x: tensor<8x4xf32>, %xt: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %er = tensor.empty() : tensor<8xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = linalg.reduce { arith.addf } ins(%p : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [0]
  return %y, %a : tensor<8x4xf32>, tensor<8xf32>
}

// -----

// Two products with one softmax are one decision, whichever comes first: what
// the own value is, is not certain for either of them.
// CHECK-LABEL: func @two_products(
// CHECK-NOT: exclusion
// CHECK-COUNT-2: xsa.attention
// CHECK-NOT: exclusion
func.func @two_products(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %w = linalg.tanh ins(%x : tensor<8x4xf32>) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by another product ('linalg.matmul')}}
  %y1 = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by another product ('linalg.matmul')}}
  %y2 = linalg.matmul ins(%p, %w : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.mul ins(%y1, %y2 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// A hand-written backward pass needs the output that belongs to them.
// CHECK-LABEL: func @backward(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @backward(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by 'linalg.mul', which would no longer belong to the output}}
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %d = linalg.mul ins(%p, %s : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %d : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

// The entropy of the probabilities: of an operation that is written out, the
// remark names what it begins with.
// CHECK-LABEL: func @entropy(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @entropy(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by 'math.log', which would no longer belong to the output}}
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %wide = arith.extf %a : f32 to f64
    %l = math.log %wide : f64
    %n = arith.truncf %l : f64 to f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  return %y, %d : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

#bq = affine_map<(b, i, j, d) -> (b, i, d)>
#bk = affine_map<(b, i, j, d) -> (b, j, d)>
#bs = affine_map<(b, i, j, d) -> (b, i, j)>

// One softmax for all heads, a product for each: it reads the probabilities of
// its own head, and those of the others are no use of them.
// CHECK-LABEL: func @heads_one_by_one(
// CHECK-COUNT-2: xsa.attention {exclusion
func.func @heads_one_by_one(%x: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %e1 = tensor.empty() : tensor<8x4xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %s = linalg.generic {indexing_maps = [#bq, #bk, #bs], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%h, %h : tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%s0 : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p0 = tensor.extract_slice %p[0, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32>
  %p1 = tensor.extract_slice %p[1, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32>
  %v0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %v1 = tensor.extract_slice %h[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %ya = linalg.matmul ins(%p0, %v0 : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %yb = linalg.matmul ins(%p1, %v1 : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.add ins(%ya, %yb : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#bq = affine_map<(b, i, j, d) -> (b, i, d)>
#bk = affine_map<(b, i, j, d) -> (b, j, d)>
#bs = affine_map<(b, i, j, d) -> (b, i, j)>

// So it is with exponentials and sums, where the division comes last.
// CHECK-LABEL: func @divided_one_by_one(
// CHECK-COUNT-2: xsa.attention {exclusion
func.func @divided_one_by_one(%x: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %e1 = tensor.empty() : tensor<8x4xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %s = linalg.generic {indexing_maps = [#bq, #bk, #bs], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%h, %h : tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%s0 : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x8x8xf32>
  %e = linalg.exp ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %er = tensor.empty() : tensor<2x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %l = linalg.reduce { arith.addf } ins(%e : tensor<2x8x8xf32>) outs(%r0 : tensor<2x8xf32>) dimensions = [2]
  %v0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %v1 = tensor.extract_slice %h[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %w0 = tensor.extract_slice %e[0, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32>
  %l0 = tensor.extract_slice %l[0, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32>
  %b0 = linalg.broadcast ins(%l0 : tensor<8xf32>) outs(%e1 : tensor<8x4xf32>) dimensions = [1]
  %u0 = linalg.matmul ins(%w0, %v0 : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %ya = linalg.div ins(%u0, %b0 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %w1 = tensor.extract_slice %e[1, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32>
  %l1 = tensor.extract_slice %l[1, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32>
  %b1 = linalg.broadcast ins(%l1 : tensor<8xf32>) outs(%e1 : tensor<8x4xf32>) dimensions = [1]
  %u1 = linalg.matmul ins(%w1, %v1 : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %yb = linalg.div ins(%u1, %b1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.add ins(%ya, %yb : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#bq = affine_map<(b, i, j, d) -> (b, i, d)>
#bk = affine_map<(b, i, j, d) -> (b, j, d)>
#bs = affine_map<(b, i, j, d) -> (b, i, j)>

// One head that weighs two sets of values is not two heads.
// CHECK-LABEL: func @one_head_twice(
// CHECK-NOT: exclusion
// CHECK-COUNT-2: xsa.attention
// CHECK-NOT: exclusion
func.func @one_head_twice(%x: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %e1 = tensor.empty() : tensor<8x4xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %s = linalg.generic {indexing_maps = [#bq, #bk, #bs], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%h, %h : tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%s0 : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p0 = tensor.extract_slice %p[0, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32>
  %v0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  %v1 = tensor.extract_slice %h[1, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by another product ('linalg.matmul')}}
  %ya = linalg.matmul ins(%p0, %v0 : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by another product ('linalg.matmul')}}
  %yb = linalg.matmul ins(%p0, %v1 : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.add ins(%ya, %yb : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

#bq = affine_map<(b, i, j, d) -> (b, i, d)>
#bk = affine_map<(b, i, j, d) -> (b, j, d)>
#bs = affine_map<(b, i, j, d) -> (b, i, j)>

// Nor is one head and all of them.
// CHECK-LABEL: func @heads_overlap(
// CHECK-NOT: exclusion
// CHECK-COUNT-2: xsa.attention
// CHECK-NOT: exclusion
func.func @heads_overlap(%x: tensor<8x8xf32>) -> (tensor<8x4xf32>, tensor<2x8x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %ey = tensor.empty() : tensor<2x8x4xf32>
  %e1 = tensor.empty() : tensor<8x4xf32>
  %eh = tensor.empty() : tensor<2x8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %y1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %xh = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 4] : tensor<8x8xf32> into tensor<8x2x4xf32>
  %h = linalg.transpose ins(%xh : tensor<8x2x4xf32>) outs(%eh : tensor<2x8x4xf32>) permutation = [1, 0, 2]
  %s = linalg.generic {indexing_maps = [#bq, #bk, #bs], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%h, %h : tensor<2x8x4xf32>, tensor<2x8x4xf32>) outs(%s0 : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    %r = arith.addf %out, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %p0 = tensor.extract_slice %p[0, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32>
  %v0 = tensor.extract_slice %h[0, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by another product ('linalg.batch_matmul')}}
  %ya = linalg.matmul ins(%p0, %v0 : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by another product ('linalg.matmul')}}
  %yb = linalg.batch_matmul ins(%p, %h : tensor<2x8x8xf32>, tensor<2x8x4xf32>) outs(%y0 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  return %ya, %yb : tensor<8x4xf32>, tensor<2x8x4xf32>
}

// -----

// The norm that exponentials are divided by (F.normalize(p=1)) goes through powers
// and magnitudes of them, which belong to it.
// CHECK-LABEL: func @sum_of_powers(
// CHECK: xsa.attention {exclusion
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @sum_of_powers(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.exp ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = linalg.abs ins(%e : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = math.powf %in, %one : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %n = linalg.reduce { arith.addf } ins(%w : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %n : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %r = arith.divf %in, %sum : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// Read within bodies, as tensors of unknown sizes are when they are broadcast.
// CHECK-LABEL: func @read_within_bodies(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @read_within_bodies(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %size = tensor.dim %p, %c0 : tensor<8x8xf32>
  %copy = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%es : tensor<8x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %one = arith.constant 1 : index
    %repeats = arith.cmpi eq, %size, %one : index
    %at = arith.select %repeats, %c0, %i : index
    %e = tensor.extract %p[%at, %j] : tensor<8x8xf32>
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by 'math.log', which would no longer belong to the output}}
  %y = linalg.matmul ins(%copy, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%es : tensor<8x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %e = tensor.extract %p[%j, %i] : tensor<8x8xf32>
    %r = math.log %e : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  return %y, %z : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

// Only rearranged in a body.
// CHECK-LABEL: func @rearranged_within_bodies(
// CHECK: xsa.attention {exclusion
func.func @rearranged_within_bodies(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %et = tensor.empty() : tensor<4x8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<8x4xf32>) outs(%et : tensor<4x8xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %size = tensor.dim %p, %c0 : tensor<8x8xf32>
  %copy = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%es : tensor<8x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %one = arith.constant 1 : index
    %repeats = arith.cmpi eq, %size, %one : index
    %at = arith.select %repeats, %c0, %i : index
    %e = tensor.extract %p[%at, %j] : tensor<8x8xf32>
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%copy, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%es : tensor<8x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %e = tensor.extract %p[%j, %i] : tensor<8x8xf32>
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  return %y, %z : tensor<8x4xf32>, tensor<8x8xf32>
}

// -----

// The mean over rows of which there are any number.
// CHECK-LABEL: func @mean_of_any_length(
// CHECK: xsa.attention {exclusion
func.func @mean_of_any_length(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %es = tensor.empty(%n, %n) : tensor<?x?xf32>
  %ey = tensor.empty(%n) : tensor<?x4xf32>
  %et = tensor.empty(%n) : tensor<4x?xf32>
  %er = tensor.empty(%n) : tensor<?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %t = linalg.transpose ins(%x : tensor<?x4xf32>) outs(%et : tensor<4x?xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<?x4xf32>, tensor<4x?xf32>) outs(%s0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%p, %x : tensor<?x?xf32>, tensor<?x4xf32>) outs(%y0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %sum = linalg.reduce {arith.addf} ins(%p : tensor<?x?xf32>) outs(%r0 : tensor<?xf32>) dimensions = [0]
  %wide = arith.index_cast %n : index to i64
  %z = linalg.map ins(%sum : tensor<?xf32>) outs(%er : tensor<?xf32>) (%a: f32, %o: f32) {
    %f = arith.sitofp %wide : i64 to f32
    %r = arith.divf %a, %f : f32
    linalg.yield %r : f32
  }
  return %y, %z : tensor<?x4xf32>, tensor<?xf32>
}

// -----

// Divided by one of the probabilities.
// CHECK-LABEL: func @relative(
// CHECK-NOT: exclusion
// CHECK: xsa.attention
// CHECK-NOT: exclusion
func.func @relative(%x: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %es = tensor.empty(%n, %n) : tensor<?x?xf32>
  %ey = tensor.empty(%n) : tensor<?x4xf32>
  %et = tensor.empty(%n) : tensor<4x?xf32>
  %er = tensor.empty(%n) : tensor<?xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %t = linalg.transpose ins(%x : tensor<?x4xf32>) outs(%et : tensor<4x?xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%x, %t : tensor<?x4xf32>, tensor<4x?xf32>) outs(%s0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  // expected-remark @below {{attention not made exclusive: its probabilities are also used by 'linalg.map', which would no longer belong to the output}}
  %y = linalg.matmul ins(%p, %x : tensor<?x?xf32>, tensor<?x4xf32>) outs(%y0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %sum = linalg.reduce {arith.addf} ins(%p : tensor<?x?xf32>) outs(%r0 : tensor<?xf32>) dimensions = [0]
  %first = tensor.extract %sum[%c0] : tensor<?xf32>
  %z = linalg.map ins(%sum : tensor<?xf32>) outs(%er : tensor<?xf32>) (%a: f32, %o: f32) {
    %r = arith.divf %a, %first : f32
    linalg.yield %r : f32
  }
  return %y, %z : tensor<?x4xf32>, tensor<?xf32>
}
