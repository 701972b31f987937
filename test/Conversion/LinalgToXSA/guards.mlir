// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention),cse)' 2>/dev/null | FileCheck %s
// RUN: xsa-opt %s --pass-pipeline='builtin.module(func.func(xsa-raise-attention))' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Probabilities that are replaced by 0, masked once more, divided once more:
// where that changes nothing, or makes a mask of a finite value, it is read so.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>

// NaN and both infinities are replaced, one after the other.
// CHECK-LABEL: func @nan_to_num(
// CHECK: xsa.attention
// CHECK-SAME: mask(
func.func @nan_to_num(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %fill = arith.constant 0xFF800000 : f32
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %fill : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%h : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %inf = arith.constant 0x7F800000 : f32
  %least = arith.constant -3.40282347E+38 : f32
  %most = arith.constant 3.40282347E+38 : f32
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%q : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %n = arith.cmpf uno, %a0, %a0 : f32
    %b = arith.select %n, %zero, %a0 : f32
    %g = arith.cmpf oeq, %a0, %inf : f32
    %c = arith.select %g, %most, %b : f32
    %l = arith.cmpf oeq, %a0, %ninf : f32
    %r = arith.select %l, %least, %c : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A finite value is a mask where what it hides becomes 0 in empty rows too.
// CHECK-LABEL: func @zeroed_by_key(
// CHECK: xsa.attention
// CHECK-SAME: mask(
// CHECK-NOT: bias
func.func @zeroed_by_key(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %fill = arith.constant -1.0e+09 : f32
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %fill : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%h : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The mask says itself which rows are empty.
// CHECK-LABEL: func @zeroed_by_row(
// CHECK: xsa.attention
// CHECK-SAME: mask(
func.func @zeroed_by_row(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %fill = arith.constant -1.0e+09 : f32
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %fill : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%h : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %false = arith.constant false
  %eb = tensor.empty() : tensor<8xi1>
  %b0 = linalg.fill ins(%false : i1) outs(%eb : tensor<8xi1>) -> tensor<8xi1>
  %any = linalg.reduce { arith.ori } ins(%m : tensor<8x8xi1>) outs(%b0 : tensor<8xi1>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %any : tensor<8x8xf32>, tensor<8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Under a soft cap, what is hidden still takes part in the sum.
// REMARK: remark: attention left alone: probabilities are set to 0 after the softmax under a condition that is not its mask
// CHECK-LABEL: func @zeroed_beyond_cap(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @zeroed_beyond_cap(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %fill = arith.constant -1.0e+09 : f32
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %fill : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %r = math.tanh %a0 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%c : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Two finite masks: a row may be left to the other one.
// REMARK: remark: attention left alone: probabilities are set to 0 after the softmax under a condition that is not its mask
// CHECK-LABEL: func @zeroed_by_one_of_two(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @zeroed_by_one_of_two(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>, %m2: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %fill = arith.constant -1.0e+09 : f32
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %fill : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %m2 : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %fill : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%g : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Probabilities add up to 1 already.
// CHECK-LABEL: func @divided_twice(
// CHECK: xsa.attention
func.func @divided_twice(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%q : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Zeros and ones after the softmax, and a sum over what is left.
// CHECK-LABEL: func @masked_and_divided(
// CHECK: xsa.attention
// CHECK-SAME: mask(
func.func @masked_and_divided(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %k = arith.uitofp %a1 : i1 to f32
    %r = arith.mulf %a0, %k : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%g : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%g, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The same with a choice, torch.tril(p) / torch.tril(p).sum(-1).
// CHECK-LABEL: func @chosen_and_divided(
// CHECK: xsa.attention
// CHECK-SAME: mask(
func.func @chosen_and_divided(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %r = arith.select %a1, %a0, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%g : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%g, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %r = arith.divf %a0, %a1 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Without the second division rows do not add up to 1.
// REMARK: remark: attention left alone: probabilities are set to 0 after the softmax under a condition that is not its mask
// CHECK-LABEL: func @masked_only(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @masked_only(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %m: tensor<8x8xi1>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%s : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %m : tensor<8x8xf32>, tensor<8x8xi1>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: i1, %o: f32):
    %k = arith.uitofp %a1 : i1 to f32
    %r = arith.mulf %a0, %k : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A row is empty where its bias is -inf for all keys, as ONNX defines Attention.
// CHECK-LABEL: func @zeroed_by_bias(
// CHECK: xsa.attention
// CHECK-SAME: bias(
func.func @zeroed_by_bias(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = linalg.add ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%h : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %top = linalg.reduce { arith.maximumf } ins(%b : tensor<8x8xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %top : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %g = arith.cmpf oeq, %a1, %ninf : f32
    %r = arith.select %g, %zero, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The maximum of another tensor says nothing about the scores.
// REMARK: remark: attention left alone: probabilities are set to 0 after the softmax under a condition that is not its mask
// CHECK-LABEL: func @zeroed_by_another(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @zeroed_by_another(%x: tensor<8x4xf32>, %t: tensor<4x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = linalg.add ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.softmax dimension(1) ins(%h : tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %top = linalg.reduce { arith.maximumf } ins(%c : tensor<8x8xf32>) outs(%m0 : tensor<8xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%q, %top : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %g = arith.cmpf oeq, %a1, %ninf : f32
    %r = arith.select %g, %zero, %a0 : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
