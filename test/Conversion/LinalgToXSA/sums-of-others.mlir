// RUN: xsa-opt %s --raise-attention-to-xsa 2>/dev/null | FileCheck %s

// Sums of exponentials that differ from those of the probabilities in one respect.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The bias is a sine in both.
// CHECK-LABEL: func @same_function(
// CHECK: xsa.attention
// CHECK: return
func.func @same_function(%x: tensor<8x4xf32>, %k: tensor<4x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.matmul ins(%x, %k : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %u = math.sin %c : f32
    %v = arith.addf %a, %u : f32
    %r = math.exp %v : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %u = math.sin %c : f32
    %v = arith.addf %a, %u : f32
    %r = math.exp %v : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%g : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// A sine in one, a cosine in the other.
// CHECK-LABEL: func @other_function(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @other_function(%x: tensor<8x4xf32>, %k: tensor<4x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.matmul ins(%x, %k : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %u = math.sin %c : f32
    %v = arith.addf %a, %u : f32
    %r = math.exp %v : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %u = math.cos %c : f32
    %v = arith.addf %a, %u : f32
    %r = math.exp %v : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%g : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Some scores are replaced by the bias.
// CHECK-LABEL: func @same_comparison(
// CHECK: xsa.attention
// CHECK: return
func.func @same_comparison(%x: tensor<8x4xf32>, %k: tensor<4x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.matmul ins(%x, %k : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %w = math.sin %c : f32
    %keep = arith.cmpf ogt, %w, %zero : f32
    %u = arith.select %keep, %a, %c : f32
    %r = math.exp %u : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %w = math.sin %c : f32
    %keep = arith.cmpf ogt, %w, %zero : f32
    %u = arith.select %keep, %a, %c : f32
    %r = math.exp %u : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%g : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// In one of them also where the sine is 0.
// CHECK-LABEL: func @other_comparison(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @other_comparison(%x: tensor<8x4xf32>, %k: tensor<4x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.matmul ins(%x, %k : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %w = math.sin %c : f32
    %keep = arith.cmpf ogt, %w, %zero : f32
    %u = arith.select %keep, %a, %c : f32
    %r = math.exp %u : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %w = math.sin %c : f32
    %keep = arith.cmpf oge, %w, %zero : f32
    %u = arith.select %keep, %a, %c : f32
    %r = math.exp %u : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%g : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// The exponentials of all tokens with themselves.
// CHECK-LABEL: func @diagonal(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @diagonal(%x: tensor<8x4xf32>, %k: tensor<4x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.matmul ins(%x, %k : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %d = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%es : tensor<8x8xf32>) {
  ^bb0(%o: f32):
    %j = linalg.index 1 : index
    %t = tensor.extract %e[%j, %j] : tensor<8x8xf32>
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%d : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Products of half of the columns.
// CHECK-LABEL: func @half_of_the_columns(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @half_of_the_columns(%x: tensor<8x4xf32>, %k: tensor<4x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.matmul ins(%x, %k : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %xh = tensor.extract_slice %x[0, 0] [8, 2] [1, 1] : tensor<8x4xf32> to tensor<8x2xf32>
  %kh = tensor.extract_slice %k[0, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %h = linalg.matmul ins(%xh, %kh : tensor<8x2xf32>, tensor<2x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%g : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// Products of one column, as often as there are columns.
// CHECK-LABEL: func @first_column_only(
// CHECK-NOT: xsa.attention
// CHECK: return
func.func @first_column_only(%x: tensor<8x4xf32>, %k: tensor<4x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %er = tensor.empty() : tensor<8xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%es : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.matmul ins(%x, %k : tensor<8x4xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%s, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j, d) -> (i, 0)>, affine_map<(i, j, d) -> (0, j)>, affine_map<(i, j, d) -> (d, j)>, affine_map<(i, j, d) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %k, %k : tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%s0 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %size: f32, %o: f32):
    %m = arith.mulf %a, %c : f32
    %r = arith.addf %o, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %g = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %l = linalg.reduce { arith.addf } ins(%g : tensor<8x8xf32>) outs(%r0 : tensor<8xf32>) dimensions = [1]
  %y = call @rest(%e, %l, %x) : (tensor<8x8xf32>, tensor<8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

func.func private @rest(%e: tensor<8x8xf32>, %l: tensor<8xf32>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<8x8xf32>
  %ey = tensor.empty() : tensor<8x4xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%ey : tensor<8x4xf32>) -> tensor<8x4xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %l : tensor<8x8xf32>, tensor<8xf32>) outs(%es : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %y = linalg.matmul ins(%p, %x : tensor<8x8xf32>, tensor<8x4xf32>) outs(%y0 : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}
